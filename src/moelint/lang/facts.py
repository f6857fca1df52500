"""Named facts: YAML files that give an expression a name (``ep_overlap: model.… or comm_overlap.…``).

A scope answers a fact's name through ``Facts.value``, which evaluates it once in that scope. Facts may use each other;
a circle is refused when they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moelint.lang.errors import LangError
from moelint.lang.names import Info, NameTable, reads
from moelint.typed import Any

Tree = tuple[Any, ...]


class FactError(LangError):
    """A LangError of one fact."""

    def __init__(self, name: str, message: str, column: int = 0, suggestion: str | None = None) -> None:
        super().__init__(message, column, suggestion)
        self.name = name


class Facts:
    """Compiled facts, with closures built on first use.

    A scope that holds facts has a dict ``memo`` of its own::

        def get(self, name):
            ...                                  # keys and provided names first
            if name in self.facts.trees:
                return self.facts.value(name, self)
    """

    __slots__ = ("_closures", "trees")

    def __init__(self, trees: Mapping[str, Tree] | None = None) -> None:
        self.trees: dict[str, Tree] = dict(trees or {})
        self._closures: dict[str, Callable[[Any], Any]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.trees

    def run(self, name: str) -> Callable[[Any], Any]:
        """The closure of a fact."""
        found = self._closures.get(name)
        if found is None:
            from moelint.lang.closures import closure

            found = self._closures[name] = closure(self.trees[name])
        return found

    def value(self, name: str, scope: Any) -> Any:
        """The value of a fact in a scope, from ``scope.memo`` when it was asked before."""
        memo: dict[str, Any] = scope.memo
        if name in memo:
            return memo[name]
        memo[name] = value = self.run(name)(scope)
        return value

    def keys_of(self, names: set[str]) -> set[str]:
        """Names with every fact among them replaced by what it reads, to the bottom."""
        out: set[str] = set()
        seen: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.trees:
                waiting += reads(self.trees[name])
            else:
                out.add(name)
        return out


def compile_facts(texts: Mapping[str, str], names: NameTable, typed: bool = True) -> dict[str, Tree]:
    """Compile facts in the order in which they need each other, and enter their types into ``names``. ``typed=False``
    skips the type checks (shipped facts are checked by the tests). Raises FactError."""
    from moelint.lang.check import check
    from moelint.lang.parse import parse_with_positions

    for name in texts:
        if not name.isidentifier():
            raise FactError(name, f"a fact's name is one word, not {name!r}")
        names.facts.setdefault(name, Info("any"))
    parsed: dict[str, tuple[Tree, dict[int, int]]] = {}
    for name, text in texts.items():
        try:
            parsed[name] = parse_with_positions(text, names)
        except LangError as error:
            raise FactError(name, error.message, error.column, error.suggestion) from None
    needs = {name: reads(tree) & parsed.keys() for name, (tree, _) in parsed.items()}
    for name in _ordered(needs):
        if typed:
            try:
                info = check(parsed[name][0], parsed[name][1], names)
            except LangError as error:
                raise FactError(name, error.message, error.column, error.suggestion) from None
            names.facts[name] = info
        names.trees[name] = parsed[name][0]
    return {name: tree for name, (tree, _) in parsed.items()}


def _ordered(needs: dict[str, set[str]]) -> list[str]:
    """Names so that each comes after those it needs. Raises FactError on a circle."""
    order: list[str] = []
    done: set[str] = set()
    for start in needs:
        path: list[str] = []
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                path.pop()
                done.add(name)
                order.append(name)
            elif name in path:
                circle = " → ".join([*path[path.index(name) :], name])
                raise FactError(name, f"facts in a circle: {circle}")
            elif name not in done:
                path.append(name)
                stack.append((name, True))
                stack += [(n, False) for n in sorted(needs[name])]
    return order
