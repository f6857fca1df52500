"""Fixes one file: works the new text out, then writes it or shows it as a patch."""

from __future__ import annotations

from moelint.engine import Engine
from moelint.read.config import Config
from moelint.results import FileReport
from moelint.text.source import Source


def fix_file(engine: Engine, source: Source, named: bool) -> FileReport:
    """The report of what is left after fixes; the file is replaced if the options say so."""
    from moelint.fix.diff import unified
    from moelint.fix.engine import fix_source
    from moelint.text.files import FileLeftAlone, replace

    def lint(text: Source) -> tuple[FileReport, list[Config]]:
        return engine.lint_read(text, named)

    first, configs = lint(source)
    if not any(finding.fixes for finding in first.findings):
        return first
    done: list[tuple[FileReport, list[Config]]] = [(first, configs)]
    outcome = fix_source(source, lambda text: done.pop() if done else lint(text), engine.options.unsafe_fixes)
    report, refused = outcome.report, outcome.refused
    if outcome.source.text != source.text:
        if engine.options.write:
            try:
                replace(source, outcome.source.text)
            except FileLeftAlone as error:
                first.refused = [error.reason]
                return first
        else:
            report.diff = unified(source.path, source.text, outcome.source.text)
    report.fixed, report.fixed_changes, report.refused = outcome.fixed, outcome.changes, refused
    return report
