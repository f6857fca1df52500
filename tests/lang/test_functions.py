"""The function table."""

from __future__ import annotations

from typing import Any

import pytest

from moelint.lang.closures import closure
from moelint.lang.functions import TABLE
from moelint.lang.parse import parse
from moelint.lang.unknown import UNKNOWN as U
from moelint.lang.versions import Version

from .scopes import Values


def run(text: str, **values: Any) -> Any:
    return closure(parse(text))(Values(values))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("len([1, 2])", 2),
        ("len('abc')", 3),
        ("len(5)", U),
        ("len(None)", 0),
        ("min(3, 2)", 2),
        ("max([3, 5])", 5),
        ("min([])", U),
        ("max(1, None)", U),
        ("min(1, 'a')", U),
        ("sum([1, 2.5])", 3.5),
        ("sum([True, True])", 2),
        ("sum(['a'])", U),
        ("prod(2, 3, 4)", 24),
        ("prod([])", 1),
        ("int('8')", 8),
        ("int(' -8 ')", -8),
        ("int('8.5')", U),
        ("int(8.9)", 8),
        ("int(None)", U),
        ("float('1e-4')", 1e-4),
        ("float('inf')", U),
        ("float('nan')", U),
        ("float('x')", U),
        ("abs(-3)", 3),
        ("ceil_div(7, 2)", 4),
        ("ceil_div(7, 0)", U),
        ("is_list([1])", True),
        ("is_list('a')", False),
        ("is_str('a')", True),
        ("is_int(True)", False),
        ("is_int(3)", True),
        ("is_bool(False)", True),
        ("as_list(None)", []),
        ("as_list('a')", ["a"]),
        ("as_list([1])", [1]),
        ("subset(['a'], ['a', 'b'])", True),
        ("subset(['c'], ['a'])", False),
        ("subset([], ['a'])", True),
        ("subset(None, ['a'])", True),
        ("overlaps(['a', 'c'], ['c'])", True),
        ("overlaps([], ['c'])", False),
        ("overlaps('a', ['a'])", U),
        ("without(['a', 'b'], ['a'])", ["b"]),
        ("without(['a', 'b'], 'b')", ["a"]),
        ("divides(4, 12)", True),
        ("divides(5, 12)", False),
        ("divides(0, 12)", U),
        ("divides(4, None)", U),
        ("divisors(12)", [1, 2, 3, 4, 6, 12]),
        ("divisors(16)", [1, 2, 4, 8, 16]),
        ("divisors(0)", U),
        ("nearest(6, [1, 4, 8])", 4),
        ("nearest(7, [1, 4, 8])", 8),
        ("nearest(1, [])", U),
        ("is_power_of_two(64)", True),
        ("is_power_of_two(48)", False),
        ("is_power_of_two(0)", False),
        ("is_power_of_two(2.0)", U),
        ("split('a, b,', ',')", ["a", "b"]),
        ("split('a b')", ["a", "b"]),
        ("split(None)", []),
        ("split(3)", U),
        ("option('expandable_segments:True,max_split_size_mb:64', 'expandable_segments')", "True"),
        ("option('a=1,b', 'b')", True),
        ("option('a=1', 'c')", None),
        ("option(None, 'c')", None),
        ("lower('AbC')", "abc"),
        ("lower(3)", U),
        ("starts_with('abc', 'ab')", True),
        ("ends_with('abc', 'ab')", False),
        ("starts_with(None, 'a')", U),
        ("range(3)", [0, 1, 2]),
        ("range(1, 7, 2)", [1, 3, 5]),
        ("range(1, 7, 0)", U),
        ("range(10, 0, -4)", [10, 6, 2]),
        ("range('a')", U),
        ("value(5)", 5),
        ("default(None, 4)", 4),
        ("default(3, 4)", 3),
        ("default(0, 4)", 0),
    ],
)
def test_function(text: str, wanted: Any) -> None:
    found = run(text)
    if wanted is U or isinstance(wanted, bool) or wanted is None:
        assert found is wanted
    else:
        assert found == wanted and type(found) is type(wanted)


def test_default_of_an_unknown_is_unknown() -> None:
    assert run("default(a, 4)", a=U) is U
    assert run("default(a, b)", a=3, b=U) == 3


def test_lists_with_unknown_elements() -> None:
    a = [1, U]
    assert run("len(a)", a=a) == 2
    assert run("sum(a)", a=a) is U
    assert run("max(a)", a=a) is U
    assert run("subset(a, [1])", a=a) is U
    assert run("subset(a, [2])", a=a) is False
    assert run("overlaps(a, [1])", a=a) is True
    assert run("overlaps(a, [2])", a=a) is U
    assert run("without(a, [1])", a=a) is U
    assert run("nearest(1, a)", a=a) is U


def test_keys_are_named_not_read() -> None:
    scope = Values({"model.a": None, "changed model.a": True, "default model.a": 7})
    assert closure(parse("written(model.a)"))(scope) is True
    assert closure(parse("written(model.b)"))(scope) is False
    assert closure(parse("changed(model.a)"))(scope) is True
    assert closure(parse("default(model.a)"))(scope) == 7
    assert closure(parse("choices(model.a)"))(scope) is U


def test_versions_compare_with_versions_and_texts() -> None:
    te = Version("2.9.0a0")
    assert run("v >= version('2.9')", v=te) is False
    assert run("v >= '2.8'", v=te) is True
    assert run("'2.10' > v", v=te) is True
    assert run("v == '2.9.0a0'", v=te) is True
    assert run("v != '2.9.0a0'", v=te) is False
    assert run("v < 'soon'", v=te) is U
    assert run("v < 3", v=te) is U
    assert run("v is None", v=None) is True


def test_every_function_is_total_and_documented() -> None:
    values = [None, True, 0, -1, 3, 2.5, "", "a", [], [1], ["a", None], Version("1"), [[1]], {"a": 1}]
    for name, function in TABLE.items():
        assert function.doc.endswith(".") and function.signature.startswith(name + "(")
        if function.lazy:
            continue
        for a in values:
            for b in values:
                args = (a, b)[: function.most]
                if len(args) >= function.least:
                    function.run(*args)
