"""The types that cross rooms on the way out: findings, fixes, reports. Field names are those of the JSON report."""

from __future__ import annotations

from typing import Any

SEVERITIES = ("note", "warning", "error")
EFFECT_SEVERITY = {
    "refuses": "error", "crashes": "error", "hangs": "error", "corrupts": "error",
    "ignored": "warning", "slow": "warning", "memory": "warning",
    "advice": "note", "deprecated": "note",
}


class Place:
    """1-based, columns in characters, end exclusive of nothing: end_column is one past the last character."""

    __slots__ = ("column", "end_column", "end_line", "line", "path")

    def __init__(self, path: str, line: int, column: int, end_line: int, end_column: int) -> None:
        self.path, self.line, self.column, self.end_line, self.end_column = path, line, column, end_line, end_column


class Fix:
    """One alternative. ``edits`` are (start, end, text) offsets in the text of ``path``; empty with a ``reason`` when the
    text cannot take it."""

    __slots__ = ("edits", "rank", "reason", "safety", "set", "unset", "why")

    def __init__(self, rank: int, safety: str, set: dict[str, Any], unset: list[str], why: str) -> None:
        self.rank, self.safety, self.set, self.unset, self.why = rank, safety, set, unset, why
        self.edits: list[Any] = []  # text.edits.Edit
        self.reason: str | None = None


class Related:
    __slots__ = ("key", "message", "place")

    def __init__(self, key: str, message: str, place: Place) -> None:
        self.key, self.message, self.place = key, message, place


class Finding:
    """``facts``: key → {value, origin, path, line, spelling}. ``certainty``: certain | assumed."""

    __slots__ = (
        "case", "certainty", "config", "effect", "facts", "fingerprint", "fixes", "key", "message", "name", "new", "place",
        "related", "rule", "severity", "url", "wall",
    )

    def __init__(self, rule: str, name: str, effect: str, severity: str, message: str, place: Place, key: str) -> None:
        self.rule, self.name, self.effect, self.severity = rule, name, effect, severity
        self.message, self.place, self.key = message, place, key
        self.case: str | None = None
        self.certainty = "certain"
        self.wall: str | None = None
        self.config: str | None = None
        self.related: list[Related] = []
        self.facts: dict[str, dict[str, Any]] = {}
        self.fixes: list[Fix] = []
        self.fingerprint = ""
        self.new: bool | None = None
        self.url: str | None = None


class ConfigReport:
    __slots__ = ("completeness", "dialect", "line", "name", "target", "trainer", "undecided")

    def __init__(self, name: str, line: int, dialect: str, trainer: str, completeness: str) -> None:
        self.name, self.line, self.dialect, self.trainer, self.completeness = name, line, dialect, trainer, completeness
        self.target: dict[str, dict[str, Any]] = {}
        self.undecided: dict[str, Any] = {"count": 0, "waiting_for": []}


class FileReport:
    __slots__ = ("configs", "findings", "fixed", "path", "skipped", "suppressed")

    def __init__(self, path: str) -> None:
        self.path = path
        self.skipped: str | None = None
        self.configs: list[ConfigReport] = []
        self.findings: list[Finding] = []
        self.fixed = self.suppressed = 0
