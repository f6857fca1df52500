"""Trees → closures over a scope, in Kleene's logic. Built on first use: a run pays for the rules that it reads only.

A closure takes a scope (an object with ``get``, ``written``, ``changed``, ``default``; see docs/architecture.md) and
gives a value or UNKNOWN. It never raises for any value that a scope may hold.
"""

from __future__ import annotations

from collections.abc import Callable

from moelint.lang.functions import COMPARISONS, TABLE, bounded, elements, equal, is_int, is_number
from moelint.lang.limits import FUEL, LIST, STEPS, STRING
from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version
from moelint.typed import Any

Tree = tuple[Any, ...]
Scope = Any
Run = Callable[[Scope], Any]
_HEAVY = frozenset(("range", "divisors", "split", "subset", "overlaps", "without"))  # more than one look at each element


def closure(tree: Tree) -> Run:
    """A function of a scope that gives the expression's value."""
    return _metered(_build, tree)


def condition(tree: Tree) -> Run:
    """As ``closure``, for an expression of which only the truth matters: gives True, False or UNKNOWN."""
    return _metered(_truth, tree)


_MOST = 4096  # closures that are kept
_kept: dict[tuple[int, bool], tuple[Tree, Run]] = {}


def kept(tree: Tree, truth: bool = False) -> Run:
    """As ``closure`` (with ``truth`` as ``condition``), but built once for a tree that lives on, as those of packs do."""
    found = _kept.get(at := (id(tree), truth))
    if found is None or found[0] is not tree:
        if len(_kept) >= _MOST:
            _kept.clear()
        found = _kept[at] = tree, condition(tree) if truth else closure(tree)  # holds the tree: no other gets its id
    return found[1]


_heavy_parts = 0  # built so far in this process: parts that visit the elements of lists again and again
_visits = 0  # built so far in this process: parts that may visit the elements of a list once
_FEW = STEPS // LIST  # visits that cannot exceed the steps of one evaluation


def _metered(build: Callable[[Tree], Run], tree: Tree) -> Run:
    heavy, visits = _heavy_parts, _visits
    run = build(tree)
    if _heavy_parts == heavy and _visits - visits <= _FEW:
        return run

    def metered(scope: Scope) -> Any:
        before, FUEL.left = FUEL.left, STEPS
        try:
            return run(scope)
        finally:
            FUEL.left = before

    return metered


class _Bound:
    """A scope with a generator's variable."""

    __slots__ = ("changed", "choices", "default", "get", "value", "written")

    def __init__(self, scope: Scope) -> None:
        self.get, self.written, self.changed, self.default = scope.get, scope.written, scope.changed, scope.default
        self.choices = getattr(scope, "choices", None)
        self.value: Any = None


def _build(tree: Tree) -> Run:
    global _heavy_parts, _visits
    kind = tree[0]
    if kind in ("call", "cmp"):
        _visits += 1
    if kind == "gen" or (kind == "call" and tree[1] in _HEAVY) or (kind == "bin" and tree[1] == "+"):
        _heavy_parts += 1
    builder: Callable[..., Run] = _BUILDERS[kind]
    return builder(*tree[1:])


def _truth(tree: Tree) -> Run:
    """Closure that gives True, False or UNKNOWN; ``and``/``or`` absorb whatever their operands' types."""
    kind = tree[0]
    if kind in ("and", "or"):
        return _kleene(kind, tuple(_truth(t) for t in tree[1]))
    if kind in ("not", "cmp", "written", "changed"):
        return _build(tree)
    if kind == "name":
        return _name_truth(tree[1])
    run = _build(tree)

    def truth(scope: Scope) -> Any:
        value = run(scope)
        return value if value is UNKNOWN or value is True or value is False else bool(value)

    return truth


def _name_truth(name: str) -> Run:
    """The commonest condition of all, without a call in between."""

    def truth(scope: Scope) -> Any:
        value = scope.get(name)
        return value if value is UNKNOWN or value is True or value is False else bool(value)

    return truth


def _kleene(kind: str, parts: tuple[Run, ...]) -> Run:
    stop = kind == "or"

    def kleene(scope: Scope) -> Any:
        result: Any = not stop
        for part in parts:
            value = part(scope)
            if value is stop:
                return stop
            if value is UNKNOWN:
                result = UNKNOWN
        return result

    return kleene


def _const(value: Any) -> Run:
    return lambda scope: value


def _list(items: tuple[Tree, ...]) -> Run:
    if all(i[0] == "const" for i in items):
        values = [i[1] for i in items]
        return lambda scope: values
    runs = [_build(i) for i in items]
    return lambda scope: [run(scope) for run in runs]


def _name(name: str) -> Run:
    return lambda scope: scope.get(name)


def _var() -> Run:
    return lambda scope: scope.value


def _value_chain(stop: bool) -> Callable[[tuple[Tree, ...]], Run]:
    """``and``/``or`` as values: Python's operand, UNKNOWN where an unknown operand would have decided which one.
    A plain True (for ``or``) or False (for ``and``) absorbs an unknown operand before or after it."""

    def build(items: tuple[Tree, ...]) -> Run:
        runs = tuple(_build(i) for i in items)

        def run(scope: Scope) -> Any:
            unknown, value = False, None
            for part in runs:
                value = part(scope)
                if value is UNKNOWN:
                    unknown = True
                elif value is stop:
                    return stop
                elif bool(value) is stop and not unknown:
                    return value
            return UNKNOWN if unknown else value

        return run

    return build


def _not(item: Tree) -> Run:
    run = _truth(item)

    def negate(scope: Scope) -> Any:
        value = run(scope)
        return UNKNOWN if value is UNKNOWN else not value

    return negate


def _name_equals(name: str, constant: Any, same: bool) -> Run:
    """A setting beside a text or None, without a call in between."""

    def equals(scope: Scope) -> Any:
        value = scope.get(name)
        if value.__class__ is Version:
            value = equal(value, constant)
            return UNKNOWN if value is UNKNOWN else value is same
        return UNKNOWN if value is UNKNOWN else (value == constant) is same

    return equals


def _cmp(op: str, left: Tree, right: Tree) -> Run:
    plain = right[0] == "const" and right[1].__class__ in (str, type(None))
    if plain and left[0] == "name" and op in ("==", "!=", "is", "is not"):
        return _name_equals(left[1], right[1], op in ("==", "is"))
    a = _build(left)
    if op in ("is", "is not"):
        wanted = op == "is"

        def is_none(scope: Scope) -> Any:
            value = a(scope)
            return UNKNOWN if value is UNKNOWN else (value is None) is wanted

        return is_none
    b = _build(right)
    test = COMPARISONS[op]
    if _is_dear(left):

        def right_first(scope: Scope) -> Any:
            limit = b(scope)
            return UNKNOWN if limit is UNKNOWN else test(a(scope), limit)

        return right_first
    return lambda scope: test(a(scope), b(scope))


def _is_dear(tree: Any) -> bool:
    """Whether a part asks the analytical model. An unknown other side of a comparison makes that needless."""
    if not isinstance(tree, tuple) or not tree or tree[0] == "const":
        return False
    if tree[0] == "name":
        return bool(tree[1].startswith("walls."))
    return any(_is_dear(part) for part in tree)


def _bin(op: str, left: Tree, right: Tree) -> Run:
    a, b = _build(left), _build(right)
    calculate = _ARITHMETIC[op]

    def run(scope: Scope) -> Any:
        x, y = a(scope), b(scope)
        if is_number(x) and is_number(y):
            try:
                return bounded(calculate(x, y))
            except (ArithmeticError, ValueError):
                return UNKNOWN
        return _join(x, y) if op == "+" else UNKNOWN

    return run


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
}


def _join(x: Any, y: Any) -> Any:
    if isinstance(x, str) and isinstance(y, str):
        return x + y if len(x) + len(y) <= STRING else UNKNOWN
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)) and len(x) + len(y) <= LIST:
        FUEL.left -= len(x) + len(y)
        return [*x, *y] if FUEL.left >= 0 else UNKNOWN
    return UNKNOWN


def _neg(item: Tree) -> Run:
    run = _build(item)

    def negative(scope: Scope) -> Any:
        value = run(scope)
        return -value if is_number(value) else UNKNOWN

    return negative


def _if(test: Tree, yes: Tree, no: Tree) -> Run:
    a, b, c = _truth(test), _build(yes), _build(no)

    def run(scope: Scope) -> Any:
        value = a(scope)
        if value is UNKNOWN:
            first, second = b(scope), c(scope)
            return first if equal(first, second) is True else UNKNOWN
        return b(scope) if value else c(scope)

    return run


def _call(name: str, args: tuple[Tree, ...]) -> Run:
    function = TABLE[name].run
    runs = [_build(a) for a in args]
    if name == "default":
        a, b = runs

        def coalesce(scope: Scope) -> Any:
            value = a(scope)
            return b(scope) if value is None else value

        return coalesce
    if len(runs) == 1:
        only = runs[0]

        def call_one(scope: Scope) -> Any:
            value = only(scope)
            return UNKNOWN if value is UNKNOWN else function(value)

        return call_one

    def call(scope: Scope) -> Any:
        values = [run(scope) for run in runs]
        return UNKNOWN if any(v is UNKNOWN for v in values) else function(*values)

    return call


def _gen(name: str, element: Tree, items: Tree, test: Tree | None) -> Run:
    source = _build(items)
    truth = name in ("all", "any")
    each = _truth(element) if truth else _build(element)
    keep = _truth(test) if test is not None else None
    finish = TABLE[name].run

    def run(scope: Scope) -> Any:
        list_ = source(scope)
        if list_ is UNKNOWN or (list_ := elements(list_)) is None:
            return UNKNOWN
        inner = _Bound(scope)
        values = []
        for inner.value in list_:
            wanted = True if keep is None else keep(inner)
            if wanted is False:
                continue
            value = each(inner)
            if wanted is UNKNOWN:  # may count or not: only a value that changes nothing either way is known
                if not truth:
                    return UNKNOWN
                value = value if value is (name == "all") else UNKNOWN
            elif truth and value is (name == "any"):
                return value
            values.append(value)
        return finish(values)

    return run


def _attr(item: Tree, name: str) -> Run:
    run = _build(item)

    def attribute(scope: Scope) -> Any:
        value = run(scope)
        return value.get(name, UNKNOWN) if isinstance(value, dict) else UNKNOWN

    return attribute


def _item(item: Tree, index: Tree) -> Run:
    run, position = _build(item), _build(index)

    def pick(scope: Scope) -> Any:
        value, at = run(scope), position(scope)
        if isinstance(value, (list, tuple)) and is_int(at) and -len(value) <= at < len(value):
            return value[at]
        return UNKNOWN

    return pick


def _choices(key: str) -> Run:
    def run(scope: Scope) -> Any:
        ask = getattr(scope, "choices", None)
        return UNKNOWN if ask is None else ask(key)

    return run


_BUILDERS: dict[str, Callable[..., Run]] = {
    "const": _const, "list": _list, "name": _name, "var": _var, "and": _value_chain(False), "or": _value_chain(True),
    "not": _not, "cmp": _cmp, "bin": _bin, "neg": _neg, "if": _if, "call": _call, "gen": _gen,
    "attr": _attr, "item": _item,
    "written": lambda key: lambda scope: scope.written(key),
    "changed": lambda key: lambda scope: scope.changed(key),
    "default_of": lambda key: lambda scope: scope.default(key),
    "choices": _choices,
}
