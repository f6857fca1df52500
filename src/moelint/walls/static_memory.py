"""Memory that a step cannot free: weights, gradients, optimizer state, per pipeline stage.

Bytes per parameter on a GPU are ``weight + gradient + (master + moments)/shard``: 2 + 4 + 12/shard with BF16 weights,
FP32 gradients and Adam; the dense part is sharded over DP×CP, the experts over EDP. This is what both upstream
estimators compute for the even case (tests/walls/test_static_memory.py compares twelve of their outputs).
"""

from __future__ import annotations

from . import params
from .model import GIB, Layout, Shape
from .params import Count
from .stages import Stage, stages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple


class Static(NamedTuple):
    """GiB on one GPU of one pipeline stage, by part; ``gathered`` is what FSDP unshards for the layer at work."""

    rank: int
    dense_weights_gib: float
    expert_weights_gib: float
    dense_grads_gib: float
    expert_grads_gib: float
    dense_optimizer_gib: float
    expert_optimizer_gib: float
    gathered_gib: float

    @property
    def total_gib(self) -> float:
        return sum(self[1:])

    @property
    def weights_gib(self) -> float:
        return self.dense_weights_gib + self.expert_weights_gib

    @property
    def grads_gib(self) -> float:
        return self.dense_grads_gib + self.expert_grads_gib

    @property
    def optimizer_gib(self) -> float:
        return self.dense_optimizer_gib + self.expert_optimizer_gib


# Every stage of every layout of a shape asks for the same few layers.
_KEPT = 64
_layers: dict[tuple[int, str, str], tuple[Shape, Count]] = {}


def _layer(shape: Shape, mixer: str, kind: str) -> Count:
    """``params.layer`` of a shape, kept while the shape is alive here."""
    key = (id(shape), mixer, kind)
    found = _layers.get(key)
    if found is None or found[0] is not shape:
        if len(_layers) >= _KEPT:
            _layers.clear()
        found = _layers[key] = (shape, params.layer(shape, mixer, kind))
    return found[1]


def stage_count(shape: Shape, stage: Stage, pp: int) -> Count:
    """Parameters of a stage before TP, EP and ETP shard them."""
    sharded = replicated = expert = 0.0
    for (mixer, kind), number in stage.counts.items():
        one = _layer(shape, mixer, kind)
        sharded += one.sharded * number
        replicated += one.replicated * number
        expert += one.expert * number
    tables = int(stage.embedding) + int(stage.head and (pp > 1 or not shape.tied_embeddings))
    if stage.head:
        replicated += shape.hidden
    if stage.mtp:
        depth = params.mtp_depth(shape)
        sharded += depth.sharded * stage.mtp
        replicated += depth.replicated * stage.mtp
        expert += depth.expert * stage.mtp
        tables += not stage.embedding  # MTP embeds the shifted tokens: away from the first stage it keeps its own table
        tables += not stage.head and pp > 1
    return Count(sharded + tables * params.table(shape), replicated, expert)


def on_gpu(count: Count, layout: Layout) -> tuple[float, float]:
    """(dense, expert) parameters on one GPU of the stage."""
    return count.sharded / layout.tp + count.replicated, count.expert / (layout.ep * layout.etp)


def stage_memory(shape: Shape, layout: Layout, stage: Stage) -> Static:
    """Static GiB of one pipeline stage."""
    dense, expert = on_gpu(stage_count(shape, stage, layout.pp), layout)
    dense_ranks, expert_ranks = layout.dp * layout.cp, layout.edp
    trained = layout.trained_fraction
    weight, grad = layout.weight_bytes, layout.grad_bytes * trained
    state = (layout.master_bytes + layout.moment_bytes * (1 - layout.offloaded_fraction)) * trained
    sharded = layout.distributed_optimizer or layout.fsdp
    dense_shard = max(1.0, dense_ranks / layout.optimizer_instances) if sharded else 1.0
    expert_shard = max(1.0, expert_ranks / layout.optimizer_instances) if sharded else 1.0
    gathered = 0.0
    if layout.fsdp and stage.layers:
        one = on_gpu(_layer(shape, *shape.layers[stage.layers[-1]]), layout)
        gathered = 2 * sum(one) * (2.0 + layout.grad_bytes)  # the layer at work and the one fetched ahead
        # Instances replicate weights and gradients; the optimizer state of a hybrid-sharded job spans all of them.
        return Static(
            stage.rank,
            dense * weight / dense_shard / GIB,
            expert * weight / expert_shard / GIB,
            dense * grad / dense_shard / GIB,
            expert * grad / expert_shard / GIB,
            dense * state / dense_ranks / GIB,
            expert * state / expert_ranks / GIB,
            gathered / GIB,
        )
    return Static(
        stage.rank,
        dense * weight / GIB,
        expert * weight / GIB,
        dense * grad / GIB,
        expert * grad / GIB,
        dense * state / dense_shard / GIB,
        expert * state / expert_shard / GIB,
        0.0,
    )


def memory(shape: Shape, layout: Layout) -> list[Static]:
    """Static GiB of every pipeline stage."""
    return [stage_memory(shape, layout, stage) for stage in stages(shape, layout)]
