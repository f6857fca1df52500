"""Facts of GPUs by name, from the shipped hardware profiles."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

_table: dict[str, Any] | None = None


def _load() -> dict[str, Any]:
    """'facts': profile name → facts; 'names': any spelling, lower case → profile name."""
    global _table
    if _table is None:
        folder = os.path.join(data.folder("policies"), "hardware", "profiles")
        loaded: dict[str, Any] = cache.load(
            "hardware-facts", [*cache.tree(folder, ".yaml"), __file__], lambda: _build(folder)
        )
        _table = loaded
    return _table


def canonical(name: str) -> str | None:
    """The profile that a GPU name means, None if there is none."""
    found: str | None = _load()["names"].get(name.strip().lower().replace("_", "-").replace(" ", "-"))
    return found


def facts(name: str) -> dict[str, Any] | None:
    """The facts of a GPU by any of its names, None for an unknown GPU."""
    profile = canonical(name)
    if profile is None:
        return _own(name) if name.endswith((".yaml", ".yml")) else None
    found: dict[str, Any] = _load()["facts"][profile]
    return found


_files: dict[str, dict[str, Any] | None] = {}


def _own(path: str) -> dict[str, Any] | None:
    """The facts of a profile file of the user's own, None if there is none. Raises UsageError on a faulty one."""
    if path not in _files:
        from moelint.trainer.profile_file import load

        _files[path] = load(path) if os.path.isfile(path) else None
    return _files[path]


def unknown(name: str) -> str | None:
    """What is wrong with a GPU's name; None if there is a profile of it, or it says that there is no GPU."""
    if name.lower() == "none" or canonical(name) is not None:
        return None
    from moelint.lang.suggest import nearest

    known = names()
    near = nearest(name, known)
    return f"no profile of a GPU '{name}'" + (f": did you mean {near}?" if near else f" (known are {', '.join(known)})")


def names() -> list[str]:
    """The names of all profiles."""
    return sorted(_load()["facts"])


def spellings() -> set[str]:
    """Every name of every profile, in lower case."""
    return set(_load()["names"])


def _build(folder: str) -> dict[str, Any]:
    from moelint.trainer.compiled import load_yaml

    out: dict[str, Any] = {"facts": {}, "names": {}}
    for path in cache.tree(folder, ".yaml"):
        profile = load_yaml(path)
        name = str(profile["name"])
        out["facts"][name] = {**profile["facts"], "name": name}
        for alias in (name, *(profile.get("aliases") or ())):
            out["names"][str(alias).lower().replace("_", "-")] = name
    return out
