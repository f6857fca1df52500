"""How well the step-time model meets published rows: python benchmarks/walls_throughput.py [--fit] [--rows]

Prints, for the containers that the constants were fitted on (up to 26.04) and for the later ones, the share of rows
whose published TFLOPS lie inside the band, the median of published over predicted, and the rank correlation of
tokens/s per GPU within each model and GPU. ``--fit`` searches the constants again on the former rows only.
"""

from __future__ import annotations

import math
import os
import sys
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "walls"))

from walls_published import Row, machines, measured, rows

from moelint.walls.step import FITTED, Constants, step_time

MACHINES = machines()
LIMITS: dict[str, tuple[float, float]] = {  # beyond these a constant would stand for something else than its name says
    "gemm_bf16": (0.4, 0.75),
    "gemm_fp8": (0.3, 0.7),
    "gemm_fp4": (0.15, 0.4),
    "core": (0.42, 0.65),
    "scan": (0.03, 0.3),
    "narrow": (50.0, 800.0),
    "traffic": (2.0, 30.0), "quantised": (1.0, 3.0),
    "hidden_share": (0.3, 0.9),
    "host_us": (4.0, 40.0),
    "scoped_share": (0.3, 0.8),
    "power": (1.2, 4.0),
    "fused_nic": (0.25, 0.8),
}
# Releases get faster, so the fit aims at the better half of its rows: published over predicted near 0.92.
AIM = math.log(0.92)


def ratio(row: Row, constants: Constants) -> float:
    """Published over predicted TFLOPS."""
    tokens = step_time(row.shape, row.layout, MACHINES[row.gpu], constants).tokens_per_gpu_s
    return row.tokens_s_gpu / tokens


def loss(found: list[float]) -> float:
    """Squares beyond the band weigh most; a small pull towards the aim."""
    total = 0.0
    for r in found:
        outside = max(0.0, math.log(0.7) - math.log(r), math.log(r) - math.log(1.25))
        total += 10 * outside**2 + 0.2 * (math.log(r) - AIM) ** 2
    return total


def fit(train: list[Row]) -> Constants:
    """Coordinate search from the present constants: deterministic, no random start."""
    best = FITTED
    best_loss = loss([ratio(r, best) for r in train])
    step = 0.15
    while step > 0.01:
        moved = False
        for name, (low, high) in LIMITS.items():
            for factor in (1 + step, 1 / (1 + step)):
                value = min(high, max(low, getattr(best, name) * factor))
                trial = best._replace(**{name: value})
                trial_loss = loss([ratio(r, trial) for r in train])
                if trial_loss < best_loss - 1e-9:
                    best, best_loss, moved = trial, trial_loss, True
        if not moved:
            step /= 2
    return best


def spearman(pairs: list[tuple[float, float]]) -> float:
    """Rank correlation; ties share their mean rank."""

    def ranks(values: list[float]) -> list[float]:
        order = sorted(values)
        return [order.index(v) + (order.count(v) - 1) / 2 for v in values]

    a, b = ranks([p for p, _ in pairs]), ranks([q for _, q in pairs])
    n = len(pairs)
    mean_a, mean_b = sum(a) / n, sum(b) / n
    top = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    below = math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))
    return top / below if below else float("nan")


def report(name: str, part: list[Row], constants: Constants) -> dict[str, Any]:
    found = [ratio(r, constants) for r in part]
    band = constants.band
    inside = [1 - band <= r <= 1 + band for r in found]
    share = sum(inside) / len(inside)
    print(
        f"{name}: {sum(inside)} of {len(inside)} rows inside ±{band:.0%} ({share:.1%}), "
        f"median published/predicted {sorted(found)[len(found) // 2]:.2f}"
    )
    return {"share": share}


def main() -> None:
    every = rows()
    train = [r for r in every if r.old]
    profiled = measured()
    later = [r for r in every if not r.old]
    constants = fit(train + profiled * 3) if "--fit" in sys.argv else FITTED
    if "--fit" in sys.argv:
        print(constants)
    report("fitted on, containers up to 26.04", train, constants)
    report("tried on, later containers", later, constants)
    report("all", every, constants)
    report("profiled jobs, fitted on too", profiled, constants)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in every:
        groups.setdefault((row.model, row.gpu), []).append(row)
    print("rank correlation of tokens/s/GPU within a model and GPU (groups of 3 or more rows with different layouts):")
    for (model, gpu), members in sorted(groups.items()):
        pairs = [
            (step_time(r.shape, r.layout, MACHINES[gpu], constants).tokens_per_gpu_s, r.tokens_s_gpu) for r in members
        ]
        if len(members) >= 3 and len({p for p, _ in pairs}) > 1:
            print(f"  {model:24} {gpu:12} {len(members):2} rows  {spearman(pairs):+.2f}")
    pairs = [(step_time(r.shape, r.layout, MACHINES[r.gpu], constants).tokens_per_gpu_s, r.tokens_s_gpu) for r in every]
    print(f"over all rows: {spearman(pairs):+.2f}")
    by_model: dict[str, list[tuple[float, float]]] = {}
    for row, pair in zip(every, pairs, strict=True):
        by_model.setdefault(row.model, []).append(pair)
    for model, some in sorted(by_model.items()):
        if len(some) >= 3:
            print(f"  {model:24} over its GPUs {len(some):2} rows  {spearman(some):+.2f}")
    if "--rows" in sys.argv:
        for row in every:
            t = step_time(row.shape, row.layout, MACHINES[row.gpu], constants)
            print(
                f"{row.container:9} {row.model:22} {row.gpu:12} {row.precision:6} {row.tflops:6.0f} published "
                f"{t.tflops:6.0f} predicted  x{row.tokens_s_gpu / t.tokens_per_gpu_s:.2f}  gemm {t.gemm_s:.2f} "
                f"core {t.core_s:.2f} "
                f"mem {t.traffic_s:.2f} ep {t.expert_comm_s:.2f}/{t.exposed_expert_comm_s:.2f} host {t.host_s:.2f} "
                f"bubble {t.bubble_s:.2f} dp {t.data_parallel_s:.2f} step {t.step_s:.2f}"
            )


if __name__ == "__main__":
    main()
