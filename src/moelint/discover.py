"""Which files a run checks: those named, and those that a folder holds as far as the configuration takes them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from moelint.conf.model import Conf

ENDINGS = (".yaml", ".yml", ".py", ".sh", ".sbatch", ".bash", ".slurm")  # that a reader knows
_HEAD = 80  # bytes in which the first line of a script without an ending names its shell
OWN = frozenset((".moelint.yaml", ".moelint.yml"))


def discover(paths: list[str], conf_of: Callable[[str], Conf]) -> tuple[dict[str, bool], list[str]]:
    """({path: whether it was named}, problems). ``conf_of``: folder → its configuration. A named file is always taken
    (but see ``by_hook``);
    a folder gives what git tracks or does not ignore, without git all but what lies in hidden folders."""
    files: dict[str, bool] = {}
    problems: list[str] = []
    for path in paths:
        if path == "-" or _is_regular(path):
            if path == "-" or not by_hook():
                files[path] = True
            elif os.path.basename(path) not in OWN and conf_of(os.path.dirname(path) or ".").takes(path):
                files.setdefault(path, False)
        elif os.path.isdir(path):
            for found in _in_folder(path):
                if os.path.basename(found) not in OWN and conf_of(os.path.dirname(found) or ".").takes(found):
                    files.setdefault(found, False)
        elif os.path.lexists(path):
            problems.append(f"{path}: not a file that can be read")
        else:
            problems.append(f"{path}: no such file or folder")
    return files, problems


def by_hook() -> bool:
    """Whether pre-commit runs us: then nobody chose the files that it names, and they count as found in a folder."""
    return "PRE_COMMIT" in os.environ


def repository_root(path: str) -> str | None:
    """The folder above ``path``, or itself, that holds ``.git``; None outside a repository."""
    at = os.path.abspath(path)
    while not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above
    return at


def _is_regular(path: str) -> bool:
    """Pipes, devices and sockets are never opened; a link to a file is one."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _in_folder(folder: str) -> list[str]:
    listed = _git_files(folder) if repository_root(folder) is not None else None
    prefix = "" if folder == "." else os.path.join(folder, "")
    if listed is None:
        return sorted([prefix + name for name in _walk(folder)])
    return [path for path in sorted({prefix + name for name in listed}) if _is_regular(path)]


def _git_files(folder: str) -> list[str] | None:
    """Paths below a folder by one call of git; None where git does not answer."""
    import subprocess

    command = ["git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"})
    except (OSError, ValueError):
        return None
    if done.returncode:
        return None
    names = (os.fsdecode(name) for name in done.stdout.split(b"\0") if name)
    return [name for name in names if is_wanted(folder, name)]


def is_wanted(folder: str, name: str) -> bool:
    """By its ending; a file without one by its first line, if that names a shell."""
    if name.endswith(ENDINGS):
        return True
    if "." in os.path.basename(name):
        return False
    path = os.path.join(folder, name)
    if not _is_regular(path):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD).partition(b"\n")[0]
    except OSError:
        return False
    return head.startswith(b"#!") and head.split(b"/")[-1].split(b" ")[-1].strip().endswith(b"sh")


def _walk(folder: str) -> list[str]:
    """Regular files below a folder, hidden folders left out. Links to folders are not followed, so there are no loops."""
    found = []
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            entries = list(os.scandir(os.path.join(folder, below)))
        except OSError:
            continue
        inside = os.path.join(below, "") if below else ""
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    waiting.append(inside + entry.name)
            elif is_wanted(folder, inside + entry.name) and _is_file(entry):
                found.append(inside + entry.name)
    return found


def _is_file(entry: os.DirEntry[str]) -> bool:
    """As ``_is_regular``, mostly without asking the file system once more."""
    try:
        return entry.is_file()
    except OSError:
        return False
