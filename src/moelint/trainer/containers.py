"""What a container image holds, by the shipped table."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

_table: list[dict[str, str]] | None = None


def holds(image: str) -> dict[str, str]:
    """Package (underscores) → version of a known image or container name; empty for an unknown one."""
    global _table
    if _table is None:
        path = os.path.join(data.folder("trainers"), "containers.yaml")
        _table = cache.load("containers", [path, __file__], lambda: _build(path))
    plain = image.strip().lower()
    for entry in _table:
        if plain == entry["name"].lower() or _same_image(plain, entry["image"]):
            return {k.replace("-", "_"): v for k, v in entry.items() if k not in ("name", "image")}
    return {}


def _same_image(text: str, image: str) -> bool:
    """``nvcr.io/nvidia/nemo:26.06.01`` and ``nemo:26.06`` are the same release; ``nemo:26.061`` is not."""
    text = text.rsplit("/", 1)[-1].rsplit("#", 1)[-1]  # enroot writes registry#path
    if not text.startswith(image):
        return False
    rest = text[len(image) :]
    return not rest or not rest[0].isdigit()


def _build(path: str) -> list[dict[str, Any]]:
    import yaml

    with open(path, encoding="utf-8") as file:
        return [{k: str(v) for k, v in entry.items()} for entry in yaml.safe_load(file)]
