"""Files that may stand on a changed one: its name is in their text. Whether they do, reading them tells."""

from __future__ import annotations

import os
from collections.abc import Iterable

_LONGEST = 1 << 20  # bytes of a file that are looked at: what a config inherits stands near its top


def candidates(paths: Iterable[str], changed: Iterable[str]) -> list[str]:
    """Files (absolute paths) whose text has the name of a changed one in it, with or without its ending."""
    names = {os.fsencode(os.path.splitext(os.path.basename(path))[0]) for path in changed}
    names.discard(b"")
    if not names:
        return []
    out = []
    for path in paths:
        try:
            file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except (OSError, ValueError):
            continue
        try:
            text = os.read(file, _LONGEST)
        except OSError:
            continue
        finally:
            os.close(file)
        for name in names:
            if name in text:
                out.append(path)
                break
    return out


def possible(paths: list[str], changed: set[str]) -> list[str]:
    """Those of ``paths`` that may inherit from a changed file, directly or over others: a file names only its parent,
    so the names of all that may lie between are looked for too, until nothing comes in. All paths are absolute."""
    rest = [path for path in paths if path not in changed]
    found: list[str] = []
    names = set(changed)
    while more := candidates(rest, names):
        found += more
        names = set(more)
        rest = [path for path in rest if path not in names]
    return sorted(found)
