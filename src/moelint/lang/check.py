"""Static checks of an expression: types that cannot meet, values that a key never has, unguarded None."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.lang.errors import LangError
from moelint.lang.functions import TABLE
from moelint.lang.names import ANY, NUMERIC, Info, NameTable
from moelint.lang.suggest import nearest
from moelint.typed import Any

Tree = tuple[Any, ...]
Known = frozenset[str]  # names that are proved not to be None where an expression is read
BOOL, LIST = Info("bool"), Info("list")
_ORDER = ("<", "<=", ">", ">=")


def check(tree: Tree, positions: dict[int, int], names: NameTable, nonnull: Known = frozenset()) -> Info:
    """Static type of an expression. Raises LangError at the first fault."""
    return _Checker(positions, names).of(tree, nonnull)


def proved(tree: Tree, truth: bool, facts: Mapping[str, Tree] | None = None) -> Known:
    """Names that are certainly not None if ``tree`` is true (or false); facts are looked through."""
    kind = tree[0]
    if kind == "name":
        inside = facts.get(tree[1]) if facts is not None else None
        below = proved(inside, truth, facts) if inside is not None else frozenset()
        return below | {tree[1]} if truth else below
    if kind == "not":
        return proved(tree[1], not truth, facts)
    if kind in ("and", "or"):
        parts = [proved(t, truth, facts) for t in tree[1]]
        together = (kind == "and") == truth
        return frozenset().union(*parts) if together else parts[0].intersection(*parts[1:])
    if kind == "cmp":
        return _proved_by_comparison(tree, truth)
    if kind == "call" and truth and tree[1] in ("is_int", "is_str", "is_bool", "is_list", "is_power_of_two"):
        return proved(tree[2][0], True, facts)
    if kind == "call" and truth and tree[1] in ("divides", "starts_with", "ends_with"):
        return frozenset(a[1] for a in tree[2] if a[0] == "name")
    return frozenset()


def _proved_by_comparison(tree: Tree, truth: bool) -> Known:
    _, op, left, right = tree
    sides = frozenset(t[1] for t in (left, right) if t[0] == "name")
    if right == ("const", None):
        return sides if (op in ("is not", "!=")) == truth else frozenset()
    if op in _ORDER:
        return sides
    if (op == "==" and truth) or (op == "!=" and not truth):
        constant = any(t[0] in ("const", "list") for t in (left, right))
        return sides if constant else frozenset()
    if (op == "in" and truth) or (op == "not in" and not truth):
        named = left[0] == "name" and right[0] == "list" and ("const", None) not in right[1]
        if named:
            return frozenset((left[1],))
        return frozenset((right[1],)) if right[0] == "name" and truth else frozenset()
    return frozenset()


class _Checker:
    def __init__(self, positions: dict[int, int], names: NameTable) -> None:
        self.positions, self.names = positions, names

    def fail(self, tree: Tree, message: str, suggestion: str | None = None) -> LangError:
        return LangError(message, self.positions.get(id(tree), 0), suggestion)

    def of(self, tree: Tree, known: Known) -> Info:
        method = getattr(self, "_" + tree[0], None)
        return method(tree, known) if method is not None else ANY

    def _const(self, tree: Tree, known: Known) -> Info:
        value = tree[1]
        return Info("none", True) if value is None else Info(type(value).__name__, False)

    def _list(self, tree: Tree, known: Known) -> Info:
        for item in tree[1]:
            self.of(item, known)
        return LIST

    def _name(self, tree: Tree, known: Known) -> Info:
        info = self.names.lookup(tree[1]) or ANY
        if not info.nullable:
            return info
        name, trees = tree[1], self.names.trees
        while name not in known and name in trees and trees[name][0] == "name":
            name = trees[name][1]  # a fact that only names a key
        return Info(info.type, False, info.choices) if name in known else info

    def _and(self, tree: Tree, known: Known) -> Info:
        return self.chain(tree, known, True)

    def _or(self, tree: Tree, known: Known) -> Info:
        return self.chain(tree, known, False)

    def chain(self, tree: Tree, known: Known, truth: bool) -> Info:
        infos = []
        for part in tree[1]:
            infos.append(self.of(part, known))
            known = known | proved(part, truth, self.names.trees)
        kinds = {i.type for i in infos if i.type != "none"}
        # ``x or 0`` is never None if its last operand is not; ``x and y`` may be if any operand is.
        nullable = infos[-1].nullable if not truth else any(i.nullable for i in infos)
        return Info(kinds.pop() if len(kinds) == 1 else "any", nullable)

    def _not(self, tree: Tree, known: Known) -> Info:
        self.of(tree[1], known)
        return BOOL

    def _if(self, tree: Tree, known: Known) -> Info:
        self.of(tree[1], known)
        yes = self.of(tree[2], known | proved(tree[1], True, self.names.trees))
        no = self.of(tree[3], known | proved(tree[1], False, self.names.trees))
        return Info(yes.type if yes.type == no.type else "any", yes.nullable or no.nullable)

    def number(self, tree: Tree, known: Known, what: str) -> Info:
        info = self.of(tree, known)
        if info.type not in NUMERIC and info.type not in ("any", "none"):
            raise self.fail(tree, f"{what} a number, not {_a(info.type)}")
        return info

    def guard(self, tree: Tree, info: Info) -> None:
        if info.nullable and tree[0] == "name":
            spelled = tree[1]
            raise self.fail(
                tree, f"{spelled} may be None here: guard it ('{spelled} is not None and …') or give a default",
                f"default({spelled}, …)",
            )

    def _bin(self, tree: Tree, known: Known) -> Info:
        _, op, left, right = tree
        if op == "+":
            kinds = {self.of(left, known).type, self.of(right, known).type}
            if kinds in ({"list"}, {"str"}):
                return Info(kinds.pop())
            if kinds <= {"list", "str", "any"}:
                return ANY
        a, b = (self.number(t, known, f"{op!r} needs") for t in (left, right))
        if op == "/":
            return Info("float")
        return Info("int") if a.type == b.type == "int" else Info("number")

    def _neg(self, tree: Tree, known: Known) -> Info:
        return self.number(tree[1], known, "'-' needs")

    def _cmp(self, tree: Tree, known: Known) -> Info:
        _, op, left, right = tree
        a, b = self.of(left, known), self.of(right, known)
        if op in _ORDER:
            self.ordering(op, left, a, right, b)
        elif op in ("==", "!="):
            self.equality(left, a, right, b)
            self.equality(right, b, left, a)
        elif op in ("in", "not in"):
            self.membership(left, a, right, b)
        return BOOL

    def ordering(self, op: str, left: Tree, a: Info, right: Tree, b: Info) -> None:
        kinds = {a.type, b.type} - {"any"}
        if "version" in kinds and kinds & NUMERIC:
            number = left if a.type in NUMERIC else right
            raise self.fail(number, "a version is compared with a number", "version('…')")
        if not (kinds <= NUMERIC or (kinds <= {"version", "str"} and "version" in kinds)):
            odd = left if a.type not in NUMERIC and a.type != "any" else right
            bad = a if odd is left else b
            hint = "version(…)" if bad.type == "str" and "version" not in kinds else None
            raise self.fail(odd, f"{op!r} orders numbers or versions, not {_a(bad.type)}", hint)
        for tree, info in ((left, a), (right, b)):
            if info.type != "version":
                self.guard(tree, info)

    def equality(self, left: Tree, a: Info, right: Tree, b: Info) -> None:
        if right[0] == "const":
            self.value(left, a, right)
        elif not _meet(a, b):
            raise self.fail(right, f"{_a(a.type)} is never equal to {_a(b.type)}")

    def value(self, tree: Tree, info: Info, constant: Tree) -> None:
        """A constant beside a key: of the key's type, and among its choices."""
        value = constant[1]
        if value is None:
            return
        kind = Info(type(value).__name__)
        listed = info.choices is not None and info.type != "list" and not isinstance(value, bool)
        if listed and info.choices is not None and value not in info.choices:
            options = [str(c) for c in info.choices]
            raise self.fail(
                constant, f"{_label(tree)} takes {', '.join(options[:12])}, not {value!r}"
                f" (a rule about wrong values asks value({_label(tree)}))",
                nearest(str(value), options),
            )
        if info.type not in ("any", "none") and not _meet(info, kind):
            raise self.fail(constant, f"{_label(tree)} is {_a(info.type)}, never equal to {value!r}")

    def membership(self, left: Tree, a: Info, right: Tree, b: Info) -> None:
        if right[0] == "list":
            for item in right[1]:
                if item[0] == "const":
                    self.value(left, a, item)
            return
        if b.type not in ("list", "str", "any", "none", "record"):
            raise self.fail(right, f"'in' looks into a list, not {_a(b.type)}")
        if b.type == "list" and b.choices and left[0] == "const" and left[1] not in b.choices:
            options = [str(c) for c in b.choices]
            raise self.fail(
                left, f"{_label(right)} holds {', '.join(options[:12])}, not {left[1]!r}",
                nearest(str(left[1]), options),
            )

    def _call(self, tree: Tree, known: Known) -> Info:
        _, name, args = tree
        function = TABLE[name]
        infos = [self.of(a, known) for a in args]
        if function.takes == "list":
            for arg, info in zip(args, infos, strict=True):
                if info.type not in ("list", "any", "none"):
                    raise self.fail(arg, f"{name} takes a list, not {_a(info.type)}", f"as_list({_label(arg)})")
        if name in ("divides", "ceil_div", "is_power_of_two", "divisors"):
            for arg in args:
                self.number(arg, known, f"{name} takes")
        if name in ("min", "max") and len(args) > 1:
            for arg in args:
                self.number(arg, known, f"{name} takes")
            return Info("int") if all(i.type == "int" for i in infos) else Info("number")
        if name == "default":
            kind = infos[0].type if infos[0].type in (infos[1].type, "any") or infos[1].type == "none" else "any"
            if {infos[0].type, infos[1].type} <= NUMERIC:
                kind = "number" if infos[0].type != infos[1].type else infos[0].type
            return Info(kind, infos[1].nullable, infos[0].choices)
        if name == "value":
            return Info("any", infos[0].nullable)  # says: look at it as it is, wrong values and types included
        if name == "version" and args[0][0] == "const":
            from moelint.lang.versions import parse

            if not isinstance(args[0][1], str) or parse(args[0][1]) is None:
                raise self.fail(args[0], f"{args[0][1]!r} is not a version")
        return Info(function.returns, name == "option")

    def _gen(self, tree: Tree, known: Known) -> Info:
        _, name, element, items, condition = tree
        info = self.of(items, known)
        if info.type not in ("list", "any", "none"):
            raise self.fail(items, f"a generator runs over a list, not {_a(info.type)}", f"as_list({_label(items)})")
        if condition is not None:
            self.of(condition, known)
            known = known | proved(condition, True, self.names.trees)
        self.of(element, known)
        return Info({"all": "bool", "any": "bool", "len": "int"}.get(name, "number"))

    def _attr(self, tree: Tree, known: Known) -> Info:
        self.of(tree[1], known)
        return ANY

    def _item(self, tree: Tree, known: Known) -> Info:
        self.of(tree[1], known)
        self.number(tree[2], known, "an index is")
        return ANY

    def _written(self, tree: Tree, known: Known) -> Info:
        return BOOL

    _changed = _written

    def _choices(self, tree: Tree, known: Known) -> Info:
        return LIST

    def _default_of(self, tree: Tree, known: Known) -> Info:
        return self.names.lookup(tree[1]) or ANY


def _meet(a: Info, b: Info) -> bool:
    """Whether values of two types can be equal."""
    kinds = {a.type, b.type}
    if "any" in kinds or "none" in kinds or len(kinds) == 1 or kinds <= NUMERIC:
        return True
    return kinds == {"version", "str"}


def _label(tree: Tree) -> str:
    return str(tree[1]) if tree[0] == "name" else "this"


def _a(kind: str) -> str:
    spoken = {"bool": "true or false", "int": "a whole number", "float": "a number", "number": "a number",
              "str": "a text", "list": "a list", "version": "a version", "none": "None", "record": "a record"}
    return spoken.get(kind, kind)
