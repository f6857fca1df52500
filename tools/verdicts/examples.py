"""Makes cases of the rules' own examples: each bad, good and fixed config inside a whole one, for every trainer and the
newest release in which its rule fires.

    PYTHONPATH=src:tools python -m verdicts.examples [--versions all] [--rules PAR,OVL003] > CASES.jsonl
    PYTHONPATH=src:tools python -m verdicts.ask CASES.jsonl --oracle COMMAND > VERDICTS.jsonl

Asked, they show whether the trainer refuses what a rule calls refused, and accepts the rest.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
from collections.abc import Iterator
from typing import Any

import yaml

from moelint import data
from moelint.policy.examples import flat
from verdicts.bases import case
from verdicts.case import Case
from verdicts.judge import Judge

VERSIONS = {
    "mcore": ("main", "0.19.0", "0.18.2", "0.17.1", "0.16.1", "0.15.3", "0.14.0", "0.13.0", "0.12.0"),
    "bridge": ("main", "0.6.0", "0.5.1", "0.4.2"),
    "mlm": ("main", "0.19.0", "0.18.2", "0.17.1", "0.16.1", "0.15.3"),
}
LAYER = {"core": "mcore", "bridge": "bridge", "lm": "mlm"}


def rules() -> Iterator[dict[str, Any]]:
    for path in sorted(glob.glob(os.path.join(data.folder("policies"), "megatron", "rules", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            yield from yaml.safe_load(file)


def layers(rule: dict[str, Any]) -> list[str]:
    """The layers that a rule, one of its cases or nothing at all names."""
    out: list[str] = []
    for part in [rule, *rule.get("cases", ())]:
        applies = part.get("applies") or {}
        for entry in applies if isinstance(applies, list) else [applies]:
            named = entry.get("trainer") or []
            out += [LAYER[name] for name in ([named] if isinstance(named, str) else named)]
    return list(dict.fromkeys(out)) or list(VERSIONS)


def cases(judge: Judge, wanted: tuple[str, ...], every: bool) -> Iterator[Case]:
    for rule in rules():
        if not rule["id"].startswith(wanted):
            continue
        for number, example in enumerate(rule["examples"], 1):
            if "bad" not in example or "before" in example or "saved" in example:
                continue
            only = LAYER.get(example.get("trainer", ""))
            for layer in [only] if only else layers(rule):
                yield from of_example(judge, rule["id"], f"{rule['id']}-{number}", layer, example, every)


def of_example(judge: Judge, rule: str, name: str, layer: str, example: dict[str, Any], every: bool) -> Iterator[Case]:
    for version in VERSIONS[layer]:
        for moe in (True, False):
            made = _make(f"{name}-{layer}-{version}-bad", layer, version, example, "bad", moe)
            if made is None or not any(item.rule == rule for item in judge.report(made).findings):
                continue
            made["rule"] = rule
            yield made
            for which in ("fixed", "good"):
                other = _make(f"{name}-{layer}-{version}-{which}", layer, version, example, which, moe)
                if which in example and other is not None:
                    yield other | {"rule": rule}
            break
        else:
            continue
        if not every:
            return


def _make(name: str, layer: str, version: str, example: dict[str, Any], which: str, moe: bool) -> Case | None:
    if which not in example:
        return None
    values, target = flat(example[which])
    return case(name, layer, version, values, {**target, **(example.get("target") or {})}, moe)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", choices=["newest", "all"], default="newest")
    parser.add_argument("--rules", default="")
    args = parser.parse_args()
    wanted = tuple(args.rules.split(",")) if args.rules else ("",)
    for made in cases(Judge(), wanted, args.versions == "all"):
        print(json.dumps(made))


if __name__ == "__main__":
    main()
