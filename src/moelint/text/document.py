"""What every reader of text gives: settings with exact places, and how to change one."""

from __future__ import annotations

from moelint.text.edits import Edit
from moelint.text.source import Source
from moelint.typed import Any

Path = tuple[Any, ...]  # mapping keys are str (as written, unquoted), sequence positions int


class Problem:
    """Something wrong with the text itself: ``kind`` is 'syntax', 'duplicate-key', 'limit', 'dropped-flag', …

    ``edits`` repair it where that is sure; ``sets`` are the canonical keys that then have other values, ``unset`` those
    that are gone; ``why`` says what the repair comes to, ``safety`` whether anything changes by it.
    """

    __slots__ = ("edits", "end", "kind", "message", "path", "safety", "sets", "start", "unset", "why")

    def __init__(self, kind: str, message: str, start: int, end: int, path: Path = ()) -> None:
        self.kind, self.message, self.start, self.end, self.path = kind, message, start, end, path
        self.edits: list[Edit] = []
        self.sets: dict[str, Any] = {}
        self.unset: list[str] = []
        self.safety = "unsafe"
        self.why = "the command then has all that stands in it"


class Setting:
    """One leaf of a document: a scalar, a whole sequence of scalars, or an empty mapping.

    ``value`` is what the format's usual loader makes of it (PyYAML's SafeLoader for YAML), ``raw`` the text between
    ``value_start`` and ``value_end``. ``style``: plain, single, double, literal, folded, flow, block, alias, word, bare
    (a flag without a value), python. ``items`` holds the elements of a sequence as settings of their own.
    """

    __slots__ = ("items", "key_end", "key_start", "path", "raw", "style", "value", "value_end", "value_start")

    def __init__(
        self, path: Path, value: Any, raw: str, style: str, key_start: int, key_end: int, value_start: int,
        value_end: int, items: list[Setting] | None = None,
    ) -> None:
        self.path = path  # one by one: a file makes as many of these as it has lines, and a tuple is slower
        self.value = value
        self.raw = raw
        self.style = style
        self.key_start = key_start
        self.key_end = key_end
        self.value_start = value_start
        self.value_end = value_end
        self.items = items


class EditError(Exception):
    """A change that this text cannot take, with the reason: an alias, a computed value, a line that is shared."""


class Document:
    """Base of YAML, shell and Python documents. Subclasses fill the attributes and implement the four edits."""

    source: Source
    settings: dict[Path, Setting]  # in the order of the text; a repeated key keeps the last, as PyYAML does
    problems: list[Problem]
    comments: list[tuple[int, int]]  # [start, end) offsets, from '#' to the end of the line

    def set(self, path: Path, value: Any) -> list[Edit]:
        """Replace the value of an existing setting."""
        raise NotImplementedError

    def insert(self, path: Path, value: Any, after: Path | None = None) -> list[Edit]:
        """Write a new setting, creating missing parents; beside ``after`` when given."""
        raise NotImplementedError

    def remove(self, path: Path) -> list[Edit]:
        """Take a setting out with its line; comments of its neighbours stay."""
        raise NotImplementedError

    def rename(self, path: Path, name: str) -> list[Edit]:
        """Change the last key of a path, keeping value and place."""
        raise NotImplementedError
