"""The matrix as text, Markdown and plain data."""

from __future__ import annotations

import textwrap

from moelint.explain.rule import scalar
from moelint.matrix.cells import Cell, Matrix, Said
from moelint.typed import Any

VERSION = 1
SIGN = {
    "compatible": "✓",
    "conditional": "◐",
    "refused": "✗",
    "breaks": "☠",
    "ignored": "~",
    "unverified": "?",
    "alone": "·",
    "absent": " ",
    "same": "=",
}
ASCII = {
    "compatible": "+",
    "conditional": "c",
    "refused": "X",
    "breaks": "!",
    "ignored": "~",
    "unverified": "?",
    "alone": ".",
    "absent": " ",
    "same": "=",
}
MEANS = {
    "compatible": "compatible",
    "conditional": "works with a further setting",
    "refused": "refused by the trainer",
    "breaks": "accepted, then crashes, hangs or corrupts",
    "ignored": "one of the two is silently changed or without effect",
    "unverified": "a rule waits for a fact that the target does not state",
    "alone": "one of the two is refused even alone, on this GPU and with these packages",
    "absent": "not in this release",
    "same": "two values of one setting, or one and the same",
}
_COLOR = {
    "compatible": "32",
    "conditional": "33",
    "refused": "31",
    "breaks": "31;1",
    "ignored": "35",
    "unverified": "36",
}


def heading(matrix: Matrix) -> str:
    """What the matrix holds for."""
    name = {"bridge": "Megatron Bridge", "core": "Megatron Core"}[matrix.trainer]
    stated = {
        key: entry["value"] for key, entry in matrix.target.items() if key in ("gpu", "transformer-engine", "torch")
    }
    return ", ".join([f"{name} {matrix.release}", *(f"{key} {value}" for key, value in stated.items())])


def text(matrix: Matrix, rows: list[list[Cell]], color: bool, unicode: bool) -> list[str]:
    """The grid: rows are the asked features, columns all, by number."""
    signs = SIGN if unicode else ASCII
    number = {feature.id: count for count, feature in enumerate(matrix.features, 1)}
    width = max(len(f"{number[row[0].a.id]:>2} {row[0].a.id}") for row in rows) if rows else 10
    out = [heading(matrix), ""]
    out += [" " * (width + 1) + "".join(str(count // 10 or " ") for count in number.values())]
    out += [" " * (width + 1) + "".join(str(count % 10) for count in number.values())]
    group = ""
    for row in rows:
        if row[0].a.group != group:
            group = row[0].a.group
            out.append(f"{group}")
        label = f"{number[row[0].a.id]:>2} {row[0].a.id}"
        out.append(f"{label:<{width}} " + "".join(_sign(cell, signs, color) for cell in row))
    used = {cell.state for row in rows for cell in row}
    out += ["", *(f"{signs[state]}  {MEANS[state]}" for state in SIGN if state in used and state != "absent")]
    out += ["", "moelint matrix A B explains one cell."]
    return out


def _sign(cell: Cell, signs: dict[str, str], color: bool) -> str:
    sign = signs[cell.state]
    return f"\x1b[{_COLOR[cell.state]}m{sign}\x1b[0m" if color and cell.state in _COLOR else sign


def one_row(matrix: Matrix, row: list[Cell], width: int) -> list[str]:
    """A feature with all others, in words."""
    a = row[0].a
    out = [f"{a.title} ({a.id}): {settings_text(matrix.settings(a) or {})}", f"in {heading(matrix)}"]
    for state in ("breaks", "refused", "ignored", "conditional", "unverified", "alone", "absent", "compatible"):
        cells = [cell for cell in row if cell.state == state and cell.b is not a]
        if not cells:
            continue
        out += ["", f"{MEANS[state][0].upper()}{MEANS[state][1:]}"]
        if state in ("compatible", "absent", "alone"):
            names = ", ".join(cell.b.id for cell in cells)
            out += textwrap.wrap(names, width - 2, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
        else:
            for cell in cells:
                out += [f"  {cell.b.id}", *_reasons(cell, width, "    ")]
    return out


def one_cell(cell: Cell, width: int) -> list[str]:
    """Two features together, in words."""
    head = f"{cell.a.id} with {cell.b.id}: {MEANS[cell.state]}"
    out = [head, *_reasons(cell, width, "  ")]
    if cell.notes:
        out += ["  Worth knowing:", *(line for said in cell.notes for line in _said(said, width, "  "))]
    return out


def _reasons(cell: Cell, width: int, indent: str) -> list[str]:
    out = [line for said in cell.said for line in _said(said, width, indent)]
    if cell.condition or cell.unset:
        out += textwrap.wrap(
            f"works with {condition_text(cell)}", width, initial_indent=indent, subsequent_indent=indent + "  "
        )
    return out


def _said(said: Said, width: int, indent: str) -> list[str]:
    words = f"{said.rule} {said.message}" if said.effect != "undecided" else f"{said.rule} waits for {said.message}"
    return textwrap.wrap(
        words,
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def condition_text(cell: Cell) -> str:
    parts = [settings_text(cell.condition)] if cell.condition else []
    parts += [f"without {key}" for key in cell.unset]
    return ", ".join(parts)


def settings_text(settings: dict[str, Any]) -> str:
    return ", ".join(f"{key}: {scalar(value)}" for key, value in settings.items())


def markdown(matrix: Matrix, rows: list[list[Cell]]) -> str:
    """A table, and below it the reasons."""
    columns = [cell.b for cell in rows[0]] if rows else []
    out = [f"# Compatibility: {heading(matrix)}", ""]
    out.append("| |" + "|".join(f" {number} " for number in range(1, len(columns) + 1)) + "|")
    out.append("|---|" + "|".join(":-:" for _ in columns) + "|")
    numbers = {feature.id: number for number, feature in enumerate(columns, 1)}
    for row in rows:
        out.append(f"| {numbers[row[0].a.id]} {row[0].a.title} |" + "|".join(SIGN[cell.state] for cell in row) + "|")
    out += ["", " · ".join(f"{sign} {MEANS[state]}" for state, sign in SIGN.items() if sign.strip()), ""]
    seen: set[frozenset[str]] = set()
    for row in rows:
        for cell in row:
            pair = frozenset((cell.a.id, cell.b.id))
            if cell.state not in ("conditional", "refused", "breaks", "ignored", "unverified") or pair in seen:
                continue
            seen.add(pair)
            said = "; ".join(f"[{one.rule}](rules/{one.rule}.md) {one.message}" for one in cell.said)
            works = f" Works with {condition_text(cell)}." if cell.condition or cell.unset else ""
            out.append(f"- **{cell.a.title}** with **{cell.b.title}** {SIGN[cell.state]}: {said}{works}")
    return "\n".join(out) + "\n"


def data(matrix: Matrix, rows: list[list[Cell]]) -> dict[str, Any]:
    """The matrix for JSON."""
    return {
        "version": VERSION,
        "trainer": matrix.trainer,
        "release": matrix.release,
        "target": matrix.target,
        "features": [
            {"id": f.id, "title": f.title, "group": f.group, "set": matrix.settings(f)} for f in matrix.features
        ],
        "cells": [_cell_data(cell) for row in rows for cell in row],
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    return {
        "a": cell.a.id,
        "b": cell.b.id,
        "state": cell.state,
        "rules": [_said_data(said) for said in cell.said],
        "condition": {"set": cell.condition, "unset": cell.unset} if cell.condition or cell.unset else None,
        "notes": [_said_data(said) for said in cell.notes],
    }


def _said_data(said: Said) -> dict[str, Any]:
    return {"rule": said.rule, "case": said.case, "effect": said.effect, "message": said.message}
