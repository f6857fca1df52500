"""explain, rules, schema, init, policy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

Run = Callable[..., Any]


@pytest.mark.parametrize("word", ["OVL004", "ovl004", "OVL004.x", "shared-expert-overlap-with-ep-overlap"])
def test_explain_a_rule(moelint: Run, word: str) -> None:
    result = moelint("explain", word)
    assert result.code == 0 and result.out.startswith("OVL004 shared-expert-overlap-with-ep-overlap\nerror: the trainer refuses it")
    for part in ("Requires\n  not model.moe_shared_expert_overlap", "Fixed", "Sources", "evidence: code"):
        assert part in result.out


@pytest.mark.parametrize("word", ["KEY101", "KEY113", "KEY001", "RWB001", "VER101"])
def test_explain_what_no_pack_holds(moelint: Run, word: str) -> None:
    result = moelint("explain", word)
    assert result.code == 0 and result.out.startswith(word)


@pytest.mark.parametrize("word", ["model.moe_router_dtype", "moe_router_dtype", "--moe-router-dtype"])
def test_explain_a_key(moelint: Run, word: str) -> None:
    result = moelint("explain", word)
    assert result.code == 0 and result.out.startswith("model.moe_router_dtype\n")
    for part in ("--moe-router-dtype", "Megatron Core", "one of fp32, fp64", "Read by"):
        assert part in result.out


def test_explain_a_named_fact(moelint: Run) -> None:
    result = moelint("explain", "ep_overlap")
    assert result.code == 0 and "model.overlap_moe_expert_parallel_comm" in result.out


def test_explain_says_when_each_case_fires(moelint: Run) -> None:
    out = moelint("explain", "OVL007").out
    assert "Case recompute-method\n" in out and "    model.recompute_method is None\n" in out


def test_packs_of_the_configuration_are_known_to_every_command(moelint: Run, tmp_path: Path) -> None:
    assert moelint("policy", "new", "own").code == 0
    assert moelint("explain", "TEAM001").code == 2
    (tmp_path / ".moelint.yaml").write_text("policies: [own]\n", encoding="utf-8")
    assert moelint("explain", "TEAM001").out.startswith("TEAM001 ")
    assert "TEAM001" in moelint("rules", "TEAM").out


def test_help_names_every_command(moelint: Run) -> None:
    from moelint.cli import COMMANDS

    out = moelint("--help").out
    assert all(f"\n  {name} " in out.replace("\n    ", "\n  ") for name in COMMANDS)


def test_explain_a_line(moelint: Run, tmp_path: Path) -> None:
    text = "# moelint: gpus=8\nmodel:\n  num_layers: 4\n  num_moe_experts: 8\n  sequence_parallel: true\n"
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    result = moelint("explain", "a.yaml:4", "--target", "gpu=h100")
    assert result.code == 0, result.err
    assert "a.yaml:4: model.num_moe_experts" in result.out and "gpus=8 (directive)" in result.out and "gpu=h100 (cli)" in result.out
    result = moelint("explain", "a.yaml:5")
    assert "written    true" in result.out and "runs as    false  (rewritten)" in result.out and "because    RWB" in result.out
    for line in ("1", "99"):
        result = moelint("explain", f"a.yaml:{line}")
        assert result.code == 2 and "Traceback" not in result.err


@pytest.mark.parametrize("word", ["OVLL04", "moe_router_dtyp", "gone.yaml:3", "\x1b[31m"])
def test_explain_nothing_known(moelint: Run, word: str) -> None:
    result = moelint("explain", word)
    assert result.code == 2 and not result.out and "\x1b" not in result.err


def test_rules(moelint: Run) -> None:
    result = moelint("rules")
    assert result.code == 0 and "OVL004   error    refuses    shared-expert-overlap-with-ep-overlap" in result.out
    rows = json.loads(moelint("rules", "--json").out)
    ids = [row["id"] for row in rows]
    assert ids == sorted(set(ids)) and {"OVL004", "KEY101", "RWB001"} <= set(ids)
    assert [row["id"] for row in json.loads(moelint("rules", "OVL004", "--json").out)] == ["OVL004"]
    assert moelint("rules", "NOPE").code == 2


def test_every_rule_can_be_explained(moelint: Run) -> None:
    from moelint.explain import rule
    from moelint.policy.load import load

    packs = load()
    for row in json.loads(moelint("rules", "--json").out):
        info = rule.find(row["id"], packs)
        assert info is not None and info.help.strip(), row["id"]
        assert rule.explain(info, packs)


def test_schemas(moelint: Run) -> None:
    names = moelint("schema").out.split()
    assert {"report", "config", "policy"} <= set(names)
    for name in names:
        jsonschema.Draft202012Validator.check_schema(json.loads(moelint("schema", name).out))
    assert moelint("schema", "nope").code == 2


def test_init_writes_a_configuration_that_loads(moelint: Run, tmp_path: Path) -> None:
    assert moelint("init").code == 0
    text = (tmp_path / ".moelint.yaml").read_text(encoding="utf-8")
    assert moelint(".").code == 0
    again = moelint("init")
    assert again.code == 0 and again.out.splitlines()[0] == "kept .moelint.yaml", "what is there stays"
    # What is commented out must be right too.
    uncommented = "\n".join(line.removeprefix("# ") if ":" in line and line.startswith("# ") else "" for line in text.splitlines())
    examples = "\n".join(line for line in uncommented.splitlines() if not line.endswith(".") and "moelint's" not in line)
    assert moelint("policy", "new", "policies/my-team").code == 0
    (tmp_path / ".moelint.yaml").write_text(examples, encoding="utf-8")
    assert yaml.safe_load(examples)["paths"]
    result = moelint(".")
    assert result.code == 0, result.err
