"""One call of a function while it is evaluated."""

from __future__ import annotations

from moelint.text.python.modules import Module
from moelint.text.python.values import ClassValue
from moelint.typed import Any


class Frame:
    """``scopes``: the enclosing functions' names. ``maybe``: what returns under conditions that cannot be known."""

    __slots__ = ("instance", "maybe", "module", "names", "owner", "scopes")

    def __init__(
        self,
        module: Module,
        names: dict[str, Any],
        scopes: tuple[dict[str, Any], ...] = (),
        owner: ClassValue | None = None,
        instance: Any = None,
    ) -> None:
        self.module, self.names, self.scopes, self.owner, self.instance = module, names, scopes, owner, instance
        self.maybe: list[Any] = []


class Return(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Break(Exception):
    pass


class Continue(Exception):
    pass
