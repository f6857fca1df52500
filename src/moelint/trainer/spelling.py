"""One spelling for values that trainers accept in several: dtypes, activations, enum members."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.typed import Any

DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
    "double": "fp64",
    "uint8": "fp8",
    "float8_e4m3fn": "fp8",
    "bf16": "bf16",
    "fp16": "fp16",
    "fp32": "fp32",
    "bf16-mixed": "bf16",
    "16-true": "fp16",
    "32": "fp32",
}
CALLABLES = {
    "fast_gelu": "gelu",
    "silu": "silu",
    "swish": "silu",
    "swiglu": "silu",
    "gelu": "gelu",
    "quick_gelu": "quick_gelu",
    "squared_relu": "squared_relu",
    "relu": "relu",
}


def normal(value: Any, spec: Any) -> Any:
    """A written value in the table's spelling; ``spec``: the key's Spec, None if the key is not in the table."""
    if value is UNKNOWN or spec is None or value is None or value is True or value is False:
        return value
    kind = spec[0]
    if isinstance(value, str):
        if kind in ("int", "float", "bool", "list[int]", "int|list[int]"):
            return value
        if "enum:" in kind or "[object]" in kind or (kind == "str|list[str]" and "." in value):
            return value.rsplit(".", 1)[-1]
        if "dtype" in kind:
            last = value.rsplit(".", 1)[-1]
            return DTYPES.get(last, last)
        if kind == "callable" or kind.startswith("callable|"):
            last = value.rsplit(".", 1)[-1].strip("<>")
            return CALLABLES.get(last, last)
        return value
    if isinstance(value, (list, tuple)):
        if "enum:" in kind:
            return [v.rsplit(".", 1)[-1] if isinstance(v, str) else v for v in value]
        return list(value) if isinstance(value, tuple) else value
    return value
