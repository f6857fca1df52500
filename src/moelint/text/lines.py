"""Whole lines of a text: where they begin and end, and how to take one out or put one in."""

from __future__ import annotations

from moelint.text.edits import Edit


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """End of the line's text, before its line break."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if text[end - 1 : end] == "\r" else end


def next_line(text: str, at: int) -> int:
    """Start of the line after this one, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def column(text: str, at: int) -> int:
    """0-based column, in characters."""
    return at - line_start(text, at)


def leads(text: str, at: int) -> bool:
    """Whether nothing but spaces stands before a place in its line."""
    return not text[line_start(text, at) : at].strip(" \t")


def line_break(text: str, at: int, default: str) -> str:
    """The line break that this line ends with; the file's own where it has none."""
    end = line_end(text, at)
    found = text[end : next_line(text, at)]
    return found or default


def remove_lines(text: str, start: int, end: int) -> Edit:
    """Takes out the lines from that of ``start`` to that of ``end``."""
    first, after = line_start(text, start), next_line(text, end)
    return Edit(first, after, "")


def joined(text: str, edits: list[Edit], bare_end: bool) -> list[Edit]:
    """Edits in order, those that touch made one; with ``bare_end`` a text without a last line break stays so."""
    out: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        _push(out, edit)
    last = out[-1] if out else None
    if bare_end and last is not None and last.end == len(text) and not last.text and last.start < last.end:
        out.pop()
        start = len(text[: last.start].rstrip("\r\n"))
        while out and out[-1].start > start and not out[-1].text:
            out.pop()
        _push(out, Edit(start, last.end, ""))
    return out


def _push(out: list[Edit], edit: Edit) -> None:
    if out and edit.start <= out[-1].end and (edit.start == out[-1].end or not (edit.text or out[-1].text)):
        before = out.pop()
        edit = Edit(before.start, max(before.end, edit.end), before.text + edit.text)
    out.append(edit)
