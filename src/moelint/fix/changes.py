"""One step of a fix, on canonical keys."""

from __future__ import annotations

from moelint.typed import Any

SET, UNSET, ADD, REMOVE, RENAME = "set", "unset", "add", "remove", "rename"


KEEP = object()
"""A renamed setting keeps its value."""


class Change:
    """``kind``: set | unset | add | remove (an element of a list) | rename (``value`` is the new key, ``then`` what it
    holds)."""

    __slots__ = ("key", "kind", "then", "value")

    def __init__(self, kind: str, key: str, value: Any = None, then: Any = KEEP) -> None:
        self.kind, self.key, self.value, self.then = kind, key, value, then

    def __repr__(self) -> str:
        return f"Change({self.kind!r}, {self.key!r}, {self.value!r})"


def same(a: Any, b: Any) -> bool:
    """Equality that tells True from 1, but takes a tuple for a list."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    return bool(a == b) or (a != a and b != b)


def same_setting(key: str, a: Any, b: Any) -> bool:
    """``same``, but environment variables are text whatever they look like."""
    if key.startswith("env_vars.") and isinstance(a, (str, int)) and isinstance(b, (str, int)):
        return str(a) == str(b)
    return same(a, b)


def elements(value: Any) -> list[Any]:
    """The elements of a list; of any other value, itself; of None, none."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]
