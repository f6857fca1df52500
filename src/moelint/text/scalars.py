"""YAML 1.1 scalars as PyYAML's SafeLoader resolves them, and values that are kept closed.

One difference is wanted: dates stay text, as no trainer setting is a date.
"""

from __future__ import annotations

import re

from moelint.typed import Any

_NUMBER_START = frozenset("0123456789+-.")
_BOOLEANS = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
_WORDS: dict[str, Any] = {
    spelling: value for word, value in _BOOLEANS.items() for spelling in (word, word.capitalize(), word.upper())
}
_WORDS.update({"~": None, "null": None, "Null": None, "NULL": None, "": None})
# Patterns that `re` compiles when the first number asks for them, and keeps: most files have none but whole ones.
_INT = r"[-+]?(?:0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*(?::[0-5]?[0-9])*)"
_FLOAT = (
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_PREFIX = "tag:yaml.org,2002:"


class Opaque:
    """A value that is never built: one with a tag of its own, a cycle, or more aliases than one wants to follow."""

    __slots__ = ("tag",)

    def __init__(self, tag: str) -> None:
        self.tag = tag

    def __repr__(self) -> str:
        return f"Opaque({self.tag!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.tag == other.tag

    def __hash__(self) -> int:
        return hash(self.tag)


def plain(text: str) -> Any:
    """Value of a scalar without quotes and without a tag."""
    if text[:1] in _NUMBER_START:
        return _number(text)
    return _WORDS.get(text, text)


def tagged(text: str, tag: str) -> Any:
    """Value of a scalar with an explicit tag; one that is not of YAML's core is opaque."""
    kind = tag[len(_PREFIX) :] if tag.startswith(_PREFIX) else None
    if kind in ("str", "timestamp"):
        return text
    if kind == "null":
        return None
    try:
        if kind == "bool":
            return _BOOLEANS[text.lower()]
        if kind == "int":
            return _int(text)
        if kind == "float":
            return _float(text)
    except (ValueError, KeyError, OverflowError, IndexError):
        pass
    return Opaque(tag)


def _number(text: str) -> Any:
    if text[0] != "0" and text.isdecimal() and text.isascii() and len(text) < 4000:
        return int(text)
    whole, point, part = text.partition(".")
    if point and text.isascii() and whole.isdecimal() and len(text) < 4000:
        digits, power, exponent = part.partition("e")
        if digits.isdecimal() and (not power or (exponent[:1] in ("+", "-") and exponent[1:].isdecimal())):
            return float(text)  # the usual ones, without the patterns: they take longer to compile
    try:
        if re.fullmatch(_INT, text):
            return _int(text)
        if re.fullmatch(_FLOAT, text):
            return _float(text)
    except (ValueError, OverflowError):  # `0x_`, or more digits than Python converts
        pass
    return text


def _int(text: str) -> int:
    digits = text.replace("_", "")
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("+-") if digits[0] in "+-" else digits
    if digits == "0":
        return 0
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits[0] == "0":
        return sign * int(digits, 8)
    if ":" in digits:
        return sign * int(_sexagesimal(digits, int))
    return sign * int(digits)


def _float(text: str) -> float:
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits[0] == "-" else 1.0
    digits = digits[1:] if digits[0] in "+-" else digits
    if digits == ".inf":
        return sign * float("inf")
    if digits == ".nan":
        return float("nan")
    if ":" in digits:
        return sign * float(_sexagesimal(digits, float))
    return sign * float(digits)


def _sexagesimal(digits: str, number: Any) -> Any:
    total: Any = number(0)
    for part in digits.split(":"):
        total = total * 60 + number(part)
    return total
