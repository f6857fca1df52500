"""One training configuration: canonical keys with the values and places that its author wrote."""

from __future__ import annotations

from moelint.text.document import Document, Problem, Setting
from moelint.typed import Any


class Written:
    """A setting under its canonical key. ``origin``: file | inherited | base | model.

    ``value`` is converted for the trainer (UNKNOWN if the text cannot tell), ``spelling`` the author's own key or flag.
    ``assumed``: why the value is only assumed (a shell default ``${X:-8}``), else None. ``waits``: the names that an
    UNKNOWN value waits for, to say ``--define NAME=…``. ``derived``: the setting says this only among other things (a
    switch of the framework, parallel sizes inside a text): it cannot be rewritten as this key alone.
    """

    __slots__ = ("assumed", "derived", "document", "key", "origin", "setting", "spelling", "value", "waits")

    def __init__(
        self,
        key: str,
        value: Any,
        spelling: str,
        document: Document | None,
        setting: Setting | None,
        origin: str = "file",
        assumed: str | None = None,
        waits: tuple[str, ...] = (),
        derived: bool = False,
    ) -> None:
        self.key = key  # one by one, as in Setting
        self.value = value
        self.spelling = spelling
        self.document = document
        self.setting = setting
        self.origin = origin
        self.assumed = assumed
        self.waits = waits
        self.derived = derived


class Ignore:
    """A suppression: rules or prefixes of them, each with the key that it is restricted to, or None.

    ``reason`` is what follows ``because``, '' if the author gave none. ``start``, ``end``: the directive's place.
    ``whole_file``: ``ignore-file``, or it stands before the file's first config.
    """

    __slots__ = ("end", "reason", "rules", "start", "whole_file")

    def __init__(
        self, rules: list[tuple[str, str | None]], reason: str, start: int, end: int, whole_file: bool
    ) -> None:
        self.rules, self.reason, self.start, self.end, self.whole_file = rules, reason, start, end, whole_file


class Config:
    """``trainer``: bridge | core | lm. ``completeness``: complete | standing | fragment. ``stated``: what the file says
    of its target, directive key → (value, where it is said: 'directive' | 'config').

    ``root``: where its settings lie in the document (a block of several), () for all of it. ``base``: the recipe or
    file that it stands on, if it says so; ``model``: the model that it names. ``loose_ends``: what it inherits but
    we could not read; with one of them an absent key is unknown. ``switches``: though the config is not complete,
    what is off unless it is written is known to be off (an excerpt of a command, every word of which is known).
    ``ignores`` hold for this config only.
    """

    __slots__ = (
        "base",
        "complete_env",
        "completeness",
        "dialect",
        "document",
        "end",
        "ignores",
        "line",
        "loose_ends",
        "model",
        "name",
        "problems",
        "root",
        "start",
        "stated",
        "switches",
        "trainer",
        "unread",
        "written",
    )

    def __init__(self, name: str, line: int, dialect: str, trainer: str, document: Document) -> None:
        self.name, self.line, self.dialect, self.trainer, self.document = name, line, dialect, trainer, document
        self.completeness = "fragment"
        self.complete_env = False
        self.start, self.end = 0, len(document.source.text)  # the part of the text that is this config's
        self.root: tuple[Any, ...] = ()
        self.written: dict[str, Written] = {}
        self.unread: list[Setting] = []  # settings that the dialect gives no canonical key
        self.problems: list[Problem] = []
        self.stated: dict[str, tuple[Any, str]] = {}
        self.base: str | None = None
        self.model: str | None = None
        self.loose_ends: list[str] = []
        self.switches = False
        self.ignores: list[Ignore] = []
