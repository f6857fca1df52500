"""One line of YAML taken apart, as far as it means the same wherever it stands.

What is understood: blank lines, comments, ``key:``, ``key: scalar``, ``key: [scalar, …]``, ``key: {}``, ``- scalar``,
and a comment behind any of these. Scalars are plain or in quotes without escapes. Whatever might mean more than that
(anchors, tags, block scalars, merge keys, a colon that could begin a value) or is not printable is not understood.
"""

from __future__ import annotations

from moelint.text.scalars import plain
from moelint.typed import Any

BLANK, COMMENT, START, KEY, OPEN, LIST, MAP, ITEM = range(8)
"""Kinds of lines: nothing; a comment; ``---``; ``key: scalar``; ``key:``; ``key: [a, b]``; ``key: {}``; ``- scalar``."""

_ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_KEY_FIRST = _ALNUM | {"_"}
_KEY = _ALNUM | set("_-./")
_PLAIN_FIRST = _ALNUM | set("_./$~+<(^\\")
_FLOW = _ALNUM | set("_-./+")
_MAX_KEY = 200  # characters; YAML ends an implicit key at 1,024

Scalar = tuple[Any, str, str, int, int]  # value, raw, style, start, end


class Line:
    """``kind``, ``indent`` (of the dash, for an item), key [key_start, key_end) and the value after it, with offsets
    that count from the start of the line. ``comment``: where one begins, or -1. ``items`` of a list."""

    __slots__ = (
        "comment", "end", "indent", "items", "key_end", "kind", "name", "raw", "start", "style", "value",
    )

    def __init__(self, kind: int, indent: int, comment: int = -1) -> None:
        self.kind, self.indent, self.comment = kind, indent, comment
        self.name, self.key_end = "", indent
        self.value: Any = None
        self.raw, self.style = "", "plain"
        self.start = self.end = 0
        self.items: list[Scalar] = []


def take_apart(line: str) -> Line | None:
    """A line without its line break; None if it is not understood."""
    if not line.isprintable():  # tabs, controls, Unicode's other line breaks and spaces, halves of surrogate pairs
        return None
    bare = line.lstrip(" ")
    indent = len(line) - len(bare)
    if not bare:
        return Line(BLANK, 0)
    if bare[0] == "#":
        return Line(COMMENT, 0, indent)
    if bare[0] == "-" and not (bare[1:2] == "-" and bare[2:3] in _ALNUM):  # `--flag: value` has a key
        if line == "---":
            return Line(START, 0)
        found = Line(ITEM, indent)
        return found if bare[1:2] == " " and _value(found, line, indent + 1) and found.kind == ITEM else None
    colon = line.find(":", indent)
    name = line[indent:colon]
    if colon < 0 or not (bare[0] in _KEY_FIRST or bare[0] == "-") or not _KEY.issuperset(name) or len(name) > _MAX_KEY:
        return None
    found = Line(KEY, indent)
    found.name, found.key_end = name, colon
    return found if line[colon + 1 : colon + 2] in ("", " ") and _value(found, line, colon + 1) else None


def _value(found: Line, line: str, at: int) -> bool:
    """Reads what follows a key or a dash, and a comment; whether all of it was understood."""
    rest = line[at:].lstrip(" ")
    at = len(line) - len(rest)
    first = rest[:1]
    if first in ("", "#"):
        found.comment = at if first else -1
        if found.kind == KEY:
            found.kind = OPEN
            return True
        return False  # a list element that is null, or goes on below
    if first == "[" or first == "{":
        return found.kind == KEY and _flow(found, line, at)
    if first == "'" or first == '"':
        end = line.find(first, at + 1) + 1
        if not end or (first == '"' and "\\" in line[at:end]) or not _closed(found, line, end):
            return False
        found.value, found.style = line[at + 1 : end - 1], "single" if first == "'" else "double"
    else:
        mark = line.find(" #", at)
        found.comment = mark + 1 if mark >= 0 else -1
        end = len((line[:mark] if mark >= 0 else line).rstrip(" "))
        raw = line[at:end]
        if not _is_plain(raw):
            return False
        found.value = plain(raw)
    found.raw, found.start, found.end = line[at:end], at, end
    return True


def _closed(found: Line, line: str, end: int) -> bool:
    """Whether nothing but a comment follows a value that ends by itself."""
    rest = line[end:]
    bare = rest.lstrip(" ")
    if not bare:
        return True
    found.comment = len(line) - len(bare)
    return bare[0] == "#" and len(rest) > len(bare)


def _is_plain(raw: str) -> bool:
    first = raw[0]
    if first not in _PLAIN_FIRST and raw != "???" and not (first in "-:" and raw[1:2] in _PLAIN_FIRST):
        return False
    return ":" not in raw or (": " not in raw and raw[-1] != ":")


def _flow(found: Line, line: str, at: int) -> bool:
    """A list of scalars, or an empty map, in one line."""
    end = line.find("]" if line[at] == "[" else "}", at) + 1
    if not end or not _closed(found, line, end):
        return False
    found.raw, found.style, found.start, found.end = line[at:end], "flow", at, end
    if line[at] == "{":
        found.kind = MAP
        return found.raw == "{}"
    found.kind = LIST
    inside = line[at + 1 : end - 1]
    if not inside.strip(" "):
        return True
    at += 1
    for part in inside.split(","):
        raw = part.strip(" ")
        start = at + len(part) - len(part.lstrip(" "))
        at += len(part) + 1
        quote = raw[:1]
        if quote == "'" or quote == '"':
            if len(raw) < 2 or raw[-1] != quote or not _is_simple(raw[1:-1]):
                return False
            style = "single" if quote == "'" else "double"
            found.items.append((raw[1:-1], raw, style, start, start + len(raw)))
        elif raw and _FLOW.issuperset(raw) and (quote != "-" or raw[1:2] in _ALNUM):
            found.items.append((plain(raw), raw, "plain", start, start + len(raw)))
        else:
            return False
    return True


def _is_simple(text: str) -> bool:
    """Whether a text in quotes inside a list holds nothing but what words and paths are made of."""
    return all(char in _FLOW or char == " " for char in text)
