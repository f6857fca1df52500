"""Values of nodes, and when two values are the same."""

from __future__ import annotations

from moelint.text.scalars import Opaque, plain, tagged
from moelint.text.yaml_tree import Node
from moelint.typed import Any


def value_of(node: Node) -> Any:
    """Value of a scalar, or of a list of such; anything else is opaque."""
    if node.items is not None:
        return [value_of(item) for item in node.items]
    if node.entries is not None:
        return Opaque("mapping") if node.entries else {}
    if node.style == "alias":
        return Opaque("*")
    if node.tag is not None and node.tag != "!":
        return tagged(node.value, node.tag)
    return plain(node.value) if node.style == "" and node.tag is None else node.value


def same(a: Any, b: Any) -> bool:
    """Equality that tells 1 from True and from 1.0, and finds NaN equal to itself."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is not type(b):
        return False
    return bool(a == b) or (a != a and b != b)
