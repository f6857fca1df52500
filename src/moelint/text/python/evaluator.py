"""Evaluates functions of a checkout over their syntax trees: what cannot be followed is opaque, never guessed."""

from __future__ import annotations

import ast

from moelint.text.python.calls import Calls
from moelint.text.python.expressions import Expressions
from moelint.text.python.frames import Frame
from moelint.text.python.hooks import NOTHING, Hooks
from moelint.text.python.modules import Checkout, Module
from moelint.text.python.objects import Objects
from moelint.text.python.statements import Statements
from moelint.text.python.values import ClassValue, External, Function, OutOfBudget
from moelint.typed import Any

STEPS = 400_000
DEPTH = 60


class Evaluator(Objects, Statements, Expressions, Calls):
    """One evaluation at a time; ``uncertain`` counts the unknown conditions that stand around what runs now."""

    def __init__(self, checkout: Checkout, hooks: Hooks | None = None) -> None:
        self.checkout, self.hooks = checkout, hooks or Hooks()
        self.uncertain = self.depth = self.steps = 0

    def run(self, module: Module, name: str) -> Any:
        """The result of calling a top-level function of a module without arguments.

        Raises values.Raised if the program certainly raises, values.OutOfBudget if it takes too long to follow.
        """
        self.uncertain = self.depth = self.steps = 0
        function = self.module_name(module, name)
        try:
            return self.call(function, [], {}, None, Frame(module, {}))
        except RecursionError:
            raise OutOfBudget from None

    def step(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise OutOfBudget

    def module_name(self, module: Module, name: str, seen: frozenset[str] = frozenset()) -> Any:
        """A top-level name of a module, evaluated when it is first asked for."""
        value = self.lookup(module, name, seen)
        return External(f"{module.name}.{name}") if value is NOTHING else value

    def lookup(self, module: Module, name: str, seen: frozenset[str] = frozenset()) -> Any:
        if name in module.cache:
            return module.cache[name]
        bound = module.bindings.get(name)
        if bound is None:
            for star in module.stars:
                found = self.checkout.find(star)
                if found is not None and star not in seen:
                    value = self.lookup(found, name, seen | {module.name})
                    if value is not NOTHING:
                        return value
            inside = self.checkout.find(f"{module.name}.{name}") if module.package else None
            return NOTHING if inside is None else inside
        node, detail = bound
        value = External(f"{module.name}.{name}")
        module.cache[name] = value  # ends a cycle
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            value = Function(name, module, node)
        elif isinstance(node, ast.ClassDef):
            value = ClassValue(name, module, node)
        elif isinstance(node, ast.ImportFrom) and isinstance(detail, ast.alias):
            value = self.imported(module.absolute(node), detail.name, seen | {module.name})
        elif isinstance(node, ast.Import) and isinstance(detail, ast.alias):
            dotted = detail.name if detail.asname else detail.name.split(".")[0]
            value = self.checkout.find(dotted) or External(dotted)
        elif isinstance(detail, ast.expr):
            held, self.uncertain = self.uncertain, 0
            value = self.expression(detail, Frame(module, {}))
            self.uncertain = held
            if isinstance(value, (dict, list)) and not value:
                module.cache[name] = value
                self.fill(module)
        module.cache[name] = value
        return value

    def fill(self, module: Module) -> None:
        """A registry, empty at first, is filled by the decorators of the module's functions: apply them once."""
        if "#filled" in module.cache:
            return
        module.cache["#filled"] = True
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef):
                for mark in node.decorator_list:
                    decorator = self.lookup(module, mark.id) if isinstance(mark, ast.Name) else None
                    if isinstance(decorator, Function) and decorator.module is module:
                        self.call(decorator, [Function(node.name, module, node)], {}, None, Frame(module, {}))

    def imported(self, module_name: str, name: str, seen: frozenset[str] = frozenset()) -> Any:
        """What ``from module_name import name`` binds."""
        module = self.checkout.find(module_name)
        if module is not None:
            value = self.lookup(module, name, seen)
            if value is not NOTHING:
                return value
        submodule = self.checkout.find(f"{module_name}.{name}")
        if submodule is not None:
            return submodule
        answer = self.hooks.external(f"{module_name}.{name}")
        return External(f"{module_name}.{name}") if answer is NOTHING else answer
