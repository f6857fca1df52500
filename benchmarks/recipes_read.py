"""How much of Megatron Bridge's recipes is read, and how much of that is right.

    python benchmarks/recipes_read.py PATH/TO/Megatron-Bridge RECIPES.jsonl [--show N]

RECIPES.jsonl has one official recipe a line, as the trainer itself resolved it: {"name", "module", "as_returned": {key:
value}}. Prints recipes resolved, the share of values that agree (explicit: the recipe or what it calls assigns them),
and the time. Nothing of the checkout is imported or run.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import time
from typing import Any

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.read.configs import ReadOptions
from moelint.read.files import read_file
from moelint.text.files import read
from moelint.trainer.class_defaults import class_default


def same(mine: Any, wanted: Any) -> bool:
    """Whether two values are one: enum members by name, functions and dtypes by the last part of their name."""
    if isinstance(wanted, dict) and "_name_" in wanted:  # an enum member of a dump
        wanted = wanted["_name_"]
    if isinstance(mine, str) and isinstance(wanted, str):
        return mine == wanted or mine.rsplit(".", 1)[-1] == wanted.rsplit(".", 1)[-1]
    if isinstance(mine, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(mine) == len(wanted) and all(same(a, b) for a, b in zip(mine, wanted, strict=True))
    if isinstance(mine, dict) and isinstance(wanted, dict):
        return {str(k) for k in mine} == {str(k) for k in wanted} and all(
            same(v, wanted.get(k, wanted.get(str(k)))) for k, v in mine.items()
        )
    return bool(mine == wanted) or str(mine) == str(wanted)


def configs(checkout: str, modules: list[str]) -> dict[tuple[str, str], Config]:
    """(module, function) → what was read of it."""
    out = {}
    for module in modules:
        path = os.path.join(checkout, "src", *module.split(".")) + ".py"
        if os.path.exists(path):
            for config in read_file(read(path), ReadOptions(named=True, read=read, defaults=class_default)).configs:
                out[module, config.name] = config
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("recipes")
    parser.add_argument("--show", type=int, default=10, help="disagreements to print")
    options = parser.parse_args()
    with open(options.recipes, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    start = time.perf_counter()
    found = configs(options.checkout, sorted({row["module"] for row in rows}))
    seconds = time.perf_counter() - start
    count: collections.Counter[tuple[str, str]] = collections.Counter()
    odd: collections.Counter[tuple[str, str]] = collections.Counter()
    example: dict[tuple[str, str], Any] = {}
    missing = [row["name"] for row in rows if (row["module"], row["name"]) not in found]
    for row in rows:
        config = found.get((row["module"], row["name"]))
        if config is None:
            continue
        wanted = row["as_returned"]
        for key, written in config.written.items():
            if key not in wanted:
                continue
            kind = "explicit" if written.origin in ("file", "inherited") else written.origin
            result = "unknown" if written.value is UNKNOWN else "right" if same(written.value, wanted[key]) else "wrong"
            count[kind, result] += 1
            if result != "right":
                odd[key, result] += 1
                example.setdefault((key, result), (row["name"], written.value, wanted[key]))
    print(f"recipes resolved {len(rows) - len(missing)}/{len(rows)}   {seconds:.1f} s")
    for kind in sorted({k for k, _ in count}):
        right, wrong, unknown = (count[kind, result] for result in ("right", "wrong", "unknown"))
        share = right / max(1, right + wrong)
        print(f"{kind:10} right {right}  wrong {wrong}  unknown {unknown}  ({share:.3%} of the known)")
    for name in missing[: options.show]:
        print("not resolved:", name)
    for (key, result), number in odd.most_common(options.show):
        print(f"{number:5} {result:8} {key}  {example[key, result]}")


if __name__ == "__main__":
    main()
