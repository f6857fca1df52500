"""Fixes one text: choose, splice, read again, lint again, until nothing is left to do.

A fix whose outcome differs anywhere but at its keys, or brings a new error, is refused and said; the others still go
in.
"""

from __future__ import annotations

from collections.abc import Callable

from moelint.fix.choose import SAFE
from moelint.fix.verify import contradicts, unintended
from moelint.read.config import Config
from moelint.results import SEVERITIES, FileReport, Finding, Fix
from moelint.text.edits import Edit, apply, overlap
from moelint.text.source import Source

MAX_ROUNDS = 10

Lint = Callable[[Source], tuple[FileReport, list[Config]]]
_Chosen = tuple[Finding, Fix]
_Mark = tuple[str, str | None, str | None, tuple[str, ...]]


class Outcome:
    """``source``: the text at the end; ``report``: what is left to say of it; ``fixed``: findings that were fixed;
    ``changes``: one line for each, for people; ``refused``: fixes that did not go in, with the reason."""

    __slots__ = ("changes", "fixed", "refused", "report", "source")

    def __init__(self, source: Source, report: FileReport) -> None:
        self.source, self.report, self.fixed = source, report, 0
        self.changes: list[str] = []
        self.refused: list[str] = []


def fix_source(source: Source, lint: Lint, unsafe: bool = False) -> Outcome:
    """The text with all fixes that may go in. ``lint``: text → its report and the configs read from it; the findings
    carry their alternatives (``choose.fixes_for``). ``unsafe``: take unsafe fixes too."""
    report, configs = lint(source)
    out = Outcome(source, report)
    refused: dict[_Mark, str] = {}
    seen = {source.text}
    for _ in range(MAX_ROUNDS):
        chosen = _choose(out.report, unsafe, refused)
        if not chosen:
            break
        tried = _try(out.source, configs, out.report, chosen, lint)
        if isinstance(tried, str):  # one of them is to blame: find out which, one by one
            for one in chosen:
                tried = _try(out.source, configs, out.report, [one], lint)
                if not isinstance(tried, str):
                    chosen = [one]
                    break
                refused[_mark(one[0])] = tried
            if isinstance(tried, str):
                continue
        after, next_report, next_configs = tried
        if after.text in seen:
            for finding, _fix in chosen:
                refused[_mark(finding)] = "it and another fix undo each other"
            continue
        seen.add(after.text)
        out.changes += [_line(out.source, finding, fix) for finding, fix in chosen]
        out.fixed += len(chosen)
        out.source, out.report, configs = after, next_report, next_configs
    if out.source.text != source.text and _is_yaml(configs):
        reason = contradicts(source, out.source)
        if reason is not None:
            out = Outcome(source, report)
            out.refused.append(f"all fixes: {reason}")
            return out
    left = {_mark(finding): finding for finding in out.report.findings}
    out.refused += [f"{_where(left[mark])}: {reason}" for mark, reason in refused.items() if mark in left]
    return out


def _choose(report: FileReport, unsafe: bool, refused: dict[_Mark, str]) -> list[_Chosen]:
    """The first alternative of each finding, errors first, as far as they do not touch the same text."""
    ranked = sorted(report.findings, key=lambda finding: -SEVERITIES.index(finding.severity))
    chosen: list[_Chosen] = []
    taken: list[Edit] = []
    for finding in ranked:
        if not finding.fixes or _mark(finding) in refused:
            continue
        fix = finding.fixes[0]
        if fix.safety != SAFE and not unsafe:
            continue
        if not fix.edits:
            refused[_mark(finding)] = fix.reason or "it changes nothing in the text"
            continue
        fresh = [edit for edit in fix.edits if edit not in taken]
        if any(overlap(edit, other) for edit in fresh for other in taken):
            continue  # the next round, if it is still needed
        if fresh != fix.edits and fresh:  # half of it is in another fix: whole or not at all
            continue
        taken += fresh
        chosen.append((finding, fix))
    return chosen


def _try(
    source: Source, configs: list[Config], report: FileReport, chosen: list[_Chosen], lint: Lint,
) -> tuple[Source, FileReport, list[Config]] | str:
    """The text with these fixes, read and linted again; or why they must not go in."""
    edits = dict.fromkeys(edit for _, fix in chosen for edit in fix.edits)
    after = Source(source.path, apply(source.text, edits), source.encoding, source.bom)
    next_report, next_configs = lint(after)
    reason = unintended(configs, next_configs, [(finding.config, fix) for finding, fix in chosen])
    if reason is not None:
        return reason
    known = {_mark(finding) for finding in report.findings if finding.severity == "error"}
    for finding in next_report.findings:
        if finding.severity == "error" and _mark(finding) not in known:
            return f"it would bring a new error, {finding.rule} in line {finding.place.line}: {finding.message}"
    return after, next_report, next_configs


def _mark(finding: Finding) -> _Mark:
    """What stays of a finding when lines move."""
    return finding.rule, finding.case, finding.config, (finding.key, *finding.about)


def _where(finding: Finding) -> str:
    return f"{finding.rule} in line {finding.place.line}"


def _line(source: Source, finding: Finding, fix: Fix) -> str:
    sets = [f"{key.rpartition('.')[2]} → {_shown(value)}" for key, value in fix.set.items()]
    sets += [f"{key.rpartition('.')[2]} removed" for key in fix.unset]
    line = source.position(min(edit.start for edit in fix.edits))[0]
    return f"line {line}: {', '.join(sets)} ({finding.rule})"


def _shown(value: object) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_yaml(configs: list[Config]) -> bool:
    from moelint.text.yaml_document import YamlDocument

    return any(isinstance(config.document, YamlDocument) for config in configs)
