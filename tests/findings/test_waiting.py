"""What undecided rules wait for is named as an author states it, each thing once."""

from __future__ import annotations

from moelint.findings.waiting import waiting
from moelint.read.files import read_file
from moelint.text.source import Source


def test_facts_of_a_gpu_and_the_world_size_are_stated_under_one_name_each() -> None:
    config = read_file(Source("a.yaml", "model: {num_layers: 4, num_moe_experts: 8}\n")).configs[0]
    found = waiting(
        [
            ("VER005", "error", ["hw.sm_arch", "target.gpu"]),
            ("PAR001", "error", ["target.gpus"]),
            ("PAR002", "error", ["target.world_size", "target.gpus"]),
        ],
        config,
    )
    assert found["count"] == found["errors"] == 3
    assert {entry["name"]: entry["rules"] for entry in found["waiting_for"]} == {
        "gpu": ["VER005"], "gpus": ["PAR001", "PAR002"],
    }
    assert [entry["errors"] for entry in found["waiting_for"]] == [2, 1]
    assert {entry["how"] for entry in found["waiting_for"]} == {'"# moelint: gpu=…"', '"# moelint: gpus=…"'}
