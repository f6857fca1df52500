"""One config from its target to its findings: effective config → rules, rewrites, keys → anchor → fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from moelint.findings import problems
from moelint.findings.anchor import anchor
from moelint.findings.fold import fold
from moelint.findings.select import Selection
from moelint.findings.waiting import waiting
from moelint.policy.evaluate import evaluate
from moelint.read.config import Config
from moelint.results import ConfigReport, FileReport, Finding
from moelint.text.source import Source
from moelint.trainer.effective import Effective
from moelint.trainer.keys import check
from moelint.trainer.target import Target, resolve
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.conf.model import Section
    from moelint.engine import Engine

_MOST = 1000  # targets of which it is remembered what is wrong with them

Checkout = Callable[[], Mapping[str, str]]
Undecided = list[tuple[str, str, list[str]]]


class Judge:
    """Judges the configs of all files for which one section of the configuration holds."""

    __slots__ = ("_faults", "engine", "packs", "section", "selection", "strict")

    def __init__(self, engine: Engine, section: Section, selection: Selection) -> None:
        self.engine, self.section, self.selection = engine, section, selection
        self.packs = engine.packs(section)
        self.strict = engine.options.strict or bool(section.strict)
        self._faults: dict[Target, list[tuple[str, str, str]]] = {}

    def config(self, config: Config, source: Source, report: FileReport) -> tuple[list[Finding], Undecided]:
        """(findings of a config, its undecided rules); what the file's report says of the config is added to it."""
        engine, selection = self.engine, self.selection

        def checkout() -> Mapping[str, str]:
            return engine.checkout(source.path)

        target = resolve(config, engine.options.target, self.section.target, checkout)
        effective = Effective(config, target)
        if engine.history is not None or engine.options.resume_from is not None:
            self._other_revisions(effective, source, checkout)
        verdicts, undecided = evaluate(self.packs, effective, selection.wanted, engine.options.show_undecided)
        findings = []
        for verdict in verdicts:
            item = self._anchor(verdict, effective, selection.level(verdict.rule.id, verdict.case))
            if item is None:
                continue
            if compiled := verdict.rule.fixes:
                from moelint.fix.choose import fixes_for

                item.fixes = fixes_for(compiled, verdict.scope, config, verdict.certainty)
            findings.append(item)
        if overrides := effective.overrides():
            findings += self._overridden(overrides, effective)
        if faults := check(effective):
            findings += self._keys(faults, effective)
        about = ConfigReport(config.name, config.line, config.dialect, config.trainer, config.completeness)
        about.target = target.stated()
        findings += self._of_target(target, config, source)
        if target.notes:
            engine.said.update(dict.fromkeys(target.notes))
            report.notes += tuple(target.notes)
        about.undecided = waiting(undecided, config, target.values)
        report.configs.append(about)
        effective.close()
        return fold(findings), undecided

    def _other_revisions(self, effective: Effective, source: Source, checkout: Checkout) -> None:
        """Puts the old revision's config and the checkpoint's beside this one."""
        engine = self.engine
        if engine.history is not None:
            effective.before = engine.history.before(effective.config, source, checkout)
        for saved, where in engine.saved() if engine.options.resume_from else ():
            if saved.trainer == effective.config.trainer:
                effective.saved = engine.beside(saved, where)
                if saved.name == effective.config.name:
                    break

    def _anchor(self, verdict: Any, effective: Effective, level: str | None) -> Finding | None:
        if effective.before is None or "before" not in self.packs.revisions(verdict.rule.index):
            return anchor(verdict, effective.config, level, self.strict)
        from moelint.revision.anchor import anchor_change

        return anchor_change(verdict, effective, level, self.strict)

    def _overridden(self, overrides: list[Any], effective: Effective) -> Iterable[Finding]:
        """What the trainer overrides although the file states it."""
        from moelint.findings.overrides import from_override

        scope = effective.scope()
        for override in overrides:
            rule = override.rewrite.id
            if self.selection.wanted(rule):
                level = self.selection.level(rule)
                item = from_override(override, scope, effective.config, level, self.strict)
                if item is not None:
                    yield item

    def _keys(self, faults: list[Any], effective: Effective) -> Iterable[Finding]:
        """Keys and values that the target release does not take."""
        from moelint.findings.keys import from_key_problem
        from moelint.fix.keys import fix_of

        for fault in faults:
            if self.selection.wanted(fault.rule):
                level = self.selection.level(fault.rule)
                item = from_key_problem(fault, effective.scope(), effective.config, level, self.strict)
                item.fixes = fix_of(fault, effective.config)
                yield item

    def _of_target(self, target: Target, config: Config, source: Source) -> Iterable[Finding]:
        """Stated targets that contradict each other or mean nothing."""
        faults = self._faults.get(target)
        if faults is None:
            if len(self._faults) >= _MOST:
                self._faults.clear()
            faults = self._faults[target] = _faults(target)
        if not faults:
            return
        start = source.line_starts()[config.line - 1]
        where = problems.place(source, start, start + len(source.line(config.line)))
        for kind, message, key in faults:
            item = problems.finding(kind, message, where, key)
            item.config = config.name
            if self.selection.wanted(item.rule):
                yield item


def _faults(target: Target) -> list[tuple[str, str, str]]:
    """(kind, message, key) for each thing that is wrong with a target."""
    found = [
        (
            "contradiction",
            f"{name.replace('_', '-')} is stated twice: {won.shown()} ({won.origin}) and "
            f"{lost.shown()} ({lost.origin}); the first holds",
            f"target.{name}",
        )
        for name, won, lost in target.contradictions
    ]
    gpu = target.values.get("gpu")
    if gpu is not None and gpu.value is not None:
        from moelint.trainer.hardware import unknown

        said = unknown(str(gpu.value))
        if said is not None:
            found.append(("target", said, "target.gpu"))
    return found
