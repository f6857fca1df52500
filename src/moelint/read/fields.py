"""Whether a canonical key is a field of the trainers at all: frameworks keep settings of their own beside them."""

from __future__ import annotations

import os

from moelint import cache, data

_known: dict[str, set[str]] | None = None
_SLIPS = 2  # edits between a misspelt field and the one that was meant


def is_foreign(key: str) -> bool:
    """Whether no release of any trainer has a field of this name, nor one that it could be a misspelling of."""
    section, _, leaf = key.partition(".")
    names = fields().get(section)
    if names is None or not leaf or leaf in names or "." in leaf:
        return False
    return not _is_near(leaf, names)


def fields() -> dict[str, set[str]]:
    """Section of ConfigContainer → the fields that it has in some release."""
    global _known
    if _known is None:
        folder = os.path.join(data.folder("trainers"), "fields")
        _known = cache.load("fields", [*cache.tree(folder, ".json"), os.path.abspath(__file__)], lambda: _build(folder))
    return _known


def _is_near(leaf: str, names: set[str]) -> bool:
    from moelint.lang.suggest import distance

    if len(leaf) < 6:
        return False
    return any(
        name[:2] == leaf[:2] and abs(len(name) - len(leaf)) <= _SLIPS and distance(leaf, name, _SLIPS) <= _SLIPS
        for name in names
    )


def _build(folder: str) -> dict[str, set[str]]:
    import json

    out: dict[str, set[str]] = {}
    for path in cache.tree(folder, ".json"):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        for keys in (content.get("keys", {}), *content.get("variants", {}).values()):
            for key in keys:
                section, _, leaf = key.partition(".")
                if section != "lm" and leaf:
                    out.setdefault(section, set()).add(leaf)
    return out
