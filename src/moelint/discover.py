"""Which files a run checks: those named, and those that a folder holds."""

from __future__ import annotations

import os

from moelint.conf.model import Conf

SUFFIXES = (".yaml", ".yml")  # endings that a reader knows
_OWN = (".moelint.yaml", ".moelint.yml")


def discover(paths: list[str], conf_for: object = None) -> tuple[list[str], list[str]]:
    """(files, problems). A named file is always taken; a folder gives what git tracks or does not ignore, without git
    all but hidden folders. ``conf_for``: folder → Conf, whose include and exclude hold for what folders give."""
    files: dict[str, None] = {}
    problems: list[str] = []
    for path in paths:
        if path == "-" or os.path.isfile(path):
            files[path] = None
        elif os.path.isdir(path):
            for found in _in_folder(path):
                conf = conf_for(os.path.dirname(found) or ".") if callable(conf_for) else Conf()
                if conf.takes(found):
                    files[found] = None
        else:
            problems.append(f"{path}: {'cannot be read' if os.path.lexists(path) else 'no such file or folder'}")
    return list(files), problems


def _wanted(name: str) -> bool:
    return name.endswith(SUFFIXES) and name not in _OWN


def _in_folder(folder: str) -> list[str]:
    listed = _git_files(folder)
    return sorted(listed) if listed is not None else _walk(folder)


def _git_files(folder: str) -> list[str] | None:
    """What git tracks or does not ignore below a folder; None without git or outside a work tree."""
    at = os.path.abspath(folder)
    while not os.path.exists(os.path.join(at, ".git")):
        parent = os.path.dirname(at)
        if parent == at:
            return None
        at = parent
    import subprocess

    patterns = [f"*{suffix}" for suffix in SUFFIXES]
    command = ["git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    try:
        result = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    names = [os.fsdecode(name) for name in result.stdout.split(b"\0") if name]
    prefix = "" if folder == "." else folder
    found = dict.fromkeys(os.path.join(prefix, name) for name in names if _wanted(os.path.basename(name)))
    return [
        path for path in found if os.path.isfile(path)
    ]  # a tracked file may be deleted; links to folders are not read


def _walk(folder: str) -> list[str]:
    found = []
    for top, folders, names in os.walk("." if folder == "" else folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(top, name) for name in sorted(names) if _wanted(name)]
    if folder == ".":
        found = [path[2:] for path in found]
    return [path for path in found if os.path.isfile(path)]
