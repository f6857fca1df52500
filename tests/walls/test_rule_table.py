"""docs/wall-rules.md: every collected finding has a rule or a reason, and the packs agree."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import yaml

from moelint.data import folder

ROOT = os.path.dirname(folder("policies"))
COLLECTED = {"HW": 36, "MEM": 29, "COM": 19, "CPU": 14, "HST": 10, "WFL": 12, "MSR": 7, "DIA": 23}
RULE = re.compile(r"\b[A-Z]{3}\d{3}\b")


def table() -> dict[str, str]:
    """Row → last column."""
    with open(os.path.join(ROOT, "docs", "wall-rules.md"), encoding="utf-8") as file:
        cells = [line.strip("|\n ").split(" | ") for line in file if re.match(r"\| [A-Z]+\d+ \|", line)]
    assert len({row for row, *_ in cells}) == len(cells)
    assert all(len(line) == 3 and all(part.strip() for part in line) for line in cells)
    return {row: said for row, _, said in cells}


def shipped() -> Iterator[dict[str, Any]]:
    for pack in sorted(os.listdir(folder("policies"))):
        rules = os.path.join(folder("policies"), pack, "rules")
        for name in sorted(os.listdir(rules)) if os.path.isdir(rules) else ():
            with open(os.path.join(rules, name), encoding="utf-8") as file:
                yield from yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or ()


def test_every_collected_finding_is_answered() -> None:
    wanted = {f"{topic}{number:03}" for topic, count in COLLECTED.items() for number in range(1, count + 1)}
    assert set(table()) == wanted


def test_rules_and_symptoms_that_it_names_exist() -> None:
    known = {rule["id"] for rule in shipped()}
    with open(os.path.join(folder("trainers"), "symptoms.yaml"), encoding="utf-8") as file:
        symptoms = {entry["id"] for entry in yaml.safe_load(file)}
    for row, said in table().items():
        rules = {rule for rule in RULE.findall(said) if not rule.startswith("KEY")}
        named = set(re.findall(r"symptom `([a-z0-9-]+)`", said))
        assert rules <= known, row
        assert named <= symptoms, row
        assert rules or named or said.startswith(("none", "KEY001")), row


def test_what_rules_say_they_cover_is_in_the_table() -> None:
    answers = table()
    for rule in shipped():
        covered = [*rule.get("covers", ()), *(row for case in rule.get("cases", ()) for row in case.get("covers", ()))]
        for row in covered:
            if row in answers and not row.startswith("DIA"):
                assert rule["id"] in answers[row], (rule["id"], row)
