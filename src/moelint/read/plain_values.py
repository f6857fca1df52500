"""Values of the Python evaluator as YAML would say them."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.text.python.values import ClassValue, EnumMember, External, Function, Opaque, Raised
from moelint.typed import Any


def plain_value(value: Any) -> Any:
    """A value as YAML would say it: enum members by name, functions and dtypes by their dotted name."""
    if isinstance(value, (Opaque, Raised)):
        return UNKNOWN
    if isinstance(value, External):
        return value.name if value.name.startswith("torch") else value.name.rsplit(".", 1)[-1]
    if isinstance(value, (EnumMember, Function, ClassValue)):
        return value.name
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [plain_value(item) for item in value]
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    if isinstance(value, dict):
        pairs = {str(key): plain_value(item) for key, item in value.items()}
        return UNKNOWN if any(item is UNKNOWN for item in pairs.values()) else pairs
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return UNKNOWN
