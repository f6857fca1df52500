"""A log, and perhaps the config that it should have run: causes, silent changes, differences."""

from __future__ import annotations

import re

from moelint.diagnose.against import Difference, compare
from moelint.diagnose.dump import Logged, read
from moelint.diagnose.dump import findings as printed
from moelint.diagnose.knowledge import FATAL, MEANS, Knowledge, Symptom
from moelint.diagnose.scan import Event, Scan
from moelint.diagnose.stream import Log, Progress
from moelint.lang.template import render
from moelint.results import SEVERITIES, Finding, Report
from moelint.typed import Any


class Cause:
    """One thing that a log says. ``rules``: the rules that stand for it, the likeliest first; ``findings``: what the
    config named by ``--for`` has of them."""

    __slots__ = (
        "cause",
        "count",
        "file",
        "findings",
        "fix",
        "keys",
        "line",
        "means",
        "message",
        "ranks",
        "rules",
        "symptom",
        "title",
    )

    def __init__(self, event: Event, means: str, title: str) -> None:
        self.means, self.title = means, title
        self.message, self.line, self.count = event.text, event.line, event.count
        self.ranks = sorted(event.ranks)
        self.file = event.where
        self.rules: list[str] = []
        self.symptom: str | None = None
        self.cause = self.fix = ""
        self.keys: list[str] = []
        self.findings: list[Finding] = []


class Diagnosis:
    """``config``: the config that the log printed last; ``differs`` and ``as_asked`` hold it against ``--for``."""

    __slots__ = ("as_asked", "broken", "bytes", "causes", "config", "differs", "lines", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines = self.bytes = 0
        self.broken = ""
        self.causes: list[Cause] = []
        self.config: Logged | None = None
        self.differs: list[Difference] = []
        self.as_asked: list[str] = []

    @property
    def fatal(self) -> bool:
        return any(cause.means in FATAL for cause in self.causes)


def diagnose(
    path: str,
    knowledge: Knowledge,
    meant: Report | None = None,
    effective: Any = None,
    progress: Progress | None = None,
) -> Diagnosis:
    """Read a log. ``meant``: the report of the config that should have run; ``effective``: that config. Raises
    LogError if there is nothing to read."""
    out = Diagnosis(path)
    scan = Scan(knowledge)
    log = Log(path, progress)
    try:
        for block in log.blocks():
            scan.feed(block)
    finally:
        log.close()
    scan.finish()
    out.lines, out.bytes, out.broken = scan.lines, scan.bytes, log.broken
    if not scan.text_like:
        out.broken = f"{path}: holds zero bytes: is it a log?"
    if scan.dumps:
        out.config = read(scan.dumps[-1])
        if not out.config.values:
            out.config = None
    found = meant.findings() if meant is not None else printed(out.config, path) if out.config is not None else []
    out.causes = causes(scan, knowledge, found)
    if out.config is not None:
        if effective is not None:
            out.differs, out.as_asked = compare(effective, out.config)
        never = _never_activated(out.config, effective, knowledge)
        if never is not None:
            out.causes.append(never)
    out.causes.sort(key=lambda cause: (_order(cause), cause.line))
    return out


def causes(scan: Scan, knowledge: Knowledge, findings: list[Finding]) -> list[Cause]:
    """What a scan's events mean, the first failure first. ``findings``: those of the config that should have run."""
    found = [_cause(event, knowledge, findings) for event in scan.events.values()]
    return sorted(found, key=lambda cause: (_order(cause), cause.line))


def _order(cause: Cause) -> int:
    """Fatal things by line, whatever they are; then changes, slow things, notes; consequences of others last."""
    return 0 if cause.means in FATAL else MEANS.index(cause.means)


def _cause(event: Event, knowledge: Knowledge, findings: list[Finding]) -> Cause:
    owners = [owner for owner in event.owners if owner]
    if event.owners[:1] == ("",):
        cause = Cause(event, "fatal", "An error that moelint has no rule for")
        cause.fix = (
            "Read the traceback from its end; if a setting is behind it, a policy can say so (moelint policy new)."
        )
        return cause
    symptom = next((knowledge.symptoms[owner] for owner in owners if owner in knowledge.symptoms), None)
    rules = [owner for owner in owners if owner not in knowledge.symptoms]
    fired = {finding.rule for finding in findings}
    rules.sort(key=lambda rule: rule not in fired)
    if rules:
        cause = Cause(event, knowledge.means(rules[0]), rules[0])
        cause.rules = rules
        _of_rule(cause, rules[0], knowledge)
        cause.findings = [finding for finding in findings if finding.rule in rules]
        return cause
    assert symptom is not None
    return _of_symptom(Cause(event, symptom.means, symptom.title), symptom, event, findings)


def _of_rule(cause: Cause, rule: str, knowledge: Knowledge) -> None:
    """Title, reason and repair of a rule."""
    from moelint.findings.pages import NO_SCOPE, page

    info = page(rule, [knowledge.packs])
    cause.title = f"{rule} {info.name}"
    cause.cause = first_paragraph(info.help)
    text = knowledge.packs.texts[rule]
    cause.keys = list(text["about"])
    for number in range(text["first"], text["first"] + text["cases"]):
        for fix in knowledge.packs.rule(number).fixes:
            sets = ", ".join(f"{key}: {_constant(tree)}" for key, tree in fix[2].items())
            unset = ", ".join(f"remove {key}" for key in fix[6])
            what = ", ".join(part for part in (sets, unset) if part)
            if what:
                why = render(fix[7], NO_SCOPE).strip()
                cause.fix = f"{what}" + (f" ({why})" if why else "")
                return


def _constant(tree: Any) -> str:
    from moelint.explain.rule import scalar

    return scalar(tree[1]) if tree[0] == "const" else "…"


def first_paragraph(text: str) -> str:
    """The first paragraph of Markdown on one line."""
    return " ".join(text.strip().split("\n\n")[0].split())


def _of_symptom(cause: Cause, symptom: Symptom, event: Event, findings: list[Finding]) -> Cause:
    cause.symptom, cause.cause, cause.fix, cause.keys = symptom.id, symptom.cause, symptom.fix, symptom.keys
    cause.rules = [rule for rule in symptom.rules if len(rule) > 3]
    seen = " ".join((event.text, event.context))
    shown = [f"{name} {value}" for pattern in symptom.capture for name, value in _captured(pattern, seen)]
    if shown:
        cause.title += f" ({', '.join(shown)})"
    if len(event.ranks) == 1 and symptom.means == "memory":
        cause.title += f", on rank {min(event.ranks)} alone"
    cause.findings = (
        sorted(
            (f for f in findings if f.rule.startswith(tuple(symptom.rules)) or f.key in symptom.keys),
            key=lambda f: (f.key not in symptom.keys, -SEVERITIES.index(f.severity), f.place.line),
        )[:5]
        if symptom.rules or symptom.keys
        else []
    )
    return cause


def _captured(pattern: str, text: str) -> list[tuple[str, str]]:
    match = re.search(pattern, text)
    return [(name, value) for name, value in match.groupdict().items() if value] if match is not None else []


def _never_activated(logged: Logged, effective: Any, knowledge: Knowledge) -> Cause | None:
    """A flex backend that is named and not used. Megatron names one by default, so it must have been asked for."""
    key, dispatcher = "model.moe_flex_dispatcher_backend", "model.moe_token_dispatcher_type"
    backend, used = logged.values.get(key), logged.values.get(dispatcher)
    asked = "model" in logged.whole or (effective is not None and key in effective.config.written)
    if backend is None or not backend[0] or not asked:
        return None
    used = used or (("allgather", logged.line) if "model" in logged.whole else None)
    if used is None or used[0] == "flex":
        return None
    event = Event(("flex-never-activated",), backend[1], f"{key}: {backend[0]}, {dispatcher}: {used[0]}")
    event.count = 1
    symptom = knowledge.symptoms["flex-never-activated"]
    return _of_symptom(Cause(event, symptom.means, symptom.title), symptom, event, [])
