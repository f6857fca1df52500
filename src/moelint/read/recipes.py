"""Megatron Bridge recipes: each ``…_config()`` function of a Python file is a config, read without running it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Mapping

from moelint.read.config import Config, Written
from moelint.read.plain_values import plain_value
from moelint.read.recipe_entries import Entry, entries, makes_config
from moelint.read.recipe_hooks import RecipeHooks
from moelint.read.repository import plain_read, repository
from moelint.text.document import Problem
from moelint.text.python.document import PythonDocument
from moelint.text.python.evaluator import Evaluator
from moelint.text.python.hooks import NOTHING
from moelint.text.python.modules import Checkout, Module, import_root
from moelint.text.python.values import (
    ClassValue,
    External,
    Function,
    Instance,
    Place,
)
from moelint.text.source import Source
from moelint.typed import Any

DIALECT = "bridge-python"
_TARGET = re.compile(r"_(\d+)gpu_([a-z]+[0-9]+)_")
# Classes of the trainer itself: their defaults are in its field tables
_GENERAL = frozenset((
    "GPTModelProvider", "MLAModelProvider", "HybridModelProvider", "MambaModelProvider", "T5ModelProvider",
    "TransformerConfig", "MLATransformerConfig", "HeterogeneousTransformerConfig", "ModelProviderMixin",
    "ModelProvider", "ModelParallelConfig", "ModelConfig", "Serializable",
))
_OFFICIAL = re.compile(r"/megatron/bridge/(?:perf_)?recipes/")
_SECTIONS = ("comm_overlap", "mixed_precision", "peft")  # whose absence has a meaning of its own

_evaluators: dict[tuple[str, str, object], Evaluator] = {}
_KEPT = 16  # evaluators that are kept, with all that they have read


def read_recipes(
    source: Source,
    read: Callable[[str], Source] | None,
    facts: Callable[[str], Mapping[str, Any] | None],
    recipes: Callable[[str], Mapping[str, Any] | None],
    defaults: Callable[[str, str], Any] | None = None,
) -> tuple[list[Config], list[Problem], PythonDocument]:
    """The configs of a recipe file. Raises TextError if it is not Python.

    ``facts``: a model's provider fields by Hugging Face id; ``recipes``: an official recipe's values by function name;
    ``defaults``: what a field of one of the trainer's classes holds (raises KeyError).
    """
    evaluator = _evaluator(source.path, read or plain_read, facts, recipes, defaults or _no_default)
    module = evaluator.checkout.adopt(source)
    document = PythonDocument(module)
    configs: list[Config] = []
    problems: list[Problem] = []
    hooks = evaluator.hooks
    assert isinstance(hooks, RecipeHooks)
    for entry in entries(module, evaluator, hooks):
        document.functions[entry.name] = entry.node
        if entry.last is not None:
            document.last[entry.name] = entry.last
        configs.append(_Reader(module, document, entry, evaluator).config(entry.value))
    return configs, problems, document


def _no_default(name: str, field: str) -> Any:
    raise KeyError(field)


def _evaluator(
    path: str,
    read: Callable[[str], Source],
    facts: Callable[[str], Mapping[str, Any] | None],
    recipes: Callable[[str], Mapping[str, Any] | None],
    defaults: Callable[[str, str], Any],
) -> Evaluator:
    """One evaluator for all files of a checkout that import from the same folders: what it has read of other files is
    not read again."""
    top = os.path.abspath(repository(path))
    revision = read if hasattr(read, "stamp") else None  # each revision has its own modules
    at = top, import_root(top, path)[0], revision
    found = _evaluators.get(at)
    if found is None:
        if len(_evaluators) >= _KEPT:
            _evaluators.clear()
        checkout = Checkout(top, read)
        hooks = RecipeHooks(facts, recipes, defaults)
        hooks.in_checkout = lambda name: checkout.find(name.rsplit(".", 1)[0]) is not None  # type: ignore[method-assign]
        found = _evaluators[at] = Evaluator(checkout, hooks)
        hooks.clone = found.clone
    return found


class _Reader:
    """Turns one evaluated ConfigContainer into a config."""

    def __init__(self, module: Module, document: PythonDocument, entry: Entry, evaluator: Evaluator) -> None:
        self.module, self.document, self.evaluator = module, document, evaluator
        self.node, self.name = entry.node, entry.name

    def config(self, value: Instance) -> Config:
        node, source = self.node, self.module.source
        out = Config(self.name, node.lineno, DIALECT, "bridge", self.document)
        out.start = self.module.span(node)[0]
        out.end = self.module.span(node)[1]
        out.root = (self.name,)
        self.document.sections[out.root] = (out.start, out.start + len(source.line(node.lineno).rstrip()))
        self.out = out
        if _OFFICIAL.search(source.path.replace(os.sep, "/")):
            out.written["recipe.official"] = Written("recipe.official", True, "official", None, None, "base")
        for name, held in value.attributes.items():
            self.section(name, held, value)
        said = _TARGET.search(self.name)
        if said is not None:
            out.stated["gpus"] = (int(said.group(1)), "config")
            out.stated["gpu"] = (said.group(2), "config")
        model = value.attributes.get("model")
        if not isinstance(model, Instance) or model.class_name() in ("ModelProvider", "unknown", ""):
            out.loose_ends.append("the model's own settings")
        return out

    def section(self, name: str, held: Any, owner: Instance) -> None:
        if isinstance(held, Instance):
            before = len(self.out.written)
            self.instance(name, held)
            if len(self.out.written) == before and name in _SECTIONS:
                self.write(name, {}, owner.places.get(name), owner.origin.get(name))
        elif isinstance(held, dict) and held and all(isinstance(key, str) for key in held):
            self.mapping(name, held, owner.places.get(name), owner.origin.get(name))
        elif not isinstance(held, (Function, ClassValue)):
            self.write(name, plain_value(held), owner.places.get(name), owner.origin.get(name))

    def kind(self, section: str, held: Instance) -> None:
        """The class that a section is of, as a dump would name it: defaults and checks hang on it."""
        name = "" if held.cls is None else held.cls.name
        if isinstance(held.cls, ClassValue):
            name = f"{held.cls.module.name}.{name}"
        if name.rsplit(".", 1)[-1] not in ("", "ModelProvider", "unknown", section):
            key = f"{section}._target_"
            origin = "model" if section == "model" and isinstance(held.cls, External) else "base"
            self.out.written[key] = Written(key, name, "_target_", None, None, origin)

    def instance(self, prefix: str, held: Instance) -> None:
        if prefix in ("model", "dataset"):
            self.kind(prefix, held)
        if prefix == "model" and isinstance(held.cls, ClassValue):
            self.inherited(held, held.cls)
        for name, value in held.attributes.items():
            key = f"{prefix}.{name}"
            if isinstance(value, Instance):
                if prefix.count(".") < 2:
                    self.instance(key, value)
            elif isinstance(value, dict) and value and all(isinstance(part, str) for part in value):
                self.mapping(key, value, held.places.get(name), held.origin.get(name))
            elif not name.startswith("_"):
                self.write(key, plain_value(value), held.places.get(name), held.origin.get(name))

    def inherited(self, held: Instance, cls: ClassValue) -> None:
        """What a model's own class sets for its fields, which is no default of the trainer."""
        for owner in self.evaluator.mro(cls):
            if not isinstance(owner, ClassValue) or owner.name in _GENERAL:
                continue
            for name, node in self.evaluator.members(owner).items():
                key = f"model.{name}"
                if name in held.attributes or name.startswith("_") or key in self.out.written:
                    continue
                if isinstance(node, (ast.AnnAssign, ast.Assign)) and node.value is not None:
                    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                    value = self.evaluator.attribute(held, name, NOTHING)
                    if value is not NOTHING and not isinstance(value, (Function, ClassValue, Instance)):
                        self.write(key, plain_value(value), Place(owner.module, target, node.value, None), "model")

    def mapping(self, prefix: str, held: dict[str, Any], place: Place | None, origin: str | None) -> None:
        """A mapping such as ``env_vars``: each item has its own place, if the mapping is written out."""
        items: dict[str, Place] = {}
        if place is not None and isinstance(place.value, ast.Dict):
            for key, value in zip(place.value.keys, place.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    items[key.value] = Place(place.module, key, value, None)
        for name, value in held.items():
            self.write(f"{prefix}.{name}", plain_value(value), items.get(name), origin)

    def write(self, key: str, value: Any, place: Place | None, origin: str | None) -> None:
        spelling = key
        setting = None
        if key.startswith("env_vars.") and isinstance(value, (int, float)):
            value = str(value)  # the environment holds text
        document = None
        if place is None:
            origin = origin or "base"
        elif place.module is self.module and not self.elsewhere(place):
            setting = self.document.add((self.name, *key.split(".")), place, value)
            document, origin = self.document, "file"
        else:
            origin = "inherited"
        self.out.written[key] = Written(key, value, spelling, document, setting, origin)

    def elsewhere(self, place: Place) -> bool:
        """Whether a place of this file belongs to another config function, whose own config it is."""
        line = place.target.lineno  # type: ignore[attr-defined]
        if self.node.lineno <= line <= (self.node.end_lineno or 0):
            return False
        return any(
            isinstance(other, ast.FunctionDef)
            and other.lineno <= line <= (other.end_lineno or 0)
            and makes_config(other)
            for other in self.module.tree.body
        )
