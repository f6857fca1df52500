"""Messages."""

from __future__ import annotations

from typing import Any

import pytest

from moelint.lang.errors import LangError
from moelint.lang.template import escape, parse, render
from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version

from .scopes import Values


def say(text: str, **values: Any) -> str:
    spelled = {"model.expert_model_parallel_size": "--expert-model-parallel-size"}
    return render(parse(text), Values({k.replace("__", "."): v for k, v in values.items()}, spelled))


def test_a_key_prints_in_the_authors_spelling() -> None:
    assert (
        say("{model.expert_model_parallel_size}", model__expert_model_parallel_size=8)
        == "--expert-model-parallel-size=8"
    )
    assert say("{model.a} {given.model.a}", model__a=True, given__model__a=False) == "a=true a=false"
    assert say("{model.a}", model__a=None) == "a (unset)"
    assert say("{model.a}") == "a=unknown"


def test_any_other_expression_prints_its_value() -> None:
    assert say("{ep * 2} of {ep}", ep=4) == "8 of 4"
    assert say("{value(model.a)}", model__a=[1, None, "b"]) == "[1, unset, b]"
    assert say("{target.torch}", target__torch=Version("2.9.0a0")) == "2.9.0a0"
    assert say("{nope + 1}") == "unknown"
    assert say("{1 / 3}") == "0.333333"


def test_formats() -> None:
    assert say("{ep:.1f} {ep:d} {size:gib}", ep=2.46, size=3 * 2**30) == "2.5 2 3.0 GiB"
    assert say("{model.a:d}", model__a=3.0) == "3"
    assert say("{ep:.1f}", ep=UNKNOWN) == "unknown"
    assert say("{ep:.1f}", ep="text") == "text"
    assert say("{'a:b'}") == "a:b"


def test_braces() -> None:
    assert say("{{}} {{{ep}}}", ep=1) == "{} {1}"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("a {ep", 2),
        ("a }", 2),
        ("a {}", 2),
        ("{ep!r}", 1),
        ("{ep:>10}", 3),
        ("{ep:x}", 3),
        ("{1 +}", 0),
        ("{a{b}}", 0),
    ],
)
def test_errors_point_into_the_message(text: str, column: int) -> None:
    with pytest.raises(LangError) as caught:
        parse(text)
    assert caught.value.column >= column


def test_control_characters_are_escaped() -> None:
    assert say("{a}", a="x\x1b[31m\n\u202e\x9b") == "x\\x1b[31m\\x0a\\u202e\\x9b"
    assert escape("é—✓") == "é—✓"
    assert len(escape("x" * 1000)) == 200
    assert say("{a}", a=list(range(50))).endswith(", …]")
