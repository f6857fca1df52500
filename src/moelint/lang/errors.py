"""Load-time errors of expressions and templates."""

from __future__ import annotations


class LangError(Exception):
    """An expression that cannot be compiled.

    ``column`` is the 0-based offset of the fault in the expression's text, in characters. ``suggestion`` is a name or a
    phrase that the author may have meant, else None.
    """

    def __init__(self, message: str, column: int = 0, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.message, self.column, self.suggestion = message, column, suggestion

    def __str__(self) -> str:
        return f"{self.message}; did you mean {self.suggestion}?" if self.suggestion else self.message


def frame(text: str, column: int, width: int = 100) -> str:
    """The line of ``text`` that holds ``column``, with a caret under it; long lines are cut around the fault."""
    start = text.rfind("\n", 0, column) + 1
    end = text.find("\n", column)
    line = text[start : end if end >= 0 else len(text)].replace("\t", " ")
    at = min(column - start, len(line))
    if len(line) > width:
        left = max(0, min(at - width // 2, len(line) - width))
        line, at = line[left : left + width], at - left
    return f"{line}\n{' ' * at}^"
