"""Shell patterns (``*``, ``?``, ``[…]``) on texts that are known."""

from __future__ import annotations

import re

_LIMIT = 300  # characters of a pattern
_TEXT = 4_000  # characters of a text
_WORK = 4_000_000  # comparisons


def translate(pattern: str) -> str | None:
    """A regular expression for a pattern; None if it is too long or has too many stars to be quick."""
    if len(pattern) > _LIMIT or pattern.count("*") > 6:
        return None
    out, at = [], 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            out.append("[\\s\\S]*")
        elif sign == "?":
            out.append("[\\s\\S]")
        elif sign == "[" and (stop := pattern.find("]", at + 1)) > 0:
            inner = pattern[at:stop].replace("\\", "\\\\")
            out.append("[" + ("^" + inner[1:] if inner[:1] in "!^" else inner) + "]")
            at = stop + 1
        elif sign == "\\" and at < len(pattern):
            out.append(re.escape(pattern[at]))
            at += 1
        else:
            out.append(re.escape(sign))
    try:
        re.compile("".join(out))
    except re.error:
        return None
    return "".join(out)


def fits(text: str, pattern: str) -> bool | None:
    """Whether a whole text fits a pattern; None if that cannot be told."""
    parts = _parts(pattern)
    if parts is None or len(text) > _TEXT:
        return None
    return _fits(text, parts)


def _parts(pattern: str) -> list[re.Pattern[str] | None] | None:
    """One expression for each character, None for a star; None if the pattern is too long."""
    if len(pattern) > _LIMIT:
        return None
    out: list[re.Pattern[str] | None] = []
    for part in re.findall(r"\\\\.|\[[^\]]+\]|[\s\S]", pattern):
        if part == "*":
            if not out or out[-1] is not None:
                out.append(None)
            continue
        expression = translate(part)
        if expression is None:
            return None
        out.append(re.compile(expression))
    return out


def _fits(text: str, parts: list[re.Pattern[str] | None]) -> bool:
    """By going back to the last star only: no text takes long."""
    at = part = 0
    star, mark = -1, 0
    while at < len(text):
        if part < len(parts) and (one := parts[part]) is None:
            star, mark = part, at
            part += 1
        elif part < len(parts) and one is not None and one.match(text, at, at + 1):
            at, part = at + 1, part + 1
        elif star >= 0:
            part, mark = star + 1, mark + 1
            at = mark
        else:
            return False
    return all(one is None for one in parts[part:])


def cut_off(text: str, pattern: str, sign: str) -> str | None:
    """``text`` without the shortest (``#``, ``%``) or longest (``##``, ``%%``) start or end that fits."""
    parts = _parts(pattern)
    if parts is None or len(text) > _TEXT or len(text) ** 2 * len(parts) > _WORK:
        return None
    size = len(text)
    lengths = range(size + 1) if len(sign) == 1 else range(size, -1, -1)
    for length in lengths:
        part = text[:length] if sign[0] == "#" else text[size - length :]
        if _fits(part, parts):
            return text[length:] if sign[0] == "#" else text[: size - length]
    return text
