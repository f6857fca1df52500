"""Makes cases of what Megatron-LM's argument parser itself refuses: choices, types, numbers of values, unknown and
abbreviated flags, flags that exclude each other, negative and misspelt values.

    PYTHONPATH=src:tools python -m verdicts.arguments [--seed N] [--n N] > CASES.jsonl
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Iterator
from typing import Any

from moelint import data
from verdicts.bases import MOE, case
from verdicts.case import Case

VERSIONS = ("main", "0.19.0", "0.17.1", "0.16.1")


def wrong(spec: dict[str, Any], r: random.Random) -> Iterator[tuple[str, Any]]:
    """(kind of mistake, value) for one argument; ``good`` values among them."""
    actions = spec.get("actions") or [{}]
    if "value" in actions[0]:
        yield "flag-with-value", r.choice(["yes", 3])
        return
    kind, choices = str(spec["type"]), spec.get("choices")
    plain = kind.removeprefix("list[").removesuffix("]")
    if choices:
        word = str(r.choice(choices))
        yield "choice", "nonsense"
        yield "choice-case", word.upper() if word.upper() != word else word.lower()
        yield "good", r.choice(choices)
    elif plain == "int":
        yield "type", r.choice(["many", "1.5", "1e3", "8x"])
        yield "good", r.choice([1, 2, 8])
    elif plain == "float":
        yield "type", r.choice(["lots", "0,1"])
        yield "good", r.choice([0.5, "1e-3"])
    if not kind.startswith("list"):
        yield "too-many", ["1", "2"]


def cases(seed: int, count: int) -> Iterator[Case]:
    r = random.Random(seed)
    known: dict[str, list[dict[str, Any]]] = {}
    for number in range(count):
        version = r.choice(VERSIONS)
        specs = known.setdefault(version, arguments(version))
        spec = r.choice(specs)
        flag = spec["actions"][0]["flags"][0].removeprefix("--").replace("-", "_")
        found = list(wrong(spec, r))
        what, extra = r.choice([*found, ("unknown", None), ("abbreviated", None)])
        values: dict[str, Any] = {f"model.{k}": v for k, v in MOE.items()}
        if what == "unknown":
            values[f"flag.{flag}_{r.choice(['x', 'size', 'enabled'])}"] = 1
        elif what == "abbreviated":
            short = flag[: max(4, len(flag) - r.choice([2, 4]))]
            if any(short == other["dest"] for other in specs):
                continue
            values[f"flag.{short}"] = extra if extra is not None else 1
        else:
            values[f"flag.{flag}"] = extra
        made = case(f"arg-{seed}-{number:04}", "mlm", version, values, {})
        if made is not None:
            made["aimed"] = what
            yield made


def arguments(version: str) -> list[dict[str, Any]]:
    """The arguments of a release, as the field table holds them."""
    with open(os.path.join(data.folder("trainers"), "fields", "megatron-lm.json"), encoding="utf-8") as file:
        held = json.load(file)
    at = held["releases"].index(version)
    out = []
    for spans in held["keys"].values():
        for first, last, spec in spans:
            if held["releases"].index(first) <= at <= held["releases"].index(last) and spec.get("actions"):
                out.append(spec)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=300)
    args = parser.parse_args()
    for made in cases(args.seed, args.n):
        print(json.dumps(made))


if __name__ == "__main__":
    main()
