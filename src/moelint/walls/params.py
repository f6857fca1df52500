"""Parameter counts, split by how parallelism shards them.

Formulas: the papers of the models (Qwen3, DeepSeek-V3, GPT-OSS, Qwen3-Next, Mamba-2) and the modules that Megatron
Core builds for them; checked against ten published totals (tests/walls/test_params.py).
"""

from __future__ import annotations

from .model import Shape
from .stages import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple


class Count(NamedTuple):
    """Parameters: ``sharded`` over TP, ``replicated`` on every TP rank, ``expert`` over EP×ETP (all experts
    together)."""

    sharded: float
    replicated: float
    expert: float

    @property
    def total(self) -> float:
        return self.sharded + self.replicated + self.expert

    def plus(self, other: Count) -> Count:
        return Count(self.sharded + other.sharded, self.replicated + other.replicated, self.expert + other.expert)


NOTHING = Count(0, 0, 0)


def attention(shape: Shape) -> Count:
    """Grouped-query attention: query (with an output gate twice), key, value, projection, optional biases and sinks."""
    h, heads, groups, d = shape.hidden, shape.heads, shape.groups, shape.head_dim
    sharded = h * heads * d * (2 if shape.output_gate else 1) + 2 * h * groups * d + heads * d * h
    replicated = 0
    if shape.qk_norm:
        replicated += 2 * d
    if shape.linear_bias or shape.qkv_bias:
        sharded += heads * d + 2 * groups * d
    if shape.linear_bias:
        replicated += h
    if shape.sinks:
        sharded += heads
    return Count(sharded, replicated, 0)


def latent_attention(shape: Shape) -> Count:
    """Multi-head latent attention (DeepSeek-V2/V3): low-rank query and key-value with their norms. The down
    projections are replicated over TP."""
    h, heads = shape.hidden, shape.heads
    query = shape.nope_dim + shape.rope_dim
    replicated: float = h * (shape.kv_rank + shape.rope_dim) + shape.kv_rank
    sharded: float = shape.kv_rank * heads * (shape.nope_dim + shape.v_dim) + heads * shape.v_dim * h
    if shape.q_rank:
        replicated += h * shape.q_rank + shape.q_rank
        sharded += shape.q_rank * heads * query
    else:
        sharded += h * heads * query
    return Count(sharded, replicated, 0)


def delta_net(shape: Shape) -> Count:
    """Gated delta net (Qwen3-Next): joint q, k, v, z projection, gates, short convolution, norm, output."""
    h = shape.hidden
    keys = shape.delta_k_heads * shape.delta_k_dim
    values = shape.delta_v_heads * shape.delta_v_dim
    sharded = h * (2 * keys + 2 * values) + 2 * h * shape.delta_v_heads + shape.conv_width * (2 * keys + values)
    sharded += 2 * shape.delta_v_heads + values * h
    return Count(sharded, shape.delta_v_dim, 0)


def mamba(shape: Shape) -> Count:
    """Mamba-2 mixer: input projection (z, x, B, C, dt), short convolution with bias, A, D, dt bias, gated norm,
    output."""
    h = shape.hidden
    inner = shape.mamba_heads * shape.mamba_head_dim
    states = 2 * shape.mamba_groups * shape.mamba_state
    sharded = h * (2 * inner + states + shape.mamba_heads) + (shape.conv_width + 1) * (inner + states)
    sharded += 3 * shape.mamba_heads + inner + inner * h
    return Count(sharded, 0, 0)


_MIXERS = {"gqa": attention, "mla": latent_attention, "gdn": delta_net, "mamba": mamba}


def feed_forward(shape: Shape, kind: str) -> Count:
    """Dense or MoE feed-forward with router, shared experts, and latent projections (which TP replicates)."""
    h, factor = shape.hidden, 3 if shape.gated else 2
    if kind == "dense":
        bias = ((factor - 1) * shape.ffn, h) if shape.linear_bias else (0, 0)
        return Count(factor * h * shape.ffn + bias[0], bias[1], 0)
    width = shape.latent or h
    replicated: float = h * shape.experts + (shape.experts if shape.expert_bias or shape.linear_bias else 0)
    replicated += 2 * h * shape.latent + (h if shape.shared_gate else 0)
    expert: float = shape.experts * factor * width * shape.moe_ffn
    if shape.linear_bias:
        expert += shape.experts * ((factor - 1) * shape.moe_ffn + width)
    return Count(factor * h * shape.shared_ffn, replicated, expert)


def layer(shape: Shape, mixer: str, kind: str) -> Count:
    """One decoder layer with the norm before each part."""
    count = NOTHING
    if mixer:
        count = count.plus(_MIXERS[mixer](shape)).plus(Count(0, shape.hidden, 0))
    if kind:
        count = count.plus(feed_forward(shape, kind)).plus(Count(0, shape.hidden, 0))
    return count


def table(shape: Shape) -> float:
    """Parameters of the embedding table, which the output layer repeats unless tied."""
    return float(shape.vocab) * shape.hidden


def mtp_depth(shape: Shape) -> Count:
    """One multi-token-prediction depth: three norms, the 2h → h projection, one layer like the model's last."""
    h = shape.hidden
    mixer, kind = shape.layers[-1]
    return layer(shape, mixer or "gqa", kind or "moe").plus(Count(2 * h * h, 3 * h, 0))


def total(shape: Shape, with_mtp: bool = False) -> float:
    """All parameters, the MTP depths only where asked (published totals leave them out)."""
    count = sum(number * layer(shape, *pair).total for pair, number in kinds((shape.layers,)).items())
    count += table(shape) * (1 if shape.tied_embeddings else 2) + shape.hidden
    if with_mtp:
        count += shape.mtp_depth * mtp_depth(shape).total
    return count


def active(shape: Shape, tables: str = "both") -> float:
    """Parameters that one token meets. Sources count the tables differently: ``both``, only the ``head``, or
    ``none``."""
    count = 0.0
    for pair, number in kinds((shape.layers,)).items():
        one = layer(shape, *pair)
        count += number * (one.sharded + one.replicated)
        if shape.experts:
            count += number * one.expert * shape.topk / shape.experts
    return count + shape.hidden + table(shape) * {"both": 2, "head": 1, "none": 0}[tables]
