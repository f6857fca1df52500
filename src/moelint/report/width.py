"""How many columns a text takes on a terminal, and how to fit it into some."""

from __future__ import annotations


def columns(text: str) -> int:
    """Terminal columns of one line: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def wrap(text: str, width: int | None, indent: str) -> str:
    """Words broken into lines of at most ``width`` columns (None: one line); a longer word keeps a line of its own.
    Lines after the first begin with ``indent``, the first is taken to stand after as many columns."""
    if width is None:
        return text
    room = max(20, width - len(indent))
    lines: list[str] = []
    at = ""
    for word in text.split(" "):
        if at and columns(at) + 1 + columns(word) > room:
            lines.append(at)
            at = word
        else:
            at = f"{at} {word}" if at else word
    lines.append(at)
    return f"\n{indent}".join(lines)


def window(text: str, start: int, end: int, width: int | None) -> tuple[str, int, int]:
    """A piece of a line that shows [start, end) in at most ``width`` columns, and where these stand in it."""
    if width is None or len(text) <= width:
        return text, start, end
    if end <= width:
        return text[: width - 3] + "...", start, min(end, width - 3)
    left = max(0, min(start - 8, len(text) - width + 3))
    piece = "..." + text[left : left + width - 6]
    if left + width - 6 < len(text):
        piece += "..."
    return piece, start - left + 3, min(end - left + 3, len(piece))
