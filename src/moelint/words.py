"""Numbers and their nouns."""

from __future__ import annotations


def plural(number: int, word: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
