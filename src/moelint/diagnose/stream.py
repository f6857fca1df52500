"""Logs as blocks of whole lines, at most a few megabytes of which are ever in memory."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator

from moelint.typed import Any

BLOCK = 4 << 20
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))

Progress = Callable[[int, int], None]


class LogError(Exception):
    """A log that cannot be read: one line for the user."""


class Log:
    """An open log. ``broken`` says why its end is missing, after the last block."""

    def __init__(self, path: str, progress: Progress | None = None) -> None:
        self.path, self.broken = path, ""
        self._progress = progress
        raw: Any = sys.stdin.buffer if path == "-" else _open(path)
        if not hasattr(raw, "peek"):
            raw = io.BufferedReader(raw)
        self._raw = raw
        self._size = 0 if path == "-" else os.fstat(self._raw.fileno()).st_size
        head: bytes = raw.peek(8)[:8]
        kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
        if head.startswith(b"\x28\xb5\x2f\xfd"):
            raise LogError(f"{path}: is packed with zstd: zstdcat {path} | moelint diagnose -")
        self._stream: Any = _unpack(kind, self._raw) if kind else self._raw
        self.packed = kind

    def blocks(self) -> Iterator[bytes]:
        """Pieces of about 4 MiB, each of whole lines; a line longer than that is cut."""
        rest = b""
        while True:
            piece = self._read()
            if self._progress is not None and self._size:
                self._progress(self._raw.tell(), self._size)
            if not piece:
                break
            end = piece.rfind(b"\n") + 1
            if not end:
                rest += piece
                if len(rest) >= BLOCK:
                    yield rest
                    rest = b""
                continue
            yield rest + piece[:end] if rest else piece[:end]
            rest = piece[end:]
        if rest:
            yield rest

    def close(self) -> None:
        if self.path != "-":
            self._raw.close()

    def _read(self) -> bytes:
        try:
            piece: bytes = self._stream.read(BLOCK)
            return piece
        except EOFError:
            self.broken = f"{self.path}: the {self.packed} file ends in the middle: read as far as it goes"
        except OSError as error:
            if self.packed is None:
                raise LogError(f"{self.path}: {error.strerror}") from None
            self.broken = f"{self.path}: the {self.packed} file is damaged ({error}): read as far as it goes"
        except Exception as error:  # zlib.error, lzma.LZMAError: no common ancestor
            self.broken = f"{self.path}: the {self.packed} file is damaged ({error}): read as far as it goes"
        return b""


def _open(path: str) -> Any:
    if os.path.isdir(path):
        raise LogError(f"{path}: is a folder; name the log in it")
    try:
        return open(path, "rb")
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from None


def _unpack(kind: str, raw: Any) -> Any:
    if kind == "gzip":
        return _Gunzip(raw)
    if kind == "bz2":
        import bz2

        packed: Any = bz2
        return packed.BZ2File(raw)
    import lzma

    packed = lzma
    return packed.LZMAFile(raw)


class _Gunzip:
    """Members of a gzip file, one after the other. Unlike ``gzip.GzipFile`` it gives what stands before a damage."""

    def __init__(self, raw: Any) -> None:
        import zlib

        self._new: Any = lambda: zlib.decompressobj(31)
        self._raw, self._member, self._waiting = raw, self._new(), b""
        self._fresh = True  # nothing of this member was read

    def read(self, size: int) -> bytes:
        out = b""
        while len(out) < size:
            piece = self._waiting or self._raw.read(1 << 18)
            if not piece:
                if out:
                    return out
                if not self._fresh:
                    raise EOFError
                return b""
            try:
                out += self._member.decompress(piece, size - len(out))
            except Exception:  # zlib.error: what came before it counts, the rest is lost
                if not out:
                    raise
                self._waiting = piece
                return out
            self._fresh = False
            self._waiting = self._member.unconsumed_tail
            if self._member.eof:
                self._waiting = self._member.unused_data.lstrip(b"\x00")
                self._member, self._fresh = self._new(), True
        return out
