"""Which changed files the given paths mean, and what they are called there."""

from __future__ import annotations

import os
from collections.abc import Callable

from moelint.revision.git import Repo


class Asked:
    """``named``: files that the user named, path relative to the top → as given. ``folders``: (folder relative to the
    top with a final slash, '' for the top; as given). All in one repository."""

    __slots__ = ("folders", "named", "repo")

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.named: dict[str, str] = {}
        self.folders: list[tuple[str, str]] = []

    def name(self, path: str) -> str | None:
        """What a file of the repository is called in this run; None if no path means it."""
        if path in self.named:
            return self.named[path]
        for below, given in self.folders:
            if path.startswith(below):
                rest = path[len(below) :]
                return rest if given == "." else os.path.join(given, rest)
        return None


def by_repository(paths: list[str], folder_of: Callable[[str], str | None], problems: list[str]) -> dict[str, Asked]:
    """Paths by the repository that they lie in (its top folder). A path that is not there now may have been deleted by
    the change: it is kept if its folder lies in a repository. ``folder_of``: a folder's repository, None outside."""
    found: dict[str, Asked] = {}
    repos: dict[str, Repo] = {}
    for path in paths:
        is_folder = os.path.isdir(path)
        folder = path if is_folder else os.path.dirname(path) or "."
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder) or "."
        root = folder_of(folder)
        key = root or folder
        if key not in repos:
            repos[key] = Repo.around(folder) if root is None else Repo(os.path.realpath(root))
        repo = repos[key]
        asked = found.setdefault(repo.top, Asked(repo))
        inside = repo.inside(os.path.realpath(path) if is_folder else path)
        if inside is None:
            problems.append(f"{path}: not in the repository {repo.top}")
        elif is_folder:
            asked.folders.append(("" if inside == "." else inside + "/", path))
        else:
            asked.named[inside] = path
    return found
