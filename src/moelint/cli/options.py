"""The options of ``check`` as a table: the quick reader and the click command are both made of it."""

from __future__ import annotations

from collections.abc import Iterable

from moelint.errors import UsageError
from moelint.report import FORMATS

# kind: flag | count | text | number (at least 1) | texts (repeatable) | rules (repeatable, commas split) |
#       pairs (repeatable KEY=VALUE) | outputs (repeatable FORMAT=FILE) | a tuple of the allowed words

OPTIONS: tuple[tuple[tuple[str, ...], str, str | tuple[str, ...], str | None, str], ...] = (
    (("--fix",), "fix", "flag", None, "Apply safe fixes in place."),
    (("--unsafe-fixes",), "unsafe_fixes", "flag", None, "With --fix or --diff: unsafe fixes too."),
    (("--diff",), "diff", "flag", None, "Print as a patch what --fix would do; write nothing."),
    (("--format",), "format", FORMATS, None, "Format of stdout. [default: text]"),
    (("--output",), "output", "outputs", "FORMAT=FILE", "Write a report to a file too. Repeatable."),
    (("--select",), "select", "rules", "RULES", "Run only these rules or prefixes."),
    (("--ignore",), "ignore", "rules", "RULES", "Leave out these rules or prefixes."),
    (("--fail-on",), "fail_on", ("error", "warning", "note"), None, "Least severity for exit code 1. [default: error]"),
    (("--strict",), "strict", "flag", None, "Assumed findings keep their full severity."),
    (("--show-undecided",), "show_undecided", "flag", None, "List the checks that wait for a value."),
    (("--show-facts",), "show_facts", "flag", None, "Show every value that a finding read."),
    (("--show-files",), "show_files", "flag", None, "List every file with how it was read."),
    (("--target",), "target", "pairs", "KEY=VALUE", "State the target, as a directive does. Repeatable."),
    (("--gpu",), "gpu", "text", "NAME", "Short for --target gpu=NAME."),
    (("--gpus",), "gpus", "number", "N", "Short for --target gpus=N."),
    (("--base",), "base", "text", "NAME-or-FILE", "The recipe or file that the configs override."),
    (("--define",), "define", "pairs", "NAME=VALUE", "A script variable or interpolation. Repeatable."),
    (("--policy",), "policies", "texts", "PATH-or-pack", "Another policy pack. Repeatable."),
    (("--config",), "config", "text", "FILE", "Configuration file instead of the nearest one."),
    (("--no-config",), "no_config", "flag", None, "Read no configuration file."),
    (("--stdin-filename",), "stdin_filename", "text", "NAME", "What '-' is called and where it is taken to lie."),
    (("--since",), "since", "text", "REV|A..B", "Report what is new since REV's merge base; run the change rules."),
    (("--staged",), "staged", "flag", None, "Check what is staged, against HEAD or --since."),
    (("--resume-from",), "resume_from", "text", "FILE", "The config that the checkpoint to resume was saved with."),
    (("--baseline",), "baseline", "text", "FILE", "Leave out the findings that FILE lists."),
    (("--write-baseline",), "write_baseline", "flag", None, "Write all findings to --baseline (.moelint-baseline.json)."),
    (("--statistics",), "statistics", "flag", None, "Count findings by rule."),
    (("-j", "--jobs"), "jobs", "number", "N", "Processes. [default: by number of files]"),
    (("--no-cache",), "no_cache", "flag", None, "Compile policies anew."),
    (("-q", "--quiet"), "quiet", "flag", None, "Findings only."),
    (("-v", "--verbose"), "verbose", "count", None, "Show folded notes and where targets come from."),
    (("--color",), "color", ("auto", "always", "never"), None, "Colour. [default: auto]"),
    (("--exit-zero",), "exit_zero", "flag", None, "Exit 0 even with findings."),
)

_EMPTY = {"flag": False, "count": 0, "text": None, "number": None}


def defaults() -> dict[str, object]:
    """What holds where nothing is given. ``color`` has a word of its own."""
    out: dict[str, object] = {}
    for _, name, kind, _, _ in OPTIONS:
        if isinstance(kind, tuple):
            out[name] = None
        elif kind in _EMPTY:
            out[name] = _EMPTY[kind]
        else:
            out[name] = {} if kind == "pairs" else []
    out["color"] = "auto"
    return out


def pair(text: str) -> tuple[str, str] | None:
    """KEY=VALUE in two; None if it is not that."""
    key, equals, value = text.partition("=")
    return (key.strip(), value.strip()) if equals and key.strip() else None


def pairs(texts: Iterable[str], option: str) -> dict[str, str]:
    """The pairs of a repeatable option, for commands with options of their own. Raises UsageError."""
    out = {}
    for text in texts:
        found = pair(text)
        if found is None:
            raise UsageError(f"{option}: '{text}' is not KEY=VALUE")
        out[found[0]] = found[1]
    return out


def output(text: str) -> tuple[str, str] | None:
    """FORMAT=FILE in two; None if it is not that."""
    format, equals, path = text.partition("=")
    return (format, path) if equals and path and format in FORMATS else None


def rules(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
