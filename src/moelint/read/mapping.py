"""Document → configs: author's spellings become canonical keys, texts become the values that the trainer gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from moelint.lang.unknown import UNKNOWN
from moelint.read import flags
from moelint.read.config import Config, Written
from moelint.read.interpolation import Interpolation
from moelint.read.tables import Table
from moelint.read.values import CONVERSIONS, omegaconf_scalar
from moelint.text.document import Document, Path, Setting
from moelint.text.scalars import Opaque, plain


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
    return Interpolation(kind, settings, define, omegaconf_scalar if table["values"] == "omegaconf" else plain)


def roots(table: Table, document: Document) -> list[Path]:
    """Where the configs of a document lie: the blocks of its dialect that are there, or the whole document."""
    blocks = table["blocks"]
    if not blocks:
        return [()]
    found: dict[Path, None] = {}
    for pattern, conditions in blocks:
        size = len(pattern)
        for path in document.settings:
            if len(path) <= size or path[:size] in found:
                continue
            root = path[:size]
            if all(_fits(p, q) for p, q in zip(pattern, root, strict=False)) and all(
                _holds(document.settings, (*root, *rest), regex) for rest, regex in conditions
            ):
                found[root] = None
    order = list(document.settings)
    return sorted(found, key=lambda root: next(i for i, path in enumerate(order) if path[: len(root)] == root))


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
    if root:
        config.end = max(
            (s.value_end for path, s in document.settings.items() if path[: len(root)] == root), default=start
        )
    for layer in layers:
        fill(config, table, layer)
    return config


def fill(config: Config, table: Table, layer: Layer) -> None:
    """Writes one layer's settings into a config. Settings without a canonical key go to ``unread``."""
    root, size, written = config.root, len(config.root), config.written
    exact, prefixes, collapse = table["exact"], table["prefixes"], table["collapse"]
    by_flags = table["values"] == "flags"
    own = set()
    lists: dict[Path, list[tuple[Path, Setting]]] = {}
    for path, setting in layer.settings.items():
        inside = path[:size] == root if size else True
        key = None
        if inside:
            spelled = path[size:] if size else path
            if by_flags and spelled and isinstance(spelled[0], str) and spelled[0].startswith("-"):
                _flag(config, table, layer, spelled[0], setting)
                continue
            if any(type(part) is int for part in spelled):
                lists.setdefault(_list_path(path), []).append((path, setting))
                continue
            key = canonical(spelled, exact, prefixes)
        if key is None and size and not (inside and spelled in exact):
            key = canonical(path, table["shared_exact"], table["shared_prefixes"])
            if key in own:
                continue
        elif key is not None and size:
            own.add(key)
        if key is None:
            if inside and layer.origin == "file":
                config.unread.append(setting)
            continue
        if collapse and "_target_" in path:
            _collapsed(config, table, layer, key, path, setting)
            continue
        value, assumed, waits = value_of(table, layer.interpolation, setting, key)
        written[key] = Written(key, value, str(path[-1]), layer.document, setting, layer.origin, assumed, waits)
    for path, parts in lists.items():
        _list(config, table, layer, path[size:], path, parts)


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
    conversion = table["convert"].get(key)
    if conversion is not None and value is not UNKNOWN:
        value = CONVERSIONS[conversion](value)
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
        if layer.origin == "file":
            config.unread.append(setting)
        return
    value, assumed, waits = value_of(table, layer.interpolation, setting, "")
    key = entry[0]
    if value is not UNKNOWN:
        value = flags.value_of(entry, flags.BARE if setting.style == "bare" else value)
    config.written[key] = Written(key, value, flag, layer.document, setting, layer.origin, assumed, waits)


def _list_path(path: Path) -> Path:
    for at, part in enumerate(path):
        if type(part) is int:
            return path[:at]
    return path


def _list(
    config: Config, table: Table, layer: Layer, spelled: Path, path: Path, parts: list[tuple[Path, Setting]]
) -> None:
    """A list that holds maps or lists: its scalars stand alone in the document; the value is put together again."""
    key = canonical(spelled, table["exact"], table["prefixes"])
    first = parts[0][1]
    if key is None:
        if layer.origin == "file":
            config.unread.append(first)
        return
    value: Any = []
    for full, setting in parts:
        rest = full[len(path) :]
        if any(type(part) is not int for part in rest):
            value = UNKNOWN
            break
        one = value_of(table, layer.interpolation, setting, "")[0]
        target = value
        for position in rest[:-1]:
            while len(target) <= position:
                target.append([])
            target = target[position]
        target.append(one)
    config.written[key] = Written(key, value, str(path[-1]), layer.document, first, layer.origin)


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
