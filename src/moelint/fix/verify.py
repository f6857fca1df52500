"""Whether a changed text says what was meant, and nothing else, as far as our own readers see."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.fix.changes import same, same_setting
from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.results import Fix
from moelint.typed import Any

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
        if was is not None and now is not None and key not in wanted and _plainly_same(was.value, now.value):
            continue
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


def _plainly_same(a: Any, b: Any) -> bool:
    """Whether two values are the same without a closer look."""
    return a is b or (type(a) is type(b) in (int, str, float) and a == b)


def _same(a: Any, b: Any) -> bool:
    if a is UNKNOWN or b is UNKNOWN:
        return a is b
    return same(a, b)
