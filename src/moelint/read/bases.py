"""What a config stands on: an official recipe by name, from the shipped table, or another file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from moelint import cache, data
from moelint.read.config import Config, Written
from moelint.text.document import Problem
from moelint.text.source import Source
from moelint.typed import Any

_TARGET = re.compile(r"_(\d+)gpu_([a-z]+[0-9]+)_")
_table: dict[str, Any] | None = None


def recipe(name: str) -> dict[str, Any] | None:
    """All values of an official recipe by function name, as key → value; None if there is none of that name.

    The recipe's own settings lie over the fields of the model that it names. ``perf:name`` is the benchmark where a
    library recipe has the same name.
    """
    table = _load()
    row = _row(table, name)
    if row is None:
        return None
    from moelint.read.models import provider

    keys, values = table["keys"], table["values"]
    model = (provider(row[0]) or {}) if row[0] else {}
    out = {f"model.{key}": value for key, value in model.items() if not key.startswith("_")}
    if "_provider" in model:
        out["model._target_"] = model["_provider"]
    for n in range(1, len(row), 2):
        key, value = keys[row[n]], values[row[n + 1]]
        out[key] = str(value) if key.startswith("env_vars.") and isinstance(value, (int, float)) else value
    return out


def details(name: str) -> tuple[str | None, list[str], dict[str, Any]] | None:
    """(model id, keys that the recipe itself sets, all values) of an official recipe; None if there is none."""
    values = recipe(name)
    if values is None:
        return None
    table = _load()
    row = _row(table, name)
    assert row is not None
    return row[0], [table["keys"][row[n]] for n in range(1, len(row), 2)], values


def names_of(name: str) -> list[str]:
    """All names of one recipe, its own first."""
    aliases = _load()["aliases"]
    own = aliases.get(name, name)
    return [own, *sorted(other for other, target in aliases.items() if target == own)]


def _row(table: dict[str, Any], name: str) -> list[Any] | None:
    plain = name.removeprefix("perf:")
    found: list[Any] | None = table["recipes"].get(name) or table["recipes"].get(table["aliases"].get(plain, plain))
    return found


def names() -> list[str]:
    """Every name that ``recipe`` knows."""
    table = _load()
    return [*table["recipes"], *table["aliases"]]


def stated(name: str) -> dict[str, Any]:
    """What a recipe's name says of the machine: gpus and gpu."""
    said = _TARGET.search(_load()["aliases"].get(name, name))
    return {} if said is None else {"gpus": int(said.group(1)), "gpu": said.group(2)}


def stand_on(config: Config, name: str, read: Callable[[str], Source] | None, trusted: bool) -> bool:
    """Puts the recipe or the file ``name`` under a config; False if neither can be had.

    A file is looked for beside the config, inside its checkout only, unless whoever asks is ``trusted``: a config must
    not make us read what lies outside.
    """
    if add_recipe(config, name):
        return True
    if not name.endswith((".yaml", ".yml", ".py")):
        return False
    here = os.path.dirname(os.path.abspath(config.document.source.path))
    path = os.path.realpath(name if trusted else os.path.join(here, name))
    if not trusted and not _inside(path, here):
        return False
    from moelint.read.configs import ReadOptions
    from moelint.read.files import read_file
    from moelint.text.files import read as plain
    from moelint.text.source import TextError

    try:
        found = read_file((read or plain)(path), ReadOptions(named=True, read=read))
    except (OSError, TextError, RecursionError):
        return False
    if not found.configs:
        return False
    base = found.configs[0]
    for key, held in base.written.items():
        mine = config.written.get(key)
        if mine is None or mine.origin == "model":
            config.written[key] = Written(
                key, held.value, held.spelling, held.document, held.setting, "base", held.assumed, held.waits
            )
    for key, value in base.stated.items():
        config.stated.setdefault(key, value)
    if base.completeness == "fragment":
        config.loose_ends.append(f"what {name} stands on")
    return True


def _inside(path: str, here: str) -> bool:
    top = here
    while not os.path.exists(os.path.join(top, ".git")) and os.path.dirname(top) != top:
        top = os.path.dirname(top)
    if os.path.dirname(top) == top:
        top = here
    return path.startswith(os.path.realpath(top) + os.sep)


def add_recipe(config: Config, name: str) -> bool:
    """Put an official recipe under a config, with origin 'base'; False if there is none of that name."""
    values = recipe(name)
    if values is None:
        return False
    add(config, values, name)
    for key, value in stated(name).items():
        config.stated.setdefault(key, (value, "config"))
    return True


def add(config: Config, values: dict[str, Any], name: str) -> None:
    """Values under a config, where it writes nothing itself. A section that the config replaces whole is not mixed."""
    written = set(config.written)
    whole = {key for key in ("mixed_precision", "comm_overlap") if key in written}
    for key, value in values.items():
        section = key.split(".", 1)[0]
        if key in written or section in whole:
            continue
        if "." not in key and any(other.startswith(key + ".") for other in written) and not isinstance(value, str):
            continue  # the config gives a section fields that the recipe leaves out
        held = config.written.get(key)
        if held is None or held.origin == "model":
            config.written[key] = Written(key, value, key.rpartition(".")[2], None, None, "base")


def unknown(name: str, start: int, end: int) -> Problem:
    """A base that is no official recipe and no file."""
    from difflib import get_close_matches

    close = get_close_matches(name, names(), 1, 0.5)
    hint = f": did you mean {close[0]}?" if close else ""
    return Problem("base", f"no official recipe and no file is called {name}{hint}", start, end)


def _load() -> dict[str, Any]:
    global _table
    if _table is None:
        path = os.path.join(data.folder("trainers"), "recipes.json")
        _table = cache.load("recipes", [path, os.path.abspath(__file__)], lambda: _read(path))
    return _table


def _read(path: str) -> dict[str, Any]:
    import json

    with open(path, encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    return content
