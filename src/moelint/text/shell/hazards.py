"""Flags that the shell drops: a line before them ends the command although its author meant it to go on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from moelint.text.document import Problem
from moelint.text.shell.commands import Command
from moelint.text.shell.pieces import Span
from moelint.text.shell.places import Layout

_OVERRIDE = re.compile(r"\+{0,2}[a-z_]\w*(\.[A-Za-z_]\w*)+=")
_ENDS = re.compile(r"\\[ \t]+\Z")


def dropped(layout: Layout, commands: Mapping[Span, Command]) -> list[Problem]:
    """A problem for each command whose first word is a flag or an override: no program is called so."""
    out = []
    for source, start, end in commands:
        if source is not layout.source or layout.is_quoted(start):
            continue
        word = layout.source.text[start:end].split(None, 1)[0] if end > start else ""
        if not (word.startswith("--") and len(word) > 2) and not _OVERRIDE.match(word):
            continue
        name = word.split("=")[0]
        out.append(Problem("dropped-flag", f"{name} {_why(layout, start)}", start, start + len(name), (name,)))
    return out


def _why(layout: Layout, start: int) -> str:
    """What ends the command before a place."""
    source = layout.source
    number = source.position(start)[0] - 1
    lines: list[str] = []
    while number >= 1 and len(lines) < 50:
        line = source.line(number)
        if line.strip() and not line.lstrip().startswith("#"):
            break
        lines.append(line)
        number -= 1
    before = source.line(number) if number >= 1 else ""
    tail = "the shell takes it for a program of its own, and the training runs without it"
    if _ENDS.search(before) and not before.lstrip().startswith("#"):
        return f"does not reach the command: blanks behind the backslash of line {number} end it; {tail}"
    if before.rstrip().endswith("\\") and any(line.strip() for line in lines):
        return f"does not reach the command: a comment behind line {number} ends it; {tail}"
    if before.rstrip().endswith("\\") and lines:
        return f"does not reach the command: an empty line behind line {number} ends it; {tail}"
    return f"does not reach the command: line {number} has no backslash at its end; {tail}"
