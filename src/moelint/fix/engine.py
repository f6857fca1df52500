"""Fixes one text: choose, splice, read again, lint again, until nothing is left to do.

A fix whose outcome differs anywhere but at its keys, or brings a new error, is refused and said; the others still go
in.
"""

from __future__ import annotations

from collections.abc import Callable

from moelint.fix.choose import SAFE
from moelint.fix.second import contradicts
from moelint.fix.verify import unintended
from moelint.read.config import Config
from moelint.results import SEVERITIES, FileReport, Finding, Fix
from moelint.text.edits import Edit, apply, overlap
from moelint.text.source import Source
from moelint.text.yaml_document import YamlDocument

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


class _Round:
    """One state of the text, and the fixes that lead to the next."""

    __slots__ = ("chosen", "configs", "report", "source")

    def __init__(self, source: Source, report: FileReport, configs: list[Config]) -> None:
        self.source, self.report, self.configs = source, report, configs
        self.chosen: list[_Chosen] = []


def fix_source(source: Source, lint: Lint, unsafe: bool = False) -> Outcome:
    """The text with all fixes that may go in. ``lint``: text → its report and the configs read from it; the findings
    carry their alternatives (``choose.fixes_for``). ``unsafe``: take unsafe fixes too."""
    rounds = [_Round(source, *lint(source))]
    refused: dict[_Mark, str] = {}  # in the text as it is now
    undone: dict[_Mark, str] = {}  # for good
    for _ in range(MAX_ROUNDS):
        now = rounds[-1]
        now.chosen = _choose(now.report, unsafe, refused, undone)
        after = _together(now, lint, refused)
        if after is None:
            break
        same = next((i for i, old in enumerate(rounds) if old.source.text == after.source.text), None)
        refused.clear()  # another fix may have made them possible
        if same is None:
            rounds.append(after)
            continue
        idle = [finding for old in rounds[same:] for finding, _ in old.chosen]  # all that came to nothing
        names = ", ".join(sorted({finding.rule for finding in idle}))
        undone.update((_mark(finding), f"fixes undo each other: {names}") for finding in idle)
        del rounds[same + 1 :]
    last = rounds[-1]
    if last.source.text != source.text and _is_yaml(last.configs):
        reason = contradicts(source, last.source, _documents(rounds[0]), _documents(last))
        if reason is not None:
            out = Outcome(source, rounds[0].report)
            out.refused.append(f"all fixes: {reason}")
            return out
    out = Outcome(last.source, last.report)
    for done in rounds[:-1]:
        out.changes += [_line(done.source, finding, fix) for finding, fix in done.chosen]
        out.fixed += len(done.chosen)
    left = {_mark(finding): finding for finding in out.report.findings}
    out.refused += [f"{_where(left[mark])}: {reason}" for mark, reason in {**undone, **refused}.items() if mark in left]
    return out


def _together(now: _Round, lint: Lint, refused: dict[_Mark, str]) -> _Round | None:
    """The text with all that was chosen, but for what must not go in; None if nothing is left."""
    if not now.chosen:
        return None
    tried = _try(now, now.chosen, lint)
    if not isinstance(tried, str):
        return tried
    good: list[_Chosen] = []
    after = None
    for one in now.chosen:  # one of them is to blame: find out which
        if len(now.chosen) > 1:
            tried = _try(now, [*good, one], lint)
        if isinstance(tried, str):
            refused[_mark(one[0])] = tried
        else:
            good.append(one)
            after = tried
    now.chosen = good
    return after


def _choose(
    report: FileReport, unsafe: bool, refused: dict[_Mark, str], undone: dict[_Mark, str]
) -> list[_Chosen]:
    """The first alternative of each finding, errors first, as far as they do not touch the same text."""
    ranked = sorted(report.findings, key=lambda finding: -SEVERITIES.index(finding.severity))
    chosen: list[_Chosen] = []
    taken: list[Edit] = []
    for finding in ranked:
        if not finding.fixes or _mark(finding) in refused or _mark(finding) in undone:
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


def _try(now: _Round, chosen: list[_Chosen], lint: Lint) -> _Round | str:
    """The text with these fixes, read and linted again; or why they must not go in."""
    source = now.source
    edits = dict.fromkeys(edit for _, fix in chosen for edit in fix.edits)
    text = Source(source.path, apply(source.text, edits), source.encoding, source.bom)
    after = _Round(text, *lint(text))
    reason = unintended(now.configs, after.configs, [(finding.config, fix) for finding, fix in chosen])
    if reason is not None:
        return reason
    known = {_mark(finding) for finding in now.report.findings}
    at_work = {finding.rule for finding, _ in chosen}  # another case of such a rule was there all along, folded away
    for finding in after.report.findings:
        if finding.severity == "error" and _mark(finding) not in known and finding.rule not in at_work:
            return f"it would bring a new error, {finding.rule} in line {finding.place.line}: {finding.message}"
    return after


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
    return any(isinstance(config.document, YamlDocument) for config in configs)


def _documents(state: _Round) -> list[YamlDocument] | None:
    """All YAML documents of a text, if a config shows them."""
    for config in state.configs:
        if isinstance(config.document, YamlDocument) and config.document.source is state.source:
            return config.document.siblings or [config.document]
    return None
