"""The page of a key: what it does, types and defaults by release, its spelling in each dialect, who reads it."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.explain.key import TITLE, TRAINERS, ranges
from moelint.pages.rule import escaped, words
from moelint.typed import Any


def read_keys(packs: Any) -> list[str]:
    """Every setting that a rule reads or is about, and every one that a rewrite sets, sorted."""
    from moelint.lang.names import reads
    from moelint.trainer.compiled import rewrites
    from moelint.trainer.effective import shipped_facts
    from moelint.trainer.tables import known_anywhere

    facts = packs.facts(shipped_facts())
    names: set[str] = set()
    for number, entry in enumerate(packs.cases):
        names |= {name.removeprefix("given.") for name in facts.keys_of(reads(packs.tree(number)))}
        names |= set(entry[7])
    for trainer in TRAINERS:
        names |= set(rewrites(trainer).by_key)
    known = {key for trainer in TRAINERS for key in known_anywhere(trainer)}
    return sorted(name for name in names if name in known or name.startswith("env_vars.") or _of_framework(name))


_SECTIONS = ("mixed_precision", "comm_overlap", "peft")  # Bridge takes a recipe's name for the whole section
_PROVIDED = ("target.", "hw.", "walls.", "before.", "saved.")


def _of_framework(name: str) -> bool:
    """Whether a name is a setting that only a framework knows, such as ``verl.rollout.…``."""
    return ("." in name and not name.startswith(_PROVIDED)) or name in _SECTIONS


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


def markdown(key: str, packs: Any) -> str:
    """The page."""
    out = [f"# `{key}`", ""]
    said = what(key)
    if said:
        out += [said, ""]
    for trainer in TRAINERS:
        rows = ranges(key, trainer)
        if rows:
            out += [f"## {TITLE[trainer]}", "", "| releases | type | default | values |", "|---|---|---|---|"]
            out += ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows] + [""]
    spelled = spellings(key)
    if spelled:
        out += ["## Spelling", "", "| dialect | how it is written |", "|---|---|"]
        out += [f"| {title} | {', '.join(f'`{word}`' for word in names)} |" for title, names in spelled] + [""]
    out += _readers(key, packs)
    return "\n".join(out)


def spellings(key: str) -> list[tuple[str, list[str]]]:
    """(dialect, how it writes the key), for dialects that can."""
    from moelint.read.flags import argument_of
    from moelint.read.flags import spellings as flags
    from moelint.read.tables import tables

    out = [("Megatron-LM command line", [flag for flag, *_ in flags(key)])]
    section, _, leaf = key.partition(".")
    argument = argument_of(key)
    for table in tables().values():
        found = [".".join(path) for path, target in (table.get("exact") or {}).items() if target == key]
        if not found and leaf:
            for path, target in (table.get("prefixes") or {}).items():
                if target == f"{section}.":
                    found.append(".".join((*path, leaf)))
                elif target == "args." and argument is not None:
                    found.append(".".join((*path, argument)))
        if found:
            out.append((str(table["title"]), sorted(found, key=lambda name: (name.count("."), name))[:2]))
    return [(title, names) for title, names in out if names]


def _readers(key: str, packs: Any) -> list[str]:
    from moelint.trainer.compiled import rewrites

    out: list[str] = []
    readers = packs.readers(key)
    if readers:
        out += ["## Rules that read it", ""]
        out += [f"- [{id}](../rules/{id}.md): {words(packs.ids[id][0])}" for id in readers] + [""]
    changed: dict[str, str] = {}
    for trainer in TRAINERS:
        for rewrite in rewrites(trainer).by_key.get(key, []):
            changed.setdefault(rewrite.id, rewrite.message)
    if changed:
        out += ["## What trainers make of it", ""]
        out += [f"- {id}: {escaped(message)}" for id, message in changed.items()] + [""]
    return out
