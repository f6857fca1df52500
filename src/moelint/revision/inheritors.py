"""Files that may stand on a changed one: its name is in their text. Whether they do, reading them tells."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from moelint.typed import Any

_PIECE = 1 << 16  # bytes at once: a larger buffer costs more than the reading
_WORTH = 500  # files from which it pays to remember what they hold
_LONGEST = 1 << 20  # bytes of a file that are looked at: what a config inherits stands near its top


def candidates(top: str, paths: Iterable[str], changed: Iterable[str]) -> list[str]:
    """Files whose text has the name of a changed one in it, its ending or not. Paths are relative to ``top``."""
    names = [os.fsencode(os.path.splitext(os.path.basename(path))[0]) for path in changed]
    names = list(dict.fromkeys(name for name in names if name))
    if not names:
        return []
    return _matching(top, paths, lambda text: any(name in text for name in names))


def _matching(top: str, paths: Iterable[str], wanted: Callable[[bytes], object]) -> list[str]:
    """Paths below ``top`` of files whose text is wanted. Opened from one folder handle, in a few microseconds each."""
    out = []
    open_, read, close, flags = os.open, os.read, os.close, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
    folder = None
    if open_ in os.supports_dir_fd:
        folder = open_(top, os.O_RDONLY)
    try:
        for path in paths:
            try:
                file = open_(path if folder is not None else os.path.join(top, path), flags, dir_fd=folder)
            except (OSError, ValueError):
                continue
            try:
                text = read(file, _PIECE)
                while text and len(text) % _PIECE == 0 and len(text) < _LONGEST and (more := read(file, _PIECE)):
                    text += more
            except OSError:
                continue
            finally:
                close(file)
            if wanted(text):
                out.append(path)
    finally:
        if folder is not None:
            close(folder)
    return out


# A text without any of these names no other file, in any dialect.
_NAMING = rb"defaults|extends|bases|base=|framework|import|source|\$\{|^[ \t]*\. "


def leave_out_closed(top: str, entries: list[tuple[str, str]], store: Any) -> list[str]:
    """Of (path, id of its git object) the paths whose text may name another file. What an object holds never changes:
    those that name none are remembered, so that a repository is read through once."""
    name = "closed " + top
    closed = store.kept(name) or frozenset()
    rest = [path for path, object_ in entries if object_ not in closed]
    if len(rest) < _WORTH:
        return rest
    import re

    naming = set(_matching(top, rest, re.compile(_NAMING, re.MULTILINE).search))
    if len(rest) - len(naming) >= _WORTH:
        store.keep(name, frozenset(object_ for path, object_ in entries if path not in naming))
    return [path for path in rest if path in naming]


def possible(top: str, paths: list[str], changed: set[str]) -> list[str]:
    """Those of ``paths`` that may inherit from a changed file, directly or over others: a file names only its parent,
    so the names of all that may lie between are looked for too, until nothing comes in."""
    rest = [path for path in paths if path not in changed]
    found: list[str] = []
    names = set(changed)
    while rest and (more := candidates(top, rest, names)):
        found += more
        names = set(more)
        rest = [path for path in rest if path not in names]
    return sorted(found)
