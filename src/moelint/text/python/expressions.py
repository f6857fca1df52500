"""Expressions over known and opaque values, with bounds on what they may build."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from moelint.text.python.builtins import BUILTINS
from moelint.text.python.frames import Frame
from moelint.text.python.hooks import NOTHING
from moelint.text.python.part import Part
from moelint.text.python.values import ClassValue, EnumMember, External, Function, Instance, Opaque, Raised, known
from moelint.typed import Any

LARGEST = 100_000  # elements or characters that an operation may build
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Expressions(Part):
    """Mixed into the evaluator."""

    def expression(self, node: ast.AST, frame: Frame) -> Any:
        self.step()
        method = getattr(self, "ev_" + type(node).__name__, None)
        return Opaque(f"{type(node).__name__} is not followed") if method is None else method(node, frame)

    def truth(self, value: Any) -> bool | None:
        """True or False, None if it cannot be known."""
        if isinstance(value, (Opaque, External)):
            return None
        if isinstance(value, (Instance, ClassValue, Function, EnumMember)):
            return True
        if isinstance(value, Raised):
            return True
        return bool(value)

    def iterate(self, value: Any) -> list[Any] | None:
        """The items of a sequence, None if they cannot be known."""
        if isinstance(value, (list, tuple, dict, set, frozenset, str, range)):
            return list(value)[:LARGEST]
        return None

    def name(self, name: str, frame: Frame) -> Any:
        if name in frame.names:
            return frame.names[name]
        for scope in reversed(frame.scopes):
            if name in scope:
                return scope[name]
        value = self.lookup(frame.module, name)
        if value is not NOTHING:
            return value
        return BUILTINS.get(name, External(name))

    def ev_Constant(self, node: ast.Constant, frame: Frame) -> Any:
        return node.value

    def ev_Name(self, node: ast.Name, frame: Frame) -> Any:
        return self.name(node.id, frame)

    def ev_Attribute(self, node: ast.Attribute, frame: Frame) -> Any:
        return self.attribute(self.expression(node.value, frame), node.attr)

    def ev_List(self, node: ast.List, frame: Frame) -> Any:
        return self.elements(node.elts, frame)

    def ev_Tuple(self, node: ast.Tuple, frame: Frame) -> Any:
        items = self.elements(node.elts, frame)
        return items if isinstance(items, Opaque) else tuple(items)

    def ev_Set(self, node: ast.Set, frame: Frame) -> Any:
        items = self.elements(node.elts, frame)
        return self.native(set, [items]) if known(items) else Opaque("a set with unknown elements")

    def elements(self, nodes: list[ast.expr], frame: Frame) -> Any:
        out: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items = self.iterate(self.expression(node.value, frame))
                if items is None:
                    return Opaque("unpacks an unknown sequence")
                out += items
            else:
                out.append(self.expression(node, frame))
        return out

    def ev_Dict(self, node: ast.Dict, frame: Frame) -> Any:
        out: dict[Any, Any] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=False):
            value = self.expression(value_node, frame)
            if key_node is None:
                if not isinstance(value, dict):
                    return Opaque("unpacks an unknown mapping")
                out.update(value)
                continue
            key = self.expression(key_node, frame)
            try:
                out[key] = value
            except TypeError:
                return Opaque("a mapping with a key that is not known")
        return out

    def ev_JoinedStr(self, node: ast.JoinedStr, frame: Frame) -> Any:
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
                continue
            if not isinstance(part, ast.FormattedValue):
                return Opaque("a text that is not followed")
            value = self.expression(part.value, frame)
            spec = "" if part.format_spec is None else self.expression(part.format_spec, frame)
            if isinstance(value, (str, int, float, bool, type(None))) and isinstance(spec, str) and len(spec) < 12:
                text = repr(value) if part.conversion == ord("r") else self.native(format, [value, spec])
                if isinstance(text, str):
                    parts.append(text)
                    continue
            return Opaque("a text with an unknown part")
        return "".join(parts)

    def ev_BoolOp(self, node: ast.BoolOp, frame: Frame) -> Any:
        stop = isinstance(node.op, ast.Or)
        value: Any = None
        unsure: Opaque | None = None
        for operand in node.values:
            value = self.expression(operand, frame)
            test = self.truth(value)
            if test is None:
                unsure = unsure or (
                    value if isinstance(value, Opaque) else Opaque("depends on a name outside the checkout")
                )
            elif test is stop:
                return value if unsure is None or isinstance(value, bool) else unsure
        return value if unsure is None else unsure

    def ev_UnaryOp(self, node: ast.UnaryOp, frame: Frame) -> Any:
        value = self.expression(node.operand, frame)
        if isinstance(node.op, ast.Not):
            test = self.truth(value)
            return Opaque("not of an unknown") if test is None else not test
        if isinstance(value, (int, float)):
            return (
                -value
                if isinstance(node.op, ast.USub)
                else ~value
                if isinstance(node.op, ast.Invert) and isinstance(value, int)
                else value
            )
        return Opaque("sign of an unknown")

    def ev_BinOp(self, node: ast.BinOp, frame: Frame) -> Any:
        return self.binary(node.op, self.expression(node.left, frame), self.expression(node.right, frame))

    def binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        plain = (str, int, float, bool, list, tuple, dict, set, frozenset)
        function = _BINARY.get(type(op))
        if function is None or not isinstance(left, plain) or not isinstance(right, plain):
            return Opaque("computed from an unknown")
        if isinstance(op, (ast.Pow, ast.LShift)) and not (
            isinstance(right, (int, float))
            and abs(right) <= 64
            and isinstance(left, (int, float))
            and abs(left) < 1 << 64
        ):
            return Opaque("a power too large to follow")
        if isinstance(op, ast.Mult):
            for sequence, count in ((left, right), (right, left)):
                if (
                    isinstance(sequence, (str, list, tuple))
                    and isinstance(count, int)
                    and len(sequence) * count > LARGEST
                ):
                    return Opaque("a sequence too long to follow")
        if isinstance(op, ast.Mod) and isinstance(left, str):
            return Opaque("a formatted text")
        return self.native(function, [left, right])

    def native(self, function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any] | None = None) -> Any:
        """A call of Python's own function on plain values; what it raises is raised in the program that is read."""
        try:
            return function(*arguments, **(keywords or {}))
        except (TypeError, ValueError, KeyError, IndexError, ZeroDivisionError, AttributeError, OverflowError) as error:
            raise Raised(type(error).__name__) from None

    def ev_Compare(self, node: ast.Compare, frame: Frame) -> Any:
        left = self.expression(node.left, frame)
        unsure = False
        for op, right_node in zip(node.ops, node.comparators, strict=False):
            right = self.expression(right_node, frame)
            result = self.compare(op, left, right)
            if result is False:
                return False
            unsure = unsure or result is None
            left = right
        return Opaque("compares an unknown") if unsure else True

    def compare(self, op: ast.cmpop, left: Any, right: Any) -> bool | None:
        if isinstance(left, Opaque) or isinstance(right, Opaque):
            return None
        if isinstance(op, (ast.Is, ast.IsNot)):
            if isinstance(left, External) and isinstance(right, External):
                same: bool | None = left == right
            elif isinstance(left, External) or isinstance(right, External):
                other = right if isinstance(left, External) else left
                same = False if other is None else None
            else:
                same = left is right
            return same if isinstance(op, ast.Is) or same is None else not same
        if isinstance(op, (ast.In, ast.NotIn)):
            return self.contains(op, left, right)
        if isinstance(left, External) or isinstance(right, External):
            equal = left == right if isinstance(left, External) and isinstance(right, External) else None
            return (
                equal if isinstance(op, ast.Eq) or equal is None else not equal if isinstance(op, ast.NotEq) else None
            )
        if isinstance(left, EnumMember) and isinstance(right, EnumMember) and isinstance(op, (ast.Eq, ast.NotEq)):
            same = (left.cls, left.name) == (right.cls, right.name)
            return same if isinstance(op, ast.Eq) else not same
        if not known(left) or not known(right):
            return None
        return bool(self.native(_COMPARE[type(op)], [left, right]))

    def contains(self, op: ast.cmpop, item: Any, container: Any) -> bool | None:
        if not isinstance(container, (list, tuple, dict, set, frozenset, str, range)):
            return None
        try:
            found = item in container
        except TypeError:
            raise Raised("TypeError") from None
        if not found and not known(list(container) if not isinstance(container, (str, range)) else ""):
            return None
        return found if isinstance(op, ast.In) else not found

    def ev_IfExp(self, node: ast.IfExp, frame: Frame) -> Any:
        test = self.truth(self.expression(node.test, frame))
        if test is None:
            left, right = self.expression(node.body, frame), self.expression(node.orelse, frame)
            return (
                left
                if left is right or (known(left) and type(left) is type(right) and left == right)
                else Opaque("depends on an unknown condition")
            )
        return self.expression(node.body if test else node.orelse, frame)

    def ev_NamedExpr(self, node: ast.NamedExpr, frame: Frame) -> Any:
        value = self.expression(node.value, frame)
        frame.names[node.target.id] = value
        return value

    def ev_Subscript(self, node: ast.Subscript, frame: Frame) -> Any:
        value = self.expression(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            if not isinstance(value, (str, list, tuple)):
                return Opaque("a part of an unknown")
            bounds = [
                None if b is None else self.expression(b, frame)
                for b in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            if not all(b is None or isinstance(b, int) for b in bounds):
                return Opaque("a part with unknown bounds")
            return self.native(operator.getitem, [value, slice(*bounds)])
        key = self.expression(node.slice, frame)
        if isinstance(value, ClassValue) and isinstance(key, str) and self.is_enum(value):
            return self.attribute(value, key)
        if isinstance(value, External) and isinstance(key, str):
            return External(f"{value.name}.{key}")  # a member of an enum
        if isinstance(value, (ClassValue, External)):
            return value if isinstance(value, ClassValue) else Opaque("a subscripted name outside the checkout")
        if isinstance(key, Opaque) or not isinstance(value, (str, list, tuple, dict, range)):
            return Opaque("an item of an unknown")
        if isinstance(value, dict) and not known(list(value)):
            return Opaque("an item of a mapping with unknown keys")
        return self.native(operator.getitem, [value, key])

    def ev_Lambda(self, node: ast.Lambda, frame: Frame) -> Any:
        return Function("<lambda>", frame.module, node, (*frame.scopes, frame.names))

    def ev_Starred(self, node: ast.Starred, frame: Frame) -> Any:
        return self.expression(node.value, frame)

    # ---- comprehensions -------------------------------------------------------------------------------
    def ev_ListComp(self, node: ast.ListComp, frame: Frame) -> Any:
        return self.comprehension(node.generators, frame, lambda inner: self.expression(node.elt, inner))

    def ev_GeneratorExp(self, node: ast.GeneratorExp, frame: Frame) -> Any:
        return self.comprehension(node.generators, frame, lambda inner: self.expression(node.elt, inner))

    def ev_SetComp(self, node: ast.SetComp, frame: Frame) -> Any:
        items = self.comprehension(node.generators, frame, lambda inner: self.expression(node.elt, inner))
        return self.native(set, [items]) if known(items) else Opaque("a set with unknown elements")

    def ev_DictComp(self, node: ast.DictComp, frame: Frame) -> Any:
        pairs = self.comprehension(
            node.generators, frame, lambda inner: (self.expression(node.key, inner), self.expression(node.value, inner))
        )
        return (
            self.native(dict, [pairs])
            if isinstance(pairs, list) and known([k for k, _ in pairs])
            else Opaque("a mapping with unknown keys")
        )

    def comprehension(self, generators: list[ast.comprehension], frame: Frame, make: Callable[[Frame], Any]) -> Any:
        out: list[Any] = []
        inner = Frame(frame.module, dict(frame.names), frame.scopes, frame.owner, frame.instance)

        def level(index: int) -> bool:
            if index == len(generators):
                out.append(make(inner))
                return len(out) <= LARGEST
            generator = generators[index]
            items = self.iterate(self.expression(generator.iter, inner))
            if items is None:
                return False
            for item in items:
                self.step()
                self.assign(generator.target, item, generator.iter, inner, None)
                tests = [self.truth(self.expression(test, inner)) for test in generator.ifs]
                if None in tests:
                    return False
                if all(tests) and not level(index + 1):
                    return False
            return True

        return out if level(0) else Opaque("built from an unknown sequence")
