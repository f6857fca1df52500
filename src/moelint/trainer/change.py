"""Whether a setting differs between two revisions of a config, as far as its author has a hand in it."""

from __future__ import annotations

from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN, Unknown
from moelint.trainer.effective import Effective


def changed(new: Effective, old: Effective, key: str) -> bool | Unknown:
    """True if the value before any rewrite differs.

    What neither revision writes has not changed, unless two releases have different defaults. A setting that comes or
    goes has, unless it states the default: what a fragment leaves open was open before too, and now it is decided.
    """
    memo = new.scope().memo  # the same under every mask; no name of the language has a space
    name = f" changed {key}"
    if name not in memo:
        memo[name] = _compare(new, old, key)
    found: bool | Unknown = memo[name]
    return found


def _compare(new: Effective, old: Effective, key: str) -> bool | Unknown:
    mine, other = new.config.written.get(key), old.config.written.get(key)
    one, two = new.view(None).given(key), old.view(None).given(key)
    same = equal(one, two)
    if mine is None and other is None:
        return same is False and "." in key
    if mine is None or other is None:
        return same is not True
    if same is UNKNOWN and mine.setting is not None and other.setting is not None:
        raw = mine.setting.value, other.setting.value
        return False if raw[0] == raw[1] else UNKNOWN  # the same variable, or two
    return UNKNOWN if same is UNKNOWN else not same
