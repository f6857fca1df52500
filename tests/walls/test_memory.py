"""Static memory and activations against estimators, papers and measured jobs."""

from __future__ import annotations

from typing import Any

import pytest
from walls_models import BY_NAME, DEEPSEEK_V3, MOONLIGHT_16B, QWEN3_30B
from walls_published import machines, read

from moelint.walls import activations, params, static_memory
from moelint.walls.estimate import Estimate
from moelint.walls.model import GB, GIB, Layout, Shape

CASES: list[dict[str, Any]] = read("memory_cases.json")
UNEVEN = {
    "q235_h100_256",
    "q235_gb300_256",
}  # 94 layers over 32 and 48 chunks: the estimator divides as if they were even


def layout_of(config: dict[str, Any]) -> Layout:
    layout = Layout(
        world=config["world"],
        tp=config["tp"],
        pp=config["pp"],
        cp=config.get("cp", 1),
        ep=config["ep"],
        vpp=config.get("vpp", 1),
        micro_batch=config["mbs"],
        seq=config["seq"],
        distributed_optimizer=config.get("dopt", True),
    )
    return layout._replace(global_batch=config.get("nmb", 1) * layout.dp * layout.micro_batch)


def shape_of(case: dict[str, Any]) -> Shape:
    return BY_NAME[case["model"]]._replace(mtp_depth=case["config"].get("mtp", 0))


def fullest(case: dict[str, Any]) -> float:
    return max(s.total_gib for s in static_memory.memory(shape_of(case), layout_of(case["config"])))


def even(case: dict[str, Any]) -> bool:
    """Layers divide evenly, no latent attention, no MTP, and the optimizer is not sharded over context parallel ranks
    (which the estimator leaves out)."""
    mixers = {mixer for mixer, _ in shape_of(case).layers}
    return case["id"] not in UNEVEN and "mla" not in mixers and case["config"].get("cp", 1) == 1


@pytest.mark.parametrize("case", [c for c in CASES if even(c)], ids=lambda c: c["id"])
def test_equals_the_estimator_where_layers_divide_evenly(case: dict[str, Any]) -> None:
    assert fullest(case) == pytest.approx(case["megatron_lm_gib"], rel=0.001)


def test_there_are_enough_even_cases() -> None:
    assert sum(even(c) for c in CASES) >= 6


def test_moonlight_differs_by_the_projections_that_the_trainer_replicates() -> None:
    """The estimator divides MLA's down projections by TP; Megatron Core builds them duplicated on each TP rank. With
    them divided the two agree."""
    case = next(c for c in CASES if c["id"] == "moonlight_h100_8")
    layout = layout_of(case["config"])
    down = MOONLIGHT_16B.hidden * (MOONLIGHT_16B.kv_rank + MOONLIGHT_16B.rope_dim) + MOONLIGHT_16B.kv_rank
    extra = len(MOONLIGHT_16B.layers) * down * (1 - 1 / layout.tp) * (6 + 12 / (layout.dp * layout.cp)) / GIB
    assert fullest(case) - extra == pytest.approx(case["megatron_lm_gib"], rel=0.001)


def test_context_parallel_ranks_share_the_optimizer() -> None:
    case = next(c for c in CASES if c["config"].get("cp", 1) > 1)
    assert case["bridge_gib"] < fullest(case) < case["megatron_lm_gib"]


def test_deepseek_stages_carry_embedding_head_and_mtp() -> None:
    case = next(c for c in CASES if c["id"] == "dsv3_gb200_256")
    found = [s.total_gib for s in static_memory.memory(shape_of(case), layout_of(case["config"]))]
    assert found == pytest.approx([71.3, 64.4, 64.4, 80.0], abs=0.1)


QWEN3_TP2PP2 = Layout(world=16, tp=2, pp=2, ep=4, global_batch=32)


def test_measured_static_allocation() -> None:
    """Qwen3-30B-A3B, TP2 PP2 EP4 on 16 H100: 47.2 GB allocated before the first step."""
    gib = static_memory.memory(QWEN3_30B, QWEN3_TP2PP2)[0].total_gib
    assert gib * GIB / GB == pytest.approx(47.2, rel=0.01)


def test_measured_optimizer_offload() -> None:
    """The same job with all moments on the CPU freed 15.3 GB: the FP32 master copy stays."""
    here = static_memory.memory(QWEN3_30B, QWEN3_TP2PP2)[0].total_gib
    there = static_memory.memory(QWEN3_30B, QWEN3_TP2PP2._replace(offloaded_fraction=1.0))[0].total_gib
    assert (here - there) * GIB / GB == pytest.approx(15.3, rel=0.01)


PAPER = Layout(world=256, pp=4, vpp=4, ep=64, memory_efficient_permute=False, global_batch=64 * 64)
TOKENS_GIB = 4096 / GIB


def per_rank(layout: Layout) -> float:
    """Activations of 61 layers in flight, the reading that the paper's break-down fits."""
    return sum(activations.kept_bytes(DEEPSEEK_V3, layout, *pair) for pair in DEEPSEEK_V3.layers) * TOKENS_GIB


def saved(layout: Layout, module: str) -> float:
    selective = layout._replace(recompute="selective", recompute_modules=frozenset((module,)))
    return per_rank(layout) - per_rank(selective)


def test_deepseek_v3_unoptimised_is_199_5_gb() -> None:
    static = static_memory.memory(DEEPSEEK_V3, PAPER)
    mean = sum(s.total_gib for s in static) / len(static)
    assert mean + per_rank(PAPER) == pytest.approx(199.5, rel=0.02)


def test_deepseek_v3_break_down() -> None:
    lean = PAPER._replace(memory_efficient_permute=True)
    quantised = lean._replace(fp8=True)
    assert per_rank(PAPER) - per_rank(lean) == pytest.approx(26, rel=0.05)
    assert saved(lean, "mla_up_proj") == pytest.approx(30.4, rel=0.01)
    assert saved(quantised, "moe_act") == pytest.approx(3.8, rel=0.06)
    assert (per_rank(lean) - per_rank(quantised)) * GIB / GB == pytest.approx(16, rel=0.05)


def peak(shape: Shape, layout: Layout) -> tuple[float, float]:
    worst = Estimate(shape, layout, machines()["H100"]).worst
    return worst.total_gib, worst.high_gib


QWEN3_EP16 = Layout(world=16, ep=16, grad_bytes=2.0, global_batch=1024)


@pytest.mark.parametrize(
    ("shape", "layout", "measured_gib"),
    [
        (QWEN3_30B, QWEN3_EP16._replace(dispatcher="hybridep", ep_overlap=True, graphs="scoped"), 62.17),
        (QWEN3_30B, QWEN3_EP16, 57.1),
        (MOONLIGHT_16B, Layout(world=8, tp=2, ep=8, grad_bytes=2.0, moment_bytes=4.0, global_batch=64), 34.1),
    ],
    ids=["qwen3-hybridep-overlap-graphs", "qwen3-alltoall", "moonlight"],
)
def test_measured_peaks_lie_inside_the_band(shape: Shape, layout: Layout, measured_gib: float) -> None:
    low, high = peak(shape, layout)
    assert low <= measured_gib <= high


def test_recompute_only_ever_saves() -> None:
    layout = QWEN3_EP16
    none = peak(QWEN3_30B, layout)[0]
    last = none
    for modules in (("layernorm",), ("layernorm", "moe_act"), ("layernorm", "moe_act", "moe")):
        now = peak(QWEN3_30B, layout._replace(recompute="selective", recompute_modules=frozenset(modules)))[0]
        assert now < last
        last = now
    assert peak(QWEN3_30B, layout._replace(recompute="full"))[0] < last


def test_core_attention_recompute_saves_next_to_nothing() -> None:
    layout = QWEN3_EP16._replace(recompute="selective", recompute_modules=frozenset(("core_attn",)))
    assert peak(QWEN3_30B, QWEN3_EP16)[0] - peak(QWEN3_30B, layout)[0] < 0.2


def test_fsdp_shards_weights_and_gradients_too() -> None:
    plain = static_memory.memory(QWEN3_30B, Layout(world=64, ep=8))[0]
    fsdp = static_memory.memory(QWEN3_30B, Layout(world=64, ep=8, fsdp=True))[0]
    assert fsdp.weights_gib == pytest.approx(plain.dense_weights_gib / 64 + plain.expert_weights_gib / 8, rel=1e-6)
    assert fsdp.gathered_gib > 0


def test_experts_carry_the_whole_optimizer_at_edp_1() -> None:
    one = static_memory.memory(QWEN3_30B, Layout(world=8, ep=8))[0]
    expert = params.layer(QWEN3_30B, "gqa", "moe").expert * 48 / 8
    assert one.expert_optimizer_gib == pytest.approx(expert * 12 / GIB)
