"""Which files differ between two states of a repository, renames followed."""

from __future__ import annotations

import os
from collections.abc import Callable

from moelint.revision.git import Repo, finish
from moelint.revision.process import Process
from moelint.revision.span import INDEX, WORK_TREE, Span

_RENAMES = "-l2000"  # files beyond which git stops looking for renames
_ALIKE = 0.5  # of the lines, for files that git does not know yet: its own measure for those that it does


class Changes:
    """``files``: new path → old path (None: added), relative to the top. ``gone``: deleted paths."""

    __slots__ = ("files", "gone")

    def __init__(self) -> None:
        self.files: dict[str, str | None] = {}
        self.gone: list[str] = []


def start(repo: Repo, span: Span) -> Process:
    """Asks git what changed; ``read`` takes the answer."""
    options = ("--raw", "-z", "-M", _RENAMES, "--no-ext-diff", "--no-textconv", "--full-index")
    if span.new == WORK_TREE:
        return repo.start("diff-index", *options, span.old, "--")
    if span.new == INDEX:
        return repo.start("diff-index", "--cached", *options, span.old, "--")
    return repo.start("diff-tree", "-r", *options, span.old, span.new, "--")


def read(process: Process) -> Changes:
    """Regular files only: links, submodules and files in conflict are no configs of this state."""
    out = Changes()
    fields = finish(process).split(b"\0")
    at = 0
    while at < len(fields) and fields[at].startswith(b":"):
        old_mode, new_mode, _, _, status = fields[at][1:].split(b" ")
        old = os.fsdecode(fields[at + 1])
        moved = status[:1] in (b"R", b"C")
        new = os.fsdecode(fields[at + 2]) if moved else old
        at += 3 if moved else 2
        if status[:1] == b"U":
            continue
        was, now = old_mode.startswith(b"100"), new_mode.startswith(b"100")
        if now:
            out.files[new] = old if was else None
        elif was:
            out.gone.append(old)
        if moved and status[:1] == b"R" and not now and was and old not in out.gone:
            out.gone.append(old)
    return out


def add_untracked(repo: Repo, changes: Changes, untracked: list[str], old_text: Callable[[str], bytes | None]) -> None:
    """Files that git does not know yet are new, or moved from a deleted one that they are like.

    ``old_text``: callable, path relative to the top → bytes | None of the old revision.
    """
    gone = [path for path in changes.gone if path.endswith((".yaml", ".yml", ".py", ".sh"))]
    for path in untracked:
        if path in changes.files:
            continue
        source = None
        if gone:
            try:
                with open(os.path.join(repo.top, path), "rb") as file:
                    text = file.read(1 << 20)
            except OSError:
                text = b""
            source = _most_alike(text, gone, old_text)
            if source is not None:
                gone.remove(source)
                changes.gone.remove(source)
        changes.files[path] = source


def _most_alike(text: bytes, gone: list[str], old_text: Callable[[str], bytes | None]) -> str | None:
    best, found = _ALIKE, None
    lines = set(text.split(b"\n"))
    for path in gone[:200]:
        other = set((old_text(path) or b"").split(b"\n"))
        share = len(lines & other) / max(len(lines), len(other), 1)
        if share >= best:
            best, found = share, path
    return found
