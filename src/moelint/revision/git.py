"""Git plumbing: the only place that runs git. Argument lists, never a shell; nothing here writes to a repository."""

from __future__ import annotations

import os
from typing import IO

from moelint.errors import RevisionError
from moelint.revision.process import Process, start
from moelint.text.files import MAX_BYTES, decode
from moelint.text.source import Source, TextError

# No hook of the repository's own configuration runs, no name is quoted, no lock is taken.
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "-c", "diff.ignoreSubmodules=all")


class Repo:
    """One work tree. ``top``: its real absolute path."""

    __slots__ = ("top",)

    def __init__(self, top: str) -> None:
        self.top = top

    @classmethod
    def around(cls, folder: str) -> Repo:
        """The repository that a folder lies in. Raises RevisionError outside of one, and without git."""
        code, out, err = call(folder, "rev-parse", "--show-toplevel")
        if code or not out:
            raise RevisionError(_no_repository(folder, err))
        return cls(os.path.realpath(os.fsdecode(out.removesuffix(b"\n"))))

    def run(self, *words: str) -> bytes:
        """Output of a git command. Raises RevisionError with git's own first line if it fails."""
        code, out, err = call(self.top, *words)
        if code:
            raise RevisionError(f"git {words[0]}: {_first(err) or f'ended with {code}'}")
        return out

    def start(self, *words: str) -> Process:
        """A git command that runs beside us; ``finish`` takes its output."""
        return _start(self.top, words)

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision names. Raises RevisionError on an unknown or ambiguous one."""
        code, out, err = 1, b"", b""
        if revision and not revision.startswith("-") and "\0" not in revision:
            code, out, err = call(self.top, "rev-parse", "--verify", revision + "^{commit}")
        if b"dubious ownership" in err or b"not a git repository" in err:
            raise RevisionError(_no_repository(self.top, err))
        if b"is ambiguous" in err:
            hint = "write refs/heads/… or refs/tags/…" if b"refname" in err else "write more of its digits"
            raise RevisionError(f"the revision '{revision}' is ambiguous: {hint}")
        if not code:
            return out.decode().strip()
        if revision == "HEAD":
            raise RevisionError("the repository has no commit yet: there is nothing to compare with")
        where = f" in this shallow clone: {DEEPEN}" if self.shallow() else ""
        raise RevisionError(f"there is no revision '{revision}'{where}")

    def merge_base(self, one: str, other: str) -> str:
        """The best common ancestor of two commits. Raises RevisionError if there is none, or it is not here."""
        code, out, err = call(self.top, "merge-base", one, other)
        if not code and out:
            return out.decode().split("\n", 1)[0]
        if self.shallow():
            raise RevisionError(f"the merge base is missing from this shallow clone: {DEEPEN}")
        raise RevisionError(_first(err) or "the two revisions have no common commit")

    def shallow(self) -> bool:
        return call(self.top, "rev-parse", "--is-shallow-repository")[1].strip() == b"true"

    def inside(self, path: str) -> str | None:
        """A path relative to the top, with slashes; None if it lies outside. The path need not exist."""
        folder, name = os.path.split(os.path.abspath(path))
        full = os.path.join(os.path.realpath(folder), name)
        if full != self.top and not full.startswith(self.top.rstrip(os.sep) + os.sep):
            return None
        return os.path.relpath(full, self.top).replace(os.sep, "/")


DEEPEN = "fetch more history (git fetch --unshallow; with actions/checkout: fetch-depth: 0)"


class Snapshot:
    """The files of one commit, or of the index (``commit`` None), as a reader for whoever follows inheritance:
    calling it with a path gives its Source."""

    __slots__ = ("_kept", "_owner", "_process", "commit", "repo")

    def __init__(self, repo: Repo, commit: str | None) -> None:
        self.repo, self.commit = repo, commit
        self._process: Process | None = None
        self._owner = 0
        self._kept: dict[str, tuple[str, bytes] | None] = {}

    def __call__(self, path: str) -> Source:
        """Raises TextError on a file that is not there or is no text."""
        found = self.blob(path)
        if found is None:
            raise TextError("not in this revision", path)
        if len(found[1]) > MAX_BYTES:
            raise TextError(f"longer than {MAX_BYTES >> 20} MiB", path)
        return decode(path, found[1])

    def exists(self, path: str) -> bool:
        return self.blob(path) is not None

    def stamp(self, path: str) -> tuple[str, int]:
        """What tells two contents of a path apart."""
        found = self.blob(path)
        return ("", 0) if found is None else (found[0], len(found[1]))

    def blob(self, path: str) -> tuple[str, bytes] | None:
        """(object id, bytes) of a file, symbolic links inside the revision followed; None if it is not there."""
        name = self.repo.inside(path)
        if name is None:
            return None
        if name not in self._kept:
            if len(self._kept) > 256:
                self._kept.clear()
            self._kept[name] = self._fetch(f"{':0' if self.commit is None else self.commit}:{name}")
        return self._kept[name]

    def names(self) -> list[str]:
        """All regular files, relative to the top."""
        if self.commit is None:
            entries = self.repo.run("ls-files", "-z", "--stage")
        else:
            entries = self.repo.run("ls-tree", "-r", "-z", "--full-tree", self.commit)
        found = []
        for entry in entries.split(b"\0"):
            about, _, name = entry.partition(b"\t")
            if about.startswith(b"100"):
                found.append(os.fsdecode(name))
        return list(dict.fromkeys(found))

    def _fetch(self, what: str) -> tuple[str, bytes] | None:
        if "\n" in what:  # the protocol is one name a line
            code, out, _ = call(self.repo.top, "cat-file", "blob", what)
            return None if code else (what, out)
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(os.fsencode(what) + b"\n")
            process.stdin.flush()
            return _answer(process.stdout)
        except BrokenPipeError:
            raise RevisionError("git cat-file stopped: the repository may be damaged (git fsck)") from None

    def _running(self) -> Process:
        """The reading process; a forked child has one of its own."""
        if self._process is None or self._owner != os.getpid():
            words = ["cat-file", "--batch"]
            if self.commit is not None:
                words.append("--follow-symlinks")
            self._process, self._owner = _start(self.repo.top, tuple(words), talk=True), os.getpid()
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.close()


def _answer(stream: IO[bytes]) -> tuple[str, bytes] | None:
    """One answer of cat-file --batch: ``<oid> <type> <size>`` and the content, or a line that says why not."""
    head = stream.readline()
    words = head.split()
    if not head:
        raise RevisionError("git cat-file stopped: the repository may be damaged (git fsck)")
    if len(words) == 2 and words[0] in (b"symlink", b"dangling", b"loop", b"notdir") and words[1].isdigit():
        stream.read(int(words[1]) + 1)
        return None
    if len(words) != 3 or not words[2].isdigit():
        return None  # "… missing"
    data = stream.read(int(words[2]) + 1)[:-1]
    return (words[0].decode(), data) if words[1] == b"blob" else None


def call(folder: str, *words: str) -> tuple[int, bytes, bytes]:
    """(exit code, output, errors) of a git command in a folder. Raises RevisionError if there is no git."""
    return _start(folder, words).finish()


def finish(process: Process) -> bytes:
    """Output of a command that was started. Raises RevisionError if it failed."""
    code, out, err = process.finish()
    if code:
        raise RevisionError(f"git: {_first(err) or f'ended with {code}'}")
    return out


def _start(folder: str, words: tuple[str, ...], talk: bool = False) -> Process:
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return start(["git", "-C", folder, *_SETTINGS, *words], env, talk)
    except FileNotFoundError:
        raise RevisionError("comparing revisions needs git, and there is none on the PATH") from None
    except (OSError, ValueError) as error:
        raise RevisionError(f"git cannot be run: {getattr(error, 'strerror', None) or error}") from None


def _first(err: bytes) -> str:
    """The first line that git complains in, without its prefix."""
    line = err.decode("utf-8", "replace").strip().split("\n", 1)[0]
    for prefix in ("fatal: ", "error: "):
        line = line.removeprefix(prefix)
    return line


def _no_repository(folder: str, err: bytes) -> str:
    said = _first(err)
    if "dubious ownership" in said:
        return f"{folder}: {said} (git config --global --add safe.directory …)"
    if not said or "not a git repository" in said or "cannot change to" in said:
        return f"{folder}: not in a git repository: there are no revisions to compare"
    return f"{folder}: {said}"
