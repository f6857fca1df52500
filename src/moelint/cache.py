"""Compiled data on disk: ``marshal`` blobs that are rebuilt when their sources, Python or moelint change.

A blob is trusted only if its folder and file belong to this user and nobody else may write them, and if its checksum
(taken when it is first used) is right: ``marshal`` must never see another user's bytes. Whatever goes wrong means
"build again"; a home that cannot be written falls back to a private folder under the temporary directory, else to none.
A blob's file time says when it was last used, to the hour; ``tidying`` removes old ones when something new is stored.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from collections.abc import Callable, Iterable

from moelint.typed import Any
from moelint.version import __version__

try:  # hashlib costs milliseconds for OpenSSL; the algorithm itself is built in
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - another Python
    from hashlib import blake2b

_COMPILERS = ("lang", "policy", "read", "trainer")  # the rooms whose code decides what compiled data looks like


def _code() -> str:
    """Marks the state of our own code in a checkout, where it changes without a new version; empty in a wheel."""
    here = os.path.dirname(os.path.abspath(__file__))
    if os.path.isdir(os.path.join(here, "_data")):
        return ""
    mark = blake2b(digest_size=8)
    for room in _COMPILERS:
        with os.scandir(os.path.join(here, room)) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    stat = entry.stat()
                    mark.update(f"{entry.name}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return mark.hexdigest() + " "


_MAGIC = f"moelint {__version__} py{sys.hexversion:x} {sys.implementation.cache_tag} {_code()}2\n".encode()
_USED = 3600  # seconds: how exactly a blob's file time says when it was last used
_RACY = 2_000_000_000  # ns: a source younger than this when the blob was written may still change unseen
_DIGEST = 32


def fingerprint(paths: Iterable[str]) -> str:
    """Names, sizes and times of files: cheap, and enough to know that nothing has changed since long ago."""
    mark = blake2b(digest_size=_DIGEST)
    for path in paths:
        stat = os.stat(path)
        mark.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return mark.hexdigest()


def content(paths: Iterable[str]) -> str:
    """Hash of names and contents of files."""
    mark = blake2b(digest_size=_DIGEST)
    for path in paths:
        with open(path, "rb") as stream:
            data = stream.read()
        mark.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    return mark.hexdigest()


def folders() -> list[str]:
    """Where compiled data may lie, best first: ``$MOELINT_CACHE``, else the user's cache folder, else a private folder
    under the temporary directory."""
    named = os.environ.get("MOELINT_CACHE")
    if named:
        return [named]
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    out = [os.path.join(base, "moelint")] if base else []
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    out.append(os.path.join(os.environ.get("TMPDIR", "/tmp") or "/tmp", f"moelint-{user}"))
    return out


def _private(stat: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return stat.st_uid == os.geteuid() and not stat.st_mode & 0o022


SWAP = "swap-"
_STALE = 3600  # seconds
_swept: set[str] = set()


def private_folder(device: int) -> str | None:
    """A folder of ours on a disk (``st_dev``), made if need be: for files on their way to their place. None if all are
    elsewhere. What a killed run left in it an hour ago is removed."""
    for folder in folders():
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            status = os.stat(folder)
            if status.st_dev != device or not _private(status):
                continue
            if folder not in _swept:
                _swept.add(folder)
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.name.startswith(SWAP) and time.time() - entry.stat().st_mtime > _STALE:
                            os.unlink(entry.path)
            return folder
        except OSError:
            continue
    return None


class Store:
    """Blobs by name. ``enabled=False`` (``--no-cache``) always builds."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled

    def get(self, name: str, sources: list[str], build: Callable[[], tuple[Any, ...]]) -> Blobs:
        """Blobs called ``name`` (its first word shows in the file's name), made of ``sources`` (paths); where there are
        none, what ``build`` gives: a tuple of plain data."""
        if not self.enabled:
            return Blobs(build())
        tag = blake2b(("\0".join([name, *sources])).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        filename = f"{name.split(' ')[0]}-{tag}.blob"
        try:
            stamp = fingerprint(sources)
        except OSError:
            return Blobs(build())
        found = self._read(filename, stamp, sources, build)
        if found is not None:
            return found
        started = time.time_ns()
        values = build()
        self._write(filename, stamp, sources, values, started)
        return Blobs(values)

    def kept(self, name: str) -> Any:
        """What ``keep`` was last given under a name; None if that was nothing, or is not to be trusted."""
        blobs = self._read(*_kept(name), [], lambda: (None,)) if self.enabled else None
        return None if blobs is None else blobs[0]

    def keep(self, name: str, value: Any) -> None:
        """Keep plain data that holds without any source, such as what is known of git's objects."""
        if self.enabled:
            self._write(*_kept(name), [], (value,), time.time_ns())

    def _read(
        self, filename: str, stamp: str, sources: list[str], build: Callable[[], tuple[Any, ...]]
    ) -> Blobs | None:
        for folder in folders():
            try:
                if not _private(os.stat(folder)):
                    continue
                path = os.path.join(folder, filename)
                with open(path, "rb") as stream:
                    status = os.fstat(stream.fileno())
                    if not _private(status):
                        continue
                    data = stream.read()
                blobs, made_of, hashed, racy = _unpack(data, build)
                if made_of == stamp and not racy:
                    if time.time() - status.st_mtime > _USED:
                        _used_now(path)
                    return blobs
                if content(sources) == hashed:
                    self._write(filename, stamp, sources, None, time.time_ns(), blobs)
                    return blobs
            except (OSError, ValueError, EOFError, TypeError):
                continue
        return None

    def _write(
        self, filename: str, stamp: str, sources: list[str], values: tuple[Any, ...] | None, started: int,
        blobs: Blobs | None = None,
    ) -> None:
        try:
            newest = max((os.stat(p).st_mtime_ns for p in sources), default=0)
            raw = [marshal.dumps(v) for v in values] if values is not None else blobs.raw if blobs else []
            data = _pack(raw, stamp, content(sources), started - newest < _RACY)
        except (OSError, ValueError):
            return
        for folder in folders():
            temporary = os.path.join(folder, f".{filename}.{os.getpid()}.{time.monotonic_ns()}")
            try:
                os.makedirs(folder, mode=0o700, exist_ok=True)
                if not _private(os.stat(folder)):
                    continue
                handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "wb") as stream:
                    stream.write(data)
                os.replace(temporary, os.path.join(folder, filename))
            except OSError:
                try:
                    os.unlink(temporary)
                except OSError:
                    pass
                continue
            from moelint import tidying

            tidying.stored(folder, len(data))
            return


def _used_now(path: str) -> None:
    try:
        os.utime(path)
    except OSError:  # a folder that can only be read
        pass


def _kept(name: str) -> tuple[str, str]:
    """(file name, stamp) of data that has no sources."""
    tag = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return f"{name.split(' ')[0]}-{tag}.blob", "kept"


def load(name: str, sources: Iterable[str], build: Callable[[], Any]) -> Any:
    """Data built from ``sources`` (paths) by ``build``: from the cache if nothing changed since.

    ``build`` must return marshal-able data: None, numbers, text, tuples, lists, dicts, sets. What ``build`` raises is
    raised here.
    """
    return Store().get(name, list(sources), lambda: (build(),))[0]


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


class Blobs:
    """Values that are checked and unmarshalled when first asked for."""

    __slots__ = ("_build", "_digests", "_values", "raw")

    def __init__(
        self, values: tuple[Any, ...] | None = None, raw: list[bytes] | None = None, digests: list[bytes] | None = None,
        build: Callable[[], tuple[Any, ...]] | None = None,
    ) -> None:
        self.raw = raw if raw is not None else []
        self._digests, self._build = digests or [], build
        self._values: list[Any] = list(values) if values is not None else [None] * len(self.raw)

    def __getitem__(self, index: int) -> Any:
        value = self._values[index]
        if value is None and self.raw:
            if not self.right(index) and self._build is not None:
                self._values, self.raw = list(self._build()), []
                return self._values[index]
            value = self._values[index] = marshal.loads(self.raw[index])
        return value

    @property
    def mark(self) -> str:
        """What tells these blobs from others of the same name, '' for some that were not read but built just now."""
        return self._digests[0].hex() if self._digests else ""

    def right(self, index: int) -> bool:
        """Whether a blob is what was written."""
        return _digest(self.raw[index]) == self._digests[index]


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()


def _pack(raw: list[bytes], stamp: str, hashed: str, racy: bool) -> bytes:
    head = f"{stamp} {hashed} {int(racy)} {' '.join(str(len(r)) for r in raw)}\n".encode()
    head += b"".join(_digest(r) for r in raw)
    return _MAGIC + _digest(head) + len(head).to_bytes(4, "big") + head + b"".join(raw)


def _unpack(data: bytes, build: Callable[[], tuple[Any, ...]]) -> tuple[Blobs, str, str, bool]:
    """The blobs of a file, its stamp, content hash and raciness. Raises ValueError if it is not ours or damaged."""
    start = len(_MAGIC) + _DIGEST + 4
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("of another version")
    at = start + int.from_bytes(data[start - 4 : start], "big")
    head = data[start:at]
    if _digest(head) != data[len(_MAGIC) : start - 4]:
        raise ValueError("damaged")
    line, _, digests = head.partition(b"\n")
    stamp, hashed, racy, *lengths = line.decode().split(" ")
    raw = []
    for length in lengths:
        raw.append(data[at : at + int(length)])
        at += int(length)
    if at != len(data):
        raise ValueError("damaged")
    checks = [digests[i : i + _DIGEST] for i in range(0, len(digests), _DIGEST)]
    blobs = Blobs(raw=raw, digests=checks, build=build)
    if raw and not blobs.right(0):
        raise ValueError("damaged")
    return blobs, stamp, hashed, racy == "1"
