"""The published rows through the whole road: settings → effective config → walls → rules."""

from __future__ import annotations

from itertools import permutations

import pytest
from walls_models import QWEN3_30B
from walls_published import Row, machines, measured, rows
from walls_settings import config_of, effective_of, settings

from moelint.lang.unknown import UNKNOWN
from moelint.policy.evaluate import evaluate
from moelint.policy.examples import example_config
from moelint.policy.load import load
from moelint.trainer.effective import Effective
from moelint.trainer.target import resolve
from moelint.trainer.walls_adapter import Walls
from moelint.walls.estimate import Estimate
from moelint.walls.model import Layout
from moelint.walls.step import step_time

ROWS = rows()
MACHINES = machines()
DOES_NOT_FIT = "MEM001"


def fired(row: Row, layout: Layout) -> set[str]:
    effective = effective_of(row.shape, layout, row.gpu)
    verdicts, _ = evaluate(
        load(["hardware", "walls"], shipped=False), effective, lambda rule, case: rule.startswith("MEM")
    )
    return {v.rule.id for v in verdicts}


def static_ratio(row: Row, layout: Layout) -> float:
    machine = MACHINES[row.gpu]
    return Estimate(row.shape, layout, machine).figure("memory.static_max_gib") / machine.hbm_usable_gib


def halved(layout: Layout, size: str) -> Layout:
    """The layout with one of its parallel sizes halved; virtual stages go with the pipeline."""
    half = getattr(layout, size) // 2
    if size == "pp":
        return layout._replace(pp=half, vpp=1)
    if size == "tp":
        return layout._replace(tp=half, sequence_parallel=half > 1 and layout.sequence_parallel)
    return layout._replace(ep=half)


def shrunk(row: Row, order: tuple[str, ...]) -> Layout | None:
    """The row with these sizes halved, one after the other, until static memory alone is over 1.3 times the GPU's; None
    if it never is."""
    layout = row.layout._replace(chunks=None, mtp_ranks=None)
    for size in order:
        while static_ratio(row, layout) <= 1.3 and getattr(layout, size) > 1:
            layout = halved(layout, size)
    return layout if static_ratio(row, layout) > 1.3 else None


def too_large() -> list[tuple[Row, Layout]]:
    """All different layouts that come of EP, PP and TP halved, each alone and in every order."""
    orders = [*permutations(("ep", "pp", "tp")), ("ep",), ("pp",), ("tp",)]
    found = []
    for row in ROWS:
        layouts = [layout for order in orders if (layout := shrunk(row, order)) is not None]
        found += [(row, layout) for layout in dict.fromkeys(layouts)]
    return found


def grown(row: Row) -> Layout:
    """The row with its micro batch doubled until the estimate is over 1.3 times the GPU's memory: static memory stays."""
    layout = row.layout
    while Estimate(row.shape, layout, MACHINES[row.gpu]).worst.total_gib <= 1.3 * MACHINES[row.gpu].hbm_usable_gib:
        layout = layout._replace(micro_batch=2 * layout.micro_batch, global_batch=2 * layout.global_batch)
    return layout


def test_no_published_row_is_called_too_large() -> None:
    called = [f"{r.container} {r.model} {r.gpu}" for r in ROWS if fired(r, r.layout) & {DOES_NOT_FIT, "MEM017"}]
    assert len(ROWS) == 162
    assert called == []


def test_every_published_row_is_estimated_to_fit_with_its_reserve() -> None:
    """The verdict's margin is not chosen after these rows: the whole sum stays below the memory of each."""
    worst = [Estimate(r.shape, r.layout, MACHINES[r.gpu]).worst for r in ROWS]
    limits = [MACHINES[r.gpu].hbm_usable_gib for r in ROWS]
    assert max(w.total_gib / limit for w, limit in zip(worst, limits, strict=True)) < 0.85
    assert max(w.high_gib / limit for w, limit in zip(worst, limits, strict=True)) < 1.0


def test_rows_made_too_large_are_called_so() -> None:
    tried = too_large()
    assert len(tried) > 180
    found = sum(DOES_NOT_FIT in fired(row, layout) for row, layout in tried)
    assert found >= 0.95 * len(tried)


def test_rows_with_too_large_a_micro_batch_are_called_so() -> None:
    found = sum(DOES_NOT_FIT in fired(row, grown(row)) for row in ROWS)
    assert found >= 0.95 * len(ROWS)


def test_the_band_holds_most_published_throughputs() -> None:
    """At least 80 % of all rows, of the containers that the constants never saw, and of four profiled jobs, inside
    ±35 %."""
    for part in (ROWS, [r for r in ROWS if not r.old], measured()):
        inside = 0
        for row in part:
            time = step_time(row.shape, row.layout, MACHINES[row.gpu])
            inside += abs(row.tokens_s_gpu / time.tokens_per_gpu_s - 1) <= 0.35
            assert time.high_s / time.low_s < 1.35 / 0.65 + 1e-9
        assert inside >= 0.8 * len(part)


@pytest.mark.parametrize("number", range(0, 162, 9))
def test_the_adapter_reads_what_the_settings_say(number: int) -> None:
    row = ROWS[number]
    if row.model == "DeepSeekV4 Flash":
        return
    machine = MACHINES[row.gpu]
    walls = Walls(effective_of(row.shape, row.layout, row.gpu).scope().get)
    found, wanted = walls.estimate, Estimate(row.shape, row.layout, machine)
    assert found is not None, (walls.missing, walls.problem)
    for name in (
        "compute.params_b",
        "memory.static_max_gib",
        "communication.ep_ms_per_layer",
        "compute.flops_per_token",
    ):
        assert found.figure(name) == pytest.approx(wanted.figure(name), rel=1e-3), name


def test_a_missing_size_makes_figures_unknown_and_is_named() -> None:
    layout = Layout(16, ep=8, global_batch=256)
    values = settings(QWEN3_30B, layout)
    del values["model.hidden_size"]
    config = example_config(values, {"gpus": 16, "gpu": "h100"}, completeness="fragment")
    scope = Effective(config, resolve(config)).scope()
    assert scope.get("walls.memory.total_gib") is UNKNOWN
    assert "model.hidden_size" in Walls(scope.get).missing or Walls(scope.get).estimate is None


def test_an_unknown_gpu_leaves_sizes_and_takes_times() -> None:
    config = config_of(QWEN3_30B, Layout(16, ep=8, global_batch=256), "h100")
    config.stated = {"gpus": (16, "directive")}
    scope = Effective(config, resolve(config)).scope()
    assert scope.get("walls.memory.static_gib") > 40
    assert scope.get("walls.memory.hbm_gib") is UNKNOWN
    assert scope.get("walls.compute.tflops") is UNKNOWN


def test_stated_memory_wins_over_the_profile() -> None:
    config = config_of(QWEN3_30B, Layout(16, ep=8, global_batch=256), "h100")
    config.stated["hbm-gb"] = (64, "directive")
    scope = Effective(config, resolve(config)).scope()
    assert scope.get("walls.memory.hbm_gib") == pytest.approx(64, rel=0.01)


def test_impossible_sizes_are_unknown_not_a_crash() -> None:
    config = config_of(QWEN3_30B, Layout(16, ep=64, global_batch=256), "h100")
    scope = Effective(config, resolve(config)).scope()
    assert scope.get("walls.memory.total_gib") is UNKNOWN
    walls = Walls(scope.get)
    assert walls.estimate is None
    assert "64 GPUs" in (walls.problem or "")
