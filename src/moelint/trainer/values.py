"""Whether a field can hold a value: quoted numbers, "None" as text, 1e-4 as text, lists for scalars, values outside a
choice."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.spelling import DTYPES, normal
from moelint.trainer.tables import Spec
from moelint.typed import Any

# types whose values a config file cannot spell, or that take anything
OPEN = frozenset(("any", "object", "callable", "dict", "classvar"))
_NONE = frozenset(("None", "none", "null", "~"))
_TRUE, _FALSE = frozenset(("true", "True", "yes", "on")), frozenset(("false", "False", "no", "off"))


class Fault:
    """``rule``: KEY005 (type) or KEY006 (choice); ``instead``: the value that is meant, UNKNOWN if it cannot be
    told."""

    __slots__ = ("effect", "instead", "message", "rule")

    def __init__(self, rule: str, effect: str, message: str, instead: Any = UNKNOWN) -> None:
        self.rule, self.effect, self.message, self.instead = rule, effect, message, instead


# integer fields that are counted with: a fraction ends in range() or in a group's size, even a whole one such as 4.0
_COUNTED = ("parallel_size", "num_", "batch_size", "seq_length", "topk")

# fields whose declared choices some model class of the trainer widens
_WIDER = frozenset(("model.position_embedding_type", "model.experimental_attention_variant"))


def fault(value: Any, spec: Spec, default: Any, trainer: str, key: str = "") -> Fault | None:
    """What is wrong with a value for a field; None if nothing is. ``key``: the canonical key, for what depends on
    it."""
    kind, nullable, choices, _ = spec
    kinds = kind.split("|")
    if value is None or default is UNKNOWN or any(k in OPEN or k.startswith("enum:") for k in kinds):
        return None
    effect = "refuses" if trainer == "lm" else "crashes"
    if (
        trainer == "lm"
        and isinstance(value, str)
        and (any(k.startswith("list") for k in kinds) or _parsed(value, kinds) is not UNKNOWN)
    ):
        found = None  # the parser converts, and takes one word for a list of one
    elif isinstance(value, str):
        found = _text(value, kinds, nullable, effect)
    elif isinstance(value, bool):
        found = None if "bool" in kinds else _wrong(value, kinds, effect, int(value) if kinds == ["int"] else UNKNOWN)
    elif isinstance(value, (int, float)):
        found = _number(value, kinds, effect, any(word in key for word in _COUNTED))
    elif isinstance(value, (list, tuple)):
        fits = any(k.startswith("list") or k == "str" for k in kinds) or not any(word in key for word in _COUNTED)
        found = None if fits else _wrong(list(value), kinds, effect)
    else:
        found = None
    if found is None and choices and key not in _WIDER:
        found = _choice(normal(value, spec), choices, trainer)
    return found


def any_fits(kind: type, spec: Spec) -> bool:
    """Whether a field that holds one value of a Python type holds all of them: then only ``kind`` tells."""
    if spec[2]:  # choices
        return False
    return kind in (bool, int, type(None)) or (kind is float and not {"float", "bool"}.isdisjoint(spec[0].split("|")))


def _wrong(value: Any, kinds: list[str], effect: str, instead: Any = UNKNOWN) -> Fault:
    said = " or ".join(_NAMES.get(k, k) for k in kinds)
    return Fault("KEY005", effect, f"{value!r} is {_called(value)}, the trainer expects {said}", instead)


_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "list[int]": "a list of whole numbers",
    "list[str]": "a list of names",
    "list[float]": "a list of numbers",
    "list": "a list",
    "dtype": "a data type",
}


def _called(value: Any) -> str:
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a fraction" if isinstance(value, float) else "a number"


def _text(value: str, kinds: list[str], nullable: bool, effect: str) -> Fault | None:
    if "str" in kinds:
        if value in ("None", "null") and nullable and len(kinds) == 1:
            return Fault("KEY005", "crashes", f"{value!r} is text, not the empty value null", None)
        return None
    if "dtype" in kinds:
        last = value.rsplit(".", 1)[-1]
        return (
            None
            if last in DTYPES or last in DTYPES.values()
            else Fault("KEY006", effect, f"{value!r} is no data type that the trainer knows")
        )
    if value in _NONE and nullable:
        return _wrong(value, kinds, effect, None)
    if "bool" in kinds:
        meant = True if value in _TRUE else False if value in _FALSE else UNKNOWN
        found = _wrong(value, kinds, "ignored", meant)
        found.message += "; any text that is not empty counts as true"
        return found
    number = _parsed(value, kinds)
    if any(k.startswith("list") for k in kinds) and number is UNKNOWN:
        return _wrong(value, kinds, effect, [value] if "list[str]" in kinds else UNKNOWN)
    return _wrong(value, kinds, effect, number)


def _parsed(text: str, kinds: list[str]) -> Any:
    plain = text.strip().replace("_", "")
    if "int" in kinds and plain.lstrip("+-").isdigit() and plain.isascii() and len(plain) < 20:
        return int(plain)
    if "float" in kinds and len(plain) < 40:
        try:
            return float(plain)
        except ValueError:
            return UNKNOWN
    return UNKNOWN


def _number(value: float, kinds: list[str], effect: str, counted: bool) -> Fault | None:
    if "float" in kinds or "bool" in kinds:
        return None
    if isinstance(value, float):
        whole = value.is_integer()
        if "int" in kinds:
            return _wrong(value, kinds, effect, int(value) if whole else UNKNOWN) if counted or not whole else None
    elif "int" in kinds:
        return None
    return None  # a path, a name or a list of one that YAML reads as a number: harmless


def _choice(value: Any, choices: tuple[Any, ...], trainer: str) -> Fault | None:
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    strange = [v for v in given if v not in choices and v is not UNKNOWN]
    if not strange:
        return None
    from moelint.lang.suggest import nearest

    words = [c for c in choices if isinstance(c, str)]
    near = nearest(strange[0], words) if isinstance(strange[0], str) else None
    said = ", ".join(str(c) for c in choices)
    effect = "refuses" if trainer == "lm" else "ignored"
    instead = near if near is not None and not isinstance(value, (list, tuple)) else UNKNOWN
    return Fault(
        "KEY006", effect, f"{strange[0]!r} is not one of {said}" + (f": did you mean {near}?" if near else ""), instead
    )
