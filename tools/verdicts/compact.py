"""Chooses the cases of the regression net from files of verdicts, and packs the catalogue of constraints beside them.

    PYTHONPATH=src:tools python -m verdicts.compact VERDICTS.jsonl … --sources FOLDER --catalogue FILE

Writes tests/data/verdicts.json.gz: of refused cases a few for each constraint (or message), layer and release, of
accepted ones those in which the trainer changed a written value, and a sample of the rest. Writes
tests/data/constraints.json.gz: for each error of the catalogue that has to do with MoE its layer, place, settings,
releases and relevance.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import re
from collections import Counter
from typing import Any

from verdicts.bases import LM
from verdicts.case import Case, flat, load, nested
from verdicts.locate import Locator

DATA = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "data")
PLUMBING = re.compile(r"optimizer\.(bf16|fp16|params_dtype)$|\._target_$|num_layers_at_(start|end)_in_bf16$")


def overridden(case: Case) -> dict[str, list[Any]]:
    """What the trainer changed although the config says otherwise."""
    written = {key: value for key, value in flat(nested(case["config"])) if value is not None}
    found = (case["expected"].get("changed") or {}).items()
    return {
        key: [old, new]
        for key, (old, new) in found
        if key in written and written[key] == old and _plain(new) not in ("", _plain(old)) and not PLUMBING.search(key)
    }


def _plain(value: Any) -> str:
    """A value so that spellings of one thing are equal: a text and a list of it, an object that a text was read into."""
    text = str(value[0] if isinstance(value, list) and len(value) == 1 else value).lower()
    return "" if text.startswith("<") else text


def filled(case: Case) -> dict[str, Any]:
    """The config with what whoever asked the trainer filled in, where the case was silent."""
    config = case["config"]
    if case["layer"] == "mlm":
        return {
            **{name.replace("-", "_"): value for name, value in LM.items()},
            "bf16": True,
            "micro_batch_size": 1,
            **config,
        }
    if case["layer"] == "bridge":
        config = nested(config)
        for section in ("optimizer", "ddp"):
            config[section] = {"use_distributed_optimizer": True, **(config.get(section) or {})}
    return dict(config)


def said(case: Case) -> str:
    """The trainer's message, without the usage that an argument parser prints before it."""
    return str(case["expected"]["message"] or "").rpartition("error: ")[2]


def slim(case: Case, constraint: str | None) -> Case:
    """What a replay needs of a case."""
    expected = {"verdict": case["expected"]["verdict"], "message": said(case)[:160]}
    if expected["verdict"] == "ok":
        expected["changed"] = overridden(case)
    name = re.sub(r"^rnd-(\d+)-", r"seed\1-", case["id"])
    out = {k: case[k] for k in ("layer", "version", "env")}
    return {"id": name, **out, "config": filled(case), "constraint": constraint, "expected": expected}


def choose(cases: list[Case], locator: Locator, each: int, sample: int) -> list[Case]:
    """The chosen cases, slim, in the order of their ids."""
    random.Random(0).shuffle(cases)
    cases.sort(key=lambda case: case["id"].startswith("rnd"))  # single mistakes first
    seen: Counter[tuple[Any, ...]] = Counter()
    out: list[Case] = []
    left = sample
    for case in cases:
        where, refused = (case["layer"], case["version"]), case["expected"]["verdict"] == "error"
        constraint = None
        if refused:
            constraint = locator.constraint(*where, case["expected"]["where"], case.get("aimed"))
            message = re.sub(r"[\d.]+|\{.*?\}|\[.*?\]", "#", said(case))[:60]
            keys: list[tuple[Any, ...]] = [(*where, constraint or message)]
        else:
            keys = [(*where, key) for key in overridden(case)]
        most = each if case["version"] == "main" else 1
        if any(seen[key] < most for key in keys):
            seen.update(keys)
        elif refused or left <= 0:
            continue
        else:
            left -= 1
        out.append(slim(case, constraint))
    return sorted(out, key=lambda case: case["id"])


def catalogue(path: str) -> dict[str, list[Any]]:
    """Constraint → [layer, place, relevance, settings, first release, last release]."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "error" and row["moe_relevance"] != "none"]
    return {
        row["id"]: [
            row["layer"].removesuffix("_layer"),
            "/".join(row["file_line"].removeprefix("src/").split("/")[-2:]),
            row["moe_relevance"],
            [key for key in row["keys_read"].split(";") if key],
            row["first_version"].removeprefix("core_v").removeprefix("v").removeprefix("≤core_v").removeprefix("≤v"),
            row["last_version"].removeprefix("core_v").removeprefix("v"),
        ]
        for row in rows
    }


def write(name: str, value: Any) -> None:
    with gzip.GzipFile(os.path.join(DATA, name), "wb", mtime=0) as file:  # the same bytes for the same data
        file.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--sources", required=True)
    parser.add_argument("--catalogue", required=True)
    parser.add_argument(
        "--each", type=int, default=2, help="cases for each constraint and layer on main; one on a release"
    )
    parser.add_argument("--sample", type=int, default=350, help="further accepted cases")
    args = parser.parse_args()
    chosen = choose(load(args.files), Locator(args.sources, args.catalogue), args.each, args.sample)
    write("verdicts.json.gz", chosen)
    write("constraints.json.gz", catalogue(args.catalogue))
    print(len(chosen), dict(Counter(case["expected"]["verdict"] for case in chosen)))


if __name__ == "__main__":
    main()
