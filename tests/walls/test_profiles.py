"""Hardware profiles: valid against their schema, every figure with evidence, aliases unambiguous."""

from __future__ import annotations

import glob
import json
import os
from typing import Any

import jsonschema
import pytest
import yaml

from moelint.data import folder

PATHS = sorted(glob.glob(os.path.join(folder("policies"), "hardware", "profiles", "*.yaml")))
NAMES = {"A100-40", "A100-80", "H100", "H200", "H800", "H20", "B200", "B300", "GB200-NVL72", "GB300-NVL72"}


def load(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        data: dict[str, Any] = yaml.safe_load(file)
    return data


def squeeze(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def test_every_promised_machine_is_there() -> None:
    assert {load(p)["name"] for p in PATHS} >= NAMES


@pytest.mark.parametrize("path", PATHS, ids=os.path.basename)
def test_profile_is_valid_and_every_figure_has_evidence(path: str) -> None:
    with open(os.path.join(folder("schemas"), "hardware.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    profile = load(path)
    jsonschema.validate(profile, schema)
    assert set(profile["facts"]) == set(profile["evidence"])
    assert {e["source"] for e in profile["evidence"].values()} <= set(profile["sources"])


def test_no_alias_names_two_machines() -> None:
    seen: dict[str, str] = {}
    for path in PATHS:
        profile = load(path)
        for name in {squeeze(n) for n in [profile["name"], *profile.get("aliases", [])]}:
            assert seen.setdefault(name, path) == path
    assert seen["h100sxm"].endswith("h100.yaml")
    assert seen["gb200"].endswith("gb200-nvl72.yaml")
    assert seen["a100"].endswith("a100-80.yaml")


def test_ridge_points_match_the_published_ones() -> None:
    """FLOP per byte: 295 for an H100 in BF16, 37 for an H20, 313 and 625 for GB200 in BF16 and FP8."""
    facts = {load(p)["name"]: load(p)["facts"] for p in PATHS}
    assert round(facts["H100"]["bf16_tflops"] / facts["H100"]["hbm_tbs"]) == 295
    assert round(facts["H20"]["bf16_tflops"] / facts["H20"]["hbm_tbs"]) == 37
    assert round(facts["GB200-NVL72"]["bf16_tflops"] / facts["GB200-NVL72"]["hbm_tbs"]) in (312, 313)
    assert round(facts["GB200-NVL72"]["fp8_tflops"] / facts["GB200-NVL72"]["hbm_tbs"]) == 625
