"""A linter with toy rules, to fix with: what the fix room needs of the rest, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moelint.fix.choose import fixes_for
from moelint.lang.template import parse as template
from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.read.files import ReadOptions, read_file
from moelint.results import FileReport, Finding, Place
from moelint.text.source import Source

Compiled = tuple[Any, ...]


class Scope:
    """Answers with what the config writes."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def get(self, name: str) -> Any:
        written = self.config.written.get(name.removeprefix("given."))
        return UNKNOWN if written is None else written.value

    def written(self, key: str) -> bool:
        return key in self.config.written


def fix(
    safety: str = "safe",
    when: tuple[Any, ...] = (),
    set: dict[str, Any] | None = None,
    add: Any = None,
    remove: Any = None,
    rename: dict[str, str] | None = None,
    unset: tuple[str, ...] = (),
    why: str = "",
) -> Compiled:
    """An alternative as the compiler of policies makes it."""
    sets = {key: value if isinstance(value, tuple) else ("const", value) for key, value in (set or {}).items()}
    return safety, when, sets, add or {}, remove or {}, rename or {}, unset, template(why)


class Rule:
    def __init__(
        self,
        id: str,
        about: str,
        fires: Callable[[dict[str, Any]], bool],
        *fixes: Compiled,
        severity: str = "error",
        certainty: str = "certain",
    ) -> None:
        self.id, self.about, self.fires, self.fixes, self.severity = id, about, fires, fixes, severity
        self.certainty = certainty


def configs(text: str) -> list[Config]:
    return read_file(Source("train.yaml", text), ReadOptions(named=True)).configs


def linter(*rules: Rule) -> Callable[[Source], tuple[FileReport, list[Config]]]:
    def lint(source: Source) -> tuple[FileReport, list[Config]]:
        report = FileReport(source.path)
        found = read_file(source, ReadOptions(named=True)).configs
        for config in found:
            values = {key: written.value for key, written in config.written.items()}
            for rule in rules:
                if rule.about not in values or not rule.fires(values):
                    continue
                line, column = source.position(config.written[rule.about].setting.key_start)
                place = Place(source.path, line, column, line, column + 1)
                finding = Finding(rule.id, rule.id, "refuses", rule.severity, f"{rule.id} fires", place, rule.about)
                finding.config = config.name
                finding.fixes = fixes_for(rule.fixes, Scope(config), config, rule.certainty)
                report.findings.append(finding)
        return report, found

    return lint
