"""What expressions may name: configuration keys, provided names and facts, with their types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from moelint.lang.suggest import nearest
from moelint.typed import Any

# Sections of a config: a dotted name that starts with one of them is a canonical key.
SECTIONS = frozenset((
    "bridge", "checkpoint", "cluster", "comm_overlap", "dataset", "ddp", "dist", "env_vars", "ft", "inprocess_restart",
    "lm", "logger", "mixed_precision", "model", "nvrx_straggler", "optimizer", "peft", "profiling", "recipe",
    "rerun_state_machine", "rng", "scheduler", "straggler", "tensor_inspect", "tokenizer", "train", "validation",
))
FRAMEWORKS = frozenset((  # settings that only a framework around the trainer knows
    "areal", "chatlearn", "flagscale", "nemo_rl", "primus", "rlinf", "roll", "slime", "swift", "verl",
))
SECTIONS |= FRAMEWORKS
REVISIONS = ("given.", "before.", "saved.")  # the same key as written, in the old revision, in the checkpoint's config


class Info:
    """Static type of a value: any, bool, int, float, number, str, list, version, record or none.

    ``choices``: the only values that the trainer takes (for a list: its elements), else None.
    """

    __slots__ = ("choices", "nullable", "type")

    def __init__(self, type: str = "any", nullable: bool = False, choices: tuple[Any, ...] | None = None) -> None:
        self.type, self.nullable, self.choices = type, nullable, choices

    def __repr__(self) -> str:
        return f"Info({self.type!r}, {self.nullable}, {self.choices!r})"


ANY = Info()
NUMERIC = frozenset(("int", "float", "number"))

PROVIDED: dict[str, Info] = {
    "trainer": Info("str", False, ("bridge", "lm", "core")),
    "dialect": Info("str"),
    "complete": Info("bool"),
    "release_stated": Info("bool"),
    "stages": Info("list"),
    "moe_layers": Info("list"),
    "layout_fault": Info("str", True),
}
# Families of provided names, checked by the room that provides them when it gives a fuller table.
FAMILIES: dict[str, Info] = {
    "target.": Info("any"),
    "hw.": Info("any"),
    "walls.": Info("any"),
    "env_vars.": Info("str", True),
}


class NameTable:
    """Names with their types. ``keys``: canonical key → Info of the union over all releases; an empty table accepts
    every dotted name of a known section. ``closed`` families (such as ``hw.``) accept only names listed in ``keys``."""

    def __init__(
        self, keys: Mapping[str, Info] | None = None, facts: Mapping[str, Info] | None = None,
        groups: Mapping[str, Iterable[str]] | None = None, closed: Iterable[str] = (),
    ) -> None:
        self.keys: dict[str, Info] = dict(keys or {})
        self.facts: dict[str, Info] = dict(facts or {})
        self.groups = {name: tuple(members) for name, members in (groups or {}).items()}
        self.trees: dict[str, Any] = {}  # fact → its compiled expression
        self.closed = frozenset(closed)
        self._sections = {k.split(".", 1)[0] for k in self.keys}

    def lookup(self, name: str) -> Info | None:
        """The type of a name, or None if there is no such name."""
        found = self.keys.get(name) or self.facts.get(name) or PROVIDED.get(name)
        if found is not None:
            return found
        for prefix in REVISIONS:
            if name.startswith(prefix):
                inner = self.lookup(name[len(prefix) :]) if prefix != "given." else self.key(name[len(prefix) :])
                return None if inner is None else Info(inner.type, inner.nullable, inner.choices)
        for prefix, info in FAMILIES.items():
            if name.startswith(prefix):
                return None if prefix in self.closed else info
        return self.key(name)

    def key(self, name: str) -> Info | None:
        """The type of a canonical key (a section of them counts too, as in ``written(comm_overlap)``), or None."""
        found = self.keys.get(name)
        if found is not None:
            return found
        section, dot, rest = name.partition(".")
        if section == "env_vars" and dot:
            return FAMILIES["env_vars."]
        if section in SECTIONS and section not in self._sections and (rest or not dot):
            return ANY
        if not dot and section in self._sections:
            return Info("any", True)
        return Info("any", True) if any(k.startswith(name + ".") for k in self.keys) else None

    def suggestion(self, name: str) -> str | None:
        for prefix in REVISIONS:
            if name.startswith(prefix):
                inner = nearest(name[len(prefix) :], self.keys)
                return prefix + inner if inner else None
        known = [*self.keys, *self.facts, *PROVIDED]
        return nearest(name, known)


def revisions(tree: Any, facts: Mapping[str, Any]) -> set[str]:
    """The other configs that an expression looks at, through facts too: ``before`` (the old revision), ``saved`` (the
    checkpoint's)."""
    out: set[str] = set()
    seen: set[str] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, tuple) or not node:
            continue
        if node[0] == "changed":
            out.add("before")
        elif node[0] == "name" and isinstance(node[1], str):
            name = node[1]
            if name.startswith(("before.", "saved.")):
                out.add(name.partition(".")[0])
            elif name in facts and name not in seen:
                seen.add(name)
                waiting.append(facts[name])
        elif node[0] != "const":
            waiting += [part for part in node if isinstance(part, tuple)]
    return out


def reads(tree: Any) -> set[str]:
    """Every name that a compiled expression may read, including those of ``written`` and ``changed``."""
    return set(_reads(tree))


def _reads(tree: Any) -> Iterator[str]:
    if not isinstance(tree, tuple) or not tree:
        return
    if tree[0] in ("name", "written", "changed", "default_of"):
        yield tree[1]
        return
    if tree[0] == "const":
        return
    for part in tree[1:]:
        if isinstance(part, tuple):
            if part and isinstance(part[0], str):
                yield from _reads(part)
            else:
                for inner in part:
                    yield from _reads(inner)
