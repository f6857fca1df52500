"""Runs a check for the command line: options in, reports out, exit code back."""

from __future__ import annotations

import os
import sys

from moelint import report as reports
from moelint.api import check
from moelint.cli.usage import Usage
from moelint.conf.model import ConfError
from moelint.discover import by_hook
from moelint.errors import RevisionError, UsageError
from moelint.options import Options
from moelint.report import escape
from moelint.results import Report
from moelint.text.files import write_whole
from moelint.typed import IO, Any


def run(paths: list[str], given: dict[str, Any]) -> int:
    """Check paths with the options of the command line and print; the exit code. Raises Usage before doing anything."""
    paths = paths or ["."]
    options = _options(paths, given)
    progress = _Progress() if given["format"] in (None, "text") and sys.stderr.isatty() else None
    options.progress = progress
    try:
        report = check(paths, options)
    except RevisionError as error:
        _complain(str(error))
        return _without_revisions(paths, options, given)
    except (ConfError, UsageError) as error:
        for line in str(error).split("\n"):  # a policy error has several, with the faulty text and a caret
            _complain(line)
        return 2
    finally:
        if progress is not None:
            progress.clear()
    for problem in report.problems:
        _complain(problem)
    failed = _print(report, given)
    if report.problems or failed:
        return 2
    if given["exit_zero"] or given["write_baseline"]:
        return 0
    if given["diff"] and any(file.diff for file in report.files):
        return 1
    return int(report.worst(given["fail_on"]))


def _without_revisions(paths: list[str], options: Options, given: dict[str, Any]) -> int:
    """Files that --output asks for are still written, of everything: who uploads them should not lose them."""
    if given["output"]:
        options.since, options.staged, options.fix = None, False, False
        try:
            report = check(paths, options)
        except (ConfError, UsageError) as error:
            _complain(str(error))
        else:
            for problem in report.problems:
                _complain(problem)
            _write_files(report, given)
    return 2


def _options(paths: list[str], given: dict[str, Any]) -> Options:
    if given["diff"] and given["format"]:
        raise Usage("--diff prints a patch and nothing else: not with --format")
    if given["diff"] and given["fix"]:
        raise Usage("--diff writes nothing, --fix writes: choose one")
    if given["unsafe_fixes"] and not (given["fix"] or given["diff"]):
        raise Usage("--unsafe-fixes adds to --fix or --diff")
    if given["config"] and given["no_config"]:
        raise Usage("--config and --no-config contradict each other")
    if (given["since"] is not None or given["staged"]) and "-" in paths:
        raise Usage("stdin has no revisions: not with --since or --staged")
    if given["staged"] and given["fix"]:
        raise Usage("--staged reads git's index, --fix writes files: choose one")
    if given["staged"] and ".." in (given["since"] or ""):
        raise Usage("--staged compares with one revision, not with a range")
    if given["write_baseline"] and given["fix"]:
        raise Usage("--write-baseline lists what is left, --fix changes it: one after the other")
    if given["write_baseline"] and (given["since"] is not None or given["staged"]):
        raise Usage("--write-baseline lists all findings: not with --since or --staged")
    if "-" in paths and given["fix"]:
        raise Usage("stdin cannot be fixed in place: use --diff")
    options = Options()
    options.select, options.ignore = given["select"], given["ignore"]
    options.target = dict(given["target"])
    for name in ("gpu", "gpus"):
        if given[name] is not None and options.target.setdefault(name, str(given[name])) != str(given[name]):
            raise Usage(f"--{name} {given[name]} and --target {name}={options.target[name]} contradict each other")
    options.define, options.base, options.policies = given["define"], given["base"], list(given["policies"])
    options.config, options.no_config, options.strict = given["config"], given["no_config"], given["strict"]
    options.fix, options.write = given["fix"] or given["diff"], given["fix"]
    options.unsafe_fixes, options.show_undecided = given["unsafe_fixes"], given["show_undecided"]
    options.jobs, options.cache = given["jobs"], not given["no_cache"]
    options.stdin_filename = given["stdin_filename"]
    options.since, options.staged, options.resume_from = given["since"], given["staged"], given["resume_from"]
    options.baseline, options.write_baseline = given["baseline"], given["write_baseline"]
    formats = {given["format"], *(format for format, _ in given["output"])}
    options.rule_info = bool(formats & reports.NEEDS_RULES)
    options.whole = bool(formats & reports.WHOLE)
    if "-" in paths:
        options.stdin = sys.stdin.buffer.read()
    return options


def _complain(text: str) -> None:
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    first, *rest = text.split("\n")
    for line in (f"moelint: {first}", *rest):
        sys.stderr.write(escape.encodable(escape.line(line) + "\n", encoding))


# ---- printing -------------------------------------------------------------------------------------------


def _print(report: Report, given: dict[str, Any]) -> bool:
    """Write stdout and every --output file. True if one could not be written."""
    if given["diff"]:
        for file in report.files:
            _patch(file.diff)
        for file in report.files:
            for reason in file.refused:
                _complain(f"{file.path}: not fixed: {reason}")
    else:
        look = _look(given, sys.stdout)
        if by_hook() and not given["verbose"]:  # a commit waits: what stops it, and the next command
            look.least = given["fail_on"] or report.threshold()
        reports.write(given["format"] or "text", report, sys.stdout, look)
    sys.stdout.flush()
    return _write_files(report, given)


def _write_files(report: Report, given: dict[str, Any]) -> bool:
    """Write every --output file. True if one could not be written."""
    failed = False
    for format, path in given["output"]:
        try:
            _to_file(format, path, report, given)
        except OSError as error:
            _complain(f"{path}: cannot be written: {error.strerror}")
            failed = True
    return failed


def _patch(text: str) -> None:
    """A patch goes out as it is, byte for byte: it has to apply."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


def _to_file(format: str, path: str, report: Report, given: dict[str, Any]) -> None:
    """Write one --output file. Raises OSError."""
    import io

    look = reports.Options()
    _take(look, given)
    buffer = io.StringIO()
    reports.write(format, report, buffer, look)
    write_whole(path, buffer.getvalue())


def _look(given: dict[str, Any], stream: IO[str]) -> reports.Options:
    look = reports.Options()
    _take(look, given)
    terminal = stream.isatty()
    if given["color"] == "auto":
        look.color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    else:
        look.color = given["color"] == "always"
    if terminal:
        try:
            look.width = max(40, int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns or 80))
        except (OSError, ValueError):
            look.width = 80
    return look


def _take(look: reports.Options, given: dict[str, Any]) -> None:
    look.quiet, look.verbose, look.statistics = given["quiet"], given["verbose"], given["statistics"]
    look.show_facts, look.show_files, look.show_undecided = (
        given["show_facts"],
        given["show_files"],
        given["show_undecided"],
    )


class _Progress:
    """A line on the terminal's stderr for runs that take longer than a second."""

    __slots__ = ("_shown", "_start")

    def __init__(self) -> None:
        import time

        self._start, self._shown = time.monotonic(), False

    def __call__(self, done: int, total: int) -> None:
        import time

        if time.monotonic() - self._start > 1:
            sys.stderr.write(f"\rmoelint: {done} of {total} files")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
