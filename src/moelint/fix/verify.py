"""Whether a changed text says what was meant, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.fix.changes import same, same_setting
from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.results import Fix
from moelint.text.source import Source
from moelint.typed import Any

_MAX_NODES = 200_000  # values that the second reader may show; more would be aliases of aliases
_MISSING = object()


def unintended(before: list[Config], after: list[Config], fixes: list[tuple[str | None, Fix]]) -> str | None:
    """What changed that no fix meant to change, in words; None if all is well. ``fixes``: with their configs' names."""
    if [config.name for config in before] != [config.name for config in after]:
        return "the file would hold other configs than before"
    for old, new in zip(before, after, strict=True):
        wanted: dict[str, Any] = {}
        passed_on: dict[str, Any] = {}  # what other configs of the file are to have, and this one may inherit
        for name, fix in fixes:
            mine = name is None or name == old.name
            (wanted if mine else passed_on).update(fix.set)
            (wanted if mine else passed_on).update(dict.fromkeys(fix.unset, _MISSING))
        reason = _differs(old, new, wanted, passed_on)
        if reason is not None:
            return reason
    return None


def _differs(old: Config, new: Config, wanted: Mapping[str, Any], passed_on: Mapping[str, Any]) -> str | None:
    touched = {path for config in (old, new) for key in wanted if (path := _path(config.written.get(key))) is not None}
    for key in old.written.keys() | new.written.keys() | wanted.keys():
        was, now = old.written.get(key), new.written.get(key)
        if key in wanted:
            value = wanted[key]
            if value is _MISSING:
                if now is not None and now.origin == "file":
                    return f"{key} would still be there"
            elif now is not None and (now.value is UNKNOWN or not same_setting(key, now.value, value)):
                return f"{key} would read back as {now.value!r}, not {value!r}"
        elif not _same(was and was.value, now and now.value) or (was is None) != (now is None):
            paths = _path(was), _path(now)
            if key in passed_on and _inherits(was) and _inherits(now):
                value = passed_on[key]
                if (now is None) if value is _MISSING else (now is not None and same_setting(key, now.value, value)):
                    continue
            if not any(path in touched for path in paths if path is not None):  # one setting may feed two keys
                return f"{key} would change too"
    if old.completeness != new.completeness:
        return f"the config would no longer be {old.completeness}"
    return None


def _inherits(written: Written | None) -> bool:
    return written is None or written.origin != "file"


def _path(written: Written | None) -> tuple[Any, ...] | None:
    return None if written is None or written.setting is None else written.setting.path


def _same(a: Any, b: Any) -> bool:
    if a is UNKNOWN or b is UNKNOWN:
        return a is b
    return same(a, b)


# ---- a second reader


def contradicts(before: Source, after: Source) -> str | None:
    """What ruamel.yaml, as a reader that shares no code with ours, finds changed beyond what ours does; None if they
    agree, if it is not installed, or if it cannot read the text as it was."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        return None
    import warnings

    from moelint.text.yaml_reader import read_yaml

    def second(source: Source) -> list[dict[Any, Any]]:
        loader = YAML(typ="safe", pure=True)
        loader.allow_duplicate_keys = True
        with warnings.catch_warnings():  # an anchor that is set again, for one: no matter of ours
            warnings.simplefilter("ignore")
            return [_flat(document) for document in loader.load_all(source.text)]

    try:
        was = second(before)
    except (YAMLError, ValueError, TypeError, AttributeError, RecursionError, KeyError, OverflowError):
        return None
    try:
        now = second(after)
    except (YAMLError, ValueError, TypeError, AttributeError, RecursionError, KeyError) as error:
        return f"ruamel.yaml cannot read it: {str(error).splitlines()[0]}"
    sides = [[_settings(document) for document in read_yaml(source)] for source in (before, after)]
    ours, theirs = _changed(*sides), _changed(was, now)
    typed = {spot for spot in ours - theirs if _meant_all_along(spot, sides[0], sides[1], was)}
    if ours - typed != theirs:
        odd = sorted(".".join(map(str, path)) for _, path in (ours - typed) ^ theirs)
        return f"ruamel.yaml reads another change than we do, at {', '.join(odd[:3]) or 'the document'}"
    return None


def _meant_all_along(
    spot: tuple[int, tuple[Any, ...]],
    before: list[dict[Any, Any]],
    after: list[dict[Any, Any]],
    theirs: list[dict[Any, Any]],
) -> bool:
    """Whether a text has become the value that YAML 1.2, which ruamel reads, took it for all along: 1e-4 → 0.0001."""
    number, path = spot
    if not all(number < len(side) and path in side[number] for side in (before, after, theirs)):
        return False
    old = before[number][path]
    return isinstance(old, str) and same(theirs[number][path], after[number][path])


def _settings(document: Any) -> dict[Any, Any]:
    return {path: setting.value for path, setting in document.settings.items()}


def _changed(before: list[dict[Any, Any]], after: list[dict[Any, Any]]) -> set[tuple[int, tuple[Any, ...]]]:
    """Paths, with the document's number, whose values are not the same."""
    out = set()
    for i in range(max(len(before), len(after))):
        old, new = (side[i] if i < len(side) else {} for side in (before, after))
        for path in old.keys() | new.keys():
            if not same(old.get(path, _MISSING), new.get(path, _MISSING)):
                out.add((i, path))
    return out


def _flat(data: Any) -> dict[Any, Any]:
    """Paths and values in the shape of ``Document.settings``. Raises OverflowError on more than ``_MAX_NODES``."""
    out: dict[Any, Any] = {}
    left = _MAX_NODES

    def holds_mapping(value: list[Any]) -> bool:
        nonlocal left
        left -= len(value)
        if left < 0:
            raise OverflowError
        return any(isinstance(item, dict) or (isinstance(item, list) and holds_mapping(item)) for item in value)

    def walk(value: Any, path: tuple[Any, ...]) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OverflowError
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk(item, (*path, key if isinstance(key, str) else str(key)))
        elif isinstance(value, list) and holds_mapping(value):
            for i, item in enumerate(value):
                walk(item, (*path, i))
        else:
            out[path] = value

    walk(data, ())
    return out
