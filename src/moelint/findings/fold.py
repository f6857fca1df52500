"""One mistake, one finding: what only follows from another finding is left out."""

from __future__ import annotations

from moelint.findings.problems import finding
from moelint.results import SEVERITIES, Finding

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
    - Two cases of one rule at one key are one mistake; the more severe, then the certain one stays.
    """
    told = {
        (item.config, key)
        for item in findings
        if not is_override(item) and (item.severity == "error" or (item.effect == "ignored" and item.severity != "note"))
        for key in (item.key, *(related.key for related in item.related))
    }
    best: dict[tuple[str | None, str, str, int, int], Finding] = {}
    for item in findings:
        if is_override(item) and (item.config, item.key) in told:
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
