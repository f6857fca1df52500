"""Rewrites, named facts and stages as compiled plain data."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

STAGES = ("given", "bridge-entry", "bridge", "lm", "core-entry", "core", "layer")
FILES = {"bridge": ("bridge", "core"), "lm": ("lm", "core"), "core": ("core",)}
_rewrites: dict[str, Rewrites] = {}
_facts: dict[str, Any] | None = None


class Rewrite:
    """One thing that a trainer does to a config. ``position``: its place in the order of its trainer's rewrites.

    ``applies``: compiled gate; ``when``: conditions that must all hold; ``sets``: key → expression, all read from
    before
    the rewrite; ``effect``: what overriding a written value is called (ignored, deprecated), None if it is no finding;
    ``severity``: of its finding, None if that of the effect.
    """

    __slots__ = (
        "_run", "applies", "covers", "effect", "id", "message", "position", "sets", "severity", "sources", "stage",
        "when",
    )

    def __init__(self, position: int, entry: tuple[Any, ...]) -> None:
        self.position = position
        (
            self.id,
            self.stage,
            self.applies,
            self.when,
            self.sets,
            self.effect,
            self.message,
            self.covers,
            self.sources,
            self.severity,
        ) = entry
        self._run: tuple[Any, ...] | None = None

    def conditions(self) -> tuple[Any, ...]:
        return self._closures()[0]  # type: ignore[no-any-return]

    def value(self, key: str, scope: Any) -> Any:
        """What the rewrite makes of a key, in the scope before it."""
        return self._closures()[1][key](scope)

    def _closures(self) -> tuple[Any, ...]:
        if self._run is None:
            from moelint.lang.closures import closure

            self._run = tuple(closure(t) for t in self.when), {k: closure(t) for k, t in self.sets.items()}
        return self._run


class Rewrites:
    """All rewrites that a trainer's configs go through, in order. ``by_key``: key → its rewrites; ``limits``: stage →
    number of rewrites of this stage or an earlier one."""

    __slots__ = ("by_key", "entries", "limits")

    def __init__(self, compiled: list[tuple[Any, ...]]) -> None:
        self.entries = [Rewrite(n, entry) for n, entry in enumerate(compiled)]
        self.by_key: dict[str, list[Rewrite]] = {}
        for rewrite in self.entries:
            for key in rewrite.sets:
                self.by_key.setdefault(key, []).append(rewrite)
        self.limits = {}
        for number, stage in enumerate(STAGES):
            self.limits[stage] = sum(1 for r in self.entries if r.stage <= number)
        self.limits["last"] = len(self.entries)


def rewrites(trainer: str) -> Rewrites:
    found = _rewrites.get(trainer)
    if found is None:
        folder = os.path.join(data.folder("trainers"), "rewrites")
        paths = [os.path.join(folder, name + ".yaml") for name in FILES[trainer]]
        paths = [path for path in paths if os.path.exists(path)]
        sources = [*paths, facts_path(), __file__]
        found = _rewrites[trainer] = Rewrites(
            cache.load(f"rewrites-{trainer}", sources, lambda: build_rewrites(paths, trainer))
        )
    return found


def facts_path() -> str:
    return os.path.join(data.folder("trainers"), "facts.yaml")


def facts() -> dict[str, Any]:
    """Name → compiled expression of the shipped facts."""
    global _facts
    if _facts is None:
        loaded: dict[str, Any] = cache.load("facts", [facts_path(), __file__], lambda: build_facts(facts_path()))
        _facts = loaded
    return _facts


class DataError(Exception):
    """A shipped table with a fault: path, entry and what is wrong."""


def build_facts(path: str) -> dict[str, Any]:
    from moelint.lang.parse import parse

    out = {}
    for name, entry in (load_yaml(path) or {}).items():
        out[name] = _expression(parse, entry["is"], f"{path}: fact {name}")
    return out


def build_rewrites(paths: list[str], trainer: str) -> list[tuple[Any, ...]]:
    """The rewrites of some files, sorted by stage, those of one stage in the order of the files."""
    from moelint.lang.parse import parse
    from moelint.trainer.gates import compile_applies

    out = []
    for path in paths:
        for entry in load_yaml(path) or []:
            where = f"{path}: {entry.get('id')}"
            if entry.get("stage") not in STAGES:
                raise DataError(f"{where}: unknown stage {entry.get('stage')!r}")
            when = entry.get("when", [])
            when = when if isinstance(when, list) else [when]
            sets = {
                key: ("const", value["value"])
                if isinstance(value, dict)
                else _expression(parse, str(value), f"{where}: {key}")
                for key, value in entry["set"].items()
            }
            finding = entry.get("finding", False)
            effect = finding.get("effect", "ignored") if isinstance(finding, dict) else "ignored" if finding else None
            out.append(
                (
                    entry["id"],
                    STAGES.index(entry["stage"]),
                    compile_applies(entry.get("applies"), where),
                    tuple(_expression(parse, str(w), where) for w in when),
                    sets,
                    effect,
                    entry.get("message", ""),
                    tuple(entry.get("covers") or ()),
                    tuple((s["what"], s.get("url", "")) for s in entry.get("sources") or ()),
                    finding.get("severity") if isinstance(finding, dict) else None,
                )
            )
    out.sort(key=lambda e: e[1])
    return out


def _expression(parse: Any, text: str, where: str) -> Any:
    from moelint.lang.errors import LangError

    try:
        return parse(text)
    except LangError as error:
        raise DataError(f"{where}: {error}: {text}") from error


def load_yaml(path: str) -> Any:
    import yaml

    with open(path, encoding="utf-8") as file:
        return yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
