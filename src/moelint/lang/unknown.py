"""The third truth value. Facts of a partial config are known or unknown; logic over them is Kleene's."""

from __future__ import annotations


class Unknown:
    """Type of the one value UNKNOWN. It has no truth value: code that forgets to ask fails loudly."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise TypeError("UNKNOWN has no truth value: compare with 'is'")

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
