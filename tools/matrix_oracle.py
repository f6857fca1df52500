"""Tries every cell of `moelint matrix` on the trainers' own validators and lists where they disagree.

usage: PYTHONPATH=src:tools python tools/matrix_oracle.py --oracle COMMAND [--layer bridge|mcore] [--version V]
       [--gpu NAME] [--te V] [--torch V] [--only FEATURE …] [--show N] [--json FILE]

A cell with an error that says `refuses` must be refused, with its condition it must be accepted; a cell without errors
must be accepted. Of cells with hangs, crashes or corruption the validators need not know: they are counted apart.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from verdicts.case import PACKAGE, Case, nested
from verdicts.oracle import ask, command

from moelint.matrix.cells import Cell, Matrix
from moelint.policy.load import load

# What the asking itself brings about: fragment of a verdict's message → why it says nothing of the cell.
EXPLAINED = {
    "Current FusedAdam of TE doesn't support --use-precision-aware-optimizer": (
        "on a CPU Transformer Engine is a stand-in whose FusedAdam has no arguments; since TE 2.1 the real one has them"
    ),
}


def case_of(matrix: Matrix, name: str, settings: dict[str, Any], unset: list[str], options: Any) -> Case:
    """The job with some settings as the validators take it."""
    written = matrix.config(settings, tuple(unset)).written
    values = {key: item.value for key, item in written.items() if not key.startswith("env_vars.")}
    environ = {key.partition(".")[2]: item.value for key, item in written.items() if key.startswith("env_vars.")}
    env = {"te": options.te, "torch": options.torch, "gpu": options.gpu.upper(), "world_size": 64, "environ": environ}
    env |= {"deep_ep": True, "hybrid_ep": True, "nccl_ep": True}
    if options.layer == "bridge":
        config = nested(values)
        stages = ["validate", "parallel_state", "provide", "moe_layer"]
    else:
        config = {key.removeprefix("model."): value for key, value in values.items()}
        stages = ["config", "parallel_state", "moe_layer"]
    return {
        "id": name,
        "layer": options.layer,
        "version": options.version,
        "env": env,
        "config": config,
        "stages": stages,
    }


def questions(matrix: Matrix, cells: list[Cell], options: Any) -> Iterator[tuple[Cell, str, Case]]:
    """(cell, what to expect, case)."""
    for cell in cells:
        name = f"{cell.a.id}+{cell.b.id}"
        if cell.state in ("same", "absent"):
            continue
        settings = cell.settings or _together(matrix, cell)
        if settings is None:
            continue
        refuses = any(said.effect == "refuses" for said in cell.said)
        expect = "refused" if refuses else "any" if cell.state in ("breaks", "alone") else "accepted"
        if cell.state == "conditional":
            with_it = {**settings, **cell.condition}
            yield cell, "accepted", case_of(matrix, name + " with its condition", with_it, cell.unset, options)
            expect = "refused" if refuses else "any"
        yield cell, expect, case_of(matrix, name, settings, [], options)


def _together(matrix: Matrix, cell: Cell) -> dict[str, Any] | None:
    from moelint.matrix.features import joined

    return joined(matrix.settings(cell.a) or {}, matrix.settings(cell.b) or {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle")
    parser.add_argument("--layer", choices=["bridge", "mcore"], default="bridge")
    parser.add_argument("--version", default="main")
    parser.add_argument("--gpu", default="h100")
    parser.add_argument("--te", default="2.16.0")
    parser.add_argument("--torch", default="2.9.0")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--show", type=int, default=30)
    parser.add_argument("--json", metavar="FILE", help="Write the disagreements.")
    options = parser.parse_args()
    package, newest = PACKAGE[options.layer]
    version = newest if options.version == "main" else options.version
    stated = {package: version, "gpu": options.gpu, "transformer-engine": options.te, "torch": options.torch}
    matrix = Matrix(load(), stated)
    features = [f for f in matrix.features if not options.only or f.id in options.only]
    cells: list[Cell] = []
    for row in matrix.rows(features):
        cells += [
            cell for cell in row if options.only or matrix.features.index(cell.a) <= matrix.features.index(cell.b)
        ]
    asked = list(questions(matrix, cells, options))
    verdicts = ask([case for _, _, case in asked], command(options.oracle))
    count: Counter[str] = Counter(f"cells {cell.state}" for cell in cells)
    wrong: list[dict[str, Any]] = []
    for (cell, expect, case), verdict in zip(asked, verdicts, strict=True):
        said = {"ok": "accepted", "error": "refused"}.get(verdict["verdict"], verdict["verdict"])
        count[f"asked, {expect} expected, {said}"] += 1
        explained = next((why for part, why in EXPLAINED.items() if part in (verdict["message"] or "")), None)
        if expect != "any" and said != expect and explained is not None:
            count[f"disagreements explained: {explained}"] += 1
        elif expect != "any" and said != expect:
            rules = [f"{one.rule}: {one.message}" for one in cell.said]
            wrong.append(
                {
                    "cell": case["id"],
                    "state": cell.state,
                    "expected": expect,
                    "said": said,
                    "rules": rules,
                    "message": verdict["message"],
                    "where": verdict["where"],
                    "stage": verdict.get("stage"),
                }
            )
    for key in sorted(count):
        print(f"{count[key]:6} {key}")
    print(f"{len(asked)} questions, {len(wrong)} unexplained disagreements")
    for item in wrong[: options.show]:
        print(f"  {item['cell']} ({item['state']}): {item['said']}: {item['message'][:160]!r}")
        print(f"      {item['where']}; {item['rules'][:2]}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(wrong, file, indent=1)


if __name__ == "__main__":
    main()
