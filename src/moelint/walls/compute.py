"""Compute of one step: model FLOPs, the shapes of expert GEMMs against the machine's ridge, the pipeline bubble.

FLOPs per token are those of Megatron's own counter (three forwards; the router and element-wise work not counted),
within 1 % of 87 published rows (tests/walls/test_compute.py).
"""

from __future__ import annotations

from . import params
from .communication import routed_tokens
from .model import Layout, Machine, Shape
from .stages import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple


def attended(shape: Shape, layer_number: int, seq: int) -> float:
    """Mean number of keys that a token attends to: half the sequence, or the sliding window's mean."""
    w = shape.window
    windowed = w and (shape.window_every <= 1 or layer_number % shape.window_every != shape.window_every - 1)
    if windowed and w < seq:
        return w - w * (w - 1) / (2 * seq)
    return seq / 2


def core_flops(shape: Shape, mixer: str, layer_number: int, seq: int) -> float:
    """Forward FLOPs per token of the attention core, the delta rule or the state-space scan."""
    if mixer == "gqa":
        return 2 * attended(shape, layer_number, seq) * shape.heads * 2 * shape.head_dim
    if mixer == "mla":
        return 2 * attended(shape, layer_number, seq) * shape.heads * (shape.nope_dim + shape.rope_dim + shape.v_dim)
    if mixer == "gdn":
        return 6.0 * shape.delta_v_heads * shape.delta_k_dim * shape.delta_v_dim
    if mixer == "mamba":
        return 7.0 * shape.mamba_heads * shape.mamba_head_dim * shape.mamba_state
    return 0.0


def _linear_flops(shape: Shape, mixer: str) -> float:
    """Forward FLOPs per token of the projections around the core: twice the parameters of the matrices."""
    h = shape.hidden
    if mixer == "gqa":
        heads = shape.heads * shape.head_dim
        return 2 * (h * heads * (2 if shape.output_gate else 1) + 2 * h * shape.groups * shape.head_dim + heads * h)
    if mixer == "mla":
        return 2 * (params.latent_attention(shape).total - shape.kv_rank - shape.q_rank)
    if mixer in ("gdn", "mamba"):
        return 2 * (params.delta_net(shape) if mixer == "gdn" else params.mamba(shape)).total
    return 0.0


class Flops(NamedTuple):
    """Forward FLOPs per token, by who does the work."""

    linear: float  # projections, dense and shared feed-forward
    experts: float
    core: float
    head: float

    @property
    def step(self) -> float:
        """Forward and backward."""
        return 3 * sum(self)


def flops_per_token(shape: Shape, seq: int) -> Flops:
    """Forward FLOPs per token of the whole model."""
    h, factor = shape.hidden, 3 if shape.gated else 2
    linear = experts = core = 0.0
    counts = kinds((shape.layers, (shape.layers[-1],) * shape.mtp_depth))
    width = shape.latent or h
    routed = 2 * shape.topk * factor * width * shape.moe_ffn
    beside = 2 * (factor * h * shape.shared_ffn + 2 * h * shape.latent)
    dense = 2.0 * factor * h * shape.ffn
    for (mixer, kind), number in counts.items():
        linear += number * _linear_flops(shape, mixer)
        core += number * core_flops(shape, mixer, 0, seq)
        if kind == "moe":
            experts += number * routed
            linear += number * beside
        elif kind == "dense":
            linear += number * dense
    if shape.window:  # the layers that see a window save what lies outside it
        layers = list(enumerate(shape.layers)) + [(len(shape.layers) - 1, shape.layers[-1])] * shape.mtp_depth
        core = sum(core_flops(shape, mixer, number, seq) for number, (mixer, _) in layers)
    linear += 4 * h * h * shape.mtp_depth
    return Flops(linear, experts, core, 2 * params.table(shape) * (1 + shape.mtp_depth))


class ExpertGemm(NamedTuple):
    """The GEMMs of one local expert: ``rows`` × ``k1`` × ``n1`` and ``rows`` × ``k2`` × ``n2``."""

    rows: float
    k1: int
    n1: int
    k2: int
    n2: int


def expert_gemm(shape: Shape, layout: Layout) -> ExpertGemm:
    """Rows (balanced routing) and widths of one local expert's two GEMMs in one microbatch."""
    width = shape.latent or shape.hidden
    rows = routed_tokens(layout) * shape.topk * layout.ep * layout.etp / max(shape.experts, 1)
    ffn = shape.moe_ffn // layout.etp
    return ExpertGemm(rows, width, (2 if shape.gated else 1) * ffn, ffn, width)


def intensity(rows: float, n: float, k: float, element_bytes: float) -> float:
    """FLOP per byte of a rows × k by k × n GEMM that reads both operands and writes the result once."""
    moved = element_bytes * (rows * k + k * n + rows * n)
    return 2 * rows * n * k / moved if moved else 0.0


def ridge(machine: Machine, precision: str) -> float:
    """FLOP per byte above which the GPU is bound by arithmetic, not by memory; 0 where a figure is unknown."""
    return machine.peak_tflops(precision) / machine.hbm_tbs if machine.hbm_tbs else 0.0


def ridge_rows(machine: Machine, precision: str) -> float:
    """Rows per expert below which a wide GEMM is bound by reading its weights: ridge × bytes per element / 2."""
    return ridge(machine, precision) * (1.0 if precision in ("fp8", "fp4") else 2.0) / 2


def bubble(layout: Layout) -> float:
    """Idle time of the pipeline over its ideal time: (P−1)/(v·m)."""
    return (layout.pp - 1) / (layout.vpp * layout.microbatches) if layout.pp > 1 else 0.0
