"""Files ↔ Source: reads a file as text, and replaces it whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from moelint import cache
from moelint.text.source import Source, TextError

MAX_BYTES = 4 << 20
"""Longest file that is read, in bytes: no config comes near it, and a check must not fill the memory."""

_UTF8_BOM = b"\xef\xbb\xbf"
_BOMS = ((_UTF8_BOM, "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class FileLeftAlone(Exception):
    """A file that was not replaced, since that could have lost something: ``reason`` says what."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


def read(path: str) -> Source:
    """A file's text. Raises TextError on what is no file, is too long, or is not UTF-8 or UTF-16 text."""
    return decode(path, read_bytes(path))


def is_file(path: str, read: object = None) -> bool:
    """Whether there is a file to read: on disk, or in the revision that ``read`` reads from (with ``exists``)."""
    exists = getattr(read, "exists", None)
    return os.path.isfile(path) if exists is None else bool(exists(path))


def read_bytes(path: str) -> bytes:
    """A regular file's bytes, without ever waiting on a pipe or a device. Raises TextError."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise TextError(error.strerror or str(error), path) from None
    except ValueError:  # a path with a NUL in it
        raise TextError("not a path", path) from None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise TextError("not a regular file", path)
        data = os.read(fd, MAX_BYTES + 1) if status.st_size <= MAX_BYTES else None
        while data and len(data) <= MAX_BYTES and (more := os.read(fd, MAX_BYTES + 1 - len(data))):
            data += more
    except OSError as error:
        raise TextError(error.strerror or str(error), path) from None
    finally:
        os.close(fd)
    if data is None or len(data) > MAX_BYTES:
        raise TextError(f"longer than {MAX_BYTES >> 20} MiB: no training config is, so it is not read", path, 1, 1)
    return data


def decode(path: str, data: bytes) -> Source:
    """Bytes as text: UTF-8 with or without a byte order mark, UTF-16 with one. Raises TextError at a bad byte."""
    encoding, start = "utf-8", 0
    if data[:1] in (b"\xef", b"\xff", b"\xfe"):
        if data[:4] == b"\xff\xfe\0\0":
            raise TextError("UTF-32 is not read: save the file as UTF-8", path, 1, 1)
        for bom, name in _BOMS:
            if data.startswith(bom):
                encoding, start = name, len(bom)
    try:
        text = data[start:].decode(encoding) if start else data.decode()
    except UnicodeDecodeError as error:
        before = data[start : start + error.start].decode(encoding, "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        name = encoding.upper().replace("-LE", "").replace("-BE", "")
        raise TextError(f"not {name} text: byte 0x{data[start + error.start]:02x}", path, line, column) from None
    if (nul := text.find("\0")) >= 0:
        raise TextError("not text: a NUL character", path, *Source(path, text).position(nul))
    return Source(path, text, encoding, start > 0)


def encode(source: Source, text: str) -> bytes:
    """A text as bytes, in the encoding of a source and with its byte order mark."""
    data = text.encode(source.encoding)
    if source.bom:
        data = next(bom for bom, name in _BOMS if name == source.encoding) + data
    return data


def replace(source: Source, text: str) -> None:
    """Puts a new text in the place of a source's file: killed at any moment, there is the old file or the new one, whole.

    Mode, owner and extended attributes stay; a symbolic link stays, and its target changes. Raises FileLeftAlone where
    that is not possible, and where the file no longer holds what was read.

    The file is not synced, which takes longer than all the rest of a fix: ext4 and btrfs write the data of a file before
    a rename over another counts, so that there a power failure finds the old file or the new one too. ``sync`` at the
    end of a run sees to it that what was said to be done is on disk.
    """
    path = source.path
    try:
        before = os.lstat(path)
        if stat.S_ISLNK(before.st_mode):
            path = os.path.realpath(path)
            before = os.lstat(path)
    except OSError as error:
        raise FileLeftAlone(source.path, error.strerror or str(error)) from None
    if not stat.S_ISREG(before.st_mode):
        raise FileLeftAlone(source.path, "it is not a regular file")
    if before.st_nlink > 1:
        raise FileLeftAlone(source.path, f"it has {before.st_nlink} hard links: only one of them would change")
    if not os.access(path, os.W_OK):
        raise FileLeftAlone(source.path, "it is read-only")
    try:
        same = read_bytes(path) == encode(source, source.text)
    except TextError:
        same = False
    if not same:
        raise FileLeftAlone(source.path, "it changed while it was being checked")
    data = encode(source, text)
    try:
        if not _swap_nameless(source.path, path, before, data):
            _swap_named(source.path, path, before, data)
    except OSError as error:
        raise FileLeftAlone(source.path, f"it cannot be replaced: {error.strerror or error}") from None


def _free_name(path: str) -> str:
    """A name beside a file that nothing else has."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.moelint-{os.getpid()}-{os.urandom(4).hex()}")


def _unchanged(shown: str, path: str, before: os.stat_result) -> None:
    after = os.lstat(path)
    if (after.st_ino, after.st_mtime_ns, after.st_size) != (before.st_ino, before.st_mtime_ns, before.st_size):
        raise FileLeftAlone(shown, "it changed while it was being checked")


def _swap_nameless(shown: str, path: str, before: os.stat_result, data: bytes) -> bool:
    """Replaces a file by one that has no name until it is whole: nothing is left if we are killed while it is written.
    False where the system has no such files."""
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        fd = os.open(os.path.dirname(path) or ".", os.O_RDWR | os.O_TMPFILE, 0o600)
    except OSError:  # not every file system has it
        return False
    try:
        _fill(shown, path, before, data, fd)
        _unchanged(shown, path, before)
        return _name_and_move(fd, before.st_dev, path)
    finally:
        os.close(fd)


def _name_and_move(fd: int, device: int, path: str) -> bool:
    """Gives a nameless file a name and moves it over ``path``; False if it cannot be named. Killed in between, we
    leave a file behind: in a folder of our own, if there is one on the same disk."""
    folder = _folders[device] if device in _folders else _folders.setdefault(device, cache.private_folder(device))
    if folder is not None and _move(fd, os.path.join(folder, f"{cache.SWAP}{os.urandom(8).hex()}"), path):
        return True
    return _move(fd, _free_name(path), path)


_folders: dict[int, str | None] = {}  # a folder of ours on a disk


def _move(fd: int, temporary: str, path: str) -> bool:
    try:
        # With a descriptor this is linkat(2), which follows the link in /proc; link(2) would not.
        os.link(f"/proc/self/fd/{fd}", temporary, src_dir_fd=fd, follow_symlinks=True)
    except OSError:
        return False
    try:
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError) and error.errno == errno.EXDEV:
            return False
        raise
    return True


def _swap_named(shown: str, path: str, before: os.stat_result, data: bytes) -> None:
    """Replaces a file by one that is written beside it."""
    temporary = _free_name(path)
    try:
        fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            _fill(shown, path, before, data, fd)
        finally:
            os.close(fd)
        _unchanged(shown, path, before)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def _fill(shown: str, path: str, before: os.stat_result, data: bytes, fd: int) -> None:
    at = 0
    while at < len(data):
        at += os.write(fd, data[at:])
    _keep(shown, path, before, fd)


def _keep(shown: str, path: str, before: os.stat_result, fd: int) -> None:
    """Gives the new file the owner, the attributes and the mode of the old. Raises FileLeftAlone if it cannot."""
    if hasattr(os, "fchown"):
        new = os.fstat(fd)
        if (new.st_uid, new.st_gid) != (before.st_uid, before.st_gid):
            try:
                os.fchown(fd, before.st_uid, before.st_gid)
            except OSError:
                raise FileLeftAlone(shown, "its owner or group cannot be kept") from None
    if hasattr(os, "listxattr"):
        try:
            names = os.listxattr(path)
        except OSError:  # a file system without attributes
            names = []
        for name in names:
            _keep_attribute(shown, path, fd, name)
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(before.st_mode))


def _keep_attribute(shown: str, path: str, fd: int, name: str) -> None:
    try:
        value = os.getxattr(path, name)
        try:
            os.setxattr(fd, name, value)
        except OSError:
            if os.getxattr(fd, name) != value:  # some are set by the system, and already right
                raise
    except OSError:
        raise FileLeftAlone(shown, f"its attribute {name} cannot be kept") from None


def sync(paths: Iterable[str]) -> None:
    """Has the folders of replaced files written to disk, once each, as far as the system can."""
    for folder in {os.path.dirname(os.path.realpath(path) if os.path.islink(path) else path) for path in paths}:
        try:
            fd = os.open(folder or ".", os.O_RDONLY)
        except OSError:
            continue
        try:
            os.fsync(fd)
        except OSError:
            pass
        finally:
            os.close(fd)


def write_whole(path: str, text: str) -> None:
    """Write a new file, or one of ours again, whole or not at all: half a report would pass for a clean one. What is no
    plain file (a pipe, /dev/stdout) is written to, never replaced; a link stays a link. Raises OSError."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8", newline="\n") as device:
            device.write(text)
        return
    path = os.path.realpath(path)
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        try:
            os.unlink(draft)
        except OSError:
            pass
        raise
