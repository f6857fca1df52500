"""What each path of a document stands for in a dialect: the part of reading a config that no value has a say in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from moelint.read import flags
from moelint.read.fields import is_foreign
from moelint.read.structure import Structure
from moelint.read.tables import Table
from moelint.text.document import Path, Setting
from moelint.typed import Any

PLAIN, FLAG, ARGUMENT, COLLAPSED, LISTED, UNREAD, NOTHING = range(7)
"""A path is one key; a flag; an argument of Megatron-LM; a part of a value that a dump takes apart; inside a list of
maps; unknown to the dialect; known to it, and nothing."""

Step = tuple[int, str, str, bool, Path]
"""Kind; canonical key, flag or argument; the author's key; whether its value is converted; the path."""
_Conditions = tuple[tuple[Path, str], ...]  # path and the expression that its value matches

_memos: dict[str, dict[Path, tuple[int, str]]] = {}
_MEMO_LIMIT = 50_000  # paths remembered a dialect


class Plan:
    """``steps``: one for each setting of a document, in order. ``first``, ``last``: positions of the first and the last
    setting below the config's root, -1 if there is none. ``named``: whether a target, a base or a model may be named."""

    __slots__ = ("first", "last", "named", "steps")

    def __init__(self, steps: tuple[Step, ...], first: int, last: int, named: bool) -> None:
        self.steps, self.first, self.last, self.named = steps, first, last, named


def plan_of(structure: Structure, table: Table, root: Path) -> Plan:
    """The plan for a config at ``root`` of a document with this structure."""
    known: Plan | None = structure.found.get((table["id"], root))
    if known is None:
        known = structure.found[table["id"], root] = _plan(structure.paths, table, root)
    return known


def _plan(paths: tuple[Path, ...], table: Table, root: Path) -> Plan:
    size, shared = len(root), table["shared_exact"] or table["shared_prefixes"]
    memo = _memo(table["id"])
    steps: list[Step] = []
    own: set[str] = set()
    listed: set[Path] = set()
    for path in paths:
        spelled, inside = path[size:], path[:size] == root
        kind, key = UNREAD, ""
        if inside:
            known = memo.get(spelled)
            if known is None:
                known = memo[spelled] = _sort(table, spelled)
            kind, key = known
        if kind == UNREAD and size and shared:
            key = canonical(path, table["shared_exact"], table["shared_prefixes"]) or ""
            kind = PLAIN if key and key not in own else NOTHING
        elif kind == PLAIN and size:
            own.add(key)
        elif kind == UNREAD and not inside:
            kind = NOTHING
        elif kind == LISTED:
            head = path[: size + list_at(spelled)]
            kind = NOTHING if head in listed else LISTED
            listed.add(head)
        converted = kind == PLAIN and (key in table["convert"] or key.startswith("env_vars."))
        steps.append((kind, key, str(path[-1]) if path else "", converted, path))
    places = [at for at, path in enumerate(paths) if path[:size] == root]
    asked = {*table["target"], *table["base"], *table["model"]}
    asked |= {(*root, *path) for path in asked}
    return Plan(tuple(steps), min(places, default=-1), max(places, default=-1), not asked.isdisjoint(paths))


def roots(table: Table, structure: Structure, settings: Mapping[Path, Setting]) -> list[Path]:
    """Where the configs of a document lie: the blocks of its dialect that are there, else the whole document."""
    if not table["blocks"]:
        return [()]
    known: tuple[tuple[Path, _Conditions], ...] | None = structure.found.get(("roots", table["id"]))
    if known is None:
        known = structure.found["roots", table["id"]] = tuple(_blocks(table["blocks"], structure.paths))
    found = [root for root, conditions in known if all(_holds(settings, *condition) for condition in conditions)]
    return list(dict.fromkeys(found)) or [()]


def _blocks(blocks: Any, paths: tuple[Path, ...]) -> dict[tuple[Path, _Conditions], None]:
    """The blocks that have the right paths, each with what its values have to match."""
    found: dict[tuple[Path, _Conditions], None] = {}
    for pattern, conditions in blocks:
        size = len(pattern)
        for path in paths:
            root = path[:size]
            if len(path) > size and all(_fits(p, q) for p, q in zip(pattern, root, strict=True)):
                found[root, tuple(((*root, *rest), regex) for rest, regex in conditions)] = None
    return found


def _fits(pattern: Any, part: Any) -> bool:
    if pattern is None or pattern == part:
        return True
    return (
        isinstance(pattern, str) and pattern.endswith("*") and isinstance(part, str) and part.startswith(pattern[:-1])
    )


def _holds(settings: Mapping[Path, Setting], path: Path, regex: str) -> bool:
    setting = settings.get(path)
    return setting is not None and re.search(regex, str(setting.value)) is not None


# ---- one path


def _memo(dialect: str) -> dict[Path, tuple[int, str]]:
    memo = _memos.setdefault(dialect, {})
    if len(memo) > _MEMO_LIMIT:
        memo.clear()
    return memo


def _sort(table: Table, spelled: Path) -> tuple[int, str]:
    """What a path, relative to its config, is, and its canonical key (or flag, or argument)."""
    if table["values"] in ("flags", "words") and spelled and isinstance(spelled[0], str) and spelled[0].startswith("-"):
        return FLAG, spelled[0]
    listed = list_at(spelled)
    if listed < len(spelled):
        key = canonical(spelled[:listed], table["exact"], table["prefixes"])
        if key is None:
            return (NOTHING if _known(spelled[:listed], table) else UNREAD), ""
        return (LISTED, key) if not key.startswith("args.") else (NOTHING, "")
    key = canonical(spelled, table["exact"], table["prefixes"])
    if key is None:
        return (NOTHING if _known(spelled, table) else UNREAD), ""
    if table["collapse"] and "_target_" in spelled:
        return COLLAPSED, key
    if key.startswith("args."):
        name = key[len("args.") :]
        if flags.argument(name) is not None:
            return ARGUMENT, name
        return (UNREAD, "") if table["rest"] is None else (PLAIN, table["rest"] + name)
    if table["rest"] is not None and is_foreign(key):
        return PLAIN, table["rest"] + ".".join(str(part) for part in spelled)
    return PLAIN, key


def _known(spelled: Path, table: Table) -> bool:
    """Whether the dialect knows a path and gives it no key on purpose."""
    return spelled in table["exact"] or any(spelled[:n] in table["prefixes"] for n in range(len(spelled)))


def list_at(path: Path) -> int:
    """Position of the first list in a path, or the path's length."""
    for at, part in enumerate(path):
        if type(part) is int:
            return at
    return len(path)


def canonical(path: Path, exact: Mapping[Path, str | None], prefixes: Mapping[Path, str | None]) -> str | None:
    """Canonical key of a path, relative to its config; None if the dialect gives it none."""
    if path in exact:
        return exact[path]
    for length in range(len(path) - 1, -1, -1):
        head = path[:length]
        if head in prefixes:
            stem = prefixes[head]
            return None if stem is None else stem + ".".join([str(part) for part in path[length:]])
    return None
