"""Text edits: replace the characters [start, end) of a source by a text."""

from __future__ import annotations

from collections.abc import Iterable


class Edit:
    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start, self.end, self.text = start, end, text

    def __repr__(self) -> str:
        return f"Edit({self.start}, {self.end}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edit) and (self.start, self.end, self.text) == (other.start, other.end, other.text)

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.text))


def overlap(a: Edit, b: Edit) -> bool:
    """Whether two edits touch the same characters, or insert at the same place."""
    if a.start == b.start:
        return True
    first, second = (a, b) if a.start < b.start else (b, a)
    return first.end > second.start


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Text with all edits applied. Raises ValueError if two overlap."""
    out, at, before = [], 0, None
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if before is not None and overlap(before, edit):
            raise ValueError(f"edits overlap: {before!r} and {edit!r}")
        out += [text[at : edit.start], edit.text]
        at, before = edit.end, edit
    return "".join([*out, text[at:]])
