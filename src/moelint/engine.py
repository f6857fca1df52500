"""One file's way from text to findings: read → judge each config → order and number → suppress."""

from __future__ import annotations

import os
from collections.abc import Mapping

from moelint.conf.load import for_folder, load
from moelint.conf.model import Conf, Section
from moelint.errors import UsageError
from moelint.findings import problems, select
from moelint.findings.fingerprint import number
from moelint.findings.fold import most
from moelint.options import Options
from moelint.read.config import Config, Ignore
from moelint.read.configs import ReadOptions
from moelint.read.files import FileRead, read_file
from moelint.results import SEVERITIES, FileReport, Finding, Report
from moelint.text.source import Source
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.judging import Judge, Undecided


class Engine:
    """Everything that is the same for all files of a run: options, configuration, policies."""

    __slots__ = (
        "_checkouts", "_conf", "_confs", "_judges", "_packs", "_saved", "_selections", "history", "options", "reader", "said",
    )  # fmt: skip

    def __init__(self, options: Options) -> None:
        self.options = options
        self._conf = load(options.config) if options.config else Conf() if options.no_config else None
        self._confs: dict[str, Conf] = {}  # by folder
        self._packs: dict[tuple[str, ...], Any] = {}
        self._selections: dict[Section, select.Selection] = {}
        self._judges: dict[Section, Judge] = {}
        self._checkouts: dict[str, Mapping[str, str]] = {}  # by folder, by path for a script
        self.said: dict[str, None] = {}  # notes to say once
        self.reader: Any = None  # reads what a file inherits; None: from disk
        self.history: Any = None  # moelint.reviewing.History: the old revision, for change rules
        self._saved: list[tuple[Config, Source]] | None = None

    def conf(self, folder: str) -> Conf:
        """The configuration of a folder. Raises ConfError."""
        if self._conf is not None:
            return self._conf
        found = self._confs.get(folder)
        if found is None:
            found = self._confs[folder] = for_folder(folder)
        return found

    def checkout(self, path: str) -> Mapping[str, str]:
        """What the checkout around a file says of the installed packages."""
        from moelint.trainer.checkout import SCRIPT_ENDS, around

        at = path if path.endswith(SCRIPT_ENDS) else os.path.dirname(path)
        found = self._checkouts.get(at)
        if found is None:
            found = self._checkouts[at] = around(path)
        return found

    def selection(self, conf: Conf, section: Section) -> select.Selection:
        """Which rules anybody wants to hear of, under a section of a configuration."""
        found = self._selections.get(section)
        if found is None:
            options = self.options
            found = self._selections[section] = select.Selection(
                options.select or conf.select, [*options.ignore, *section.ignore], section.severity
            )
        return found

    def packs(self, section: Section) -> Any:
        """The compiled policies that hold for a section of the configuration."""
        wanted = (*section.policies, *(p for p in self.options.policies if p not in section.policies))
        found = self._packs.get(wanted)
        if found is None:
            from moelint.policy.load import load as load_packs

            found = self._packs[wanted] = load_packs(list(wanted), cache=self.options.cache)
        return found

    def prepare(self, *paths: str) -> None:
        """Check the options, and the configurations that hold for some paths, against what there is. Raises UsageError: a
        misspelt rule must not pass for a clean run."""
        if self.options.resume_from is not None:
            self.saved()
        if self.options.base is not None:
            self._check_base(self.options.base)
        for key, value in self.options.target.items():
            check_target(key, value, "--target")
        confs = self._configurations(paths)
        options = self.options
        known: dict[str, dict[str, str]] = {}
        if options.select or options.ignore:
            for conf, path in confs:
                packs = self.packs(conf.at(path))
                known.update(dict.fromkeys(_all_ids(packs), packs.redirects))
            redirects = {old: new for table in known.values() for old, new in table.items()}
            self._check_rules("--select", options.select, [*known], redirects)
            self._check_rules("--ignore", options.ignore, [*known], redirects)
        for conf, path in confs:
            self._check_conf(conf, path)

    def _configurations(self, paths: tuple[str, ...]) -> list[tuple[Conf, str]]:
        """The configurations that hold for some paths, each with the first of these."""
        found: dict[int, tuple[Conf, str]] = {}
        folder = None
        for path in paths:
            if folder is not None and os.path.dirname(path) == folder:
                continue  # the next file of the same folder
            is_folder = os.path.isdir(path)
            folder = None if is_folder else os.path.dirname(path)
            conf = self.conf(path if is_folder else folder or ".")
            found.setdefault(id(conf), (conf, path))
        return list(found.values())

    def _check_rules(self, where: str, patterns: list[str], ids: list[str], redirects: Any) -> None:
        checked, said = select.check_patterns(patterns, ids, redirects, where)
        patterns[:] = checked
        self.said.update(dict.fromkeys(said))

    def _check_conf(self, conf: Conf, path: str) -> None:
        packs = self.packs(conf.at(path))
        tables = [table for section in conf.sections for table in (section.severity, section.ignore)]
        ids = _all_ids(packs) if any((conf.select, *tables)) else []
        self._check_rules("select", conf.select, ids, packs.redirects)
        for section in conf.sections:
            for where, table in (("severity", section.severity), ("ignore", section.ignore)):
                for rule in table:
                    place = conf.place(*section.at, where, rule)
                    select.check_patterns([rule], ids, packs.redirects, f"{place}: {where}")
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
        report.skipped, report.fail_on = read.skipped, conf.fail_on
        findings = [problems.from_problem(problem, source) for problem in read.problems]
        ignores: list[tuple[Ignore, str | None]] = [(ignore, None) for ignore in read.ignores]
        undecided: dict[str | None, Undecided] = {}
        if read.configs:
            judge = self._judge(conf, section)
            for config in read.configs:
                findings += [problems.from_problem(problem, source, config.name) for problem in config.problems]
                found, undecided[config.name] = judge.config(config, source, report)
                findings += found
                ignores += [(ignore, config.name) for ignore in config.ignores]
        if findings:
            findings.sort(key=_order)
            findings = most(findings)
            number(findings)
        if ignores:
            from moelint.findings.suppress import Decided, Spellings, Suppressions

            packs = self.packs(section)
            spelling = Spellings(read.configs)
            suppressions = Suppressions(source, ignores)
            shown = [item for item in findings if not suppressions.hides(item, spelling.of(item))]
            report.suppressed = len(findings) - len(shown)
            report.hidden = {item.fingerprint for item in findings}.difference(item.fingerprint for item in shown)
            decided = Decided(packs.ids, undecided, self.selection(conf, section).wanted)
            unused = suppressions.unused(lambda pattern: _unknown(pattern, packs), decided)
            number(unused)
            findings = sorted([*shown, *unused], key=_order)
        report.findings = findings
        if findings:
            report.source = source
        return report, read.configs

    def _judge(self, conf: Conf, section: Section) -> Judge:
        found = self._judges.get(section)
        if found is None:
            from moelint.judging import Judge

            found = self._judges[section] = Judge(self, section, self.selection(conf, section))
        return found

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


def _unknown(pattern: str, packs: Any) -> str | None:
    """What to say of a pattern of an ignore that means no rule; None if it means some."""
    ids = _all_ids(packs)
    if any(select.covers(pattern, id) for id in ids):
        return None
    from moelint.lang.suggest import nearest

    near = nearest(pattern, ids)
    return f"no rule is called {pattern}: " + (f"did you mean {near}?" if near else "moelint rules lists them")


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
    if "gpu" in stated:
        from moelint.trainer.hardware import unknown

        said = unknown(str(stated["gpu"]))
        if said is not None and said.endswith("?"):
            raise UsageError(f"{where} {key}={value}: {said}")
