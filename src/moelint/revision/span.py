"""What ``--since`` and ``--staged`` ask for: an old revision and a new state."""

from __future__ import annotations

from moelint.revision.git import Repo, Snapshot

WORK_TREE, INDEX = "work tree", "index"


class Span:
    """``old``: a commit's id. ``new``: a commit's id, WORK_TREE or INDEX. ``label``: the old side in words."""

    __slots__ = ("label", "new", "old")

    def __init__(self, old: str, new: str, label: str) -> None:
        self.old, self.new, self.label = old, new, label

    def snapshot(self, repo: Repo) -> Snapshot | None:
        """The new side as a reader; None for the work tree, which is read as any file."""
        if self.new == WORK_TREE:
            return None
        return Snapshot(repo, None if self.new == INDEX else self.new)


def resolve(repo: Repo, since: str | None, staged: bool) -> Span:
    """``REV``: its merge base with HEAD, and the work tree (with ``staged``: the index). ``A..B`` and ``A...B``: the
    merge base of both, and B. Raises RevisionError on revisions that git cannot find."""
    text = "HEAD" if since is None else since
    if ".." in text:
        dots = "..." if "..." in text else ".."
        start, _, end = text.partition(dots)
        one, other = repo.commit(start or "HEAD"), repo.commit(end or "HEAD")
        return Span(repo.merge_base(one, other), other, text)
    one = repo.commit(text)
    head = one if text == "HEAD" else repo.commit("HEAD")
    base = one if one == head else repo.merge_base(one, head)
    return Span(base, INDEX if staged else WORK_TREE, text)
