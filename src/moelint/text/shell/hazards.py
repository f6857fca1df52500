"""Flags that the shell drops: a line before them ends the command although its author meant it to go on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from moelint.text.document import Problem
from moelint.text.edits import Edit
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
        why, edits = _why(layout, start)
        problem = Problem("dropped-flag", f"{name} {why}", start, start + len(name), (name,))
        problem.edits = edits
        out.append(problem)
    return out


def _why(layout: Layout, start: int) -> tuple[str, list[Edit]]:
    """What ends the command before a place, and how it goes on instead; no edits where that is not sure."""
    source = layout.source
    here = source.position(start)[0]
    number = here - 1
    between: list[str] = []
    while number >= 1 and len(between) < 50:
        line = source.line(number)
        if line.strip() and not line.lstrip().startswith("#"):
            break
        between.append(line)
        number -= 1
    before = source.line(number) if number >= 1 else ""
    first = source.line_starts()[max(number, 1) - 1]
    tail = "the shell takes it for a program of its own, and the training runs without it"
    if number < 1:
        return f"does not reach a command: {tail}", []
    if layout.is_comment(first + len(before) - 1):
        return f"does not reach the command: line {number} has no backslash at its end; {tail}", []
    blanks = _ENDS.search(before)
    if blanks is not None:
        at = first + blanks.start() + 1
        return (
            f"does not reach the command: blanks behind the backslash of line {number} end it; {tail}",
            [] if between else [Edit(at, first + len(before), "")],
        )
    if before.endswith("\\"):
        gap = Edit(source.line_starts()[number], source.line_starts()[here - 1], "")
        if any(line.strip() for line in between):
            kept = [line for line in reversed(between) if line.strip()]
            above = layout.region(first + len(before) - len(before.lstrip()))
            edits = [] if above is None else [_above(layout, above[0], kept), gap]
            return f"does not reach the command: a comment behind line {number} ends it; {tail}", edits
        return f"does not reach the command: an empty line behind line {number} ends it; {tail}", [gap]
    edits = [] if between else [Edit(first + len(before.rstrip()), first + len(before), " \\")]
    return f"does not reach the command: line {number} has no backslash at its end; {tail}", edits


def _above(layout: Layout, start: int, lines: list[str]) -> Edit:
    """Comment lines above a statement, as far in as it is."""
    line, _ = layout.line(start)
    source = layout.source
    indent = source.text[line:start] if not source.text[line:start].strip() else ""
    return Edit(line, line, "".join(f"{indent}{text.strip()}{source.newline}" for text in lines))
