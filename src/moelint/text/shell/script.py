"""The text that is interpreted, the way back to the files it comes from, and its syntax tree."""

from __future__ import annotations

from bisect import bisect_right

from moelint.text.shell.pieces import Piece, Pieces, Span
from moelint.text.source import Source
from moelint.typed import Any

MAX_SIZE = 400_000  # characters; real scripts are below 100,000

Run = tuple[int, int, "tuple[Span, ...]", bool]
"""Start and end in the text, where it stands (as of ``Piece.spans``), whether it stands there letter by letter."""

_parser: Any = None


class Script:
    """``text`` with, for every stretch of it, the place in a file that it comes from. A file is a script of its own; so
    are the text behind ``bash -c``, a heredoc and the inside of ``$(…)``."""

    __slots__ = ("_bytes", "_ends", "_runs", "_starts", "source", "text")

    def __init__(self, source: Source, text: str | None = None, runs: list[Run] | None = None):
        """``runs``: in order, without gaps."""
        self.source = source
        self.text = source.text if text is None else text
        self._runs = runs if runs is not None else [(0, len(self.text), ((source, 0, len(self.text)),), True)]
        self._starts = [run[0] for run in self._runs]
        self._bytes: list[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """Where [start, end) of the text stands: from its first to its last character."""
        if not self._runs:
            return self.source, 0, 0
        first = self._place(start)
        last = self._place(max(start, end - 1))
        if first[0] is not last[0] or last[2] < first[1]:
            return first
        return first[0], first[1], first[1] if end <= start else last[2]

    def _place(self, at: int) -> Span:
        number = max(0, bisect_right(self._starts, at) - 1)
        start, _, spans, exact = self._runs[number]
        source, first, last = spans[0]
        if not exact:
            return source, first, last
        return source, first + at - start, min(first + at - start + 1, last)

    def pieces(self, start: int, end: int, **attributes: Any) -> list[Piece]:
        """[start, end) as literal text."""
        out = []
        number = max(0, bisect_right(self._starts, start) - 1)
        while start < end and number < len(self._runs):
            first, last, spans, exact = self._runs[number]
            stop = min(end, last)
            if stop > start:
                source, a, _ = spans[0]
                innermost = (source, a + start - first, a + stop - first) if exact else spans[0]
                out.append(Piece(self.text[start:stop], (innermost, *spans[1:]), exact, **attributes))
                start = stop
            number += 1
        return out

    def part(self, start: int, end: int) -> Script:
        """A part of the text as a script of its own."""
        runs: list[Run] = []
        at = 0
        for piece in self.pieces(start, end):
            size = len(piece.text or "")
            runs.append((at, at + size, piece.spans, piece.literal))
            at += size
        return Script(self.source, self.text[start:end], runs)

    def offset(self, byte: int) -> int:
        """Character offset of a byte offset of the parsed text."""
        if self._bytes is None:
            text = self.text
            if text.isascii():
                self._bytes = []
            else:
                table, at = [], 0
                for number, char in enumerate(text):
                    size = len(char.encode("utf-8", "replace"))
                    table += [number] * size
                    at += size
                table.append(len(text))
                self._bytes = table
        return self._bytes[byte] if self._bytes else byte

    def parse(self) -> Any:
        """The root of the syntax tree. Raises ImportError if the parser is not installed."""
        global _parser
        if _parser is None:
            import tree_sitter
            import tree_sitter_bash

            _parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
        return _parser.parse(plain_newlines(self.text).encode("utf-8", "replace")).root_node


def plain_newlines(text: str) -> str:
    """The text, as long as before, with line feeds alone: a continuation before CR LF stays one."""
    if "\r" not in text:
        return text
    return text.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace("\r", " ")


def from_pieces(source: Source, pieces: Pieces, held: dict[str, Pieces]) -> Script:
    """A script of a text that was put together. What is not known of it becomes a variable, remembered in ``held``."""
    runs: list[Run] = []
    parts: list[str] = []
    at = 0
    for piece in pieces:
        text, literal = piece.text, piece.literal
        if text is None or piece.maybe or piece.assumed:
            name = f"_held_{len(held)}"
            held[name] = (piece,)
            text, literal = f"${{{name}}}", False
        if not text:
            continue
        parts.append(text)
        spans = piece.spans or ((source, 0, 0),)
        exact = literal and spans[0][2] - spans[0][1] == len(text)
        runs.append((at, at + len(text), spans, exact))
        at += len(text)
    return Script(source, "".join(parts), runs)
