"""A scope that notes what is read through it, facts opened down to the settings under them."""

from __future__ import annotations

from moelint.lang.facts import Facts
from moelint.lang.names import REVISIONS
from moelint.typed import Any

_PLAIN = frozenset(("trainer", "dialect", "complete"))
_LISTS = frozenset(("stages", "moe_layers", "layout_fault"))  # worked out from settings: those are what was read


class Recorder:
    """``names``: name → value of every key, target and provided figure that was read, in order."""

    __slots__ = ("facts", "memo", "names", "scope")

    def __init__(self, scope: Any, facts: Facts) -> None:
        self.scope, self.facts = scope, facts
        self.names: dict[str, Any] = {}
        self.memo: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        if "." not in name:
            if name in self.facts.trees:
                if name not in self.memo:
                    self.memo[name] = self.facts.run(name)(self)
                return self.memo[name]
            if name in _LISTS:
                from moelint.trainer import layouts

                return layouts.provided(name, self)  # type: ignore[arg-type]
        value = self.scope.get(name)
        if name not in _PLAIN:
            self.note(name, value)
        return value

    def note(self, name: str, value: Any) -> None:
        for prefix in REVISIONS[:1]:
            name = name.removeprefix(prefix)
        if "." in name:
            self.names.setdefault(name, value)

    def written(self, key: str) -> Any:
        if "." in key and key not in self.names:
            self.names[key] = self.scope.get(key)
        return self.scope.written(key)

    def changed(self, key: str) -> Any:
        if "." in key and key not in self.names:
            self.names[key] = self.scope.get(key)
        return self.scope.changed(key)

    def default(self, key: str) -> Any:
        return self.scope.default(key)

    def choices(self, key: str) -> Any:
        ask = getattr(self.scope, "choices", None)
        from moelint.lang.unknown import UNKNOWN

        return UNKNOWN if ask is None else ask(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scope, name)
