"""One training configuration: canonical keys with the values and places that its author wrote."""

from __future__ import annotations

from typing import Any

from moelint.text.document import Document, Problem, Setting


class Written:
    """A setting under its canonical key. ``origin``: file | inherited | base | model.

    ``value`` is converted for the trainer (UNKNOWN if the text cannot tell), ``spelling`` the author's own key or flag.
    ``assumed``: why the value is only assumed (a shell default ``${X:-8}``), else None.
    """

    __slots__ = ("assumed", "document", "key", "origin", "setting", "spelling", "value")

    def __init__(
        self, key: str, value: Any, spelling: str, document: Document | None, setting: Setting | None,
        origin: str = "file", assumed: str | None = None,
    ) -> None:
        self.key, self.value, self.spelling, self.document, self.setting = key, value, spelling, document, setting
        self.origin, self.assumed = origin, assumed


class Config:
    """``trainer``: bridge | core | lm. ``completeness``: complete | standing | fragment. ``stated``: what the file says
    of its target, directive key → (value, where it is said: 'directive' | 'config')."""

    __slots__ = (
        "complete_env", "completeness", "dialect", "document", "end", "line", "name", "problems", "start", "stated",
        "trainer", "unread", "written",
    )

    def __init__(self, name: str, line: int, dialect: str, trainer: str, document: Document) -> None:
        self.name, self.line, self.dialect, self.trainer, self.document = name, line, dialect, trainer, document
        self.completeness = "fragment"
        self.complete_env = False
        self.start, self.end = 0, len(document.source.text)  # the part of the text that is this config's
        self.written: dict[str, Written] = {}
        self.unread: list[Setting] = []  # settings that the dialect gives no canonical key
        self.problems: list[Problem] = []
        self.stated: dict[str, tuple[Any, str]] = {}
