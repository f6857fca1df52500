"""What undecided rules wait for, in the author's words, and how to state it."""

from __future__ import annotations

from collections.abc import Iterable

from moelint.findings.anchor import in_file
from moelint.read.config import Config
from moelint.typed import Any


def waiting(undecided: Iterable[tuple[str, str, Iterable[str]]], config: Config) -> dict[str, Any]:
    """The ``undecided`` part of a report. ``undecided``: (rule, severity, the unknown keys that it waits for)."""
    rules: dict[str, list[str]] = {}
    grave: dict[str, int] = {}  # key → error rules that wait for it
    count = errors = 0
    for rule, severity, keys in undecided:
        count += 1
        errors += severity == "error"
        for key in dict.fromkeys(_stated_as(key) for key in keys):
            grave[key] = grave.get(key, 0) + (severity == "error")
            rules.setdefault(key, [])
            if rule not in rules[key]:
                rules[key].append(rule)
    entries = [{**_entry(key, ids, config), "errors": grave[key]} for key, ids in rules.items()]
    entries.sort(key=lambda entry: (-len(entry["rules"]), entry["key"]))
    return {"count": count, "errors": errors, "waiting_for": entries}


def _stated_as(key: str) -> str:
    """The name under which an author states what a rule waits for: facts of a GPU follow from its name."""
    if key.startswith("hw."):
        return "target.gpu"
    return "target.gpus" if key == "target.world_size" else key


def _entry(key: str, rules: list[str], config: Config) -> dict[str, Any]:
    written = in_file(config, key)
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
