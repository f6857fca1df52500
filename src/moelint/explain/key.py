"""The page of a key: what each trainer knows of it, who reads it, what rewrites it."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.explain.rule import scalar
from moelint.typed import Any

TRAINERS = ("bridge", "core", "lm")
TITLE = {"bridge": "Megatron Bridge", "core": "Megatron Core", "lm": "Megatron-LM"}


def find(word: str) -> list[str]:
    """The canonical keys that a word may mean: itself, a flag of Megatron-LM, or a last part."""
    from moelint.read.flags import entry
    from moelint.trainer.tables import known_anywhere

    known = {key for trainer in TRAINERS for key in known_anywhere(trainer)}
    if word in known or word.startswith("env_vars."):
        return [word]
    if word.startswith("--"):
        flag = entry(word)
        return [flag[0]] if flag is not None else []
    leaf = word.rpartition(".")[2].replace("-", "_")
    return sorted(key for key in known if key.rpartition(".")[2] == leaf)


def explain(key: str, packs: Any) -> list[str]:
    """The page as lines."""
    from moelint.read.flags import spellings

    said = what(key)
    out = [key, *([said] if said else [])]
    flags = [flag for flag, *_ in spellings(key)]
    if flags:
        out.append(f"Megatron-LM: {', '.join(flags)}")
    for trainer in TRAINERS:
        out += _releases(key, trainer)
    out += _changed_by(key)
    readers = packs.readers(key)
    if readers:
        out += ["", "Read by"]
        out += [f"  {id} {packs.ids[id][0]}" for id in readers]
    return out


def what(key: str) -> str | None:
    """What a key does, in a sentence; None where nobody wrote it down."""
    path = os.path.join(data.folder("trainers"), "keys.yaml")
    texts = cache.load("key-texts", [path], lambda: _read(path))
    found: str | None = texts.get(key)
    return found


def _read(path: str) -> dict[str, str]:
    import yaml

    with open(path, encoding="utf-8") as file:
        return {str(key): str(text) for key, text in yaml.safe_load(file).items()}


def _releases(key: str, trainer: str) -> list[str]:
    """Type, default and choices by ranges of releases."""
    out = []
    for span, kind, default, choices in ranges(key, trainer):
        if kind == "absent":
            out.append(f"  {span}: absent")
            continue
        out.append(f"  {span}: {kind} {default}" + (f"; one of {choices}" if choices else ""))
    return ["", TITLE[trainer], *out] if out else []


def ranges(key: str, trainer: str) -> list[tuple[str, str, str, str]]:
    """(releases, type, default, choices) where a trainer has a key."""
    from moelint.trainer.tables import read_json

    out = []
    for first, last, spec in read_json(trainer)["keys"].get(key) or ():
        span = first if first == last else f"{first} to {last}"
        if spec.get("absent"):
            out.append((span, "absent", "", ""))
            continue
        default = (
            f"= {scalar(spec['default'])}"
            if "default" in spec
            else f"= {spec['expr']}"
            if "expr" in spec
            else "(required)"
        )
        kind = spec["type"] + (" or null" if spec.get("null") else "")
        out.append((span, kind, default, ", ".join(map(str, spec.get("choices") or ()))))
    return out


def _changed_by(key: str) -> list[str]:
    from moelint.trainer.compiled import rewrites

    found: dict[str, str] = {}
    for trainer in TRAINERS:
        for rewrite in rewrites(trainer).by_key.get(key, []):
            found.setdefault(rewrite.id, rewrite.message)
    return ["", "Rewritten by", *(f"  {id} {message}" for id, message in found.items())] if found else []
