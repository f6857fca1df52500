"""Writes docs/coverage.md: which constraints of the trainers a rule covers, proven by a case.

    PYTHONPATH=src:tools python -m verdicts.coverage [--check]

A constraint counts as covered only if a rule that names it in ``covers`` fires with effect ``refuses`` on a case of
tests/data/verdicts.json.gz which the trainer refused at that very statement. The rest is listed with the reason
(tests/data/uncovered.yaml).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import yaml

from verdicts.case import Case
from verdicts.examples import rules
from verdicts.judge import Judge, refusals

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
DATA = os.path.join(ROOT, "tests", "data")
PAGE = os.path.join(ROOT, "docs", "coverage.md")
TOPICS = {
    "PAR": "parallel sizes", "LAY": "pipeline layout", "DSP": "dispatcher", "OVL": "overlap", "RCP": "recompute",
    "CGR": "CUDA graphs", "PRC": "precision", "OFF": "offload", "RTR": "routing and experts", "OPT": "optimizer and DDP",
    "SEQ": "sequence, packing, CP", "ENV": "environment", "VER": "versions", "CKP": "checkpoints", "": "no rule",
}  # fmt: skip
LAYERS = {"mcore": "Megatron Core", "bridge": "Megatron Bridge", "mlm": "Megatron-LM"}


def load(name: str) -> Any:
    path = os.path.join(DATA, name)
    if name.endswith(".yaml"):
        with open(path, encoding="utf-8") as file:
            return yaml.safe_load(file)
    with gzip.open(path, "rt", encoding="utf-8") as packed:
        return json.load(packed)


def claims() -> dict[str, set[str]]:
    """Constraint → the rules that name it."""
    out: dict[str, set[str]] = defaultdict(set)
    for rule in rules():
        for part in [rule, *rule.get("cases", ())]:
            for constraint in part.get("covers", ()):
                out[constraint].add(rule["id"])
    return out


def proven(cases: Iterable[Case], claimed: dict[str, set[str]], judge: Judge) -> dict[str, set[str]]:
    """Constraint → the rules that fired on a case which the trainer refused for it."""
    out: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        constraint = case.get("constraint")
        if constraint and claimed.get(constraint) and not out[constraint]:
            fired = {item.rule for item in refusals(judge.report(case))}
            out[constraint] |= fired & claimed[constraint]
    return {constraint: found for constraint, found in out.items() if found}


def page(
    catalogue: dict[str, list[Any]], claimed: dict[str, set[str]], found: dict[str, set[str]], out: dict[str, Any]
) -> str:
    """The text of docs/coverage.md."""
    reasons = {constraint: name for name, entry in out.items() for constraint in entry["constraints"]}
    decidable = {c for c in catalogue if reasons.get(c) is None or out[reasons[c]]["decidable"]}
    lines = [
        "# Constraints that are covered",
        "",
        "<!-- written by tools/verdicts/coverage.py -->",
        "",
        "The catalogue holds every refusal in the validators of Megatron Core, Megatron Bridge and Megatron-LM that has to do",
        "with mixture-of-experts training: *core* where MoE is its subject, *adjacent* where a MoE config can run into it. A",
        "constraint is *decidable* if a config, a target and an environment decide it. It is *covered* if a rule that names it",
        "fires on a case which the trainer itself refused at that very statement (`tests/data/verdicts.json.gz`).",
        "",
        "| | constraints | decidable | covered | share |",
        "|---|---:|---:|---:|---:|",
    ]
    for relevance in ("core", "adjacent"):
        for layer in (*LAYERS, None):
            rows = [c for c, entry in catalogue.items() if entry[2] == relevance and layer in (None, entry[0])]
            able = [c for c in rows if c in decidable]
            have = [c for c in able if c in found]
            name = f"**{relevance}**" if layer is None else f"{relevance}, {LAYERS[layer]}"
            lines.append(f"| {name} | {len(rows)} | {len(able)} | {len(have)} | {len(have) / max(1, len(able)):.1%} |")
    lines += ["", "By topic of the covering rule:", "", "| topic | core | adjacent |", "|---|---:|---:|"]
    by: Counter[tuple[str, str]] = Counter((min(found[c])[:3], catalogue[c][2]) for c in found if c in catalogue)
    for topic, title in TOPICS.items():
        if topic and (by[topic, "core"] or by[topic, "adjacent"]):
            lines.append(f"| {topic} {title} | {by[topic, 'core']} | {by[topic, 'adjacent']} |")
    lines += ["", "## Not covered", ""]
    rest: dict[str, list[str]] = defaultdict(list)
    for constraint in catalogue:
        if constraint not in found:
            rest[reasons.get(constraint, "")].append(constraint)
    for name, entry in [*out.items(), ("", {"why": NO_REASON, "decidable": True})]:
        if rest.get(name):
            title = name or "no case of the trainer"
            lines += [f"### {title[0].upper()}{title[1:]}", "", entry["why"].strip(), ""]
            lines += ["| constraint | | place | settings | rule |", "|---|---|---|---|---|"]
            for constraint in rest[name]:
                layer, place, relevance, keys, _, last = catalogue[constraint]
                until = f" (until {last})" if last else ""
                named = ", ".join(sorted(claimed.get(constraint, ()))) or "–"
                settings = ", ".join(f"`{key}`" for key in keys[:4]) or "–"
                lines.append(f"| {constraint} | {LAYERS[layer]}, {relevance}{until} | {place} | {settings} | {named} |")
            lines.append("")
    lines += ["## Covered", "", "| constraint | | place | rules |", "|---|---|---|---|"]
    for constraint in catalogue:
        if constraint in found:
            layer, place, relevance, _, _, last = catalogue[constraint]
            until = f" (until {last})" if last else ""
            lines.append(
                f"| {constraint} | {LAYERS[layer]}, {relevance}{until} | {place} | {', '.join(sorted(found[constraint]))} |"
            )
    return "\n".join(lines) + "\n"


NO_REASON = "A rule may name it, but no case at hand was refused by the trainer at this statement."


def text(judge: Judge | None = None) -> str:
    claimed = claims()
    found = proven(load("verdicts.json.gz"), claimed, judge or Judge())
    return page(load("constraints.json.gz"), claimed, found, load("uncovered.yaml"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the page is current")
    args = parser.parse_args()
    new = text()
    if args.check:
        with open(PAGE, encoding="utf-8") as file:
            sys.exit(
                0
                if file.read() == new
                else "docs/coverage.md is not current: PYTHONPATH=src:tools python -m verdicts.coverage"
            )
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(new)


if __name__ == "__main__":
    main()
