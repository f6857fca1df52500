"""One file's way from text to findings: read → target → effective config → rules → anchor → fold → suppress."""

from __future__ import annotations

import os
from collections.abc import Iterable

from moelint.conf.load import for_folder, load
from moelint.conf.model import Conf, Section
from moelint.errors import UsageError
from moelint.findings import problems, select
from moelint.findings.anchor import anchor
from moelint.findings.fingerprint import number
from moelint.findings.fold import fold, most
from moelint.findings.suppress import Suppressions
from moelint.findings.waiting import waiting
from moelint.options import Options
from moelint.read.config import Config, Ignore
from moelint.read.configs import ReadOptions
from moelint.read.files import FileRead, read_file
from moelint.results import SEVERITIES, ConfigReport, FileReport, Finding, Report
from moelint.text.source import Source
from moelint.typed import Any


class Engine:
    """Everything that is the same for all files of a run: options, configuration, policies."""

    __slots__ = ("_conf", "_packs", "_saved", "history", "options", "reader", "said")

    def __init__(self, options: Options) -> None:
        self.options = options
        self._conf = load(options.config) if options.config else Conf() if options.no_config else None
        self._packs: dict[tuple[str, ...], Any] = {}
        self.said: dict[str, None] = {}  # notes to say once
        self.reader: Any = None  # reads what a file inherits; None: from disk
        self.history: Any = None  # moelint.reviewing.History: the old revision, for change rules
        self._saved: list[tuple[Config, Source]] | None = None

    def conf(self, folder: str) -> Conf:
        """The configuration of a folder. Raises ConfError."""
        return for_folder(folder) if self._conf is None else self._conf

    def packs(self, section: Section) -> Any:
        """The compiled policies that hold for a section of the configuration."""
        wanted = (*section.policies, *(p for p in self.options.policies if p not in section.policies))
        found = self._packs.get(wanted)
        if found is None:
            from moelint.policy.load import load as load_packs

            found = self._packs[wanted] = load_packs(list(wanted), cache=self.options.cache)
        return found

    def prepare(self, path: str) -> None:
        """Check the options against what there is. Raises UsageError: a misspelt rule must not pass for a clean run."""
        if self.options.resume_from is not None:
            self.saved()
        if self.options.base is not None:
            self._check_base(self.options.base)
        conf = self.conf(path if os.path.isdir(path) else os.path.dirname(path) or ".")
        packs = self.packs(conf.at(path))
        options = self.options
        tables = [table for section in conf.sections for table in (section.severity, section.ignore)]
        ids = _all_ids(packs) if any((options.select, options.ignore, conf.select, *tables)) else []
        for name, patterns in (("--select", options.select), ("--ignore", options.ignore), ("select", conf.select)):
            checked, said = select.check_patterns(patterns, ids, packs.redirects, name)
            patterns[:] = checked
            self.said.update(dict.fromkeys(said))
        for section in conf.sections:
            for where, table in (("severity", section.severity), ("ignore", section.ignore)):
                for rule in table:
                    place = conf.place(*section.at, where, rule)
                    select.check_patterns([rule], ids, packs.redirects, f"{place}: {where}")
        for key, value in options.target.items():
            check_target(key, value, "--target")
        for section in conf.sections:
            for key, value in section.target.items():
                check_target(key, str(value), f"{conf.place(*section.at, 'target', key)}: target")

    def finish(self, report: Report) -> None:
        """What the report says of the run as a whole."""
        for packs in self._packs.values():
            report.packs.update(packs.versions)
        report.notes += self.said
        if self.options.rule_info:
            from moelint.discover import repository_root
            from moelint.findings.pages import page

            report.root = repository_root(os.getcwd())
            for item in report.findings():
                if item.rule not in report.rules:
                    report.rules[item.rule] = page(item.rule, list(self._packs.values()))

    def configs(self, source: Source) -> list[Config]:
        """The configs of a file that the user named, without any judgement."""
        return self._read_configs(source, True)[0].configs

    def effective(self, config: Config, source: Source) -> tuple[Any, Any]:
        """(effective config, packs) of a config, under the configuration that holds for its file."""
        from moelint.trainer.effective import Effective
        from moelint.trainer.target import resolve

        section = self.conf(os.path.dirname(source.path) or ".").at(source.path)
        return Effective(config, resolve(config, self.options.target, section.target)), self.packs(section)

    def _check_base(self, name: str) -> None:
        """Raises UsageError on a base that is neither an official recipe nor a file with a config."""
        from moelint.read.bases import recipe, unknown
        from moelint.text.source import TextError

        if recipe(name) is not None:
            return
        if not os.path.exists(name):
            raise UsageError(f"--base {name}: {unknown(name, 0, 0).message}")
        try:
            found, _, _ = self._read_configs(self._read(name), True)
        except TextError as error:
            raise UsageError(f"--base {name}: {error.message}") from None
        if not found.configs:
            raise UsageError(f"--base {name}: holds no training config ({found.skipped})")

    def saved(self) -> list[tuple[Config, Source]]:
        """The configs of ``--resume-from``. Raises UsageError if there are none."""
        if self._saved is None:
            from moelint.text.source import TextError

            path = self.options.resume_from or ""
            try:
                source = self._read(path)
            except TextError as error:
                raise UsageError(f"--resume-from {path}: {error.message}") from None
            found, _, _ = self._read_configs(source, True)
            if not found.configs:
                raise UsageError(f"--resume-from {path}: holds no training config ({found.skipped})")
            self._saved = [(config, source) for config in found.configs]
        return self._saved

    def beside(self, config: Config, source: Source, checkout: Any = None) -> Any:
        """The effective config of another revision, judged under the same options."""
        from moelint.trainer.effective import Effective
        from moelint.trainer.target import resolve

        section = self.conf(os.path.dirname(source.path) or ".").at(source.path)
        return Effective(config, resolve(config, self.options.target, section.target, checkout))

    def _read_configs(self, source: Source, named: bool) -> tuple[FileRead, Conf, Section]:
        conf = self.conf(os.path.dirname(source.path) or ".")
        section, options = conf.at(source.path), self.options
        define = {**section.define, **options.define} if section.define else options.define
        how = ReadOptions(named, define, options.base, None, self.reader or self._read, _class_default)
        return read_file(source, how), conf, section

    def lint(self, source: Source, named: bool) -> FileReport:
        """All that is to be said of one text."""
        return self.lint_read(source, named)[0]

    def lint_read(self, source: Source, named: bool) -> tuple[FileReport, list[Config]]:
        """The report of one text, with the configs that were read (for whoever fixes it)."""
        read, conf, section = self._read_configs(source, named)
        report = FileReport(source.path)
        report.skipped = read.skipped
        findings = [problems.from_problem(problem, source) for problem in read.problems]
        ignores: list[tuple[Ignore, str | None]] = [(ignore, None) for ignore in read.ignores]
        file = _File(self, conf, section, source)
        for config in read.configs:
            findings += [problems.from_problem(problem, source, config.name) for problem in config.problems]
            findings += file.config(config, report)
            ignores += [(ignore, config.name) for ignore in config.ignores]
        findings.sort(key=_order)
        findings = most(findings)
        number(findings)
        if ignores:
            suppressions = Suppressions(source, ignores)
            shown = [item for item in findings if not suppressions.hides(item, file.spelling(item))]
            report.suppressed = len(findings) - len(shown)
            report.hidden = {item.fingerprint for item in findings}.difference(item.fingerprint for item in shown)
            unused = suppressions.unused(file.unknown, file.decided)
            number(unused)
            findings = sorted([*shown, *unused], key=_order)
        report.findings = findings
        if report.findings:
            report.source = source
        return report, read.configs

    def _read(self, path: str) -> Source:
        from moelint.text.files import read

        return read(path)


def _class_default(name: str, field: str) -> object:
    """What recipes are told of the trainer's own classes; the tables are loaded when one asks."""
    from moelint.trainer.class_defaults import class_default

    return class_default(name, field)


def _order(item: Finding) -> tuple[int, int, int, str]:
    return item.place.line, item.place.column, -SEVERITIES.index(item.severity), item.rule


def _all_ids(packs: Any) -> list[str]:
    """Every rule that a pattern may mean: the packs', the built-in ones, the trainers' rewrites."""
    from moelint.findings.builtin_pages import ids
    from moelint.trainer.compiled import rewrites

    trainers = [entry.id for trainer in ("bridge", "lm", "core") for entry in rewrites(trainer).entries]
    return [*packs.ids, *ids(), *dict.fromkeys(trainers)]


def check_target(key: str, value: str, where: str) -> None:
    """Raises UsageError on a target that no directive could state."""
    from moelint.read.directives import words
    from moelint.trainer.target import TargetError, convert

    stated, messages = words(f"{key}={value}")
    if messages:
        raise UsageError(f"{where} {key}={value}: {messages[0]}")
    for name, raw in stated.items():
        try:
            convert(name.replace("-", "_"), raw)
        except TargetError as error:
            raise UsageError(f"{where} {key}={value}: {error}") from None
    # A GPU without a profile still decides checks that name it, so only what looks like a slip is refused.
    if "gpu" in stated and (said := unknown_gpu(str(stated["gpu"]))) is not None and said.endswith("?"):
        raise UsageError(f"{where} {key}={value}: {said}")


def unknown_gpu(name: str) -> str | None:
    """What is wrong with a GPU's name; None if there is a profile of it, or it says that there is no GPU."""
    from moelint.trainer import hardware

    if name.lower() == "none" or hardware.canonical(name) is not None:
        return None
    from moelint.lang.suggest import nearest

    known = hardware.names()
    near = nearest(name, known)
    return f"no profile of a GPU '{name}'" + (f": did you mean {near}?" if near else f" (known are {', '.join(known)})")


class _File:
    """The judging of one file's configs."""

    def __init__(self, engine: Engine, conf: Conf, section: Section, source: Source) -> None:
        self.engine, self.section, self.source = engine, section, source
        self._spellings: dict[tuple[str | None, str], str] = {}
        self._undecided: dict[str | None, set[str]] = {}
        options = engine.options
        self.strict = options.strict or bool(section.strict)
        self.select = options.select or conf.select
        self.packs = engine.packs(section)

    def wanted(self, rule: str, case: str | None = None) -> bool:
        """Whether options and configuration want to hear of a rule."""
        if self.select and not any(select.covers(pattern, rule, case) for pattern in self.select):
            return False
        if any(select.covers(pattern, rule, case) for pattern in self.engine.options.ignore):
            return False
        if any(select.covers(pattern, rule, case) for pattern in self.section.ignore):
            return False
        return self.level(rule, case) != "off"

    def level(self, rule: str, case: str | None) -> str | None:
        return select.longest(self.section.severity, rule, case) if self.section.severity else None

    def config(self, config: Config, report: FileReport) -> list[Finding]:
        from moelint.policy.evaluate import evaluate
        from moelint.trainer.effective import Effective
        from moelint.trainer.target import resolve

        target = resolve(config, self.engine.options.target, self.section.target, self._checkout)
        effective = Effective(config, target)
        self._other_revisions(effective)
        verdicts, undecided = evaluate(self.packs, effective, self.wanted, self.engine.options.show_undecided)
        findings = []
        for verdict in verdicts:
            level = self.level(verdict.rule.id, verdict.case)
            item = self._anchor(verdict, effective, level)
            if item is None:
                continue
            if verdict.rule.fixes:
                from moelint.fix.choose import fixes_for

                item.fixes = fixes_for(verdict.rule.fixes, verdict.scope, config, verdict.certainty)
            findings.append(item)
        findings += self._overrides(effective, config)
        findings += self._keys(effective, config)
        for key, written in config.written.items():
            self._spellings[config.name, key] = written.spelling
        about = ConfigReport(config.name, config.line, config.dialect, config.trainer, config.completeness)
        about.target = target.stated()
        findings += self._of_target(target, config)
        for note in target.notes:
            self.engine.said.setdefault(note)
        about.undecided = waiting(undecided, config)
        self._undecided[config.name] = {entry[0] for entry in undecided}
        report.configs.append(about)
        return fold(findings)

    def _other_revisions(self, effective: Any) -> None:
        """Puts the old revision's config and the checkpoint's beside this one."""
        if self.engine.history is not None:
            effective.before = self.engine.history.before(effective.config, self.source, self._checkout)
        for saved, source in self.engine.saved() if self.engine.options.resume_from else ():
            if saved.trainer == effective.config.trainer:
                effective.saved = self.engine.beside(saved, source)
                if saved.name == effective.config.name:
                    break

    def _anchor(self, verdict: Any, effective: Any, level: str | None) -> Finding | None:
        if effective.before is None or "before" not in self.packs.revisions(verdict.rule.index):
            return anchor(verdict, effective.config, level, self.strict)
        from moelint.revision.anchor import anchor_change

        return anchor_change(verdict, effective, level, self.strict)

    def _of_target(self, target: Any, config: Config) -> Iterable[Finding]:
        """Stated targets that contradict each other or mean nothing."""
        start = self.source.line_starts()[config.line - 1]
        where = problems.place(self.source, start, start + len(self.source.line(config.line)))
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
        if gpu is not None and gpu.value is not None and (said := unknown_gpu(str(gpu.value))) is not None:
            found.append(("target", said, "target.gpu"))
        for kind, message, key in found:
            item = problems.finding(kind, message, where, key)
            item.config = config.name
            if self.wanted(item.rule):
                yield item

    def _checkout(self) -> dict[str, str]:
        """What the checkout around the file says of the installed packages."""
        from moelint.trainer.checkout import around

        return around(self.source.path)

    def _overrides(self, effective: Any, config: Config) -> Iterable[Finding]:
        overrides = effective.overrides()
        if overrides:
            from moelint.findings.overrides import from_override

            scope = effective.scope()
            for override in overrides:
                rule = override.rewrite.id
                if self.wanted(rule):
                    item = from_override(override, scope, config, self.level(rule, None), self.strict)
                    if item is not None:
                        yield item

    def _keys(self, effective: Any, config: Config) -> Iterable[Finding]:
        from moelint.trainer.keys import check

        for problem in check(effective):
            if self.wanted(problem.rule):
                from moelint.findings.keys import from_key_problem
                from moelint.fix.keys import fix_of

                level = self.level(problem.rule, None)
                item = from_key_problem(problem, effective.scope(), config, level, self.strict)
                item.fixes = fix_of(problem, config)
                yield item

    def spelling(self, item: Finding) -> str:
        return self._spellings.get((item.config, item.key), item.key)

    def unknown(self, pattern: str) -> str | None:
        """What to say of a pattern of an ignore that means no rule; None if it means some."""
        ids = _all_ids(self.packs)
        if any(select.covers(pattern, id) for id in ids):
            return None
        from moelint.lang.suggest import nearest

        near = nearest(pattern, ids)
        return f"no rule is called {pattern}: " + (f"did you mean {near}?" if near else "moelint rules lists them")

    def decided(self, pattern: str, config: str | None) -> bool:
        """Whether all rules of a pattern ran, were selected and came to a result."""
        waiting_rules = set().union(
            *(rules for name, rules in self._undecided.items() if config is None or name == config)
        )
        ids = [id for id in self.packs.ids if select.covers(pattern, id)]
        return bool(self._undecided) and all(self.wanted(id) and id not in waiting_rules for id in ids)
