"""Shape and MoE settings of models that a config names by their Hugging Face id."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.read.config import Config, Written
from moelint.typed import Any

_table: dict[str, Any] | None = None
_providers: dict[str, Any] | None = None


def add_facts(config: Config, kind: str, doubt: str | None = None) -> None:
    """Gives a config the facts of the model that it names, with origin 'model', where it writes nothing itself.

    ``kind``: 'shape' for what the checkpoint fixes (layers, experts, widths); 'bridge' adds what Megatron Bridge's
    provider sets for the model. ``doubt``: why they are only assumed. A path that ends like a known id is taken for it,
    and the facts are assumed.
    """
    found = lookup(config.model or "")
    if found is None:
        return
    name, exact = found
    assumed = doubt if exact else f"{config.model} is taken for {name}"
    table = _load()
    for part in ("shape",) if kind == "shape" else ("shape", "bridge"):
        for key, value in table["models"][name][part].items():
            if key not in config.written:
                config.written[key] = Written(key, value, key.rpartition(".")[2], None, None, "model", assumed)


def provider(model: str) -> dict[str, Any] | None:
    """All fields that Bridge's provider of a model holds, ``_provider`` its class; None for an id that is not known."""
    global _providers
    if _providers is None:
        path = os.path.join(data.folder("trainers"), "models.json")
        _providers = cache.load("providers", [path, os.path.abspath(__file__)], lambda: _read(path))
    own = _providers["models"].get(model)
    if own is None:
        found = lookup(model) if "/" in model else None  # another checkpoint of the same architecture
        if found is None or not found[1]:
            return None
        own = _providers["models"].get(found[0])
        if own is None:
            return None
    absent = own.get("_absent", ())
    return {key: value for key, value in _providers["fields"].items() if key not in absent} | {
        key: value for key, value in own.items() if key != "_absent"
    }


def lookup(text: str) -> tuple[str, bool] | None:
    """(known id, whether ``text`` is exactly it or an alias) of a model id or of a path that ends like one."""
    table = _load()
    if text in table["models"]:
        return text, True
    if text in table["aliases"]:
        return table["aliases"][text], True
    name = text.rstrip("/").rpartition("/")[2].lower()
    found = table["names"].get(name)
    return (found, False) if found is not None else None


def _load() -> dict[str, Any]:
    global _table
    if _table is None:
        folder = data.folder("trainers")
        sources = [os.path.join(folder, name) for name in ("models.json", "model_use.yaml")]
        _table = cache.load("models", [*sources, os.path.abspath(__file__)], lambda: _build(*sources))
    return _table


def _read(path: str) -> dict[str, Any]:
    import json

    with open(path, encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    return content


def _build(facts: str, use: str) -> dict[str, Any]:
    """``facts``: {"fields": field → commonest value, "models": id → what differs}; ``use``: which fields count."""
    import json

    import yaml

    with open(facts, encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    with open(use, encoding="utf-8") as file:
        wanted: dict[str, Any] = yaml.safe_load(file)
    models = {}
    for name, own in content["models"].items():
        fields = {key: value for key, value in content["fields"].items() if key not in own.get("_absent", ())} | own
        models[name] = {
            part: {f"model.{key}": fields[key] for key in wanted[part] if key in fields} for part in ("shape", "bridge")
        }
    aliases = {alias: name for name, others in wanted["aliases"].items() for alias in others}
    names = {name.rpartition("/")[2].lower(): name for name in models}
    names.update({alias.rpartition("/")[2].lower(): name for alias, name in aliases.items()})
    return {"models": models, "aliases": aliases, "names": names}
