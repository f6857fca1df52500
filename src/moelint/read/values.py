"""Conversions of written values: what the trainer gets where the text reads as something else."""

from __future__ import annotations

import re
from collections.abc import Callable

from moelint.text.scalars import plain
from moelint.typed import Any

_OMEGACONF_FLOAT = (  # compiled where a file needs it, as all patterns here
    r"(?ai)[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?\Z|[-+]?\.?(?:inf|nan)\Z"
)
_TOKEN = r"\s*(?:(\d+)|(.))"
IMPOSSIBLE: Any = object()
"""No spelling of the dialect gives this value."""
_LIST_LIMIT = 100_000  # elements; far above any real layer count


def omegaconf_scalar(text: str) -> Any:
    """A plain scalar as OmegaConf's loader types it: like YAML 1.1, but ``1e-4`` is a number."""
    if text[:1] in "0123456789+-.iInN" and re.match(_OMEGACONF_FLOAT, text):
        value = plain(text)
        if isinstance(value, str):
            try:
                return float(text.replace("_", ""))
            except ValueError:
                return text
        return value
    return plain(text)


def primus_scalar(text: str) -> Any:
    """What Primus makes of a text in which it has filled in a variable: truth values and numbers, else text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    value = omegaconf_scalar(text)
    return value if isinstance(value, (int, float)) else text


def list_expression(text: str) -> list[int] | None:
    """Value of a list written as Python, such as ``([0]*3+[1]*58)``; None if the text is none.

    Only integers, lists, ``+``, ``*`` and brackets are read; nothing is evaluated.
    """
    tokens = [(int(number) if number else sign) for number, sign in re.findall(_TOKEN, text.strip())]
    try:
        value, at = _sum(tokens, 0)
    except (IndexError, TypeError, ValueError, RecursionError):
        return None
    return value if at == len(tokens) and isinstance(value, list) else None


def _sum(tokens: list[Any], at: int) -> tuple[Any, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] == "+":
        other, at = _product(tokens, at + 1)
        value = value + other
    return value, at


def _product(tokens: list[Any], at: int) -> tuple[Any, int]:
    value, at = _atom(tokens, at)
    while at < len(tokens) and tokens[at] == "*":
        other, at = _atom(tokens, at + 1)
        size = (len(value) if isinstance(value, list) else value) * (len(other) if isinstance(other, list) else other)
        if size > _LIST_LIMIT:
            raise ValueError("too long")
        value = value * other
    return value, at


def _atom(tokens: list[Any], at: int) -> tuple[Any, int]:
    token = tokens[at]
    if isinstance(token, int):
        return token, at + 1
    if token == "(":
        value, at = _sum(tokens, at + 1)
        if tokens[at] != ")":
            raise ValueError("no )")
        return value, at + 1
    if token == "[":
        items: list[Any] = []
        at += 1
        while tokens[at] != "]":
            item, at = _sum(tokens, at)
            items.append(item)
            if tokens[at] == ",":
                at += 1
            elif tokens[at] != "]":
                raise ValueError("no ]")
        return items, at + 1
    raise ValueError(f"unexpected {token!r}")


def _split(text: str, separator: str | None) -> list[Any]:
    return [plain(part.strip()) for part in text.split(separator) if part.strip()]


def _comma_list(value: Any) -> Any:
    return _split(value.strip("[]"), ",") if isinstance(value, str) else value


def _list_or_number(value: Any) -> Any:
    if isinstance(value, str):
        found = list_expression(value)
        return value if found is None else found
    return value


def _none_text(value: Any) -> Any:
    return None if isinstance(value, str) and value.lower() in ("none", "null") else value


def _false_is_none(value: Any) -> Any:
    return None if value is False else value


def _zero_is_none(value: Any) -> Any:
    return None if value == 0 and value is not False else value


def _one_is_none(value: Any) -> Any:
    return None if value == 1 and value is not True else value


def _negate(value: Any) -> Any:
    return not value if isinstance(value, bool) else value


def _truth(value: Any) -> Any:
    """A word that stands for a switch: RLinf writes ``moe_grouped_gemm: te`` or null."""
    return bool(value)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _is_bf16(value: Any) -> Any:
    return str(value).removeprefix("torch.").startswith(("bf16", "bfloat16"))


def _normalization(value: Any) -> Any:
    text = str(value).lower()
    return (
        "RMSNorm"
        if "rms" in text
        else "LayerNorm"
        if text.startswith(("layernorm", "low_precision_layernorm"))
        else value
    )


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "comma-list": _comma_list,
    "list-expression": _list_or_number,
    "none-text": _none_text,
    "false-is-none": _false_is_none,
    "one-is-none": _one_is_none,
    "zero-is-none": _zero_is_none,
    "negate": _negate,
    "truth": _truth,
    "first": _first,
    "is-bf16": _is_bf16,
    "is-bf16-mixed": _is_bf16,
    "normalization": _normalization,
}

# canonical value → how the author writes it, for conversions that can be turned round
WRITTEN: dict[str, Callable[[Any], Any]] = {
    "comma-list": lambda value: ",".join(str(item) for item in value) if isinstance(value, list) else value,
    "negate": _negate,
    "none-text": lambda value: "none" if value is None else value,
    "is-bf16": lambda value: "bfloat16" if value is True else IMPOSSIBLE,
    "is-bf16-mixed": lambda value: "bf16" if value is True else IMPOSSIBLE,
    "truth": lambda value: "te" if value is True else None,
}
