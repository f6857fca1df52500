"""A file's text as it is on disk, and the way between offsets, lines and columns."""

from __future__ import annotations

from bisect import bisect_right


class TextError(Exception):
    """A text that cannot be read. ``line`` and ``column`` are 1-based, columns in characters; 0 where there is none."""

    def __init__(self, message: str, path: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.path, self.line, self.column = message, path, line, column


class TooLarge(TextError):
    """A text with more in it than any config has: reading on could take long, or fill the memory."""


class Source:
    """Decoded text of one file. Offsets count characters of ``text``; the BOM, if any, is not in it."""

    __slots__ = ("_starts", "bom", "encoding", "newline", "path", "text", "tried")

    def __init__(self, path: str, text: str, encoding: str = "utf-8", bom: bool = False) -> None:
        self.path, self.text, self.encoding, self.bom = path, text, encoding, bom
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._starts: list[int] | None = None
        self.tried = 0  # characters of changed texts that were read to prove edits

    def line_starts(self) -> list[int]:
        if self._starts is None:
            starts, at, text = [0], 0, self.text
            while (at := text.find("\n", at) + 1) > 0:
                starts.append(at)
            self._starts = starts
        return self._starts

    def keep_line_starts(self, starts: list[int]) -> None:
        """Takes what a reader that went line by line has counted: where each line begins."""
        self._starts = starts

    def position(self, offset: int) -> tuple[int, int]:
        """1-based (line, column) of an offset."""
        starts = self.line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its newline."""
        starts = self.line_starts()
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")
