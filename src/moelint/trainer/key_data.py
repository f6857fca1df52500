"""Old names of settings, and names that only unusual classes have: data behind the key checks."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

_renames: dict[str, dict[str, Any]] | None = None
_others: dict[str, frozenset[str]] | None = None


def renames() -> dict[str, dict[str, Any]]:
    """Old key → entry of trainers/renames.yaml."""
    global _renames
    if _renames is None:
        path = os.path.join(data.folder("trainers"), "renames.yaml")

        def build() -> dict[str, dict[str, Any]]:
            from moelint.trainer.compiled import load_yaml

            return {entry["key"]: entry for entry in load_yaml(path)}

        _renames = cache.load("renames", [path, __file__], build)
    return _renames


def other_names(section: str) -> frozenset[str]:
    """Fields that some class of a section has beside those of the tables."""
    global _others
    if _others is None:
        path = os.path.join(data.folder("trainers"), "fields", "other.json")

        def build() -> dict[str, frozenset[str]]:
            import json

            with open(path, encoding="utf-8") as file:
                return {name: frozenset(fields) for name, fields in json.load(file).items()}

        _others = cache.load("fields-other", [path, __file__], build)
    return _others.get(section, frozenset())
