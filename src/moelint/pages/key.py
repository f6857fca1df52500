"""The page of a key: what it does, types and defaults by release, its spelling in each dialect, who reads it."""

from __future__ import annotations

from moelint.explain.key import TITLE, TRAINERS, ranges, what
from moelint.pages.rule import escaped, words
from moelint.typed import Any


def readers(packs: Any) -> dict[str, list[str]]:
    """Every setting that a rule reads or is about, and every one that a rewrite sets, sorted → the rules."""
    from moelint.lang.names import reads
    from moelint.trainer.compiled import rewrites
    from moelint.trainer.effective import shipped_facts
    from moelint.trainer.tables import known_anywhere

    facts = packs.facts(shipped_facts())
    found: dict[str, set[str]] = {}
    for number, entry in enumerate(packs.cases):
        names = {name.removeprefix("given.") for name in facts.keys_of(reads(packs.tree(number)))} | set(entry[7])
        for name in names:
            found.setdefault(name, set()).add(entry[0])
    for trainer in TRAINERS:
        for name in rewrites(trainer).by_key:
            found.setdefault(name, set())
    known = {key for trainer in TRAINERS for key in known_anywhere(trainer)}
    wanted = (name for name in found if name in known or name.startswith("env_vars.") or _of_framework(name))
    return {name: sorted(found[name]) for name in sorted(wanted)}


_SECTIONS = ("mixed_precision", "comm_overlap", "peft")  # Bridge takes a recipe's name for the whole section
_PROVIDED = ("target.", "hw.", "walls.", "before.", "saved.")


def _of_framework(name: str) -> bool:
    """Whether a name is a setting that only a framework knows, such as ``verl.rollout.…``."""
    return ("." in name and not name.startswith(_PROVIDED)) or name in _SECTIONS


def markdown(key: str, packs: Any, rules: list[str]) -> str:
    """The page. ``rules``: those that read the key."""
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
    out += _readers(key, packs, rules)
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


def _readers(key: str, packs: Any, rules: list[str]) -> list[str]:
    from moelint.trainer.compiled import rewrites

    out: list[str] = []
    if rules:
        out += ["## Rules that read it", ""]
        out += [f"- [{id}](../rules/{id}.md): {words(packs.ids[id][0])}" for id in rules] + [""]
    changed: dict[str, str] = {}
    for trainer in TRAINERS:
        for rewrite in rewrites(trainer).by_key.get(key, []):
            changed.setdefault(rewrite.id, rewrite.message)
    if changed:
        out += ["## What trainers make of it", ""]
        out += [f"- {id}: {escaped(message)}" for id, message in changed.items()] + [""]
    return out
