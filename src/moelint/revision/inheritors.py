"""Files that stand on a changed one: found by its name in their text, then by following what they inherit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

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


def inheriting(
    paths: list[str],
    changed: set[str],
    stands_on: Callable[[str], set[str]],
    look: Callable[..., list[str]] = candidates,
) -> list[str]:
    """Those of ``paths`` that inherit, directly or over others, from a changed file. All paths are absolute;
    ``stands_on``: path → every file that its reading opened."""
    rest = [path for path in paths if path not in changed]
    # A file names only its parent: names of all that may lie between are looked for, until nothing comes in.
    names, found = set(changed), []
    possible: list[str] = []
    while True:
        more = [path for path in look([p for p in rest if p not in names], names)]
        if not more:
            break
        possible += more
        names.update(more)
    for path in possible:
        if stands_on(path) & changed:
            found.append(path)
    return sorted(found)
