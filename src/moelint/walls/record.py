"""Immutable records as ``typing.NamedTuple`` makes them, at a tenth of its price: building one of its classes compiles
source text, and a check of one file pays for a dozen of them.

Modules import this under the name ``NamedTuple``, so type checkers see the real one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Record:
    """Fields are the annotations of the class body, in order, with its values as defaults."""

    _fields: tuple[str, ...] = ()
    _defaults: dict[str, object] = {}  # noqa: RUF012 - set once for each class

    def __init_subclass__(cls) -> None:
        own = cls.__dict__
        cls._fields = tuple(cls.__annotations__)
        cls._defaults = {name: own[name] for name in cls._fields if name in own}

    def __init__(self, *values: object, **named: object) -> None:
        fields = self._fields
        if not named and len(values) == len(fields):
            self.__dict__.update(zip(fields, values, strict=False))
            return
        given = {**self._defaults, **dict(zip(fields, values, strict=False)), **named}
        if len(given) != len(fields) or len(values) > len(fields) or not given.keys() <= set(fields):
            wrong = sorted(set(fields) ^ given.keys())
            raise TypeError(f"{type(self).__name__}: missing or unknown {', '.join(wrong) or 'values'}")
        self.__dict__.update(given)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: use _replace")

    def __iter__(self) -> Iterator[object]:
        given = self.__dict__
        return iter([given[name] for name in self._fields])

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in self._fields)})"

    def _replace(self, **changes: object) -> Record:
        if not changes.keys() <= self.__dict__.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(changes.keys() - self.__dict__.keys()))}")
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.__dict__.update(changes)
        return new

    def _asdict(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in self._fields}
