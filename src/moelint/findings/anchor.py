"""Verdict → finding: it stands at the first of the rule's ``about`` keys that the file writes; others are related."""

from __future__ import annotations

from moelint.findings.problems import place
from moelint.lang.template import render
from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version
from moelint.read.config import Config, Written
from moelint.results import EFFECT_SEVERITY, SEVERITIES, Finding, Place, Related
from moelint.typed import Any


def written_place(written: Written) -> Place:
    """From the key to the end of the value; the key alone if the value runs over several lines."""
    setting, document = written.setting, written.document
    assert setting is not None and document is not None
    source = document.source
    start, end = setting.key_start, setting.value_end
    if end <= start or "\n" in source.text[start:end].rstrip("\r\n"):
        end = setting.key_end if setting.key_end > start else end
    return place(source, start, end)


def in_file(config: Config, key: str) -> Written | None:
    """The setting of a key that this file's text holds, else None."""
    written = config.written.get(key)
    if written is None or written.setting is None or written.document is None or written.origin != "file":
        return None
    return written


def severity(effect: str, own: str | None, override: str | None, certainty: str, strict: bool) -> str:
    """The severity after overrides; an assumed verdict counts one step less, unless ``strict``."""
    base = override or own or EFFECT_SEVERITY[effect]
    if certainty == "certain" or strict:
        return base
    return SEVERITIES[max(0, SEVERITIES.index(base) - 1)]


def plain(value: Any) -> Any:
    """A value for a report: versions are text, unknown is None."""
    if value is UNKNOWN:
        return None
    if isinstance(value, Version):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def fact(key: str, scope: Any, config: Config) -> dict[str, Any]:
    """What a report says of one value that a rule read."""
    value = scope.get(key)
    origin, written, assumed = scope.origin(key)
    if origin == "unknown" and value is not UNKNOWN:
        origin = "derived"
    if key.startswith(("target.", "hw.")) and value is not UNKNOWN:
        origin = "target"
    elif key.startswith("walls."):
        origin = "derived"
    elif key.startswith(("before.", "saved.")):
        origin = key.partition(".")[0]
    out: dict[str, Any] = {"value": plain(value), "origin": origin, "path": None, "line": None, "spelling": None}
    if written is not None:
        out["spelling"] = written.spelling
        if written.setting is not None and written.document is not None:
            out["path"] = written.document.source.path
            out["line"] = written.document.source.position(written.setting.key_start)[0]
    if assumed:
        out["assumed"] = assumed
    return out


def anchor(
    verdict: Any,
    config: Config,
    override: str | None = None,
    strict: bool = False,
    about: list[str] | None = None,
    where: Place | None = None,
) -> Finding | None:
    """The finding of a verdict; None if nothing that the rule is about is written in this file. ``about``: other keys
    than the rule's own; ``where``: the place of the first of them, if this file does not write it."""
    rule = verdict.rule
    keys = rule.about if about is None else about
    stands = [(key, written) for key in keys if (written := in_file(config, key)) is not None]
    if not stands and where is None:
        return None
    scope = verdict.scope
    key = stands[0][0] if stands else keys[0]
    level = severity(rule.effect, rule.severity, override, verdict.certainty, strict)
    item = Finding(rule.id, rule.name, rule.effect, level, "", where or written_place(stands[0][1]), key)
    item.message = render(verdict.message, scope)
    item.case, item.certainty, item.wall = verdict.case, verdict.certainty, rule.wall
    item.config, item.url, item.about = config.name, rule.url, tuple(rule.about)
    for other, setting in stands[1:]:
        if setting.setting is not stands[0][1].setting:
            item.related.append(Related(other, "", written_place(setting)))
    item.facts = {name: fact(name, scope, config) for name in verdict.reads}
    if verdict.certainty == "assumed" and verdict.assumed:
        item.message += assumed_note(verdict.assumed, scope, config)
    return item


def assumed_note(key: str, scope: Any, config: Config) -> str:
    """What an assumed verdict takes for granted, and how to state it."""
    origin, _, why = scope.origin(key)
    name, value = key.rpartition(".")[2], plain(scope.get(key))
    if key.startswith("target."):
        word = name.replace("_", "-")
        shown = "none" if value is None else value
        return f" Assumed: {word}={shown}. State it: # moelint: {word}=…, or --target {word}=…"
    shown = "unset" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if origin == "default":
        return f" Assumed: {name}={shown}, its default. Write it, or say # moelint: complete."
    return f" Assumed: {name}={shown}" + (f", since {why}." if why else ".")
