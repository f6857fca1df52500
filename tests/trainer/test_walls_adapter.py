"""What the walls say of a config before any formula is asked must be what the formulas would say."""

from __future__ import annotations

from typing import Any

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.walls_adapter import OF_GPU, OF_HBM, Walls
from moelint.walls.estimate import FIGURES

SETTINGS = {
    "model.num_layers": 8, "model.hidden_size": 2048, "model.num_attention_heads": 32, "model.num_query_groups": 4,
    "model.ffn_hidden_size": 6144, "model.num_moe_experts": 64, "model.moe_router_topk": 8, "model.moe_ffn_hidden_size": 768,
    "model.seq_length": 4096, "model.vocab_size": 32000, "model.tensor_model_parallel_size": 2,
    "model.pipeline_model_parallel_size": 2, "model.expert_model_parallel_size": 4, "model.context_parallel_size": 1,
    "model.expert_tensor_parallel_size": 1, "train.micro_batch_size": 1, "train.global_batch_size": 64,
    "target.gpus": 16, "target.gpu": "h100", "hw.hbm_usable_gib": 79.6, "hw.sm_arch": 90, "hw.hbm_tbs": 3.35,
    "hw.bf16_tflops": 989.0, "hw.fp8_tflops": 1979.0, "hw.nvlink_gbs_unidir": 450.0, "hw.nvlink_domain": 8, "hw.nic_gbs": 50.0,
}


def walls(**changes: Any) -> Walls:
    table: dict[str, Any] = {**SETTINGS, **{key.replace("__", "."): value for key, value in changes.items()}}
    if changes.get("target__gpu") is UNKNOWN:
        table = {key: value for key, value in table.items() if not key.startswith("hw.")}
    return Walls(lambda key: table.get(key, UNKNOWN if key.startswith(("target.", "hw.")) else None))


def test_every_figure_needs_the_number_of_gpus() -> None:
    known = walls()
    assert known.get("memory.total_gib") is not UNKNOWN, known.missing
    without = walls(target__gpus=UNKNOWN)
    assert all(without.get(name) is UNKNOWN for name in FIGURES)
    assert without.estimate is None


def test_figures_of_the_gpu_are_those_that_the_estimate_lacks_without_one() -> None:
    with_gpu = walls()
    assert all(with_gpu.get(name) is not UNKNOWN for name in OF_GPU | OF_HBM)
    without = walls(target__gpu=UNKNOWN)
    estimate = without.estimate
    assert estimate is not None
    assert all(estimate.figure(name) is None for name in OF_GPU | OF_HBM)
    assert all(without.get(name) is UNKNOWN for name in OF_GPU | OF_HBM)


def test_stated_memory_is_enough_for_figures_of_memory() -> None:
    stated = walls(target__gpu=UNKNOWN, target__hbm_gb=80)
    assert all(stated.get(name) is not UNKNOWN for name in OF_HBM)
    assert all(stated.get(name) is UNKNOWN for name in OF_GPU)
