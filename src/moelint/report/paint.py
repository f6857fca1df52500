"""Colour for terminals, or none."""

from __future__ import annotations

_SEVERITY = {"error": "1;31", "warning": "1;33", "note": "1;36"}


class Paint:
    __slots__ = ("_on",)

    def __init__(self, on: bool) -> None:
        self._on = on

    def _style(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text

    def severity(self, severity: str, text: str) -> str:
        return self._style(_SEVERITY[severity], text)

    def bold(self, text: str) -> str:
        return self._style("1", text)

    def dim(self, text: str) -> str:
        return self._style("2", text)

    def note(self, text: str) -> str:
        return self._style("36", text)

    def added(self, text: str) -> str:
        return self._style("32", text)

    def removed(self, text: str) -> str:
        return self._style("31", text)

    def ok(self, text: str) -> str:
        return self._style("32", text)
