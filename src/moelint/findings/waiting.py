"""What undecided rules wait for, in the author's words, and how to state it."""

from __future__ import annotations

from collections.abc import Iterable

from moelint.findings.anchor import in_file
from moelint.read.config import Config
from moelint.typed import Any

_MOST = 1000  # sets of undecided rules that are remembered
_known: dict[tuple[Any, ...], tuple[dict[str, Any], frozenset[str]]] = {}


def waiting(undecided: Iterable[tuple[str, str, Iterable[str]]], config: Config) -> dict[str, Any]:
    """The ``undecided`` part of a report. ``undecided``: (rule, severity, the unknown keys that it waits for). Configs
    whose rules wait for the same, none of it written, share one: nobody changes it."""
    at = tuple([(rule, severity, *keys) for rule, severity, keys in undecided])
    found = _known.get(at)
    if found is None:
        if len(_known) >= _MOST:
            _known.clear()
        found = _known[at] = _of_none_written(at)
    report, keys = found
    if keys.isdisjoint(config.written):
        return report
    entries = [
        {**_entry(entry["key"], entry["rules"], config), "errors": entry["errors"]} for entry in report["waiting_for"]
    ]
    return {**report, "waiting_for": entries}


def _of_none_written(undecided: Iterable[tuple[str, ...]]) -> tuple[dict[str, Any], frozenset[str]]:
    """(what is said of undecided rules if nothing is written of what they wait for, all that they wait for)."""
    rules: dict[str, list[str]] = {}
    grave: dict[str, int] = {}  # key → error rules that wait for it
    count = errors = 0
    for rule, severity, *keys in undecided:
        count += 1
        errors += severity == "error"
        for key in dict.fromkeys(_stated_as(key) for key in keys):
            grave[key] = grave.get(key, 0) + (severity == "error")
            rules.setdefault(key, [])
            if rule not in rules[key]:
                rules[key].append(rule)
    entries = [{**_entry(key, ids, None), "errors": grave[key]} for key, ids in rules.items()]
    entries.sort(key=lambda entry: (-len(entry["rules"]), entry["key"]))
    return {"count": count, "errors": errors, "waiting_for": entries}, frozenset(rules)


def _stated_as(key: str) -> str:
    """The name under which an author states what a rule waits for: facts of a GPU follow from its name."""
    if key.startswith("hw."):
        return "target.gpu"
    return "target.gpus" if key == "target.world_size" else key


def _entry(key: str, rules: list[str], config: Config | None) -> dict[str, Any]:
    written = None if config is None else in_file(config, key)
    out: dict[str, Any] = {"key": key, "name": key, "line": None, "rules": sorted(rules), "how": None}
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
