"""What undecided rules wait for, in the author's words, and how to state it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from moelint.findings.anchor import in_file
from moelint.read.config import Config
from moelint.typed import Any

_MACHINE = ("gpu", "gpus")
_SIZES = "walls"  # the entry of figures that wait for settings
_NAMES = {_SIZES: "sizes of the model (moelint walls names them)"}
_MOST = 1000  # sets of undecided rules that are remembered
_known: dict[tuple[Any, ...], tuple[dict[str, Any], frozenset[str]]] = {}


def waiting(
    undecided: Iterable[tuple[str, str, Iterable[str]]], config: Config, targets: Mapping[str, Any]
) -> dict[str, Any]:
    """The ``undecided`` part of a report. ``undecided``: (rule, severity, the unknown keys that it waits for); ``targets``:
    what is known of the machine. Configs whose rules wait for the same, none of it written, share one: nobody changes it.
    """
    at = tuple([(rule, severity, *keys) for rule, severity, keys in undecided])
    unknown = tuple([name for name in _MACHINE if (found := targets.get(name)) is None or found.hangs_on is not None])
    known = _known.get((unknown, at))
    if known is None:
        if len(_known) >= _MOST:
            _known.clear()
        known = _known[unknown, at] = _of_none_written(at, unknown)
    report, keys = known
    if keys.isdisjoint(config.written):
        return report
    entries = [
        {**_entry(entry["key"], entry["rules"], config), "errors": entry["errors"]} for entry in report["waiting_for"]
    ]
    return {**report, "waiting_for": entries}


def _of_none_written(
    undecided: Iterable[tuple[str, ...]], unknown: tuple[str, ...]
) -> tuple[dict[str, Any], frozenset[str]]:
    """(what is said of undecided rules if nothing is written of what they wait for, all that they wait for). ``unknown``:
    what nobody states of ``_MACHINE``."""
    rules: dict[str, list[str]] = {}
    grave: dict[str, int] = {}  # key → error rules that wait for it
    count = errors = 0
    for rule, severity, *keys in undecided:
        count += 1
        errors += severity == "error"
        for key in dict.fromkeys(name for read in keys for name in _stated_as(read, unknown)):
            grave[key] = grave.get(key, 0) + (severity == "error")
            rules.setdefault(key, [])
            if rule not in rules[key]:
                rules[key].append(rule)
    entries = [{**_entry(key, ids, None), "errors": grave[key]} for key, ids in rules.items()]
    entries.sort(key=lambda entry: (-len(entry["rules"]), entry["key"]))
    return {"count": count, "errors": errors, "waiting_for": entries}, frozenset(rules)


def _stated_as(key: str, unknown: tuple[str, ...]) -> list[str]:
    """The names under which an author states what a rule waits for: facts of a GPU follow from its name, figures of the
    walls from the machine and the sizes of the model."""
    if key.startswith("hw."):
        return ["target.gpu"]
    if key.startswith("walls."):
        from moelint.trainer.walls_adapter import OF_GPU, OF_HBM

        figure = key.removeprefix("walls.")
        if figure == "memory.modelled":
            return ["model.experimental_attention_variant"]
        needed = ("gpu", "gpus") if figure in OF_GPU or figure in OF_HBM else ("gpus",)
        return [f"target.{name}" for name in needed if name in unknown] or [_SIZES]
    return ["target.gpus"] if key == "target.world_size" else [key]


def _entry(key: str, rules: list[str], config: Config | None) -> dict[str, Any]:
    written = None if config is None else in_file(config, key)
    out: dict[str, Any] = {"key": key, "name": _NAMES.get(key, key), "line": None, "rules": sorted(rules), "how": None}
    if written is not None and written.setting is not None and written.document is not None:
        out["line"] = written.document.source.position(written.setting.key_start)[0]
        if written.waits:
            out["name"] = ", ".join(written.waits)
            out["how"] = f"--define {written.waits[0]}=…"
        else:
            out["name"] = written.spelling
    elif key.startswith("target."):
        name = key.removeprefix("target.").replace("_", "-")
        out["name"], out["how"] = name, f'"# moelint: {name}=…"'
    return out
