"""What a new release refuses that an old one did not, and the other way round: a list to write rules from.

    PYTHONPATH=tools python -m verdicts.refusals OLD_TREE NEW_TREE [--kind core|bridge|lm]

Reads the validators of both source trees with ``ast``: every ``assert`` and ``raise``, and every assignment that sets a
setting anew, with the conditions that lead to it. Statements are compared by their conditions and messages, not by line.
"""

from __future__ import annotations

import argparse
import ast
import os
from collections import Counter
from collections.abc import Iterator

FILES = {
    "core": (
        "megatron/core/transformer/transformer_config.py",
        "megatron/core/model_parallel_config.py",
        "megatron/core/parallel_state.py",
        "megatron/core/transformer/cuda_graph_config.py",
        "megatron/core/transformer/pipeline_parallel_layer_layout.py",
        "megatron/core/transformer/moe/moe_layer.py",
        "megatron/core/transformer/moe/token_dispatcher.py",
        "megatron/core/transformer/moe/router.py",
        "megatron/core/transformer/moe/experts.py",
        "megatron/core/transformer/moe/shared_experts.py",
        "megatron/core/optimizer/optimizer_config.py",
        "megatron/core/distributed/distributed_data_parallel_config.py",
    ),
    "lm": ("megatron/training/arguments.py", "megatron/training/argument_utils.py"),
    "bridge": (
        "src/megatron/bridge/training/config.py",
        "src/megatron/bridge/training/comm_overlap.py",
        "src/megatron/bridge/training/mixed_precision.py",
        "src/megatron/bridge/training/flex_dispatcher_backend.py",
        "src/megatron/bridge/training/utils/moe_token_drop.py",
        "src/megatron/bridge/models/gpt_provider.py",
        "src/megatron/bridge/training/initialize.py",
    ),
}
HOLDERS = ("self", "args", "config", "cfg", "model_cfg", "model_config")


def statements(tree: str, kind: str) -> Iterator[tuple[str, str, int]]:
    """(file, text of a refusal or silent change with its conditions, line)."""
    for name in FILES[kind]:
        path = os.path.join(tree, name)
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            module = ast.parse(file.read())
        for text, line in _walk(module.body, ()):
            yield name, text, line


def _walk(body: list[ast.stmt], under: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for node in body:
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            yield from _walk(node.body, (*under, test))
            yield from _walk(node.orelse, (*under, f"not ({test})"))
        elif isinstance(node, ast.Assert):
            yield _said("refuses unless", ast.unparse(node.test), under), node.lineno
        elif isinstance(node, ast.Raise) and node.exc is not None:
            yield _said("refuses", "", under), node.lineno
        elif isinstance(node, ast.Assign) and under and _is_setting(node.targets[0]):
            yield _said("sets", ast.unparse(node), under), node.lineno
        else:
            for field in ("body", "orelse", "finalbody"):
                yield from _walk(getattr(node, field, None) or [], under)


def _is_setting(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and ast.unparse(target).split(".")[0] in HOLDERS


def _said(what: str, test: str, under: tuple[str, ...]) -> str:
    return f"{what} {test}" + (f"   [when {' and '.join(under)}]" if under else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--kind", choices=list(FILES), default="core")
    args = parser.parse_args()
    old, new = list(statements(args.old, args.kind)), list(statements(args.new, args.kind))
    before, after = Counter(entry[:2] for entry in old), Counter(entry[:2] for entry in new)
    for title, entries, other in (("new", new, before), ("gone", old, after)):
        rows = [entry for entry in entries if not other[entry[:2]]]
        print(f"{title}: {len(rows)} of {len(entries)}")
        for name, text, line in rows:
            print(f"  {name.rsplit('/', 1)[-1]}:{line}: {text}")


if __name__ == "__main__":
    main()
