"""Bytes and times of expert dispatch, compute shapes, bubble and launches."""

from __future__ import annotations

import pytest
from walls_models import DEEPSEEK_V3, GPT_OSS_120B, MIXTRAL_8X7B, QWEN3_30B, QWEN3_235B
from walls_published import machines

from moelint.walls import communication, compute, host
from moelint.walls.estimate import FIGURES, Estimate
from moelint.walls.model import Layout, Machine, Shape, ShapeError, check
from moelint.walls.stages import stages
from moelint.walls.static_memory import on_gpu, stage_count

H100, GB200 = machines()["H100"], machines()["GB200-NVL72"]
TABLE = [
    # shape, layout, machine, NVLink GB, NIC GB, dispatch and combine ms
    (DEEPSEEK_V3, Layout(256, pp=4, ep=64), GB200, 0.462, 0.0, 1.28),
    (DEEPSEEK_V3, Layout(1024, tp=2, pp=8, ep=64), H100, 0.026, 0.206, 10.4),
    (DEEPSEEK_V3, Layout(1024, tp=2, pp=8, ep=64, dispatcher="deepep", router_groups=4), H100, 0.231, 0.092, 4.62),
    (QWEN3_30B, Layout(16, ep=16), H100, 0.059, 0.067, 3.68),
    (QWEN3_30B, Layout(16, ep=16, dispatcher="hybridep"), H100, 0.126, 0.017, 0.84),
    (QWEN3_30B, Layout(16, ep=8), H100, 0.117, 0.0, 0.65),
    (QWEN3_235B, Layout(256, tp=2, pp=8, ep=32), H100, 0.029, 0.101, 5.20),
    (MIXTRAL_8X7B, Layout(32, pp=4, ep=8), H100, 0.059, 0.0, 0.33),
]


@pytest.mark.parametrize(("shape", "layout", "machine", "nvlink", "nic", "ms"), TABLE)
def test_dispatch_bytes_and_time(
    shape: Shape, layout: Layout, machine: Machine, nvlink: float, nic: float, ms: float
) -> None:
    found = communication.expert_traffic(shape, layout, machine, fused_nic_efficiency=communication.LINK_EFFICIENCY)
    assert found.nvlink_gb == pytest.approx(nvlink, abs=0.0006)
    assert found.nic_gb == pytest.approx(nic, abs=0.0006)
    assert found.layer_ms == pytest.approx(ms, rel=0.01, abs=0.005)


def test_share_of_a_layer() -> None:
    """The published range of expert communication is 20 to 60 % of a layer; plain alltoall across nodes lies above."""
    values = [
        Estimate(shape, layout._replace(fp8=shape is DEEPSEEK_V3), machine).figure("communication.ep_share")
        for shape, layout, machine, *_ in TABLE
    ]
    assert values[0] == pytest.approx(0.32, abs=0.03)
    assert values[1] == pytest.approx(0.75, abs=0.03)
    assert values[5] == pytest.approx(0.35, abs=0.02)
    assert values[7] == pytest.approx(0.05, abs=0.01)


def test_nothing_travels_without_expert_parallelism() -> None:
    found = communication.expert_traffic(QWEN3_30B, Layout(8), H100)
    assert (found.nvlink_gb, found.nic_gb, found.pass_ms) == (0, 0, 0)


def test_gradient_exchange_of_deepseek_v3() -> None:
    """256 GPUs: 16.9 GB reduce-scatter in FP32 on the mean stage (the first, with the table, has more), half of that as
    all-gather in BF16, nothing for experts at EDP 1."""
    shape, layout = DEEPSEEK_V3._replace(mtp_depth=0), Layout(256, pp=4, vpp=4, ep=64)
    by_name = {c.name: c for c in communication.data_parallel(shape, layout, GB200)}
    assert set(by_name) == {"dense gradient reduce-scatter", "dense parameter all-gather"}
    scatter, gather = by_name["dense gradient reduce-scatter"].gb, by_name["dense parameter all-gather"].gb
    assert scatter == pytest.approx(2 * gather, rel=1e-6)
    dense = [on_gpu(stage_count(shape, stage, 4), layout)[0] for stage in stages(shape, layout)]
    assert scatter * sum(dense) / 4 / max(dense) == pytest.approx(16.9, rel=0.02)


def test_ridge_and_rows() -> None:
    assert compute.ridge_rows(H100, "bf16") == pytest.approx(295, abs=1)
    assert compute.ridge_rows(GB200, "bf16") == pytest.approx(313, abs=1)
    assert compute.ridge_rows(GB200, "fp8") == pytest.approx(313, abs=1)
    assert compute.expert_gemm(DEEPSEEK_V3, Layout(256, pp=4, ep=64)).rows == 8192
    assert compute.intensity(64, 1e6, 1e6, 2) == pytest.approx(64, rel=1e-3)


def test_bubble() -> None:
    deep = Layout(256, pp=4, vpp=4, ep=64, global_batch=64 * 64)
    assert compute.bubble(deep) == pytest.approx(0.012, abs=0.0005)
    assert compute.bubble(Layout(64, pp=8, global_batch=64 * 8)) == pytest.approx(0.109, abs=0.001)
    assert compute.bubble(Layout(8)) == 0


def test_kernels_of_the_profiled_step() -> None:
    """463,348 kernels in one step of Qwen3-30B-A3B with 64 microbatches."""
    assert host.kernels_per_step(QWEN3_30B, Layout(16, ep=16, global_batch=1024)) == pytest.approx(463_348, rel=0.01)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_value(name: str) -> None:
    estimate = Estimate(QWEN3_30B, Layout(16, tp=2, ep=8, global_batch=256, recompute="full"), H100)
    assert estimate.figure(name) is not None


@pytest.mark.parametrize("name", FIGURES)
def test_no_figure_breaks_on_an_unknown_machine_or_a_dense_model(name: str) -> None:
    dense = QWEN3_30B._replace(layers=(("gqa", "dense"),) * 4, experts=0, topk=0, moe_ffn=0, ffn=8192)
    Estimate(dense, Layout(1), Machine()).figure(name)
    Estimate(GPT_OSS_120B, Layout(1), Machine()).figure(name)
    Estimate(dense, Layout(1), H100).figure(name)


@pytest.mark.parametrize(
    ("shape", "layout", "word"),
    [
        (QWEN3_30B._replace(hidden=0), Layout(8), "hidden"),
        (QWEN3_30B._replace(layers=()), Layout(8), "layers"),
        (QWEN3_30B._replace(topk=0), Layout(8), "top-k"),
        (QWEN3_30B, Layout(8, tp=16), "16 GPUs"),
        (QWEN3_30B, Layout(8, ep=16), "16 GPUs"),
        (QWEN3_30B, Layout(0), "world"),
    ],
)
def test_impossible_sizes_are_named(shape: Shape, layout: Layout, word: str) -> None:
    with pytest.raises(ShapeError, match=word):
        check(shape, layout)
