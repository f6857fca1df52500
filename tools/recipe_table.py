"""Makes trainers/recipes.json: what each official Megatron Bridge recipe sets, read from a Bridge checkout.

    python tools/recipe_table.py PATH/TO/Megatron-Bridge > trainers/recipes.json

The recipes are read statically, by the same reader that lints them. A model's own fields are not repeated: the table
names its Hugging Face id, and trainers/models.json holds them. Each key and each value stands once.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from typing import Any

from moelint.lang.unknown import UNKNOWN
from moelint.read.configs import ReadOptions
from moelint.read.files import read_file
from moelint.text.files import read
from moelint.trainer.class_defaults import class_default

OPTIONS = ReadOptions(named=True, read=read, defaults=class_default)
FOLDERS = ("src/megatron/bridge/recipes", "src/megatron/bridge/perf_recipes")
# Values that depend on the machine, or that no rule could ever read.
LEFT_OUT = (
    "checkpoint.save",
    "checkpoint.load",
    "logger.",
    "tokenizer.",
    "model.vision_config",
    "model.hf_model_revision",
    "recipe.",
)


def recipes(checkout: str) -> dict[str, dict[str, Any]]:
    """Recipe name → {"model": id or None, "set": {key: value}}, for all that could be followed to the end."""
    out: dict[str, dict[str, Any]] = {}
    for folder in FOLDERS:
        for root, _, names in sorted(os.walk(os.path.join(checkout, folder))):
            for name in sorted(names):
                if not name.endswith(".py"):
                    continue
                for config in read_file(read(os.path.join(root, name)), OPTIONS).configs:
                    if config.completeness != "complete":
                        continue
                    values = {
                        key: written.value
                        for key, written in sorted(config.written.items())
                        if written.origin != "model" and written.value is not UNKNOWN and not key.startswith(LEFT_OUT)
                    }
                    model = next((w.value for k, w in config.written.items() if k == "model.hf_model_id"), None)
                    # A library recipe and a benchmark may share a name: the library's keeps it.
                    label = config.name if config.name not in out else f"perf:{config.name}"
                    out[label] = {"model": model, "set": values}
    return out


def aliases(checkout: str, known: dict[str, Any]) -> dict[str, str]:
    """Other names under which the checkout's modules hand out a recipe: ``from … import recipe as name``."""
    out: dict[str, str] = {}
    for folder in FOLDERS:
        for root, _, names in sorted(os.walk(os.path.join(checkout, folder))):
            for name in sorted(names):
                if name.endswith(".py"):
                    with open(os.path.join(root, name), encoding="utf-8") as stream:
                        tree = ast.parse(stream.read())
                    for node in ast.walk(tree):
                        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                            if (
                                alias.asname
                                and not alias.asname.startswith("_")
                                and alias.name in known
                                and alias.asname not in known
                            ):
                                out[alias.asname] = alias.name
    return dict(sorted(out.items()))


def compact(found: dict[str, dict[str, Any]], other: dict[str, str]) -> dict[str, Any]:
    """{"keys": […], "values": […], "recipes": {name: [model, key, value, key, value, …]}, "aliases": {name: name}},
    keys and values as positions in the two lists."""
    keys: dict[str, int] = {}
    values: dict[str, int] = {}
    rows = {}
    for name, recipe in sorted(found.items()):
        row = [recipe["model"]]
        for key, value in recipe["set"].items():
            row += [keys.setdefault(key, len(keys)), values.setdefault(json.dumps(value, sort_keys=True), len(values))]
        rows[name] = row
    return {"keys": list(keys), "values": [json.loads(text) for text in values], "recipes": rows, "aliases": other}


def main() -> None:
    found = recipes(sys.argv[1])
    table = compact(found, aliases(sys.argv[1], found))
    rows = ",\n".join(
        f" {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in table["recipes"].items()
    )
    heads = ",\n".join(f'"{part}": {json.dumps(table[part])}' for part in ("keys", "values", "aliases"))
    print(f'{{{heads},\n"recipes": {{\n{rows}\n}}}}')


if __name__ == "__main__":
    main()
