"""All settings of a file as its framework sees them, and how a hook adds what they imply to a config."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.read.mapping import Layer
from moelint.text.document import Path, Setting
from moelint.typed import Any


class View:
    """All settings of a file with what it inherits, interpolations resolved."""

    __slots__ = ("layers", "resolver", "settings")

    def __init__(self, settings: Mapping[Path, Setting], layers: list[Layer]) -> None:
        self.settings, self.layers = settings, layers
        self.resolver = layers[-1].interpolation

    def get(self, *path: Any) -> Any:
        """The value at a path: None if nothing stands there, UNKNOWN if it is not known."""
        setting = self.settings.get(path)
        if setting is None:
            return None
        value = setting.value
        if isinstance(value, str) and self.resolver is not None and ("$" in value or value == "???"):
            return self.resolver.resolve(value, path).value
        return value

    def is_sure(self, *path: Any) -> bool:
        """Whether the setting at a path, if there is one, is more than the default of a script's variable."""
        return getattr(self.settings.get(path), "assumed", None) is None

    def sure(self, *path: Any) -> int | None:
        """A positive whole number at a path that is not only assumed, or None."""
        return self.number(*path) if self.is_sure(*path) else None

    def number(self, *path: Any) -> int | None:
        """A positive whole number at a path, or None."""
        value = self.get(*path)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def imply(config: Config, key: str, value: Any, view: View, path: Path) -> None:
    """Sets a key that the setting at ``path`` implies, if the config does not write it itself."""
    setting = view.settings.get(path)
    if setting is None or key in config.written:
        return
    layer = next(layer for layer in reversed(view.layers) if layer.settings.get(path) is setting)
    config.written[key] = Written(key, value, str(path[-1]), layer.document, setting, layer.origin, derived=True)


def state(config: Config, key: str, value: Any) -> None:
    """States a target that a directive has not stated."""
    if value is not None and value is not UNKNOWN:
        config.stated.setdefault(key, (value, "config"))
