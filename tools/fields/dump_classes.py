r"""Dumps the config dataclasses of a trainer's source tree, without importing it.

    PYTHONPATH=tools python -m fields.dump_classes core   PATH/TO/Megatron-LM > megatron-core-RELEASE.json
    PYTHONPATH=tools python -m fields.dump_classes bridge PATH/TO/Megatron-Bridge --core PATH/TO/Megatron-LM \
        > megatron-bridge-RELEASE.json

A class stands with all fields that it has, its bases' included, each with its annotation, its default (as source text;
``factory:…`` for a default_factory) and the class that defines it. Bridge classes derive from those of the Megatron Core
that it pins: name that tree with --core.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from typing import Any

# (folder of a package, prefix of its classes in the dump, files whose dataclasses are dumped)
CORE = [
    ("", ("megatron/core/transformer/transformer_config.py", "megatron/core/model_parallel_config.py",
          "megatron/core/optimizer/optimizer_config.py", "megatron/core/distributed/distributed_data_parallel_config.py")),
    ("training.", ("megatron/training/config/training_config.py", "megatron/training/config/common_config.py",
                   "megatron/training/config/resilience_config.py", "megatron/training/config/inference_config.py",
                   "megatron/training/config/container.py")),
]  # fmt: skip
BRIDGE = [
    ("", ("src/megatron/bridge/training/config.py", "src/megatron/bridge/training/comm_overlap.py",
          "src/megatron/bridge/training/mixed_precision.py", "src/megatron/bridge/data/builders/gpt_sft.py",
          "src/megatron/bridge/models/gpt_provider.py", "src/megatron/bridge/models/mla_provider.py",
          "src/megatron/bridge/models/transformer_config.py", "src/megatron/bridge/models/hybrid/hybrid_provider.py",
          "src/megatron/bridge/models/mamba/mamba_provider.py", "src/megatron/bridge/peft/lora.py")),
]  # fmt: skip

Field = dict[str, Any]


class Tree:
    """One or two source trees, read file by file. ``roots``: folders that hold ``megatron`` or ``src/megatron``."""

    def __init__(self, roots: list[str]) -> None:
        self.roots = roots
        self.modules: dict[str, tuple[ast.Module, str] | None] = {}

    def path(self, module: str) -> str | None:
        """The file of a dotted module."""
        for root in self.roots:
            for stem in ("", "src/"):
                base = os.path.join(root, stem + module.replace(".", "/"))
                for name in (base + ".py", os.path.join(base, "__init__.py")):
                    if os.path.isfile(name):
                        return name
        return None

    def parsed(self, path: str) -> ast.Module:
        found = self.modules.get(path)
        if found is None:
            with open(path, encoding="utf-8") as file:
                found = self.modules[path] = (ast.parse(file.read()), path)
        return found[0]

    def locate(self, path: str, name: str, depth: int = 0) -> tuple[str, ast.ClassDef] | None:
        """Where a name that a file uses is defined as a class: in it, or in what it imports it from."""
        if depth > 6:
            return None
        for node in ast.walk(self.parsed(path)):
            if isinstance(node, ast.ClassDef) and node.name == name:
                return path, node
        for node in ast.walk(self.parsed(path)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        other = self.imported(path, node)
                        found = None if other is None else self.locate(other, alias.name, depth + 1)
                        if found is not None:
                            return found
        return None

    def imported(self, path: str, node: ast.ImportFrom) -> str | None:
        """The file that a ``from … import`` names."""
        if not node.level:
            return self.path(node.module or "")
        folder = path
        for _ in range(node.level):
            folder = os.path.dirname(folder)
        base = os.path.join(folder, *(node.module or "").split("."))
        return next((name for name in (base + ".py", os.path.join(base, "__init__.py")) if os.path.isfile(name)), None)

    def fields(self, path: str, node: ast.ClassDef, mark: str) -> dict[str, Field]:
        """All fields of a class, those of its bases first; ``mark``: how the dump names the class that defines one."""
        out: dict[str, Field] = {}
        for base in reversed(node.bases):
            name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
            found = self.locate(path, name) if name else None
            if found is not None and found[1] is not node:
                out.update(self.fields(found[0], found[1], mark))
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                default, required = _default(part.value)
                own = {"class": node.name} if not mark else {"defined_in": f"{_home(path)} {node.name}"}
                out[part.target.id] = {
                    **own,
                    "default": default,
                    "line": part.lineno,
                    "required": required,
                    "type": ast.unparse(part.annotation),
                }
        return out


def _home(path: str) -> str:
    return "Bridge" if "/megatron/bridge/" in path else "MCore"


def _default(value: ast.expr | None) -> tuple[str | None, bool]:
    """(source text, whether the field must be given)."""
    if value is None:
        return None, True
    if isinstance(value, ast.Call) and (ast.unparse(value.func).split(".")[-1] == "field"):
        for word in value.keywords:
            if word.arg == "default":
                return ast.unparse(word.value), False
            if word.arg == "default_factory":
                return "factory:" + ast.unparse(word.value), False
        return None, True
    return ast.unparse(value), False


def dump(kind: str, root: str, core: str | None) -> dict[str, Any]:
    """``{"package", "classes": {name: {bases, fields, file}}}`` of a tree."""
    tree = Tree([root, *([core] if core else [])])
    classes: dict[str, Any] = {}
    for prefix, files in CORE if kind == "core" else BRIDGE:
        for name in files:
            path = os.path.join(root, name)
            if not os.path.isfile(path):
                continue
            for node in tree.parsed(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    fields = tree.fields(path, node, "" if kind == "core" else "Bridge")
                    if fields:
                        bases = [ast.unparse(base) for base in node.bases]
                        classes[prefix + node.name] = {
                            "bases": bases,
                            "fields": dict(sorted(fields.items())),
                            "file": name,
                        }
    return {"package": f"megatron-{kind}", "classes": dict(sorted(classes.items()))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["core", "bridge"])
    parser.add_argument("tree")
    parser.add_argument("--core", help="the Megatron-LM tree that this Bridge pins")
    args = parser.parse_args()
    if args.kind == "bridge" and not args.core:
        parser.error("Bridge needs --core")
    json.dump(dump(args.kind, args.tree, args.core), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
