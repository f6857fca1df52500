"""Which files a run checks: those named, and those that a folder holds as far as the configuration takes them."""

from __future__ import annotations

import os
from collections.abc import Callable

from moelint.conf.model import Conf

_OWN = frozenset((".moelint.yaml", ".moelint.yml"))


def discover(paths: list[str], conf_of: Callable[[str], Conf]) -> tuple[dict[str, bool], list[str]]:
    """({path: whether it was named}, problems). ``conf_of``: folder → its configuration. A named file is always taken."""
    files: dict[str, bool] = {}
    problems: list[str] = []
    for path in paths:
        if path == "-" or os.path.isfile(path):
            files[path] = True
        elif os.path.isdir(path):
            from moelint.read.discover import files_below

            for found in files_below(path):
                if os.path.basename(found) not in _OWN and conf_of(os.path.dirname(found) or ".").takes(found):
                    files.setdefault(found, False)
        elif os.path.lexists(path):
            problems.append(f"{path}: not a file that can be read")
        else:
            problems.append(f"{path}: no such file or folder")
    return files, problems
