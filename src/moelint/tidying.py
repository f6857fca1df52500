"""Keeps the folder of compiled data small. Imported only when something new has been stored in it.

Other moelints may read and write the folder at the same time: a blob is read whole or not at all and is built again where
it is gone, so removing one costs time, never a result. Whatever cannot be looked at or removed is left.
"""

from __future__ import annotations

import os
import time

MONTH = 30 * 24 * 3600  # seconds: what nobody has used for so long goes
MOST = 64 << 20  # bytes: about eight installations; beyond it the longest unused go
OFTEN = 8 << 20  # bytes that one process stores before it looks again
_LITTER = 3600  # seconds: a half-written file of a killed run; a living one is done within a second
_HEX = frozenset("0123456789abcdef")
_TAG = 24  # digits

_stored: dict[str, int] = {}  # folder → bytes stored since this process last looked


def stored(folder: str, size: int) -> None:
    """Something of ``size`` bytes was put into a folder of ours: tidy it, if that is due. Raises nothing."""
    since = _stored.get(folder, OFTEN) + size
    _stored[folder] = 0 if since > OFTEN else since
    if since > OFTEN:
        tidy(folder, time.time())


def tidy(folder: str, now: float, most: int = MOST, unused: float = MONTH) -> None:
    """Remove blobs that were not used for ``unused`` seconds, the longest unused beyond ``most`` bytes, and litter.

    When a blob was last used is its file's time (see ``cache``). Only regular files of this user with names that ``cache``
    gives are looked at: the folder may have been named by somebody and hold other things.
    """
    blobs: list[tuple[float, int, str]] = []
    user = os.geteuid() if hasattr(os, "geteuid") else None
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                blob = _is_blob(entry.name)
                if not blob and not _is_half(entry.name):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                    if not entry.is_file(follow_symlinks=False) or (user is not None and status.st_uid != user):
                        continue
                except OSError:
                    continue
                if blob:
                    blobs.append((status.st_mtime, status.st_size, entry.path))
                elif now - status.st_mtime > _LITTER:
                    _remove(entry.path)
    except OSError:
        return
    blobs.sort(reverse=True)
    total = 0
    for used, size, path in blobs:
        total += size
        if total > most or now - used > unused:
            _remove(path)


def _is_blob(name: str) -> bool:
    """Whether ``cache`` names a finished blob so: ``NAME-TAG.blob``."""
    stem, dot, ending = name.rpartition(".")
    if ending != "blob" or not dot or name.startswith("."):
        return False
    word, _, tag = stem.rpartition("-")
    return bool(word) and len(tag) == _TAG and _HEX.issuperset(tag)


def _is_half(name: str) -> bool:
    """Whether ``cache`` names a blob that is being written so: ``.NAME-TAG.blob.PROCESS.TIME``."""
    parts = name[1:].rsplit(".", 2)
    return name.startswith(".") and len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit() and _is_blob(parts[0])


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # another moelint was faster, or the folder is not ours to change
        pass
