"""Findings that no policy makes: texts that cannot be read, directives that do not do what they seem to.

Kinds are those of ``text.document.Problem``. The pages of these rules are in ``builtin_pages``: a check prints none.
"""

from __future__ import annotations

# kind → (id, name, effect, severity)
KINDS: dict[str, tuple[str, str, str, str]] = {
    "syntax": ("KEY101", "broken-text", "refuses", "error"),
    "merge": ("KEY101", "broken-text", "refuses", "error"),
    "complex-key": ("KEY101", "broken-text", "refuses", "error"),
    "duplicate-key": ("KEY102", "duplicate-key", "ignored", "error"),
    "limit": ("KEY103", "too-large", "ignored", "warning"),
    "decode": ("KEY104", "not-text", "refuses", "error"),
    "directive": ("KEY111", "misspelt-directive", "ignored", "warning"),
    "ignore-without-reason": ("KEY112", "ignore-without-reason", "ignored", "warning"),
    "unused-ignore": ("KEY113", "unused-ignore", "ignored", "warning"),
    "unknown-rule": ("KEY114", "unknown-rule-in-ignore", "ignored", "warning"),
    "target": ("KEY115", "unknown-target", "advice", "note"),
    "inheritance": ("KEY116", "inheritance-without-end", "refuses", "error"),
    "astray": ("KEY117", "setting-astray", "ignored", "warning"),
    "dropped-flag": ("KEY118", "dropped-flag", "ignored", "error"),
    "repeated-flag": ("KEY119", "repeated-flag", "ignored", "warning"),
    "stray-word": ("KEY120", "stray-word", "refuses", "error"),
    "odd-number": ("KEY121", "odd-number", "crashes", "error"),
    "contradiction": ("VER101", "contradicting-targets", "ignored", "warning"),
}
OTHER = KINDS["directive"]
