"""The cheap records behave as the named tuples that type checkers take them for."""

from __future__ import annotations

from typing import Any

import pytest

from moelint.walls.record import Record


class Plain(Record):
    a: int
    b: str = "x"
    c: float = 0.5


def test_like_a_named_tuple() -> None:
    made: Any = Plain
    one = made(1, c=2.0)
    assert (one.a, one.b, one.c) == (1, "x", 2.0) and tuple(one) == (1, "x", 2.0) and one[1] == "x" and one[:2] == (1, "x")
    assert len(one) == 3 and one._fields == ("a", "b", "c") and one._asdict() == {"a": 1, "b": "x", "c": 2.0}
    other = one._replace(b="y")
    assert other == made(1, "y", 2.0) and other != one and hash(one) == hash(made(1, "x", 2.0))
    assert repr(other) == "Plain(a=1, b='y', c=2.0)"
    a, b, c = one
    assert (a, b, c) == (1, "x", 2.0)


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, "x", 2.0, 3), {}), ((1,), {"d": 1}), ((), {"b": "y"})])
def test_wrong_fields_are_refused(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    made: Any = Plain
    with pytest.raises(TypeError):
        made(*values, **named)


def test_records_do_not_change() -> None:
    made: Any = Plain
    with pytest.raises(AttributeError):
        made(1).a = 2
