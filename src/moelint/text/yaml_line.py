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

Scalar = tuple[Any, str, str, int, int]
"""Value, raw, style, start, end. Places count from the start of the line."""
Line = tuple[int, int, int, str, Any, str, str, int, int]
"""Kind; indent, of the dash for an item; where a comment begins, or -1; the key, which ends at indent + its length; then
what follows it, a Scalar. The value of a list is the tuple of its elements."""
_Value = tuple[int, int, Any, str, str, int, int]  # kind, comment, a Scalar


def take_apart(line: str) -> Line | None:
    """A line without its line break; None if it is not understood."""
    if not line.isprintable():  # tabs, controls, Unicode's other line breaks and spaces, halves of surrogate pairs
        return None
    bare = line.lstrip(" ")
    if not bare:
        return BLANK, 0, -1, "", None, "", "", 0, 0
    indent, first = len(line) - len(bare), bare[0]
    if first == "#":
        return COMMENT, 0, indent, "", None, "", "", 0, 0
    if first == "-" and not (bare[1:2] == "-" and bare[2:3] in _ALNUM):  # `--flag: value` has a key
        if line == "---":
            return START, 0, -1, "", None, "", "", 0, 0
        found = _value(line, indent + 1) if bare[1:2] == " " else None
        return None if found is None or found[0] != KEY else (ITEM, indent, found[1], "", *found[2:])
    colon = line.find(":", indent)
    if colon < 0:
        return None
    name = line[indent:colon]
    usual = name.isidentifier() and name.isascii()  # told in one step
    if not usual and not ((first in _KEY_FIRST or first == "-") and _KEY.issuperset(name)):
        return None
    if colon - indent > _MAX_KEY or line[colon + 1 : colon + 2] not in ("", " "):
        return None
    raw = line[colon + 2 :]
    if raw.isalnum() and raw.isascii():  # the usual value
        return KEY, indent, -1, name, plain(raw), raw, "plain", colon + 2, len(line)
    found = _value(line, colon + 1)
    return None if found is None else (found[0], indent, found[1], name, *found[2:])


def _value(line: str, at: int) -> _Value | None:
    """What follows a key or a dash, with a comment; None if not all of it is understood."""
    rest = line[at:].lstrip(" ")
    at = len(line) - len(rest)
    if not rest or rest[0] == "#":
        return OPEN, at if rest else -1, None, "", "", 0, 0
    first = rest[0]
    if first == "[" or first == "{":
        return _flow(line, at)
    if first == "'" or first == '"':
        end = line.find(first, at + 1) + 1
        comment = _behind(line, end)
        if not end or comment is None or (first == '"' and "\\" in line[at:end]):
            return None
        return KEY, comment, line[at + 1 : end - 1], line[at:end], "single" if first == "'" else "double", at, end
    mark = line.find(" #", at)
    raw = (line[at:mark] if mark >= 0 else rest).rstrip(" ")
    if not _is_plain(raw):
        return None
    return KEY, mark + 1 if mark >= 0 else -1, plain(raw), raw, "plain", at, at + len(raw)


def _behind(line: str, end: int) -> int | None:
    """Place of the comment behind a value that ends by itself, -1 if there is none, None if something else is there."""
    rest = line[end:]
    bare = rest.lstrip(" ")
    if not bare:
        return -1
    return len(line) - len(bare) if bare[0] == "#" and len(rest) > len(bare) else None


def _is_plain(raw: str) -> bool:
    first = raw[0]
    if first not in _PLAIN_FIRST and raw != "???" and not (first in "-:" and raw[1:2] in _PLAIN_FIRST):
        return False
    return ":" not in raw or (": " not in raw and raw[-1] != ":")


def _flow(line: str, at: int) -> _Value | None:
    """A list of scalars, or an empty map, in one line."""
    end = line.find("]" if line[at] == "[" else "}", at) + 1
    comment = _behind(line, end)
    if not end or comment is None:
        return None
    raw = line[at:end]
    if raw[0] == "{":
        return (MAP, comment, None, raw, "flow", at, end) if raw == "{}" else None
    items = _items(raw[1:-1], at + 1)
    return None if items is None else (LIST, comment, items, raw, "flow", at, end)


def _items(inside: str, at: int) -> tuple[Scalar, ...] | None:
    """The elements of a list, given what stands between its brackets and where that begins."""
    out: list[Scalar] = []
    for part in inside.split(",") if inside.strip(" ") else ():
        raw = part.strip(" ")
        start = at + len(part) - len(part.lstrip(" "))
        at += len(part) + 1
        quote = raw[:1]
        if quote == "'" or quote == '"':
            if len(raw) < 2 or raw[-1] != quote or not (_FLOW | {" "}).issuperset(raw[1:-1]):
                return None
            out.append((raw[1:-1], raw, "single" if quote == "'" else "double", start, start + len(raw)))
        elif raw and _FLOW.issuperset(raw) and (quote != "-" or raw[1:2] in _ALNUM):
            out.append((plain(raw), raw, "plain", start, start + len(raw)))
        else:
            return None
    return tuple(out)
