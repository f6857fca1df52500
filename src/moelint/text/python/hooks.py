"""What the evaluator asks of its caller: knowledge about names that are not in the checkout."""

from __future__ import annotations

from moelint.text.python.values import ClassValue, External, Instance, Opaque
from moelint.typed import Any

NOTHING = object()


class Hooks:
    """Override to give meaning to names. ``NOTHING`` means: no answer, go on as usual."""

    def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of calling the dotted name, whether or not it is in the checkout; NOTHING to evaluate it."""
        return NOTHING

    def default(self, cls: ClassValue | External | None, attribute: str) -> Any:
        """The value of an attribute that an instance of a class outside the checkout holds without being told."""
        return NOTHING

    def external(self, name: str) -> Any:
        """The value of a dotted name outside the checkout; NOTHING to keep it as a name."""
        return NOTHING


def opaque_call(name: str) -> Opaque:
    return Opaque(f"{name}(…) is not in this checkout")


__all__ = ["NOTHING", "Hooks", "Instance", "opaque_call"]
