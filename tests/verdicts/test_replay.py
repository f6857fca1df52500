"""The regression net: what the trainers said of a good thousand configs, and that moelint still says the same.

The cases are made and chosen by ``tools/verdicts``; a trainer is not needed to replay them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from verdicts.case import Case
from verdicts.coverage import PAGE, claims, load, text
from verdicts.judge import Judge, leaf, named, reads, refusals, touched

from moelint.results import FileReport

Judged = list[tuple[Case, FileReport]]


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


@pytest.fixture(scope="module")
def judged(judge: Judge) -> Judged:
    return list(judge.reports(load("verdicts.json.gz")))


def refused(judged: Judged) -> Judged:
    return [(case, report) for case, report in judged if case["expected"]["verdict"] == "error"]


def accepted(judged: Judged) -> Judged:
    return [(case, report) for case, report in judged if case["expected"]["verdict"] == "ok"]


def test_what_a_trainer_accepts_is_never_called_refused(judged: Judged) -> None:
    wrong = {
        case["id"]: [item.rule for item in refusals(report)] for case, report in accepted(judged) if refusals(report)
    }
    assert wrong == {}
    assert len(accepted(judged)) > 300


def test_what_a_trainer_refuses_is_an_error(judged: Judged) -> None:
    known = load("disagreements.yaml")
    missed = {case["id"]: case["expected"]["message"] for case, report in refused(judged) if not refusals(report)}
    assert {name: message for name, message in missed.items() if name not in known} == {}
    assert set(known) - set(missed) == set(), "listed as a disagreement, but agrees"
    assert len(refused(judged)) > 1000


def test_for_the_trainer_s_reason(judged: Judged) -> None:
    """A finding reads a setting of the constraint, or comes from a rule that stands for it."""
    catalogue, claimed = load("constraints.json.gz"), claims()
    known = {leaf(key) for entry in catalogue.values() for key in entry[3]}
    count: Counter[tuple[str, bool]] = Counter()
    for case, report in refused(judged):
        found, constraint = refusals(report), case["constraint"]
        keys = {leaf(key) for key in (catalogue[constraint][3] if constraint in catalogue else ())}
        keys |= named(case["expected"]["message"]) & known
        if found and keys:
            right = any(keys & reads(item) or item.rule in claimed.get(constraint, ()) for item in found)
            count[case["layer"], right] += 1
    for layer in ("mcore", "bridge", "mlm"):
        right, wrong = count[layer, True], count[layer, False]
        assert right / (right + wrong) >= 0.99, (layer, right, wrong)


def test_what_a_trainer_overrides_is_said(judged: Judged) -> None:
    """A value that the config states and the trainer replaces has a finding at its key."""
    silent = []
    for case, report in accepted(judged):
        said = [item for item in report.findings if item.effect in ("ignored", "deprecated")]
        at = set().union(*(touched(item) for item in said))
        silent += [(case["id"], key) for key in case["expected"]["changed"] if leaf(key) not in at]
    assert silent == []


def test_the_page_of_covered_constraints_is_current(judge: Judge) -> None:
    assert Path(PAGE).read_text(encoding="utf-8") == text(judge), "PYTHONPATH=src:tools python -m verdicts.coverage"


def test_every_uncovered_constraint_has_one_reason() -> None:
    catalogue = load("constraints.json.gz")
    listed = [name for entry in load("uncovered.yaml").values() for name in entry["constraints"]]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(catalogue)
