"""Where a Python file makes configs: functions that return one, and the places that start a training run with one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from moelint.read.recipe_hooks import LAUNCHERS, RecipeHooks
from moelint.text.python.evaluator import Evaluator
from moelint.text.python.frames import Break, Continue, Frame, Return
from moelint.text.python.modules import Module
from moelint.text.python.values import Instance, OutOfBudget, Raised

_SIGNS = re.compile(
    r"^[ \t]*(?:async\s+)?def\s+[a-z]\w{0,200}_config\w{0,200}\s*\("
    r"|\bConfigContainer\b|\b(?:pretrain|finetune)\s*\(|_config\(",
    re.MULTILINE,
)


_NEMO2 = re.compile(r"\b(?:run\.(?:Partial|Config|run)|MegatronStrategy)\b|_recipe\b")


def looks_like_nemo2(text: str) -> bool:
    """The same for NeMo 2: it speaks of NeMo-Run or NeMo's collections and builds, returns or runs recipes."""
    return ("nemo_run" in text or "nemo.collections" in text) and _NEMO2.search(text) is not None


class Entry:
    """One config of a file. ``last``: the statement before which one more assignment would still count, and the
    variable that holds the config there; None where that cannot be told."""

    __slots__ = ("last", "name", "node", "value")

    def __init__(self, name: str, node: ast.FunctionDef | ast.If, value: Instance) -> None:
        self.name, self.node, self.value = name, node, value
        self.last = _last(node)


def looks_like_recipes(text: str) -> bool:
    """A cheap look before parsing: it speaks of Megatron Bridge and makes, returns or runs configs."""
    return "megatron.bridge" in text and _SIGNS.search(text) is not None


def entries(module: Module, evaluator: Evaluator, hooks: RecipeHooks) -> Iterator[Entry]:
    """The configs of a module, in the order of its text. What raises or takes too long to follow gives none."""
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef) and makes_config(node):
            hooks.launched.clear()
            try:
                value = evaluator.run(module, node.name)
            except (Raised, OutOfBudget):
                value = None
            found = [value, *hooks.launched] if not hooks.launched or value is not hooks.launched[-1] else [value]
        elif isinstance(node, ast.If) and _is_main(node) and _launches(node):
            found = list(_run_block(module, node, evaluator, hooks))
        else:
            continue
        number = 0
        for held in found:
            if isinstance(held, Instance) and is_container(held):
                number += 1
                name = node.name if isinstance(node, ast.FunctionDef) else "__main__"
                yield Entry(name if number == 1 else f"{name}-{number}", node, held)


def makes_config(node: ast.FunctionDef) -> bool:
    """Whether a function can be called as it is and returns a config, or trains with one."""
    spec = node.args
    needed = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults)
    if needed or node.name.startswith("_") or any(default is None for default in spec.kw_defaults):
        return False
    if node.returns is not None and "ConfigContainer" in ast.unparse(node.returns):
        return True
    if node.returns is None and "_config" in node.name:
        return True
    return _launches(node) or (_returns_value(node) and any(_makes(call) for call in _calls(node)))


def is_container(value: Instance) -> bool:
    """Whether an object is the whole config of a run."""
    return value.class_name() == "ConfigContainer" or ("model" in value.attributes and "train" in value.attributes)


def _run_block(module: Module, node: ast.If, evaluator: Evaluator, hooks: RecipeHooks) -> list[Instance]:
    """The configs with which the body of ``if __name__ == "__main__":`` starts a run."""
    hooks.launched.clear()
    evaluator.uncertain = evaluator.depth = evaluator.steps = 0
    try:
        evaluator.block(node.body, Frame(module, {}))
    except (Raised, OutOfBudget, RecursionError, Return, Break, Continue):
        pass
    return list(hooks.launched)


def _is_main(node: ast.If) -> bool:
    test = node.test
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _calls(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            yield _called(part)


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _launches(node: ast.AST) -> bool:
    return any(name in LAUNCHERS for name in _calls(node))


def _makes(name: str) -> bool:
    return name == "ConfigContainer" or name.endswith("_config")


def _returns_value(node: ast.FunctionDef) -> bool:
    return any(isinstance(part, ast.Return) and part.value is not None for part in ast.walk(node))


def _last(node: ast.FunctionDef | ast.If) -> tuple[ast.stmt, str] | None:
    for statement in node.body:
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Name):
            return statement, statement.value.id
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and _called(call) in LAUNCHERS:
            given = [k.value for k in call.keywords if k.arg in ("config", "cfg")] or call.args[:1]
            if given and isinstance(given[0], ast.Name):
                return statement, given[0].id
    return None
