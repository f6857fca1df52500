"""The Python API: ``check(paths, options) -> Report``. The command line is built on it."""

from __future__ import annotations

import os
from collections.abc import Callable

from moelint.conf.model import ConfError
from moelint.discover import discover
from moelint.engine import Engine
from moelint.errors import UsageError
from moelint.findings import problems
from moelint.findings.fingerprint import number
from moelint.options import Options
from moelint.results import FileReport, Place, Report
from moelint.text.source import Source, TextError
from moelint.typed import Any

__all__ = ["Options", "check"]

_PARALLEL = 100  # files from which a second process pays


def check(paths: list[str], options: Options | None = None) -> Report:
    """Check files and folders. Raises ConfError or UsageError if the run itself cannot be set up; what is wrong with a
    single path is in ``Report.problems``, what is wrong with a file's content is a finding."""
    options = options or Options()
    if options.since is not None or options.staged:
        from moelint.reviewing import review

        report = review(paths, options)
    else:
        report = _check(paths, options)
    if options.baseline is not None or options.write_baseline:
        from moelint.baselining import apply

        apply(report, options)
    return report


def _check(paths: list[str], options: Options) -> Report:
    engine = Engine(options)
    report = Report()
    files, report.problems = discover(paths, engine.conf)
    engine.prepare(*(paths or ["."]), *files)
    run_all(list(files.items()), lambda item: one(engine, *item), options, report, engine.said)
    engine.finish(report)
    return report


def run_all(
    work: list[tuple[str, bool]],
    job: Callable[[Any], Any],
    options: Options,
    report: Report,
    said: dict[str, None],
) -> None:
    """Do ``job`` for all (path, whether it was named), in several processes if there are many; fills the report.
    ``said``: the engine's notes, to which those of other processes are added."""
    jobs = options.jobs or (min(os.cpu_count() or 1, 8) if len(work) >= _PARALLEL else 1)
    if jobs > 1 and len(work) > 1 and hasattr(os, "fork"):
        from moelint.parallel import run

        before = [*said]
        results = run(work, job, jobs, options.progress)
        notes = [note for file, _ in results if file is not None for note in file.notes]
        here = [*said]
        said.clear()  # in the order of the files, whoever read them
        said.update(dict.fromkeys([*before, *notes, *here]))
    else:
        results = []
        for done, item in enumerate(work, 1):
            results.append(job(item))
            if options.progress is not None:
                options.progress(done, len(work))
    for file, problem in results:
        if problem is not None:
            report.problems.append(problem)
        if file is not None:
            report.files.append(file)
    if options.fix and options.write:
        from moelint.text.files import sync

        sync(file.path for file in report.files if file.fixed)
    report.files.sort(key=lambda file: file.path)  # in whatever order they were named
    report.problems.sort()


def one(engine: Engine, path: str, named: bool, reader: Any = None) -> tuple[FileReport | None, str | None]:
    """(report of a file, problem with its path). A file that cannot be opened is a problem of the run; one that is not
    text is a finding if it was named, and passed over if a folder holds it. ``reader``: where the file is read from, if
    not from disk."""
    try:
        source = read(path, engine.options) if reader is None else reader(path)
    except TextError as error:
        if not error.line:
            return None, f"{path}: {error.message}"
        return _not_text(path, error, named), None
    try:
        if engine.options.fix:
            from moelint.fixing import fix_file

            return fix_file(engine, source, named), None
        return engine.lint(source, named), None
    except (UsageError, ConfError):
        raise
    except Exception as error:  # a fault of ours in one file must not keep the others from being checked
        if os.environ.get("MOELINT_DEBUG"):
            raise
        said = f"moelint failed on this file ({type(error).__name__}: {error})"
        return None, f"{path}: {said}; MOELINT_DEBUG=1 shows where"


def read(path: str, options: Options) -> Source:
    from moelint.text.files import decode, read_bytes

    if path == "-":
        return decode(options.stdin_filename or "<stdin>", options.stdin or b"")
    return decode(path, read_bytes(path))


def _not_text(path: str, error: TextError, named: bool) -> FileReport:
    report = FileReport(path)
    report.skipped = "not text"
    if named:
        where = Place(path, error.line, max(1, error.column), error.line, max(1, error.column) + 1)
        report.findings = [problems.finding("decode", error.message, where)]
        number(report.findings)
    return report

