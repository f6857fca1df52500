"""Python's own functions that configuration code calls, by name; the evaluator gives them meaning."""

from __future__ import annotations

from moelint.typed import Any


class Builtin:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


PLAIN: dict[str, Any] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "dict": dict,
    "divmod": divmod,
    "enumerate": enumerate,
    "float": float,
    "format": format,
    "frozenset": frozenset,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "range": range,
    "reversed": reversed,
    "round": round,
    "set": set,
    "sorted": sorted,
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": zip,
    "repr": repr,
}
SPECIAL = (
    "callable",
    "getattr",
    "hasattr",
    "isinstance",
    "issubclass",
    "print",
    "setattr",
    "super",
    "type",
    "vars",
    "id",
    "object",
)
BUILTINS: dict[str, Any] = {name: Builtin(name) for name in (*PLAIN, *SPECIAL)}
TYPES = {"bool": bool, "dict": dict, "float": float, "int": int, "list": list, "set": set, "str": str, "tuple": tuple}
