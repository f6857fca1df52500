"""The config that a trainer printed into its log, as canonical keys."""

from __future__ import annotations

import re

from moelint.diagnose.scan import Dump
from moelint.lang.unknown import UNKNOWN
from moelint.results import Finding, Place
from moelint.typed import Any

_LM_LINE = re.compile(r"\s+(\w+) \.{2,} ?(.*)$")
_SECTION = re.compile(r"\[(\w+)\]")
_FIELD = re.compile(r"\s+(\w+): (.*?)(?:\s+\(Mcore default: .*\))?\s*$")
_DTYPE = re.compile(r"torch\.\w+")


class Logged:
    """What a log says of the config that ran. ``values``: canonical key → (value, line). ``whole``: sections of which
    only values that differ from the trainer's defaults were printed, so that an absent key has its default."""

    __slots__ = ("arguments", "kind", "line", "values", "whole")

    def __init__(self, kind: str, line: int) -> None:
        self.kind, self.line = kind, line
        self.values: dict[str, tuple[Any, int]] = {}
        self.whole: set[str] = set()
        self.arguments: dict[str, Any] = {}  # of Megatron-LM, by the parser's names


def read(dump: Dump) -> Logged:
    """The values of a printed config; those that cannot be understood are left out."""
    logged = Logged(dump.kind, dump.line)
    {"megatron-lm": _megatron_lm, "bridge-summary": _summary, "bridge-yaml": _yaml}[dump.kind](dump, logged)
    return logged


def _megatron_lm(dump: Dump, logged: Logged) -> None:
    from moelint.objects import WORKED_OUT
    from moelint.read.flags import argument, argument_value

    for number, line in dump.lines:
        match = _LM_LINE.match(line)
        found = argument(match[1]) if match is not None else None
        if match is None:
            continue
        value = literal(match[2].strip())
        if match[1] in WORKED_OUT:
            logged.arguments[match[1]] = value
            logged.values[f"model.{match[1]}"] = value, number
        if found is None:
            continue
        if value is not UNKNOWN:
            logged.arguments[match[1]] = value
            logged.values[found[0]] = argument_value(found, value), number


def _summary(dump: Dump, logged: Logged) -> None:
    section = ""
    for number, line in dump.lines:
        head = _SECTION.match(line)
        if head is not None:
            section = head[1]
            if "Non-default values" in line:
                logged.whole.add(section)
            continue
        match = _FIELD.match(line)
        if match is not None and section:
            value = literal(match[2])
            if value is not UNKNOWN:
                logged.values[f"{section}.{match[1]}"] = value, number


def _yaml(dump: Dump, logged: Logged) -> None:
    from moelint.read.configs import ReadOptions
    from moelint.read.files import read_file
    from moelint.text.source import Source

    source = Source("log.yaml", "\n".join(line for _, line in dump.lines) + "\n")
    for config in read_file(source, ReadOptions(True, {}, None, "bridge-resolved", None)).configs[:1]:
        for key, written in config.written.items():
            if written.setting is not None and written.document is not None:
                line = written.document.source.position(written.setting.key_start)[0]
                logged.values[key] = written.value, dump.lines[min(line, len(dump.lines)) - 1][0]


def findings(logged: Logged, path: str) -> list[Finding]:
    """What the linter says of a printed config, at the log's lines. Empty if it cannot be linted."""
    from argparse import Namespace

    from moelint.errors import UsageError
    from moelint.objects import dumped, live
    from moelint.options import Options
    from moelint.preflight import checked

    options = Options()
    options.no_config = True
    try:
        if logged.kind == "megatron-lm":
            item = live(Namespace(**logged.arguments))
        else:
            item = dumped({key: value for key, (value, _) in logged.values.items()})
        report = checked(item, options, True, False)[0]
    except UsageError:  # too little of it was printed, or a setting that is section and value
        return []
    found = report.findings()
    for finding in found:
        line = logged.values.get(finding.key, (None, logged.line))[1]
        finding.place = Place(path, line, 1, line, 1)
        finding.fixes = []  # a log is not what to fix
    return found


def literal(text: str) -> Any:
    """The value that Python printed as ``text``; UNKNOWN if it is an object of some class."""
    import ast

    if _DTYPE.fullmatch(text):
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        plain = re.fullmatch(r"[\w./+:@,=-]+", text)
        return text if plain is not None else UNKNOWN
    if isinstance(value, tuple):
        return list(value)
    return value if value is None or isinstance(value, (bool, int, float, str, list)) else UNKNOWN
