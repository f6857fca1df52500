"""Selection, severities, folding, fingerprints, suppressions: each on findings made by hand."""

from __future__ import annotations

import pytest

from moelint.errors import UsageError
from moelint.findings.anchor import severity
from moelint.findings.fingerprint import fnv, number
from moelint.findings.fold import fold
from moelint.findings.problems import from_problem, place
from moelint.findings.select import check_patterns, covers, longest
from moelint.findings.suppress import Suppressions
from moelint.read.config import Ignore
from moelint.results import Finding, Place, Related
from moelint.text.document import Problem
from moelint.text.source import Source


def made(rule: str = "OVL004", key: str = "model.a", level: str = "error", line: int = 1, config: str = "c") -> Finding:
    item = Finding(rule, rule.lower(), "refuses", level, "m", Place("f.yaml", line, 1, line, 5), key)
    item.config = config
    return item


@pytest.mark.parametrize(
    ("pattern", "rule", "case", "expected"),
    [
        ("OVL004", "OVL004", None, True), ("OVL", "OVL004", None, True), ("OVL0", "OVL004", None, True), ("*", "X", None, True),
        ("OVL004", "OVL0041", None, True), ("PAR", "OVL004", None, False), ("OVL004.method", "OVL004", "method", True),
        ("OVL004.method", "OVL004", "layers", False), ("OVL004.method", "OVL004", None, False), ("OVL004", "OVL004", "x", True),
    ],
)
def test_patterns_cover(pattern: str, rule: str, case: str | None, expected: bool) -> None:
    assert covers(pattern, rule, case) is expected


def test_the_longest_pattern_wins() -> None:
    table = {"OVL": "note", "OVL004": "error", "OVL004.method": "off"}
    assert longest(table, "OVL004", "method") == "off"
    assert longest(table, "OVL004", None) == "error"
    assert longest(table, "OVL005", None) == "note"
    assert longest(table, "PAR001", None) is None


def test_unknown_patterns_are_usage_errors_and_old_names_lead_on() -> None:
    ids, redirects = ["OVL004", "PAR001"], {"OVL099": "OVL004"}
    assert check_patterns(["OVL099.x", "PAR"], ids, redirects, "--select") == (
        ["OVL004.x", "PAR"], ["--select: OVL099 is now OVL004"],
    )
    with pytest.raises(UsageError, match=r"--ignore: no rule is called 'OVL044': did you mean OVL004\?"):
        check_patterns(["OVL044"], ids, redirects, "--ignore")


@pytest.mark.parametrize(
    ("certainty", "strict", "override", "expected"),
    [
        ("certain", False, None, "error"), ("assumed", False, None, "warning"), ("assumed", True, None, "error"),
        ("assumed", False, "warning", "note"), ("assumed", False, "note", "note"), ("certain", False, "note", "note"),
    ],
)
def test_severity(certainty: str, strict: bool, override: str | None, expected: str) -> None:
    assert severity("refuses", None, override, certainty, strict) == expected


def test_an_override_is_no_news_beside_an_error_at_its_key() -> None:
    refused, overridden = made("OVL004", "model.a"), made("RWB001", "model.a", "warning")
    assert fold([overridden, refused]) == [refused]
    refused.related = [Related("model.b", "", refused.place)]
    assert fold([made("RWB001", "model.b", "warning"), refused]) == [refused]
    kept = made("RWB001", "model.c", "warning")
    assert fold([kept, refused]) == [kept, refused]
    advice = made("HWR001", "model.c", "note")
    assert fold([kept, advice]) == [kept, advice]


def test_advice_on_a_refused_value_waits() -> None:
    refused, advice = made("DSP016", "model.a"), made("HWR001", "model.a", "warning")
    advice.effect = "slow"
    assert fold([refused, advice]) == [refused]
    elsewhere = made("HWR001", "model.b", "warning")
    elsewhere.effect = "slow"
    assert fold([refused, elsewhere]) == [refused, elsewhere]


def test_a_value_that_no_field_takes_is_said_once() -> None:
    rule, value = made("CGR001", "model.a"), made("KEY006", "model.a")
    assert fold([value, rule]) == [rule]
    assert fold([value]) == [value]


def test_a_warning_about_costs_does_not_hide_that_a_value_is_overridden() -> None:
    slow, overridden = made("OPT009", "model.a", "warning"), made("RWB017", "model.a", "warning")
    slow.effect = "slow"
    assert fold([slow, overridden]) == [slow, overridden]


def test_two_cases_at_one_key_are_one_mistake() -> None:
    mild, harsh = made(level="warning"), made(level="error")
    assert fold([mild, harsh]) == [harsh]
    assert len(fold([made(line=1), made(line=2)])) == 2


def test_fingerprints_know_no_place_and_no_value() -> None:
    first, moved, second = made(line=1), made(line=9), made(line=2)
    moved.message, moved.place.path = "other", "g.yaml"
    number([first, second])
    number([moved])
    assert first.fingerprint == moved.fingerprint != second.fingerprint
    assert fnv("a") == "af63dc4c8601ec8c", "the published value of 64-bit FNV-1a"


TEXT = "# moelint: ignore[OVL004@--a, PAR] because it is so\nmodel:\n  a: 1\n"


def ignore(rules: list[tuple[str, str | None]], reason: str = "it is so") -> Ignore:
    return Ignore(rules, reason, 0, TEXT.index("\n"), True)


def test_suppressions_hide_what_they_name() -> None:
    source = Source("f.yaml", TEXT)
    suppressions = Suppressions(source, [(ignore([("OVL004", "--a"), ("PAR", None)]), None)])
    assert suppressions.hides(made(), "a")
    assert not suppressions.hides(made(key="model.b"), "b")
    assert not suppressions.hides(made("LAY001"), "a")
    unused = suppressions.unused(lambda pattern: None, lambda pattern, config: True)
    assert [(item.rule, item.message) for item in unused] == [("KEY113", "ignore[PAR] suppresses nothing: remove it")]
    assert unused[0].place.line == 1


def test_an_ignore_without_reason_hides_nothing() -> None:
    suppressions = Suppressions(Source("f.yaml", TEXT), [(ignore([("OVL004", None)], ""), None)])
    assert not suppressions.hides(made(), "a")


def test_an_ignore_of_one_config_leaves_the_others() -> None:
    suppressions = Suppressions(Source("f.yaml", TEXT), [(ignore([("OVL004", None)]), "c")])
    assert suppressions.hides(made(config="c"), "a") and not suppressions.hides(made(config="d"), "a")


def test_unknown_and_undecided_rules_in_ignores() -> None:
    suppressions = Suppressions(Source("f.yaml", TEXT), [(ignore([("OVL", None), ("ZZZ", None)]), None)])
    unused = suppressions.unused(lambda pattern: "no rule" if pattern == "ZZZ" else None, lambda pattern, config: False)
    assert [item.rule for item in unused] == ["KEY114"]


def test_places_stay_on_one_line() -> None:
    source = Source("f.yaml", "a: [1,\n  2]\n")
    found = place(source, 3, 11)
    assert (found.line, found.column, found.end_line, found.end_column) == (1, 4, 1, 7)
    item = from_problem(Problem("duplicate-key", "twice", 0, 1, ("model", "a")), source)
    assert (item.rule, item.severity, item.key) == ("KEY102", "error", "model.a")
