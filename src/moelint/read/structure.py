"""Which paths a document has, and what was found to follow from that alone.

The files of a sweep differ in values, seldom in paths. What the dialect may be, what key each path stands for, where
the configs lie: all that is worked out once for a structure and remembered.
"""

from __future__ import annotations

from collections.abc import Mapping

from moelint.text.document import Path
from moelint.typed import Any

MAX_PATHS = 10_000
"""Paths of all remembered structures; past that all are forgotten."""
MAX_OWN = 1_000
"""Paths of one structure that is remembered: longer files seldom repeat theirs."""

_known: dict[tuple[Path, ...], Structure] = {}
_paths = 0


class Structure:
    """``paths`` of a document in order. ``found``: what others have worked out from them, under keys of their own."""

    __slots__ = ("found", "paths")

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self.paths = paths
        self.found: dict[Any, Any] = {}


def structure_of(settings: Mapping[Path, object]) -> Structure:
    """The structure of a document with these settings, the same one for the same paths in the same order."""
    global _paths
    paths = tuple(settings)
    known = _known.get(paths)
    if known is None:
        known = Structure(paths)
        if len(paths) <= MAX_OWN:
            if _paths > MAX_PATHS:
                _known.clear()
                _paths = 0
            _known[paths] = known
            _paths += len(paths)
    return known
