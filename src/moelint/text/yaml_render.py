"""Values → YAML text that PyYAML, and readers of YAML 1.2, read back as the same value."""

from __future__ import annotations

import re

from moelint.text.document import EditError
from moelint.text.scalars import plain
from moelint.typed import Any

_PLAIN = r"[^\s\-?:,\[\]{}#&*!|>'\"%@`\x00-\x1f\x7f][^\x00-\x1f\x7f\x85\u2028\u2029\ufeff]*"
_DASHED = r"[-?:][^\s?:,\[\]{}#&*!|>'\"%@`\x00-\x1f\x7f][^\x00-\x1f\x7f\x85\u2028\u2029\ufeff]*"
_UNQUOTED = f"{_PLAIN}|{_DASHED}"
_LOOKS_TYPED = (  # what another reader than PyYAML may take for a number, a date or a boolean
    r"[-+]?(?:0[oO]?[0-7_]+|0[xX][0-9a-fA-F_]+|[0-9][0-9_,]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|[yYnN]|=|<<|[-+]?\.?(?:inf|nan|Inf|NaN|INF|NAN)"
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BOOL_PAIRS = (("true", "false"), ("yes", "no"), ("on", "off"))
_MUST_ESCAPE_ASCII = "[^\x20-\x7e]"
_MUST_ESCAPE = "[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\u2028|\u2029"  # slow


def render(value: Any, like: str = "", style: str = "plain", flow: bool = False) -> str:
    """One line of text for a value. ``like``: the text it replaces, whose spelling of booleans is kept; ``style``: the
    quotes that a string gets (plain, single, double). Raises EditError for a value that YAML has no text for."""
    if isinstance(value, bool):
        return _boolean(value, like)
    if value is None:
        return "~" if like == "~" else "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, str):
        return text(value, style, flow)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(render(item, "", style, True) for item in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{text(str(key), style, True)}: {render(item, '', style, True)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    raise EditError(f"a {type(value).__name__} has no YAML text")


def text(value: str, style: str = "plain", flow: bool = False) -> str:
    """A string as a plain scalar where it reads back as itself, else in quotes."""
    if re.search(_MUST_ESCAPE_ASCII if value.isascii() else _MUST_ESCAPE, value):
        return _double(value)
    if style == "double":
        return _double(value)
    if style != "single" and _is_plain(value, flow):
        return value
    return "'" + value.replace("'", "''") + "'"


def _is_plain(value: str, flow: bool) -> bool:
    if not re.fullmatch(_UNQUOTED, value) or value != value.strip():
        return False
    if ": " in value or " #" in value or value.endswith(":") or value.startswith(("---", "...")):
        return False
    if flow and (any(c in ",[]{}" for c in value) or ":" in value or value[0] in "-?"):
        return False
    return plain(value) is value and not re.fullmatch(_LOOKS_TYPED, value)


def _double(value: str) -> str:
    out = []
    for char in value:
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif re.match(_MUST_ESCAPE, char):
            code = ord(char)
            out.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def _boolean(value: bool, like: str) -> str:
    word = "true" if value else "false"
    for pair in _BOOL_PAIRS:
        if like.lower() in pair:
            word = pair[0 if value else 1]
    if len(like) > 1 and like.isupper() and like.lower() in ("true", "false", "yes", "no", "on", "off"):
        return word.upper()
    return word.capitalize() if like in ("True", "False", "Yes", "No", "On", "Off") else word


def _real(value: float) -> str:
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    shown = repr(value)
    if "e" in shown:  # YAML 1.1 wants a point and a sign: 1e-05 would be a string
        digits, exponent = shown.split("e")
        digits = digits if "." in digits else digits + ".0"
        shown = f"{digits}e{exponent if exponent[0] in '+-' else '+' + exponent}"
    return shown
