"""Our encoder writes what the standard library writes."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from moelint.report.encode import Shared, write

LEAVES = some.none() | some.booleans() | some.integers() | some.floats() | some.text()
VALUES = some.recursive(
    LEAVES, lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(), inner, max_size=4), max_leaves=30
)


def encoded(value: Any) -> str:
    stream = io.StringIO()
    write(value, stream)
    return stream.getvalue()


@given(VALUES)
def test_byte_for_byte(value: Any) -> None:
    assert encoded(value) == json.dumps(value, indent=1)


def test_shared_parts_stand_wherever_they_are() -> None:
    part = Shared({"a": [1, {"b": Shared(c="é\u2028")}], "none": {}})
    value = {"x": part, "y": [part, [part]], "z": part}
    assert encoded(value) == json.dumps(value, indent=1)


def test_long_lists_are_written_in_pieces() -> None:
    part = Shared(items=[[n] for n in range(30_000)])
    value = {"files": [{"n": n, "odd": n % 2 == 1, "of": (n, None)} for n in range(5_000)], "shared": [part, part]}
    assert encoded(value) == json.dumps(value, indent=1)


def test_what_json_has_no_word_for() -> None:
    with pytest.raises(TypeError):
        encoded({"a": {1, 2}})
