"""The override that takes B back to A."""

from __future__ import annotations

from moelint.comparing.sides import Side
from moelint.lang.unknown import UNKNOWN
from moelint.trainer.change import changed
from moelint.typed import Any


def rollback(a: Side, b: Side) -> str:
    """What to lay over B in its own spelling, where both have one: YAML, flags of a command, assignments of a recipe.
    What cannot be written (a setting whose value in A nobody knows) is said in comments."""
    settings: list[tuple[tuple[str, ...], Any]] = []
    by_hand: list[str] = []
    for key in sorted(a.config.written.keys() | b.config.written.keys()):
        if changed(b.effective, a.effective, key) is False:
            continue
        value = _value(a, key)
        if value is UNKNOWN:
            by_hand.append(f"take out {key}" if key not in a.config.written else f"{key}: its value in A is not known")
        else:
            settings.append((_path(a, b, key), value))
    kind = b.config.dialect.rpartition("-")[2]
    body = (
        _flags(settings, by_hand)
        if kind == "shell"
        else _assignments(settings)
        if kind == "python"
        else _yaml(settings)
    )
    lines = [f"# Takes {b.label} back to {a.label}: lay it over the former as the last override."]
    lines += [f"# By hand: {line}" for line in by_hand]
    return "\n".join([*lines, *body]) + "\n"


def _yaml(settings: list[tuple[tuple[str, ...], Any]]) -> list[str]:
    if not settings:
        return ["{}"]
    import yaml

    tree: dict[str, Any] = {}
    for path, value in settings:
        _put(tree, path, value)
    return [yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, default_flow_style=False).rstrip()]


def _flags(settings: list[tuple[tuple[str, ...], Any]], by_hand: list[str]) -> list[str]:
    from shlex import quote

    out = []
    for path, value in settings:
        name = ".".join(path)
        if not name.startswith("-"):
            out.append(quote(f"{name}={_word(value)}"))
        elif value is None or value is False:
            by_hand.append(f"take out {name}")
        elif value is True:
            out.append(name)
        else:
            words = value if isinstance(value, list) else [value]
            out.append(" ".join([name, *(quote(_word(word)) for word in words)]))
    return out


def _word(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _assignments(settings: list[tuple[tuple[str, ...], Any]]) -> list[str]:
    return [f"cfg.{'.'.join(path)} = {value!r}" for path, value in settings]


def _value(a: Side, key: str) -> Any:
    written = a.config.written.get(key)
    if written is not None and written.value is not UNKNOWN:
        return _plain(written.value)
    return _plain(a.effective.view(None).given(key))


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or value is UNKNOWN or isinstance(value, (bool, int, float, str)) else str(value)


def _path(a: Side, b: Side, key: str) -> tuple[str, ...]:
    """Where B's dialect has the setting; the canonical key where no text tells."""
    for side in () if b.config.dialect.endswith("-python") else (b, a):  # assignments go by the canonical key
        written = side.config.written.get(key)
        if side.config.dialect != b.config.dialect or written is None or written.setting is None or written.derived:
            continue
        if getattr(written.document, "sections", None) is not None:
            return tuple(str(part) for part in written.setting.path)
    return tuple(key.split("."))


def _put(tree: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        below = tree.get(part)
        if not isinstance(below, dict):
            below = tree[part] = {}
        tree = below
    tree[path[-1]] = value
