"""Shell patterns (``*``, ``?``, ``[…]``) on texts that are known."""

from __future__ import annotations

import re

_LIMIT = 300  # characters of a pattern


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
    expression = translate(pattern)
    if expression is None or len(text) > 4000:
        return None
    return re.fullmatch(expression, text) is not None


def cut_off(text: str, pattern: str, sign: str) -> str | None:
    """``text`` without the shortest (``#``, ``%``) or longest (``##``, ``%%``) start or end that fits."""
    if len(text) > 4000:
        return None
    expression = translate(pattern)
    if expression is None:
        return None
    compiled = re.compile(expression)
    size = len(text)
    lengths = range(size + 1) if len(sign) == 1 else range(size, -1, -1)
    for length in lengths:
        part = text[:length] if sign[0] == "#" else text[size - length :]
        if compiled.fullmatch(part):
            return text[length:] if sign[0] == "#" else text[: size - length]
    return text
