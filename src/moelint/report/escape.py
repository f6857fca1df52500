"""Untrusted text on its way to a terminal, a log or a web page: control characters become visible escapes."""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, zero-width marks, lone surrogates.
_HOSTILE = "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def line(text: str) -> str:
    """One printable line: every control character is escaped."""
    if text.isascii() and text.isprintable():  # nearly all: do not even compile the pattern
        return text
    return re.sub(_HOSTILE, _escape, text)


def code(text: str) -> str:
    """A line of source to show: tabs become one space each, so that carets stay under their columns."""
    return line(text.replace("\t", " "))


def encodable(text: str, encoding: str) -> str:
    """The text in what a terminal of this encoding can show; the rest as escapes."""
    if text.isascii():
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)
