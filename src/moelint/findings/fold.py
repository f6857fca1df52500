"""One mistake, one finding: what only follows from another finding is left out."""

from __future__ import annotations

from moelint.findings.problems import finding
from moelint.results import SEVERITIES, Finding

MOOT = frozenset(("slow", "advice"))  # what a value would cost, if the trainer took it
VALUES = frozenset(("KEY005", "KEY006", "KEY007"))  # a value that its field does not take
MOST = 1000
"""Findings that are told of one file."""


def most(findings: list[Finding]) -> list[Finding]:
    """The gravest findings of a file, in order, and one that says how many more there are."""
    if len(findings) <= MOST:
        return findings
    ranked = sorted(range(len(findings)), key=lambda n: (-SEVERITIES.index(findings[n].severity), n))
    kept = [findings[n] for n in sorted(ranked[:MOST])]
    kept.append(finding("limit", f"{len(findings) - MOST:,} more findings in this file are not shown", kept[-1].place))
    return kept


def fold(findings: list[Finding]) -> list[Finding]:
    """The findings of one config without those that another one makes superfluous.

    - That the trainer overrides a value is no news beside an error about that very key, or beside a rule that says it too.
    - That a field does not take a value is no news beside a rule's error at that key, which says what it is for.
    - What a refused value would cost is moot: advice at a key whose value is refused waits until it is mended.
    - Two cases of one rule at one key are one mistake; the more severe, then the certain one stays.
    """
    told: set[tuple[str | None, str]] = set()
    wrong: set[tuple[str | None, str]] = set()
    refused: set[tuple[str | None, str]] = set()
    for item in findings:
        if is_override(item):
            continue
        if item.severity == "error" or (item.effect == "ignored" and item.severity != "note"):
            told.add((item.config, item.key))
            told.update((item.config, related.key) for related in item.related)
        if item.severity == "error" and item.rule not in VALUES:
            wrong.add((item.config, item.key))
        if item.severity == "error" and item.effect == "refuses":
            refused.add((item.config, item.key))
    best: dict[tuple[str | None, str, str, int, int], Finding] = {}
    for item in findings:
        at = (item.config, item.key)
        if is_override(item) and at in told:
            continue
        if item.rule in VALUES and at in wrong:
            continue
        change = item.rule.startswith("CHG")  # what a change mixes is news, whatever becomes of its values
        if item.effect in MOOT and item.severity != "error" and at in refused and not change:
            continue
        identity = (item.config, item.rule, item.key, item.place.line, item.place.column)
        other = best.get(identity)
        if other is None or _weight(item) > _weight(other):
            best[identity] = item
    return list(best.values())


def is_override(item: Finding) -> bool:
    """Whether a finding stems from a rewrite (RWB, RWC, RWL) and not from a rule of a pack."""
    return item.rule.startswith("RW")


def _weight(item: Finding) -> tuple[int, bool]:
    return SEVERITIES.index(item.severity), item.certainty == "certain"
