"""Document → configs: author's spellings become canonical keys, texts become the values that the trainer gets."""

from __future__ import annotations

import re
from collections.abc import Mapping

from moelint.lang.unknown import UNKNOWN
from moelint.read import flags
from moelint.read.config import Config, Written
from moelint.read.fields import is_foreign
from moelint.read.interpolation import Interpolation
from moelint.read.tables import Table
from moelint.read.values import CONVERSIONS, omegaconf_scalar, primus_scalar
from moelint.text.document import Document, Path, Setting
from moelint.text.scalars import Opaque, plain
from moelint.typed import Any


class Layer:
    """Settings of one document as seen by a config. ``origin``: file | inherited."""

    __slots__ = ("document", "interpolation", "origin", "settings")

    def __init__(
        self, document: Document, settings: Mapping[Path, Setting], origin: str, interpolation: Interpolation | None
    ) -> None:
        self.document, self.settings, self.origin, self.interpolation = document, settings, origin, interpolation


def interpolation(table: Table, settings: Mapping[Path, Setting], define: Mapping[str, str]) -> Interpolation | None:
    """What resolves ``${…}`` in a dialect, over the settings that references may name; None where it has none."""
    kind = table["interpolation"]
    if kind == "none":
        return None
    scalar = omegaconf_scalar if table["values"] == "omegaconf" else primus_scalar if kind == "primus" else plain
    return Interpolation(kind, settings, define, scalar)


def roots(table: Table, settings: Mapping[Path, Setting]) -> list[Path]:
    """Where the configs of a document lie: the blocks of its dialect that are there, else the whole document."""
    blocks = table["blocks"]
    if not blocks:
        return [()]
    found: dict[Path, None] = {}
    for pattern, conditions in blocks:
        size = len(pattern)
        for path in settings:
            if len(path) <= size or path[:size] in found:
                continue
            root = path[:size]
            if all(_fits(p, q) for p, q in zip(pattern, root, strict=False)) and all(
                _holds(settings, (*root, *rest), regex) for rest, regex in conditions
            ):
                found[root] = None
    return list(found) or [()]


def _fits(pattern: Any, part: Any) -> bool:
    if pattern is None or pattern == part:
        return True
    return (
        isinstance(pattern, str) and pattern.endswith("*") and isinstance(part, str) and part.startswith(pattern[:-1])
    )


def _holds(settings: Mapping[Path, Setting], path: Path, regex: str) -> bool:
    setting = settings.get(path)
    return setting is not None and re.search(regex, str(setting.value)) is not None


def config_at(table: Table, document: Document, root: Path, name: str, layers: list[Layer]) -> Config:
    """The config at ``root``; ``layers`` from the outermost ancestor to the file itself, the last wins."""
    starts = [s.key_start for path, s in document.settings.items() if path[: len(root)] == root]
    start = min(starts, default=0)
    config = Config(name, document.source.position(start)[0], table["id"], table["trainer"], document)
    config.root = root
    config.start = start
    if not root:
        config.end = getattr(document, "end", config.end)
    else:
        config.end = max(
            (s.value_end for path, s in document.settings.items() if path[: len(root)] == root), default=start
        )
    for layer in layers:
        fill(config, table, layer)
    return config


def fill(config: Config, table: Table, layer: Layer) -> None:
    """Writes one layer's settings into a config. Settings without a canonical key go to ``unread``."""
    root, size, written = config.root, len(config.root), config.written
    memo, shared = _memo(table["id"]), table["shared_exact"] or table["shared_prefixes"]
    own: set[str] = set()
    listed: set[Path] = set()
    for path, setting in layer.settings.items():
        if not size:
            spelled, inside = path, True
        else:
            spelled, inside = path[size:], path[:size] == root
        if inside:
            known = memo.get(spelled)
            if known is None:
                known = memo[spelled] = _sort(table, spelled)
            kind, key = known
        else:
            kind, key = _UNREAD, ""
        if kind is _UNREAD and size and shared:
            key = canonical(path, table["shared_exact"], table["shared_prefixes"]) or ""
            if not key or key in own:
                continue
            kind = _PLAIN
        elif kind is _PLAIN and size:
            own.add(key)
        if kind is _PLAIN:
            value, assumed, waits = value_of(table, layer.interpolation, setting, key)
            written[key] = Written(key, value, str(path[-1]), layer.document, setting, layer.origin, assumed, waits)
        elif kind is _ARGUMENT:
            _argument(config, table, layer, key, setting)
        elif kind is _FLAG:
            _flag(config, table, layer, key, setting)
        elif kind is _COLLAPSED:
            _collapsed(config, table, layer, key, path, setting)
        elif kind is _UNREAD:
            if inside and layer.origin == "file":
                config.unread.append(setting)
        elif kind is _LISTED:
            head = path[: size + _list_at(spelled)]
            if head not in listed:
                listed.add(head)
                _list(config, table, layer, key, head)


_UNREAD, _PLAIN, _FLAG, _ARGUMENT, _COLLAPSED, _LISTED, _NOTHING = range(7)
_memos: dict[str, dict[Path, tuple[int, str]]] = {}
_MEMO_LIMIT = 50_000  # paths remembered a dialect


def _memo(dialect: str) -> dict[Path, tuple[int, str]]:
    memo = _memos.setdefault(dialect, {})
    if len(memo) > _MEMO_LIMIT:
        memo.clear()
    return memo


def _sort(table: Table, spelled: Path) -> tuple[int, str]:
    """What a path, relative to its config, is, and its canonical key (or flag, or argument)."""
    if table["values"] in ("flags", "words") and spelled and isinstance(spelled[0], str) and spelled[0].startswith("-"):
        return _FLAG, spelled[0]
    listed = _list_at(spelled)
    if listed < len(spelled):
        key = canonical(spelled[:listed], table["exact"], table["prefixes"])
        if key is None:
            return (_NOTHING if _known(spelled[:listed], table) else _UNREAD), ""
        return (_LISTED, key) if not key.startswith("args.") else (_NOTHING, "")
    key = canonical(spelled, table["exact"], table["prefixes"])
    if key is None:
        return (_NOTHING if _known(spelled, table) else _UNREAD), ""
    if table["collapse"] and "_target_" in spelled:
        return _COLLAPSED, key
    if key.startswith("args."):
        name = key[len("args.") :]
        if flags.argument(name) is not None:
            return _ARGUMENT, name
        return (_UNREAD, "") if table["rest"] is None else (_PLAIN, table["rest"] + name)
    if table["rest"] is not None and is_foreign(key):
        return _PLAIN, table["rest"] + ".".join(str(part) for part in spelled)
    return _PLAIN, key


def _known(spelled: Path, table: Table) -> bool:
    """Whether the dialect knows a path and gives it no key on purpose."""
    return spelled in table["exact"] or any(spelled[:n] in table["prefixes"] for n in range(len(spelled)))


def _list_at(path: Path) -> int:
    for at, part in enumerate(path):
        if type(part) is int:
            return at
    return len(path)


def canonical(path: Path, exact: Mapping[Path, str | None], prefixes: Mapping[Path, str | None]) -> str | None:
    """Canonical key of a path, relative to its config; None if the dialect gives it none."""
    if path in exact:
        return exact[path]
    for length in range(len(path) - 1, -1, -1):
        head = path[:length]
        if head in prefixes:
            stem = prefixes[head]
            return None if stem is None else stem + ".".join([str(part) for part in path[length:]])
    return None


def value_of(
    table: Table, resolver: Interpolation | None, setting: Setting, key: str
) -> tuple[Any, str | None, tuple[str, ...]]:
    """(value, why assumed, names waited for) of a setting in its dialect."""
    value = setting.value
    assumed: str | None = None
    waits: tuple[str, ...] = ()
    if isinstance(value, str):
        if resolver is not None and ("$" in value or value == "???"):
            found = resolver.resolve(value, setting.path)
            value, assumed, waits = found.value, found.assumed, found.waits
        elif setting.style == "plain" and table["values"] == "omegaconf":
            value = omegaconf_scalar(value)
    elif isinstance(value, list):
        value, assumed, waits = _items(table, resolver, setting, value)
    elif isinstance(value, Opaque):
        value = UNKNOWN
    if setting.__class__ is not Setting:  # a word of a script, which may hang on variables
        assumed, waits = assumed or setting.assumed, waits + setting.waits  # type: ignore[attr-defined]
    conversion = table["convert"].get(key)
    if conversion is not None and value is not UNKNOWN:
        value = CONVERSIONS[conversion](value)
    if isinstance(value, (bool, int, float)) and key.startswith("env_vars."):
        value = (
            setting.raw if value is setting.value else str(value)
        )  # a process's environment is text: 1 and "1" are one
    return value, assumed, waits


def _items(
    table: Table, resolver: Interpolation | None, setting: Setting, value: list[Any]
) -> tuple[Any, str | None, tuple[str, ...]]:
    if setting.items is None or not any(isinstance(item, (str, list, Opaque)) for item in value):
        return value, None, ()
    out: list[Any] = []
    assumed: str | None = None
    waits: tuple[str, ...] = ()
    for item in setting.items:
        one, why, names = value_of(table, resolver, item, "")
        out.append(one)
        assumed, waits = assumed or why, waits + names
    if any(one is UNKNOWN for one in out):
        return UNKNOWN, None, waits
    return out, assumed, waits


def _flag(config: Config, table: Table, layer: Layer, flag: str, setting: Setting) -> None:
    entry = flags.entry(flag)
    if entry is None:
        if layer.origin == "file" and not flags.is_of_other_program(flag):
            config.unread.append(setting)
        return
    value, assumed, waits = value_of(table, layer.interpolation, setting, "")
    key = entry[0]
    if value is False and assumed and not entry[3]:
        return  # launchers that fill in variables leave out a flag whose value is false
    if value is not UNKNOWN:
        value = flags.value_of(entry, flags.BARE if setting.style == "bare" else value)
    config.written[key] = Written(key, value, flag, layer.document, setting, layer.origin, assumed, waits)


def _argument(config: Config, table: Table, layer: Layer, name: str, setting: Setting) -> None:
    found = flags.argument(name)
    assert found is not None
    value, assumed, waits = value_of(table, layer.interpolation, setting, found[0])
    if not (table["typed"] and value is setting.value and isinstance(value, str)):  # text that no parser will read
        value = flags.argument_value(found, value)
    key = found[0]
    config.written[key] = Written(
        key, value, str(setting.path[-1]), layer.document, setting, layer.origin, assumed, waits
    )


def _list(config: Config, table: Table, layer: Layer, key: str, path: Path) -> None:
    """A list that holds maps: its scalars stand alone in the document; the value is put together again if it is a list
    of enum members of a dump, else it is unknown."""
    size = len(path)
    parts = [(full[size:], setting) for full, setting in layer.settings.items() if full[:size] == path]
    value: Any = UNKNOWN
    if table["collapse"]:
        names = [setting.value for rest, setting in parts if rest[1:] == ("_name_",)]
        if names and len(names) == len({rest[0] for rest, _ in parts}):
            value = names
    config.written[key] = Written(key, value, str(path[-1]), layer.document, parts[0][1], layer.origin)


def _collapsed(config: Config, table: Table, layer: Layer, key: str, path: Path, setting: Setting) -> None:
    """``{_target_: torch.bfloat16, _call_: false}`` and enum maps of a dump stand for one value."""
    head = path[: path.index("_target_")]
    settings = layer.settings
    owner = key[: -len("._target_")] if key.endswith("._target_") else key
    name = settings.get((*head, "_name_"))
    arguments = settings.get((*head, "_args_"))
    call = settings.get((*head, "_call_"))
    text = str(setting.value)
    if name is not None:
        value: Any = name.value
    elif call is not None and call.value is False:
        value = text
    elif arguments is not None and isinstance(arguments.value, list) and len(arguments.value) == 1 and len(head) > 1:
        value = arguments.value[0]
    else:
        config.written[key] = Written(key, text, "_target_", layer.document, setting, layer.origin)
        return
    if text.startswith("torch.") and text.count(".") == 1:
        value = text
    for part in ("_name_", "_args_", "_call_"):
        config.written.pop(f"{owner}.{part}", None)
    config.written[owner] = Written(owner, value, str(head[-1]), layer.document, setting, layer.origin)
