"""Names of fields that model, dataset and other config classes outside the tables have: a setting with such a name is
known
to some class of the trainer, if not to the usual one.

usage: PYTHONPATH=tools python -m fields.other_classes --sources BRIDGE_TREE … --out trainers/fields/other.json
"""

from __future__ import annotations

import argparse
import ast
import json
import os

PLACES = {
    "model": ("src/megatron/bridge/models", "src/megatron/bridge/diffusion", "megatron/core/transformer"),
    "dataset": ("src/megatron/bridge/data", "src/megatron/bridge/recipes", "megatron/core/datasets"),
    "peft": ("src/megatron/bridge/peft",),
    "tokenizer": ("src/megatron/bridge/training/tokenizers", "megatron/training/config"),
    "optimizer": ("megatron/core/optimizer",),
}


def fields(path: str) -> set[str]:
    """Annotated names in the bodies of all classes of a Python file."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= {
                part.target.id
                for part in node.body
                if isinstance(part, ast.AnnAssign)
                and isinstance(part.target, ast.Name)
                and not part.target.id.startswith("_")
            }
    return found


def collect(trees: list[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for section, places in PLACES.items():
        names: set[str] = set()
        for tree in trees:
            for place in places:
                for folder, _, files in os.walk(os.path.join(tree, place)):
                    for name in files:
                        if name.endswith(".py"):
                            names |= fields(os.path.join(folder, name))
        out[section] = sorted(names)
    return out


def known(folder: str) -> dict[str, set[str]]:
    """Names that the tables have already, by section."""
    out: dict[str, set[str]] = {}
    for name in ("bridge.json", "core.json"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            table = json.load(file)
        for keys in (table["keys"], *table["variants"].values()):
            for key in keys:
                section, _, field = key.partition(".")
                out.setdefault(section, set()).add(field)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", nargs="+", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    have = known(os.path.dirname(options.out))
    found = {
        section: [n for n in names if n not in have.get(section, ())]
        for section, names in collect(options.sources).items()
    }
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
