"""What is wrong with a policy pack, at its place in the file."""

from __future__ import annotations

from moelint.errors import UsageError


class PolicyProblem:
    """One fault. ``line`` and ``column`` are 1-based (0: the whole file); ``frame`` shows the text with a caret."""

    __slots__ = ("column", "frame", "line", "message", "path", "suggestion")

    def __init__(
        self, path: str, line: int, column: int, message: str, suggestion: str | None = None, frame: str | None = None
    ) -> None:
        self.path, self.line, self.column, self.message = path, line, column, message
        self.suggestion, self.frame = suggestion, frame

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        said = f"{where}: {self.message}" + (f"; did you mean {self.suggestion}?" if self.suggestion else "")
        if self.frame:
            said += "".join(f"\n    {line}" for line in self.frame.split("\n"))
        return said


class PolicyError(UsageError):
    """A pack that does not load, with every fault that was found. Exit code 2."""

    def __init__(self, problems: list[PolicyProblem]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(p) for p in problems))
