"""NeMo 2 recipes: ``run.Partial`` objects that Python code builds and changes, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from moelint.read.config import Config, Written
from moelint.read.plain_values import plain_value
from moelint.read.plan import canonical
from moelint.read.repository import plain_read, repository
from moelint.read.tables import Table, tables
from moelint.read.view import state
from moelint.text.document import Path
from moelint.text.python.document import PythonDocument
from moelint.text.python.evaluator import Evaluator
from moelint.text.python.frames import Break, Continue, Frame, Return
from moelint.text.python.hooks import NOTHING, Hooks
from moelint.text.python.modules import Checkout, Module
from moelint.text.python.values import External, Instance, OutOfBudget, Place, Raised
from moelint.text.source import Source
from moelint.typed import Any

DIALECT = "nemo2-python"
_RUNS = frozenset(("nemo_run.run", "nemo_run.cli.main"))
_DEPTH = 6


class _Hooks(Hooks):
    """``run.Config(cls, …)`` is an object that holds what it is told; a recipe of NeMo is one of which only that is
    known; ``run.run(recipe)`` starts a run."""

    def __init__(self) -> None:
        self.launched: list[Instance] = []

    def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if name in _RUNS:
            self.launched += [value for value in arguments[:1] if isinstance(value, Instance)]
            return None
        if name.startswith("nemo.collections.") and name.rsplit(".", 1)[-1].endswith("_recipe"):
            recipe, trainer = Instance(External(name)), Instance(External("nemo.lightning.Trainer"))
            for word, field in (("num_nodes", "num_nodes"), ("num_gpus_per_node", "devices")):
                if word in keywords:
                    trainer.attributes[field] = keywords[word]
            recipe.attributes["trainer"] = trainer
            return recipe
        return NOTHING


def read_nemo2(source: Source, read: Callable[[str], Source] | None) -> tuple[list[Config], PythonDocument]:
    """The configs of a file. Raises TextError if it is not Python."""
    hooks = _Hooks()
    checkout = Checkout(repository(source.path), read or plain_read)
    module = checkout.adopt(source)
    document = PythonDocument(module)
    evaluator = Evaluator(checkout, hooks)
    configs = []
    found = list(_entries(module, evaluator, hooks))
    spans = [(node.lineno, node.end_lineno or 0) for _, node, _ in found]
    for name, node, value in found:
        document.functions[name] = node
        last = _last(node)
        if last is not None:
            document.last[name] = last
        configs.append(_config(name, node, value, document, spans))
    return configs, document


def _entries(
    module: Module, evaluator: Evaluator, hooks: _Hooks
) -> Iterator[tuple[str, ast.FunctionDef | ast.If, Instance]]:
    for node in module.tree.body:
        hooks.launched.clear()
        name = "__main__"
        if isinstance(node, ast.FunctionDef):
            spec = node.args
            if len(spec.posonlyargs) + len(spec.args) > len(spec.defaults) or node.name.startswith("_"):
                continue
            name = node.name
            try:
                value = evaluator.run(module, name)
            except (Raised, OutOfBudget):
                value = None
            found = [value] if isinstance(value, Instance) else list(hooks.launched)
        elif isinstance(node, ast.If) and any(_runs(part) for part in ast.walk(node)):
            evaluator.uncertain = evaluator.depth = evaluator.steps = 0
            try:
                evaluator.block(node.body, Frame(module, {}))
            except (Raised, OutOfBudget, RecursionError, Return, Break, Continue):
                pass
            found = list(hooks.launched)
        else:
            continue
        for recipe in found[:1]:
            if _is_recipe(recipe):
                yield name, node, recipe


def _is_recipe(value: Instance) -> bool:
    trainer = value.attributes.get("trainer")
    return isinstance(trainer, Instance) and ("strategy" in trainer.attributes or "model" in value.attributes)


def _last(node: ast.FunctionDef | ast.If) -> tuple[ast.stmt, str] | None:
    """The statement that hands the recipe on, and its variable."""
    for statement in node.body:
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Name):
            return statement, statement.value.id
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and _runs(call) and call.args and isinstance(call.args[0], ast.Name):
            return statement, call.args[0].id
    return None


def _runs(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run"


def _config(
    name: str,
    node: ast.FunctionDef | ast.If,
    value: Instance,
    document: PythonDocument,
    spans: list[tuple[int, int]],
) -> Config:
    """``spans``: the lines of all places that make a config; what stands in another one of them is inherited."""
    table = tables()[DIALECT]
    out = Config(name, node.lineno, DIALECT, table["trainer"], document)
    module = document.module
    out.start, out.end = module.span(node)
    others = [span for span in spans if span != (node.lineno, node.end_lineno or 0)]
    out.root = (name,)
    document.sections[out.root] = (out.start, out.start + len(module.source.line(node.lineno).rstrip()))
    for path, held, place in _leaves(value, (), 0):
        line = 0 if place is None else place.target.lineno  # type: ignore[attr-defined]
        own = place is not None and place.module is module and not any(a <= line <= b for a, b in others)
        _write(out, table, document, path, held, place if own else None)
    trainer = value.attributes["trainer"].attributes
    nodes, each = trainer.get("num_nodes"), trainer.get("devices")
    if type(each) is int and each > 0:
        state(out, "gpus-per-node", each)
        if type(nodes) is int and nodes > 0:
            state(out, "gpus", nodes * each)
    return out


def _leaves(value: Instance, path: Path, depth: int) -> Iterator[tuple[Path, Any, Place | None]]:
    for name, held in value.attributes.items():
        if isinstance(held, Instance):
            if depth < _DEPTH:
                yield from _leaves(held, (*path, name), depth + 1)
        elif not name.startswith("_"):
            yield (*path, name), held, value.places.get(name)


def _write(out: Config, table: Table, document: PythonDocument, path: Path, held: Any, place: Place | None) -> None:
    key = canonical(path, table["exact"], table["prefixes"])
    if key is None:
        return
    value = plain_value(held)
    if place is not None:
        setting = document.add((*out.root, *path), place, value)
        out.written[key] = Written(key, value, str(path[-1]), document, setting, "file")
    else:
        out.written[key] = Written(key, value, str(path[-1]), None, None, "inherited")
