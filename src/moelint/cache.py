"""Compiled forms of the shipped tables: built once from their YAML, then loaded as plain data.

The store (``moelint.lang.store``) decides when a form is still good and whether it may be trusted. A form that cannot
be read or written costs time, never a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from moelint.lang.store import Store


def tree(top: str, ending: str) -> list[str]:
    """Paths of all files below ``top`` with an ending, sorted: the usual sources of a compiled form."""
    found, waiting = [], [top]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name.endswith(ending):
                    found.append(entry.path)
    return sorted(found)


def load(name: str, sources: Iterable[str], build: Callable[[], Any]) -> Any:
    """Data built from ``sources`` (paths) by ``build``: from the cache if nothing changed since.

    ``build`` must return marshal-able data: None, numbers, text, tuples, lists, dicts, sets. What ``build`` raises is
    raised here.
    """
    return Store().get(name, list(sources), lambda: (build(),))[0]
