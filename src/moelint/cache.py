"""Compiled forms of the shipped tables: built once from their YAML, then loaded as plain data.

A compiled form is a marshalled ``(stamp, data)``; the stamp holds the size and time of change of every file that it was
built from, so an edited table is built again. A form that cannot be read or written costs time, never a failure.
"""

from __future__ import annotations

import marshal
import os
import sys
from binascii import crc32
from collections.abc import Callable, Iterable
from typing import Any

from moelint.version import __version__


def folder() -> str:
    """Where compiled forms lie: ``$MOELINT_CACHE``, else the user's cache folder."""
    own = os.environ.get("MOELINT_CACHE")
    if own:
        return own
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "moelint")


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
    stamp = _stamp(sources)
    path = os.path.join(folder(), f"{name}-{crc32(repr(stamp).encode()):08x}.bin")
    try:
        with open(path, "rb") as file:
            kept, data = marshal.loads(file.read())
        if kept == stamp:
            return data
    except (OSError, ValueError, EOFError, TypeError):
        pass
    data = build()
    _keep(path, (stamp, data))
    return data


def _stamp(sources: Iterable[str]) -> tuple[Any, ...]:
    parts: list[Any] = [__version__, sys.version]
    for source in sources:
        state = os.stat(source)
        parts += [source, state.st_mtime_ns, state.st_size]
    return tuple(parts)


def _keep(path: str, content: Any) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        draft = f"{path}.{os.getpid()}"
        with open(draft, "wb") as file:
            file.write(marshal.dumps(content))
        os.replace(draft, path)
    except (OSError, ValueError):
        pass
