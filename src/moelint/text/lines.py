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
    return end - 1 if end > at and text[end - 1] == "\r" else end


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
    if after == len(text) and first > 0 and not text.endswith("\n"):  # the last line stays without a line break
        first -= 2 if text[first - 2 : first] == "\r\n" else 1
    return Edit(first, after, "")
