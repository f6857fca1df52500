"""Reads settings for the walls: needed ones, details with a fallback, and sizes that no machine has."""

from __future__ import annotations

from collections.abc import Callable

from moelint.lang.unknown import UNKNOWN
from moelint.typed import Any
from moelint.walls.model import ShapeError

Get = Callable[[str], Any]


# Sizes whose default is 0: a config that leaves them out does not state its model.
UNSET_AT_ZERO = frozenset(("model.hidden_size", "model.num_layers", "model.num_attention_heads"))


class Reader:
    """Reads settings; remembers which needed ones were unknown and what it assumed for the others."""

    __slots__ = ("assumptions", "get", "missing")

    def __init__(self, get: Get) -> None:
        self.get = get
        self.missing: list[str] = []
        self.assumptions: list[str] = []

    def need(self, key: str) -> Any:
        """The value of a key without which the estimate is unknown."""
        value = self.get(key)
        if value is UNKNOWN:
            self.missing.append(key)
        return value

    def number(self, key: str, default: int | None = None) -> int:
        """A needed whole number, at least 1; ``default`` replaces None (not an unknown value).

        Raises:
            ShapeError: it is no such number, or one that no machine has.
        """
        value = self.need(key)
        if value is UNKNOWN:
            return 0
        if value is None or (value == 0 and key in UNSET_AT_ZERO):
            if default is None:
                self.missing.append(key)
            return default or 0
        return whole(key, value, 1 if default != 0 else 0)

    def maybe(self, key: str, default: Any) -> Any:
        """The value of a detail; ``default`` where it is unknown or None."""
        value = self.get(key)
        return default if value is UNKNOWN or value is None else value

    def size(self, key: str, default: int = 0) -> int:
        """A detail that is a whole number, 0 for none. Raises ShapeError where it is another thing."""
        value = self.get(key)
        return default if value is UNKNOWN or value is None else whole(key, value, 0)

    def flag(self, key: str, default: bool = False) -> bool:
        """A detail that is true or false."""
        return bool(self.maybe(key, default))


# No model and no machine has a size beyond it; the formulas stay finite below.
LARGEST = 10**9


def whole(key: str, value: Any, least: int) -> int:
    """A whole number between ``least`` and LARGEST; raises ShapeError, in one line, for anything else."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (number and least <= value <= LARGEST and value == int(value)):
        kind = "a positive whole number" if least else "a whole number, 0 or more"
        raise ShapeError(f"{key} must be {kind} below 10^9, not {repr(value)[:40]}")
    return int(value)
