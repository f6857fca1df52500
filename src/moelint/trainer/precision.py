"""Bridge's mixed-precision recipes: what ``mixed_precision: bf16_mixed`` stands for."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

_table: dict[str, Any] | None = None


def _load() -> dict[str, Any]:
    global _table
    if _table is None:
        path = os.path.join(data.folder("trainers"), "mixed_precision.yaml")

        def build() -> dict[str, Any]:
            from moelint.trainer.compiled import load_yaml

            loaded: dict[str, Any] = load_yaml(path)
            return loaded

        _table = cache.load("mixed-precision", [path, __file__], build)
    return _table


def recipes() -> list[str]:
    """The names of the known recipes."""
    return sorted(_load()["recipes"])


def fields(recipe: str | None, written: dict[str, Any]) -> dict[str, Any] | None:
    """Canonical key → value of a section that names a recipe or states fields, both or neither. None: unknown recipe.

    The two names of one setting follow each other: whichever is written sets both.
    """
    table = _load()
    values: dict[str, Any] = dict(table["defaults"])
    if recipe is not None:
        found = table["recipes"].get(recipe.replace("-", "_"))
        if found is None:
            return None
        values.update(found)
    out = {"mixed_precision." + name: value for name, value in values.items()}
    for pair in table.get("synchronised") or ():
        keys = ["mixed_precision." + name for name in pair]
        stated = next((written[k] for k in keys if k in written), None)
        if stated is not None:
            out.update(dict.fromkeys(keys, stated))
    return out


def together(written: set[str]) -> frozenset[str]:
    """The canonical keys of the section that a written one sets too."""
    pairs = [{"mixed_precision." + name for name in pair} for pair in _load().get("synchronised") or ()]
    return frozenset(key for pair in pairs if pair & written for key in pair)
