"""The page of a named fact, such as ``ep_overlap``: what it is and how it is worked out."""

from __future__ import annotations

import os

from moelint.typed import Any


def find(word: str, packs: Any) -> dict[str, Any] | None:
    """``{is, what}`` as facts.yaml has it, the shipped one or that of a pack; None: no fact is called so."""
    import yaml

    from moelint.data import folder

    name = word.replace("-", "_")
    own = [path for path in packs.sources if os.path.basename(path) == "facts.yaml"]
    for path in dict.fromkeys([*own, os.path.join(folder("trainers"), "facts.yaml")]):
        with open(path, encoding="utf-8") as file:
            entry = (yaml.safe_load(file) or {}).get(name)
        if entry is not None:
            return dict(entry) if isinstance(entry, dict) else {"is": entry, "what": ""}
    return None


def explain(name: str, entry: dict[str, Any]) -> list[str]:
    """The page as lines."""
    what = f": {entry['what']}" if entry.get("what") else ""
    return [f"{name}, a named fact of rules{what}", "", f"  {entry['is']}"]
