"""Which files make a pack."""

from __future__ import annotations

import os


def rule_files(folder: str) -> list[str]:
    """The YAML files of a rules folder, sorted."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, n) for n in names if n.endswith((".yaml", ".yml")) and not n.startswith(".")]
