"""The folder whose Python modules belong together, and how its files are read."""

from __future__ import annotations

import os

from moelint.text.source import Source


def plain_read(path: str) -> Source:
    from moelint.text.files import read

    return read(path)


def repository(path: str) -> str:
    """The repository that holds a file, else the folder of its outermost package."""
    folder = os.path.dirname(os.path.abspath(path))
    here = folder
    while os.path.dirname(here) != here:
        if os.path.exists(os.path.join(here, ".git")):
            return here
        here = os.path.dirname(here)
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    parts = folder.split(os.sep)
    return os.sep.join(parts[: parts.index("src")]) or os.sep if "src" in parts else folder
