"""What a dataclass annotation and a default say, as plain data: ``Optional[Union[int, List[int]]]`` → int|list[int],
nullable."""

from __future__ import annotations

import ast
import re
from typing import Any

_PLAIN = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "Path": "str",
    "dict": "dict",
    "Dict": "dict",
    "set": "list",
}
_LISTS = {"list", "List", "tuple", "Tuple", "Sequence", "set", "Set"}
_ENUMS = re.compile(r"^(AttnBackend|CudaGraphScope|CudaGraphModule|InferenceCudaGraphScope|LayerType|ModelType)$")

DTYPES = {
    "float32": "fp32",
    "float": "fp32",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "float64": "fp64",
    "uint8": "fp8",
}


class Annotation:
    """``types``: names joined by the caller; ``nullable``: None is allowed; ``choices``: values of a Literal."""

    def __init__(self) -> None:
        self.types: list[str] = []
        self.nullable = False
        self.choices: list[Any] = []

    def add(self, name: str) -> None:
        if name not in self.types:
            self.types.append(name)


def read_annotation(text: str) -> Annotation:
    """Reads the text of an annotation. Names that mean nothing in a config file become 'object'."""
    found = Annotation()
    _walk(ast.parse(text, mode="eval").body, found)
    return found


def _leaf(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _walk(node: ast.expr, found: Annotation) -> None:
    if isinstance(node, ast.BinOp):
        _walk(node.left, found)
        _walk(node.right, found)
    elif isinstance(node, ast.Constant):
        if node.value is None:
            found.nullable = True
        elif isinstance(node.value, str):
            _walk(ast.parse(node.value, mode="eval").body, found)
    elif isinstance(node, ast.Subscript):
        _subscript(_leaf(node.value), node.slice, found)
    else:
        name = _leaf(node)
        if name == "None":
            found.nullable = True
        elif name == "dtype":
            found.add("dtype")
        elif name in _PLAIN:
            found.add(_PLAIN[name])
        elif name in _LISTS:
            found.add("list")
        elif name == "Callable":
            found.add("callable")
        elif _ENUMS.match(name):
            found.add("enum:" + name)
        elif name == "Any":
            found.add("any")
        else:
            found.add("object")


def _subscript(head: str, inner: ast.expr, found: Annotation) -> None:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if head == "Optional":
        found.nullable = True
        _walk(inner, found)
    elif head == "Union":
        for part in parts:
            _walk(part, found)
    elif head == "Literal":
        for part in parts:
            value = ast.literal_eval(part)
            if value is None:
                found.nullable = True
                continue
            found.choices.append(value)
            found.add(type(value).__name__)
    elif head in _LISTS:
        inside = Annotation()
        for part in parts:
            if not (isinstance(part, ast.Constant) and part.value is Ellipsis):
                _walk(part, inside)
        plain = [t for t in inside.types if t in ("bool", "int", "float", "str")]
        found.add(f"list[{plain[0]}]" if len(plain) == 1 and len(inside.types) == 1 else "list")
    elif head in ("dict", "Dict"):
        found.add("dict")
    elif head == "ClassVar":
        found.add("classvar")
    elif head == "Callable":
        found.add("callable")
    else:
        found.add("object")


class Unknown:
    """A default that the text does not give: ``why`` is its source text."""

    def __init__(self, why: str) -> None:
        self.why = why


FACTORIES: dict[str, Any] = {
    "list": [],
    "tuple": [],
    "dict": {},
    "lambda: []": [],
    # Transformer Engine or Apex brings the fused kernel; the builder narrows this for Bridge before 0.4 (Apex alone).
    "fusions.can_enable_gradient_accumulation_fusion": {
        "expr": "target.transformer_engine is not None or target.apex is not None"
    },
    "fusions.can_enable_apply_rope_fusion": {"expr": "target.transformer_engine is not None"},
    "fusions.can_enable_bias_dropout_fusion": True,
    "fusions.can_enable_masked_softmax_fusion": {"expr": "target.transformer_engine is not None"},
}


def read_default(text: str | None) -> Any:
    """The value of a default's source text, in the spelling that configs use; ``Unknown`` where the text does not
    tell."""
    if text is None:
        return Unknown("required")
    if text.startswith("factory:"):
        name = text[len("factory:") :]
        if name in FACTORIES:
            return FACTORIES[name]
        if name.startswith("lambda: "):
            try:
                return ast.literal_eval(name[len("lambda: ") :])
            except ValueError:
                pass
        return Unknown(name)
    if text.startswith("torch.") and text[6:] in DTYPES:
        return DTYPES[text[6:]]
    if text.startswith("F."):
        return text[2:]
    if text.startswith("AttnBackend."):
        return text[len("AttnBackend.") :]
    try:
        return _arithmetic(ast.parse(text, mode="eval").body)
    except (ValueError, SyntaxError):
        return Unknown(text)


def _arithmetic(node: ast.expr) -> Any:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _arithmetic(node.left) * _arithmetic(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _arithmetic(node.left) ** _arithmetic(node.right)
    value = ast.literal_eval(node)
    return list(value) if isinstance(value, tuple) else value
