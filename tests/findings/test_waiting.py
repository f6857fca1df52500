"""What undecided rules wait for is named as an author states it, each thing once."""

from __future__ import annotations

from moelint.findings.waiting import waiting
from moelint.read.files import read_file
from moelint.text.source import Source
from moelint.trainer.target import resolve


def test_facts_of_a_gpu_and_the_world_size_are_stated_under_one_name_each() -> None:
    config = read_file(Source("a.yaml", "model: {num_layers: 4, num_moe_experts: 8}\n")).configs[0]
    found = waiting(
        [
            ("VER005", "error", ["hw.sm_arch", "target.gpu"]),
            ("PAR001", "error", ["target.gpus"]),
            ("PAR002", "error", ["target.world_size", "target.gpus"]),
        ],
        config,
        {},
    )
    assert found["count"] == found["errors"] == 3
    assert {entry["name"]: entry["rules"] for entry in found["waiting_for"]} == {
        "gpu": ["VER005"], "gpus": ["PAR001", "PAR002"],
    }
    assert [entry["errors"] for entry in found["waiting_for"]] == [2, 1]
    assert {entry["how"] for entry in found["waiting_for"]} == {'"# moelint: gpu=…"', '"# moelint: gpus=…"'}


def names(keys: list[str], known: str) -> list[str]:
    """What a rule about the walls waits for, beside a directive."""
    config = read_file(Source("a.yaml", f"# moelint: {known}\nmodel: {{num_layers: 4, num_moe_experts: 8}}\n")).configs[0]
    target = resolve(config, {}, {}, dict)
    return [entry["name"] for entry in waiting([("MEM001", "warning", keys)], config, target.values)["waiting_for"]]


def test_figures_of_the_walls_are_never_named_raw() -> None:
    figures = ["walls.memory.hbm_gib", "walls.memory.floor_gib"]
    assert names(figures, "torch=2.9") == ["gpu", "gpus"]
    assert names(figures, "gpus=8") == ["gpu", "sizes of the model (moelint walls names them)"]
    assert names(figures[1:], "gpu=h100") == ["gpus"]
    assert names(figures, "gpus=8 gpu=h100") == ["sizes of the model (moelint walls names them)"]
    assert names(["walls.memory.modelled"], "gpus=8") == ["model.experimental_attention_variant"]
