"""Where things stand in YAML text, as far as the parser's events do not say it exactly."""

from __future__ import annotations

import re

_PROPERTY = r"[&!]\S*"
_BETWEEN = r"(?:[ \t\r\n]+|(?<=[ \t\r\n])#[^\r\n]*)*"


def past_properties(text: str, start: int, end: int) -> int:
    """Start of a node's own text, after its anchor and tag; the end of these where nothing follows."""
    at = start
    while at < end and (found := re.compile(_PROPERTY).match(text, at, end)):
        start = found.end()
        between = re.compile(_BETWEEN).match(text, start, end)
        at = between.end() if between else start
    return at if at < end else start


def back(text: str, at: int) -> int:
    """Place of a value that is not there: right after what stands before it."""
    while at > 0 and text[at - 1] in " \t\r\n":
        at -= 1
    return at


def block_end(text: str, start: int, end: int) -> int:
    """End of the last line with text in a block scalar, without its line break."""
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return end


def comments(text: str, guarded: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of all comments, given the quoted and block scalars in which a '#' may stand for itself."""
    found = []
    nowhere = (len(text), len(text))
    walls = iter(guarded)
    start, end = next(walls, nowhere)
    at = 0
    while (hash_at := text.find("#", at)) >= 0:
        if hash_at > 0 and text[hash_at - 1] not in " \t\r\n":
            at = hash_at + 1
            continue
        at = text.find("\n", hash_at)
        at = len(text) if at < 0 else at
        if "\r" in text[hash_at:at]:
            at = text.index("\r", hash_at)
        while hash_at >= end and start < len(text):
            start, end = next(walls, nowhere)
        in_header = text[start : start + 1] in ("|", ">") and "\n" not in text[start:hash_at]  # `key: | # comment`
        if hash_at > start and not in_header:
            at = end
            continue
        found.append((hash_at, at))
    return found


def skip_space(text: str, at: int, lines: bool = False, comments: bool = False) -> int:
    """Next place that is no space; with ``lines`` no line break either; with ``comments`` no comment either."""
    if comments:
        match = re.compile(_BETWEEN).match(text, at)
        return match.end() if match else at
    space = " \t\r\n" if lines else " \t"
    while at < len(text) and text[at] in space:
        at += 1
    return at
