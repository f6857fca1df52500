"""Command-line flags of Megatron-LM: flag → canonical key, and the value that its parser makes of what follows."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.lang.unknown import UNKNOWN
from moelint.read.values import list_expression
from moelint.text.scalars import plain
from moelint.typed import Any

BARE = object()
"""The flag stands alone, without a value."""

Entry = tuple[str, str, str, bool, Any]
"""Canonical key, element type, how many values ('one', 'many', 'any': one stays a scalar), whether the flag alone sets
a value, that value."""
Spelling = tuple[str, bool, Any]  # flag, alone sets a value, that value

Argument = tuple[str, str, str, bool]
"""Canonical key, element type, how many values, whether the argument says the opposite of the key."""

_Tables = tuple[dict[str, Entry], dict[str, list[Spelling]], dict[str, Argument], dict[str, str], set[str]]
_table: _Tables | None = None


def entry(flag: str) -> Entry | None:
    """What a flag stands for in the newest release that knows it."""
    return _load()[0].get(flag)


def spellings(key: str) -> list[Spelling]:
    """The flags that set a canonical key, newest first; empty if Megatron-LM has none."""
    return _load()[1].get(key, [])


def argument(name: str) -> Argument | None:
    """What an argument's name in the parser's result (``num_experts``) stands for: frameworks use these names."""
    return _load()[2].get(name)


def argument_of(key: str) -> str | None:
    """The argument that holds a canonical key; None if there is none."""
    return _load()[3].get(key)


def argument_value(found: Argument, value: Any) -> Any:
    """The value of the canonical key, of an argument that a framework sets to ``value`` without the parser."""
    _, kind, many, opposite = found
    if value is None or value is UNKNOWN:
        return value
    if opposite:
        return not value if isinstance(value, bool) else value
    if many != "one":
        return value
    return _typed(kind, value) if "list" in kind else value


def is_of_other_program(flag: str) -> bool:
    """Whether a program around Megatron-LM (inference, post-training, …) adds this flag to its own."""
    return flag in _load()[4]


def nearest(flag: str) -> str | None:
    """The flag that a misspelt one is likely to mean; None if no flag is near."""
    from moelint.lang.suggest import nearest as near

    plain = {name.lstrip("-").replace("-", "_"): name for name in names()}
    return plain.get(near(flag.lstrip("-"), plain) or "")


def names() -> list[str]:
    """All flags of all releases."""
    return list(_load()[0])


def value_of(found: Entry, value: Any) -> Any:
    """The value that the parser makes of what stands behind a flag: BARE, a scalar, a text of words, or a list.

    A text that the flag's type does not take stays text: naming that is a rule's affair.
    """
    _, kind, many, alone, constant = found
    if value is BARE or (alone and value is True):
        return constant if alone else True
    if value is UNKNOWN or value is None:
        return value
    if alone and isinstance(value, bool):
        return not constant if isinstance(constant, bool) else value
    if many != "one":
        items = value if isinstance(value, list) else _words(value)
        items = [_typed(kind, item) for item in items]
        return items[0] if len(items) == 1 and many == "any" else items
    if isinstance(value, list):
        value = " ".join(str(item) for item in value)
    return _typed(kind, value)


def _words(value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [value]
    text = value.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return text.split()


def _typed(kind: str, value: Any) -> Any:
    if kind == "str":
        return (
            "true" if value is True else "false" if value is False else value if isinstance(value, str) else str(value)
        )
    if isinstance(value, str):
        if "list" in kind:
            found = list_expression(value)
            if found is not None:
                return found
            typed = plain(value)
            return typed if isinstance(typed, int) else value
        try:
            return int(value) if kind == "int" else float(value) if kind == "float" else value
        except ValueError:
            return value
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _load() -> _Tables:
    global _table
    if _table is None:
        folder = data.folder("trainers")
        sources = [os.path.join(folder, "fields", "megatron-lm.json"), os.path.join(folder, "lm_programs.yaml")]
        _table = cache.load("flags", [*sources, os.path.abspath(__file__)], lambda: _build(*sources))
    return _table


def _build(path: str, programs: str) -> _Tables:
    import json

    import yaml

    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    with open(programs, encoding="utf-8") as file:
        others = {flag for flags in yaml.safe_load(file).values() for flag in flags}
    order = {release: number for number, release in enumerate(content["releases"])}
    ranked: dict[str, tuple[int, Entry]] = {}
    by_key: dict[str, dict[str, tuple[int, Spelling]]] = {}
    arguments: dict[str, Argument] = {}
    for key, ranges in content["keys"].items():
        scalar_once = any(not spec["type"].startswith("list[") for _, _, spec in ranges)
        for _, last, spec in ranges:
            rank = order[last]
            kind = spec["type"]
            listed = kind.startswith("list[")
            many = "one" if not listed else "any" if scalar_once else "many"
            if listed:
                kind = kind[len("list[") : -1]
            kind = "str" if kind.startswith("<") else kind
            name = spec["dest"]
            arguments[name] = (key, kind, many, _opposite(name, key))
            for action in spec["actions"]:
                alone, constant = "value" in action and "nargs" not in action, action.get("value")
                for flag in action["flags"]:
                    _keep(ranked, flag, rank, (key, kind, many, alone, constant))
                    _spell(by_key, key, flag, rank, (flag, alone, constant))
                for flag in action.get("off", ()):
                    _keep(ranked, flag, rank, (key, kind, many, True, False))
                    _spell(by_key, key, flag, rank, (flag, True, False))
    return (
        {flag: found for flag, (_, found) in ranked.items()},
        {key: [s for _, s in sorted(flags.values(), key=lambda pair: -pair[0])] for key, flags in by_key.items()},
        arguments,
        {found[0]: name for name, found in arguments.items()},
        others,
    )


def _opposite(name: str, key: str) -> bool:
    leaf = key.rpartition(".")[2]
    return name == f"no_{leaf}" or name == "untie_embeddings_and_output_weights"


def _keep(ranked: dict[str, tuple[int, Entry]], flag: str, rank: int, found: Entry) -> None:
    if flag not in ranked or ranked[flag][0] <= rank:
        ranked[flag] = (rank, found)


def _spell(
    by_key: dict[str, dict[str, tuple[int, Spelling]]], key: str, flag: str, rank: int, spelling: Spelling
) -> None:
    flags = by_key.setdefault(key, {})
    if flag not in flags or flags[flag][0] <= rank:
        flags[flag] = (rank, spelling)
