"""Field tables: what one release of a trainer knows of each canonical key, with its default.

The tables lie in ``trainers/fields/*.json`` by ranges of releases; what is loaded here is one release of one trainer,
compiled to plain data (see ``moelint.cache``).
"""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.lang.unknown import UNKNOWN
from moelint.trainer.releases import RELEASES, TRAINER_PACKAGE
from moelint.typed import Any

_FILES = {"core": "core.json", "bridge": "bridge.json", "lm": "megatron-lm.json"}
Spec = tuple[
    str, bool, tuple[Any, ...] | None, str
]  # type, nullable, choices, class (an argparse dest for Megatron-LM)
_loaded: dict[tuple[str, str], Table] = {}


class Table:
    """One release of one trainer.

    ``defaults``: canonical key → value, UNKNOWN where the release's own source does not tell; ``exprs``: key → compiled
    expression of a default that depends on the target; ``specs``: key → Spec; ``variants``: what a model class or a
    dataset class has otherwise (``mla``, ``hybrid``, ``mamba``, ``sft``): key → (kind, default, Spec), or None where
    it lacks
    the key; kind is 'value', 'expr' (the default is a compiled expression) or 'unknown'. ``elsewhere``: key → bit set
    of the
    releases that have it, for the keys that not all of them have.
    """

    __slots__ = ("_sections", "defaults", "elsewhere", "exprs", "release", "specs", "trainer", "variants")

    def __init__(self, trainer: str, release: str, compiled: dict[str, Any]) -> None:
        self.trainer, self.release = trainer, release
        self.defaults: dict[str, Any] = compiled["defaults"]
        for key in compiled["unknown"]:
            self.defaults[key] = UNKNOWN
        self.exprs: dict[str, Any] = compiled["exprs"]
        self.specs: dict[str, Spec] = compiled["specs"]
        self.elsewhere: dict[str, int] = compiled["elsewhere"]
        self.variants: dict[str, dict[str, tuple[str, Any, Spec] | None]] = compiled["variants"]

        self._sections: dict[str, list[str]] | None = None

    @property
    def sections(self) -> dict[str, list[str]]:
        """Section → the names in it."""
        if self._sections is None:
            self._sections = {}
            for key in self.specs:
                section, _, name = key.partition(".")
                self._sections.setdefault(section, []).append(name)
        return self._sections

    def knows(self, key: str) -> bool:
        """Whether this release has the key, in any model or dataset class."""
        return key in self.specs or any(v.get(key) is not None for v in self.variants.values())

    def spec(self, key: str, variants: tuple[str, ...] = ()) -> Spec | None:
        for name in variants:
            other = self.variants.get(name, {})
            if key in other:
                found = other[key]
                return None if found is None else found[2]
        found_spec = self.specs.get(key)
        if found_spec is not None or variants:
            return found_spec
        for other in self.variants.values():
            found = other.get(key)
            if found is not None:
                return found[2]
        return None


def table(trainer: str, release: str) -> Table:
    """The table of a trainer (bridge, core, lm) for a known release."""
    found = _loaded.get((trainer, release))
    if found is None:
        compiled = cache.load(f"fields-{trainer}-{release}", _sources(trainer), lambda: _compile(trainer, release))
        found = _loaded[trainer, release] = Table(trainer, release, compiled)
    return found


def _sources(trainer: str) -> list[str]:
    folder = os.path.join(data.folder("trainers"), "fields")
    names = [_FILES[trainer], _FILES["core"]] if trainer == "lm" else [_FILES[trainer]]
    return [*(os.path.join(folder, name) for name in names), __file__]


def read_json(trainer: str) -> dict[str, Any]:
    """A whole table as it is shipped; slow, for builders and ``explain``."""
    import json

    with open(_sources(trainer)[0], encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def at_release(ranges: list[list[Any]], releases: list[str], release: str) -> dict[str, Any] | None:
    """The specification that holds in a release, or None."""
    at = releases.index(release)
    for first, last, spec in ranges:
        if releases.index(first) <= at <= releases.index(last):
            found: dict[str, Any] = spec
            return found
    return None


def _compile(trainer: str, release: str) -> dict[str, Any]:
    out: dict[str, Any] = {"defaults": {}, "unknown": {}, "exprs": {}, "specs": {}, "variants": {}, "elsewhere": {}}
    if trainer == "lm":
        from moelint.lang.versions import Version
        from moelint.trainer.releases import nearest

        with_core = "main" if release == "main" else nearest("megatron-core", Version(release))[0]
        core = read_json("core")
        _add(
            out,
            {k: v for k, v in core["keys"].items() if k.split(".")[0] in ("model", "ddp", "optimizer")},
            core,
            with_core,
        )
        _variants(out, core, with_core)
    source = read_json(trainer)
    _add(out, source["keys"], source, release)
    _variants(out, source, release)
    for keys in (source["keys"], *source.get("variants", {}).values()):
        for key, ranges in keys.items():
            out["elsewhere"][key] = out["elsewhere"].get(key, 0) | _releases(ranges, source["releases"])
    everywhere = (1 << len(source["releases"])) - 1
    out["elsewhere"] = {k: bits for k, bits in out["elsewhere"].items() if bits != everywhere}
    return out


def _releases(ranges: list[list[Any]], releases: list[str]) -> int:
    """Bit n is set if the key exists in the n-th release."""
    bits = 0
    for first, last, spec in ranges:
        if not spec.get("absent"):
            bits |= (1 << (releases.index(last) + 1)) - (1 << releases.index(first))
    return bits


def _add(out: dict[str, Any], keys: dict[str, Any], source: dict[str, Any], release: str) -> None:
    for key, ranges in keys.items():
        spec = at_release(ranges, source["releases"], release)
        if spec is None:
            continue
        out["specs"][key] = _spec(spec)
        kind, value = _default(spec)
        for name in ("defaults", "exprs", "unknown"):
            out[name].pop(key, None)
        out[{"value": "defaults", "expr": "exprs", "unknown": "unknown"}[kind]][key] = value


def _default(spec: dict[str, Any]) -> tuple[str, Any]:
    if "expr" in spec:
        from moelint.lang.parse import parse

        return "expr", parse(spec["expr"])
    return ("value", spec["default"]) if "default" in spec else ("unknown", None)


def _variants(out: dict[str, Any], source: dict[str, Any], release: str) -> None:
    for name, keys in source.get("variants", {}).items():
        entries: dict[str, Any] = {}
        for key, ranges in keys.items():
            spec = at_release(ranges, source["releases"], release)
            if spec is not None:
                entries[key] = None if spec.get("absent") else (*_default(spec), _spec(spec))
        out["variants"][name] = entries


def _spec(spec: dict[str, Any]) -> Spec:
    choices = spec.get("choices")
    return (
        spec["type"],
        bool(spec.get("null")),
        tuple(choices) if choices else None,
        spec.get("class") or spec.get("dest") or "",
    )


def known_anywhere(trainer: str) -> set[str]:
    """Every canonical key of any release of a trainer; slow."""
    source = read_json(trainer)
    return set(source["keys"]) | {k for v in source.get("variants", {}).values() for k in v}


def all_releases(trainer: str) -> tuple[str, ...]:
    return RELEASES[TRAINER_PACKAGE[trainer]]
