"""A unified diff of one file, as ``patch`` and ``git apply`` read it."""

from __future__ import annotations

import os


def unified(path: str, old: str, new: str) -> str:
    """The patch from one text to another, '' if they are the same. Line breaks are kept as they are in the file."""
    if old == new:
        return ""
    from difflib import unified_diff

    near = os.path.relpath(path)
    shown = (path.lstrip(os.sep) if near.startswith("..") else near).replace(os.sep, "/")
    out = []
    for line in unified_diff(_lines(old), _lines(new), f"a/{shown}", f"b/{shown}"):
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)


def _lines(text: str) -> list[str]:
    """Lines as ``patch`` counts them: only a line feed ends one."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])
