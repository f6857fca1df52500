"""Statements: what a function's body does to names and attributes. Unknown conditions make what they touch unknown."""

from __future__ import annotations

import ast

from moelint.text.python.frames import Break, Continue, Frame, Return
from moelint.text.python.part import Part
from moelint.text.python.values import External, Function, Instance, Opaque, OutOfBudget, Place, Raised
from moelint.typed import Any

_UNSURE = Opaque("set under a condition that cannot be known here")
_LOOPS = 10_000


class Statements(Part):
    """Mixed into the evaluator."""

    def block(self, body: list[ast.stmt], frame: Frame) -> None:
        for node in body:
            self.step()
            method = getattr(self, "do_" + type(node).__name__, None)
            if method is not None:
                method(node, frame)

    def maybe(self, body: list[ast.stmt], frame: Frame) -> None:
        """Run a body that may or may not run: all that it sets is unknown afterwards."""
        self.uncertain += 1
        try:
            self.block(body, frame)
        except (Raised, Break, Continue):
            pass
        except Return as result:
            frame.maybe.append(result.value)
        finally:
            self.uncertain -= 1

    def do_Expr(self, node: ast.Expr, frame: Frame) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value, frame)

    def do_Return(self, node: ast.Return, frame: Frame) -> None:
        value = None if node.value is None else self.expression(node.value, frame)
        raise Return(value)

    def do_Assign(self, node: ast.Assign, frame: Frame) -> None:
        value = self.expression(node.value, frame)
        for target in node.targets:
            self.assign(target, value, node.value, frame, node if len(node.targets) == 1 else None)

    def do_AnnAssign(self, node: ast.AnnAssign, frame: Frame) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value, frame), node.value, frame, node)

    def do_AugAssign(self, node: ast.AugAssign, frame: Frame) -> None:
        old = self.expression(node.target, frame)
        new = self.binary(node.op, old, self.expression(node.value, frame))
        if isinstance(node.op, ast.Add) and isinstance(old, list) and isinstance(new, list) and not self.uncertain:
            old[:] = new
            new = old
        self.assign(node.target, new, node.value, frame, None)

    def assign(self, target: ast.AST, value: Any, source: ast.AST, frame: Frame, statement: ast.stmt | None) -> None:
        if isinstance(target, ast.Name):
            frame.names[target.id] = (
                _UNSURE if self.uncertain and frame.names.get(target.id, value) is not value else value
            )
        elif isinstance(target, ast.Attribute):
            whole = statement if isinstance(target.value, (ast.Name, ast.Attribute)) else None
            held = self.expression(target.value, frame)
            if isinstance(held, Opaque) and not self.uncertain:
                held = self.materialise(target.value, frame) or held
            self.store(held, target.attr, value, Place(frame.module, target, source, whole))
        elif isinstance(target, (ast.Tuple, ast.List)):
            known = isinstance(value, (list, tuple)) and len(value) == len(target.elts)
            for index, item in enumerate(target.elts):
                self.assign(
                    item, value[index] if known else Opaque("unpacked from an unknown value"), source, frame, None
                )
        elif isinstance(target, ast.Subscript):
            self.store_item(self.expression(target.value, frame), self.expression(target.slice, frame), value)

    def materialise(self, node: ast.AST, frame: Frame) -> Instance | None:
        """An unknown object below a known one, on which something is set: what is set is known all the same."""
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.expression(node.value, frame)
        if not isinstance(owner, Instance):
            owner = self.materialise(node.value, frame) if isinstance(owner, Opaque) else None
        if owner is None:
            return None
        made = owner.attributes[node.attr] = Instance(External("unknown"))
        return made

    def store_item(self, container: Any, key: Any, value: Any) -> None:
        if self.uncertain:
            value = _UNSURE
        try:
            if isinstance(container, (dict, list)) and not isinstance(key, Opaque):
                container[key] = value
            elif isinstance(container, dict):
                container.clear()
                container["?"] = Opaque("an item whose key is unknown was set")
        except (TypeError, IndexError):
            raise Raised("TypeError") from None

    def do_Delete(self, node: ast.Delete, frame: Frame) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                held = self.expression(target.value, frame)
                if isinstance(held, Instance):
                    held.attributes[target.attr] = Opaque("deleted")
            elif isinstance(target, ast.Subscript):
                held, key = self.expression(target.value, frame), self.expression(target.slice, frame)
                if isinstance(held, dict) and not isinstance(key, Opaque):
                    held.pop(key, None)

    def do_If(self, node: ast.If, frame: Frame) -> None:
        test = self.truth(self.expression(node.test, frame))
        if test is None:
            before = dict(frame.names)
            self.maybe(node.body, frame)
            names = frame.names
            frame.names = dict(before)
            self.maybe(node.orelse, frame)
            for name in {*names, *frame.names}:
                left, right = names.get(name, _UNSURE), frame.names.get(name, _UNSURE)
                if left is not right:
                    frame.names[name] = _UNSURE
        else:
            self.block(node.body if test else node.orelse, frame)

    def do_For(self, node: ast.For, frame: Frame) -> None:
        items = self.iterate(self.expression(node.iter, frame))
        if items is None:
            self.assign(node.target, Opaque("an item of an unknown sequence"), node.iter, frame, None)
            self.maybe(node.body, frame)
            return
        for item in items:
            self.assign(node.target, item, node.iter, frame, None)
            try:
                self.block(node.body, frame)
            except Break:
                return
            except Continue:
                continue
        self.block(node.orelse, frame)

    def do_While(self, node: ast.While, frame: Frame) -> None:
        for _ in range(_LOOPS):
            test = self.truth(self.expression(node.test, frame))
            if test is None:
                self.maybe(node.body, frame)
                return
            if not test:
                return
            try:
                self.block(node.body, frame)
            except Break:
                return
            except Continue:
                continue
        raise OutOfBudget

    def do_Break(self, node: ast.Break, frame: Frame) -> None:
        raise Break

    def do_Continue(self, node: ast.Continue, frame: Frame) -> None:
        raise Continue

    def do_With(self, node: ast.With, frame: Frame) -> None:
        for item in node.items:
            value = self.expression(item.context_expr, frame)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, item.context_expr, frame, None)
        self.block(node.body, frame)

    def do_Raise(self, node: ast.Raise, frame: Frame) -> None:
        name = "Exception"
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, ast.Name):
            name = raised.id
        elif isinstance(raised, ast.Attribute):
            name = raised.attr
        raise Raised(name)

    def do_Assert(self, node: ast.Assert, frame: Frame) -> None:
        if self.truth(self.expression(node.test, frame)) is False and not self.uncertain:
            raise Raised("AssertionError")

    def do_Try(self, node: ast.Try, frame: Frame) -> None:
        try:
            self.block(node.body, frame)
        except Raised as raised:
            for handler in node.handlers:
                if self.catches(handler.type, raised.name):
                    if handler.name:
                        frame.names[handler.name] = Opaque("an exception")
                    self.block(handler.body, frame)
                    break
            else:
                raise
        else:
            self.block(node.orelse, frame)
        finally:
            self.block(node.finalbody, frame)

    @staticmethod
    def catches(kind: ast.expr | None, name: str) -> bool:
        if kind is None:
            return True
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        names = {k.id if isinstance(k, ast.Name) else k.attr if isinstance(k, ast.Attribute) else "" for k in kinds}
        parents = {"KeyError": "LookupError", "IndexError": "LookupError", "ModuleNotFoundError": "ImportError"}
        return bool(names & {name, parents.get(name, name), "Exception", "BaseException"})

    def do_FunctionDef(self, node: ast.FunctionDef, frame: Frame) -> None:
        frame.names[node.name] = Function(node.name, frame.module, node, (*frame.scopes, frame.names))

    def do_Import(self, node: ast.Import, frame: Frame) -> None:
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            frame.names[alias.asname or name] = self.checkout.find(name) or External(name)

    def do_ImportFrom(self, node: ast.ImportFrom, frame: Frame) -> None:
        for alias in node.names:
            if alias.name != "*":
                frame.names[alias.asname or alias.name] = self.imported(frame.module.absolute(node), alias.name)
