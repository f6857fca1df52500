"""What a project's configuration says, and what of it holds for one path."""

from __future__ import annotations

import os

from moelint.conf.globs import matches
from moelint.typed import Any


class ConfError(Exception):
    """A configuration that cannot be used; exit code 2. ``line`` and ``column`` are 1-based, 0 where there is none."""

    def __init__(self, message: str, path: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.path, self.line, self.column = message, path, line, column

    def __str__(self) -> str:
        place = "".join(f"{number}:" for number in (self.line, self.column) if number)
        return f"{self.path}:{place} {self.message}"


class Section:
    """The settings that may stand at the top and under ``paths``. ``ignore``: rule or prefix → reason."""

    __slots__ = ("at", "define", "ignore", "match", "policies", "severity", "strict", "target")

    def __init__(self, at: tuple[Any, ...] = ()) -> None:
        self.at = at  # the key path of the section in its file
        self.match: list[str] = []  # empty at the top: holds everywhere
        self.target: dict[str, Any] = {}
        self.severity: dict[str, str] = {}
        self.ignore: dict[str, str] = {}
        self.define: dict[str, str] = {}
        self.policies: list[str] = []  # names of shipped packs, or absolute paths
        self.strict: bool | None = None


class Conf:
    """``path``: the file it came from (None: there is none), ``folder``: what its patterns are relative to."""

    __slots__ = ("_merged", "exclude", "fail_on", "folder", "found", "include", "path", "sections", "select")

    def __init__(self, path: str | None = None) -> None:
        self.path = path
        self.folder = os.path.dirname(os.path.abspath(path)) if path else os.getcwd()
        self.include: list[str] = []
        self.exclude: list[str] = []
        self.select: list[str] = []
        self.fail_on: str | None = None
        self.sections: list[Section] = []
        self.found: dict[tuple[Any, ...], tuple[int, int]] = {}  # key path → line and column
        self._merged: dict[tuple[int, ...], Section] = {}  # numbers of sections → what they come to

    def place(self, *at: Any) -> str:
        """Where a key path, or the nearest part of it that has a place, stands: path:line:column."""
        while at and at not in self.found:
            at = at[:-1]
        return ":".join([self.path or "", *(str(number) for number in self.found.get(at, ()))])

    def relative(self, path: str) -> str:
        return os.path.relpath(os.path.abspath(path), self.folder).replace(os.sep, "/")

    def takes(self, path: str) -> bool:
        """Whether a file found in a folder is to be checked: named files always are."""
        if not self.include and not self.exclude:
            return True
        relative = self.relative(path)
        if self.include and not any(matches(p, relative) for p in self.include):
            return False
        return not any(matches(p, relative) for p in self.exclude)

    def at(self, path: str) -> Section:
        """All that holds for one path: later sections win over earlier ones. Paths for which the same sections hold
        share the result."""
        if len(self.sections) == 1 and not self.sections[0].match:
            return self.sections[0]
        relative = self.relative(path) if self.sections else ""
        held = tuple(
            number
            for number, section in enumerate(self.sections)
            if not section.match or any(matches(pattern, relative) for pattern in section.match)
        )
        found = self._merged.get(held)
        if found is None:
            found = self._merged[held] = self._merge([self.sections[number] for number in held])
        return found

    def _merge(self, sections: list[Section]) -> Section:
        merged = Section()
        for section in sections:
            merged.target.update(section.target)
            merged.severity.update(section.severity)
            merged.ignore.update(section.ignore)
            merged.define.update(section.define)
            merged.policies += [policy for policy in section.policies if policy not in merged.policies]
            if section.strict is not None:
                merged.strict = section.strict
        return merged
