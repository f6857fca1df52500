"""Reports: one module a format. A format sees results only, never configs, rules or documents.

Every module has ``write(report, stream, options)``; ``FORMATS`` names them without importing any.
"""

from __future__ import annotations

from moelint.typed import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from moelint.results import Report

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown")
WHOLE = frozenset({"sarif", "gitlab"})  # formats whose readers take what is missing for fixed: they list every file
NEEDS_RULES = frozenset({"sarif", "markdown"})  # formats that print what stands behind a rule


class Options:
    """How to print: ``width`` in columns (None: do not wrap)."""

    __slots__ = (
        "color",
        "least",
        "quiet",
        "show_facts",
        "show_files",
        "show_undecided",
        "statistics",
        "verbose",
        "width",
    )

    def __init__(self) -> None:
        self.color = False
        self.width: int | None = None
        self.least: str | None = None  # text: findings below this severity are only counted
        self.quiet = self.show_facts = self.show_files = self.show_undecided = self.statistics = False
        self.verbose = 0


def write(format: str, report: Report, stream: IO[str], options: Options) -> None:
    """Print the report in one format."""
    if format == "text":  # the usual one does not pay for importlib
        from moelint.report import text

        text.write(report, stream, options)
    else:
        from importlib import import_module

        import_module(f"moelint.report.{format}").write(report, stream, options)
