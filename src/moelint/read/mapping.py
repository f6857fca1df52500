"""Document → configs: author's spellings become canonical keys, texts become the values that the trainer gets."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.lang.unknown import UNKNOWN
from moelint.read import flags
from moelint.read.config import Config, Written
from moelint.read.interpolation import Interpolation
from moelint.read.plan import ARGUMENT, COLLAPSED, FLAG, LISTED, PLAIN, UNREAD, list_at, plan_of
from moelint.read.structure import Structure, structure_of
from moelint.read.tables import Table
from moelint.read.values import CONVERSIONS, omegaconf_scalar, primus_scalar
from moelint.text.document import Document, Path, Setting
from moelint.text.scalars import Opaque, plain
from moelint.typed import Any


class Layer:
    """Settings of one document as seen by a config. ``origin``: file | inherited."""

    __slots__ = ("document", "interpolation", "origin", "settings", "structure")

    def __init__(
        self,
        document: Document,
        settings: Mapping[Path, Setting],
        origin: str,
        interpolation: Interpolation | None,
        structure: Structure | None = None,
    ) -> None:
        self.document, self.settings, self.origin, self.interpolation = document, settings, origin, interpolation
        self.structure = structure or structure_of(settings)


def interpolation(table: Table, settings: Mapping[Path, Setting], define: Mapping[str, str]) -> Interpolation | None:
    """What resolves ``${…}`` in a dialect, over the settings that references may name; None where it has none."""
    kind = table["interpolation"]
    if kind == "none":
        return None
    scalar = omegaconf_scalar if table["values"] == "omegaconf" else primus_scalar if kind == "primus" else plain
    return Interpolation(kind, settings, define, scalar)


def config_at(table: Table, document: Document, root: Path, name: str, layers: list[Layer]) -> Config:
    """The config at ``root``; ``layers`` from the outermost ancestor to the file itself, the last wins."""
    start, end = _extent(table, document, root, layers[-1])
    config = Config(name, document.source.position(start)[0], table["id"], table["trainer"], document)
    config.root, config.start = root, start
    config.end = end if root else getattr(document, "end", config.end)
    for layer in layers:
        fill(config, table, layer)
    return config


def _extent(table: Table, document: Document, root: Path, layer: Layer) -> tuple[int, int]:
    """From the first key below ``root`` to the last value; (0, 0) if there is none."""
    if getattr(document, "in_order", False) and layer.document is document:
        plan = plan_of(layer.structure, table, root)
        if plan.first < 0:
            return 0, 0
        if not root:
            return next(iter(document.settings.values())).key_start, 0
        settings = list(document.settings.values())
        return settings[plan.first].key_start, settings[plan.last].value_end
    below = [setting for path, setting in document.settings.items() if path[: len(root)] == root]
    start = min([setting.key_start for setting in below], default=0)
    return start, max([setting.value_end for setting in below], default=start)


_AS_IT_IS = frozenset((int, float, bool, type(None)))  # values that are the same in every dialect
_NUMBERS = "0123456789+-.iInN"  # what numbers begin with: values.omegaconf_scalar


def _is_a_word(text: str) -> bool:
    """Whether a text is sure to be the same text for OmegaConf, and to stand for nothing else."""
    return text[:1] not in _NUMBERS and "$" not in text and text != "???" and plain(text) is text


def fill(config: Config, table: Table, layer: Layer) -> None:
    """Writes one layer's settings into a config. Settings without a canonical key go to ``unread``."""
    written, document, origin = config.written, layer.document, layer.origin
    resolver = layer.interpolation
    steps = plan_of(layer.structure, table, config.root).steps
    for (kind, key, spelling, converted, path), setting in zip(steps, layer.settings.values(), strict=True):
        if kind == PLAIN:
            value = setting.value
            if (
                not converted
                and setting.__class__ is Setting
                and (value.__class__ in _AS_IT_IS or (value.__class__ is str and _is_a_word(value)))
            ):
                written[key] = Written(key, value, spelling, document, setting, origin)
            else:
                value, assumed, waits = value_of(table, resolver, setting, key)
                written[key] = Written(key, value, spelling, document, setting, origin, assumed, waits)
        elif kind == ARGUMENT:
            _argument(config, table, layer, key, setting)
        elif kind == FLAG:
            _flag(config, table, layer, key, setting)
        elif kind == COLLAPSED:
            _collapsed(config, table, layer, key, path, setting)
        elif kind == UNREAD:
            if origin == "file":
                config.unread.append(setting)
        elif kind == LISTED:
            size = len(config.root)
            _list(config, table, layer, key, path[: size + list_at(path[size:])])


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
