"""Kleene's logic, operator by operator."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from moelint.lang.closures import closure, condition, kept
from moelint.lang.parse import parse
from moelint.lang.unknown import UNKNOWN

from .scopes import Values

T, F, U = True, False, UNKNOWN
VALUES = {"T": T, "F": F, "U": U}


def run(text: str, **values: Any) -> Any:
    return closure(parse(text))(Values(values))


def truth(text: str, **values: Any) -> Any:
    return condition(parse(text))(Values(values))


AND = {"TT": T, "TF": F, "TU": U, "FT": F, "FF": F, "FU": F, "UT": U, "UF": F, "UU": U}
OR = {"TT": T, "TF": T, "TU": T, "FT": T, "FF": F, "FU": U, "UT": T, "UF": U, "UU": U}


@pytest.mark.parametrize("pair", list(AND))
def test_and_or_tables(pair: str) -> None:
    a, b = (VALUES[c] for c in pair)
    assert run("a and b", a=a, b=b) is AND[pair]
    assert truth("a and b", a=a, b=b) is AND[pair]
    assert run("a or b", a=a, b=b) is OR[pair]
    assert truth("a or b", a=a, b=b) is OR[pair]
    assert truth("not (a and b)", a=a, b=b) is (U if AND[pair] is U else not AND[pair])


def test_not_table() -> None:
    assert [run("not a", a=v) for v in (T, F, U)] == [F, T, U]


@pytest.mark.parametrize(
    ("text", "values", "wanted"),
    [
        ("a or b", {"a": 0, "b": 7}, 7),
        ("a or b", {"a": 3, "b": 7}, 3),
        ("a and b", {"a": 3, "b": 0}, 0),
        ("(a or 0) <= 1", {"a": None}, True),
        ("(a or 0) <= 1", {"a": U}, U),
        ("a or 5", {"a": U}, U),  # a truthy unknown would be the value
        ("a and 0", {"a": U}, U),
    ],
)
def test_and_or_give_values_as_python_does(text: str, values: dict[str, Any], wanted: Any) -> None:
    found = run(text, **values)
    assert found is wanted if wanted is U else found == wanted


def test_a_condition_absorbs_whatever_the_types() -> None:
    assert truth("a or 5", a=U) is True
    assert truth("a and 0", a=U) is False
    assert truth("a or []", a=U) is U


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "+", "-", "*", "/", "//", "%"])
def test_an_unknown_operand_makes_the_result_unknown(op: str) -> None:
    assert run(f"a {op} b", a=U, b=[1] if "in" in op else 1) is U
    assert run(f"a {op} b", a=1, b=U) is U


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("None < 1", U),
        ("1 < None", U),
        ("None + 1", U),
        ("None >= None", U),
        ("5 % 0", U),
        ("5 // 0", U),
        ("5 / 0", U),
        ("'a' < 'b'", U),
        ("'a' < 1", U),
        ("[1] > 2", U),
        ("True < 2", U),
        ("True + 1", U),
        ("'a' * 3", U),
        ("[1] * 3", U),
        ("-'a'", U),
        ("1 in 5", U),
        ("None is None", T),
        ("0 is None", F),
        ("None == None", T),
        ("None == 0", F),
        ("1 == True", F),
        ("0 == False", F),
        ("1 == 1.0", T),
        ("'a' + 'b'", "ab"),
        ("[1] + [2]", [1, 2]),
        ("7 // 2", 3),
        ("7 % 4", 3),
        ("-7 // 2", -4),
        ("1 < 2 < 3", T),
        ("1 < 2 > 3", F),
        ("1 < 3 < 2", F),
        ("'b' in 'abc'", T),
    ],
)
def test_what_python_would_refuse_is_unknown(text: str, wanted: Any) -> None:
    found = run(text)
    assert found is wanted if wanted in (T, F) or wanted is U else found == wanted


def test_is_none_of_an_unknown_is_unknown() -> None:
    assert run("a is None", a=U) is U
    assert run("a is not None", a=U) is U
    assert run("(a + 1) is None", a=U) is U


@pytest.mark.parametrize(
    ("items", "wanted"),
    [
        ([1, U], T),
        ([2, U], U),
        ([2, 3], F),
        ([U], U),
        ([], F),
        (None, F),
        (U, U),
        (5, U),
    ],
)
def test_in_a_list_with_unknown_elements(items: Any, wanted: Any) -> None:
    assert run("1 in a", a=items) is wanted
    assert run("1 not in a", a=items) is (U if wanted is U else not wanted)


def test_lists_are_equal_element_by_element() -> None:
    assert run("a == b", a=[1, U], b=[1, 2]) is U
    assert run("a == b", a=[2, U], b=[1, 2]) is F
    assert run("a == b", a=[1], b=[1, 2]) is F
    assert run("a == b", a=(1, 2), b=[1, 2]) is T


def test_a_choice_on_an_unknown_is_known_if_both_sides_agree() -> None:
    assert run("1 if a else 1", a=U) == 1
    assert run("1 if a else 2", a=U) is U
    assert run("1 if a else 2", a=3) == 1


ELEMENTS = [T, F, U]


@pytest.mark.parametrize("items", list(itertools.product(ELEMENTS, repeat=3)))
def test_all_and_any_are_and_and_or_of_the_elements(items: tuple[Any, ...]) -> None:
    names = dict(zip("abc", items, strict=True))
    assert run("all(x for x in items)", items=list(items)) is truth("a and b and c", **names)
    assert run("any(x for x in items)", items=list(items)) is truth("a or b or c", **names)
    assert run("all(items)", items=list(items)) is truth("a and b and c", **names)
    assert run("any(items)", items=list(items)) is truth("a or b or c", **names)


@pytest.mark.parametrize("keep", ELEMENTS)
@pytest.mark.parametrize("value", ELEMENTS)
def test_a_filter_that_is_unknown_may_take_the_element_or_not(keep: Any, value: Any) -> None:
    names = {"k": keep, "v": value}
    assert run("all(v for x in [1] if k)", **names) is truth("not k or v", **names)
    assert run("any(v for x in [1] if k)", **names) is truth("k and v", **names)
    counted = run("len(x for x in [1] if k)", **names)
    assert counted is U if keep is U else counted == (1 if keep else 0)


def test_generators_over_numbers_and_records() -> None:
    stages = [{"decoder": 3, "loss": 0}, {"decoder": 2, "loss": 1}]
    assert run("sum(s.decoder for s in stages)", stages=stages) == 5
    assert run("len(s for s in stages if s.loss == 1)", stages=stages) == 1
    assert run("max(s.decoder for s in stages)", stages=stages) == 3
    assert run("stages[-1].loss", stages=stages) == 1
    assert run("stages[5].loss", stages=stages) is U
    assert run("any(s.absent for s in stages)", stages=stages) is U
    assert run("sum(s.decoder for s in stages)", stages=U) is U
    assert run("sum(s.decoder for s in stages)", stages=None) == 0


def test_unknown_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="truth value"):
        bool(UNKNOWN)


def test_a_closure_is_kept_for_its_tree_and_no_equal_one() -> None:
    """1 equals True, and so do the trees of both."""
    one, true = ("const", 1), ("const", True)
    assert one == true
    assert kept(one)(Values({})) is not kept(true)(Values({}))
    assert kept(one) is kept(one) and kept(one) is not kept(one, True)
    for number in range(5000):  # more than are kept: trees that are gone, of which others may have the place in memory
        assert kept(("const", number))(Values({})) == number
