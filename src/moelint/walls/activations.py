"""Memory of activations: what the backward pass needs, times the microbatches in flight.

Bytes per token and layer for Transformer Engine modules in BF16 with fused attention, RMSNorm and no dropout. Widths
of the hidden size are divided by TP with sequence parallelism, head and feed-forward widths always. Checked against
the DeepSeek-V3 break-down of the Parallel Folding paper and three measured jobs (tests/walls/test_activations.py).
"""

from __future__ import annotations

from .model import GIB, Layout, Shape
from .stages import Stage, stages

# Modules that selective recompute and fine-grained offloading can name, and the item of ``layer_bytes`` that each
# frees.
_FREES = {
    "layernorm": ("norms",),
    "mla_up_proj": ("mla_up_proj",),
    "moe_act": ("moe_act",),
    "moe": ("router", "expert_input", "fc1", "moe_act", "fc2", "shared"),
    "shared_experts": ("shared",),
    "mlp": ("dense_mlp",),
    "core_attn": ("core_attn",),
}
_OFFLOADS = {
    "expert_fc1": ("expert_input",),
    "fused_group_mlp": ("expert_input", "fc1", "moe_act"),
    "moe_act": ("fc1",),
    "core_attn": ("attn_qkv",),
    "attn_proj": ("attn_out",),
    "qkv_linear": ("qkv_input",),
    "attn_norm": ("norms",),
    "mlp_norm": ("norms",),
}


def _mixer_items(shape: Shape, layout: Layout, mixer: str, items: dict[str, float]) -> None:
    tp = layout.tp
    # Fused attention keeps its output in BF16; a quantised projection keeps a copy of its own in one byte.
    projected = 3.0 if layout.fp8 or layout.fp4 else 2.0
    heads = shape.heads / tp
    if mixer == "gqa":
        d = shape.head_dim
        items["attn_qkv"] = 2 * d * (heads * (2 if shape.output_gate else 1) + 2 * max(shape.groups / tp, 1.0))
        items["attn_out"] = projected * heads * d
        items["core_attn"] = 4 * heads
    elif mixer == "mla":
        items["attn_low_rank"] = 2 * (2 * shape.q_rank + 2 * shape.kv_rank + shape.rope_dim)
        items["mla_up_proj"] = 2 * heads * (2 * (shape.nope_dim + shape.rope_dim) + shape.v_dim)
        items["attn_out"] = projected * heads * shape.v_dim
        items["core_attn"] = 4 * heads
    elif mixer == "gdn":
        keys, values = shape.delta_k_heads * shape.delta_k_dim, shape.delta_v_heads * shape.delta_v_dim
        # q, k, v before and after the convolution, the gate z, the output before and after its norm
        items["attn_qkv"] = 2 * (2 * (2 * keys + values) + values) / tp
        items["attn_out"] = (2 + projected) * values / tp
        items["core_attn"] = 8 * shape.delta_v_heads / tp
    elif mixer == "mamba":
        inner = shape.mamba_heads * shape.mamba_head_dim
        mixed = inner + 2 * shape.mamba_groups * shape.mamba_state
        items["attn_qkv"] = 2 * (inner + mixed) / tp
        items["attn_out"] = (2 + projected) * inner / tp
        items["core_attn"] = 4 * shape.mamba_heads / tp


def layer_bytes(shape: Shape, layout: Layout, mixer: str, kind: str, *, worst: bool = False) -> dict[str, float]:
    """Bytes kept per token for one layer, by item, with nothing recomputed.

    ``worst`` leaves the tokens of the router as the layout's imbalance says; otherwise they are balanced.
    """
    tp, h = layout.tp, shape.hidden
    wide = 1.0 / tp if layout.sequence_parallel else 1.0
    linear = 1.0 if layout.fp8 or layout.fp4 else 2.0
    parts = int(bool(mixer)) + int(bool(kind))
    # The router reads the second norm's output in BF16, so only a linear's own input shrinks with FP8.
    after_norm = (linear if mixer else 0.0) + (2.0 if kind == "moe" else linear if kind else 0.0)
    items: dict[str, float] = {"residual": 2 * h * parts * wide, "norms": after_norm * h * wide}
    if mixer:
        _mixer_items(shape, layout, mixer, items)
    if kind == "dense":
        items["dense_mlp"] = (2 * (2 if shape.gated else 1) + linear) * shape.ffn / tp
    elif kind == "moe":
        width = shape.latent or h
        split = wide  # the tokens that a rank routes
        routed = shape.topk * (layout.imbalance if worst or layout.imbalance > 1 else 1.0)
        if layout.capacity_factor > 0:
            routed = shape.topk * layout.capacity_factor
        elif layout.rank_capacity_factor > 0:
            routed = shape.topk * max(layout.rank_capacity_factor, 1.0)
        ffn = shape.moe_ffn / layout.etp
        items["router"] = 9 * shape.experts * split
        items["expert_input"] = linear * width * routed * layout.etp * split
        items["fc1"] = 2 * (2 if shape.gated else 1) * ffn * routed * layout.etp * split
        items["moe_act"] = linear * ffn * routed * layout.etp * split
        items["fc2"] = 0.0 if layout.memory_efficient_permute else 2 * width * routed * split
        if shape.latent:
            items["latent"] = linear * h * split
        if shape.shared_ffn:
            items["shared"] = (2 * (2 if shape.gated else 1) + linear) * shape.shared_ffn / tp
    return items


def kept_bytes(shape: Shape, layout: Layout, mixer: str, kind: str) -> float:
    """Bytes kept per token for one layer after selective recompute and offloading (full recompute is not a layer's)."""
    items = layer_bytes(shape, layout, mixer, kind)
    total = sum(items.values())
    freed: set[str] = set()
    if layout.recompute == "selective":
        for module in layout.recompute_modules:
            freed.update(_FREES.get(module, ()))
        if "moe" in layout.recompute_modules and kind == "moe":
            # the layer's input and what it returns stay; norms and residuals are not the module's
            freed.update(("latent",))
    for item in freed:
        total -= items.get(item, 0.0)
    for module in layout.offload_modules:
        for item in _OFFLOADS.get(module, ()):
            if item not in freed:
                share = 0.5 if item == "norms" else 1.0
                total -= items.get(item, 0.0) * layout.offload_fraction * share
    return max(total, 0.0)


def in_flight(layout: Layout, rank: int, *, penalty: bool = True) -> float:
    """Chunks whose activations live at once on a pipeline rank: 1 without a pipeline, ``min(P−r, m)`` in 1F1B,
    ``min(2(P−r−1) + (v−1)P + 1, m·v)`` interleaved. EP overlap keeps one chunk of another microbatch beside.
    ``penalty=False`` takes P·v chunks for the interleaved schedule, which is what the published break-down used."""
    pp, vpp, m = layout.pp, layout.vpp, layout.microbatches
    extra = 1.0 if layout.ep_overlap else 0.0
    if pp == 1:
        return 1.0
    if vpp == 1:
        return float(min(pp - rank, m)) + (extra if m > pp - rank else 0.0)
    if not penalty:
        return float(min(pp * vpp, m * vpp))
    alive = min(2 * (pp - rank - 1) + (vpp - 1) * pp + 1, m * vpp)
    return min(alive + extra, float(m * vpp))


class Activation:
    """GiB of one pipeline stage: ``kept`` by the chunks in flight, ``transient`` while one layer is at work,
    ``logits``."""

    __slots__ = ("chunks", "kept_gib", "logits_gib", "rank", "transient_gib")

    def __init__(self, rank: int, chunks: float, kept_gib: float, transient_gib: float, logits_gib: float) -> None:
        self.rank, self.chunks, self.kept_gib = rank, chunks, kept_gib
        self.transient_gib, self.logits_gib = transient_gib, logits_gib

    @property
    def total_gib(self) -> float:
        return self.kept_gib + self.transient_gib + self.logits_gib


def stage_activation(shape: Shape, layout: Layout, stage: Stage, *, penalty: bool = True) -> Activation:
    """Activation GiB of one pipeline stage."""
    tokens = layout.tokens_per_rank
    wide = 1.0 / layout.tp if layout.sequence_parallel else 1.0
    alive = in_flight(layout, stage.rank, penalty=penalty)
    pairs = dict(stage.counts)
    if stage.mtp:
        pairs[shape.layers[-1]] = pairs.get(shape.layers[-1], 0) + stage.mtp
    chunk_count = max(1, sum(1 for chunk in stage.chunks if len(chunk)) or 1)
    kept = transient = 0.0
    held = sum(pairs.values())
    on_gpu = 1 - min(layout.host_layers, held) / held if held else 1.0
    for pair, number in pairs.items():
        whole = kept_bytes(shape, layout, *pair)
        if layout.recompute == "full":
            recomputed = min(layout.recompute_layers * chunk_count, number) if layout.recompute_layers else number
            kept += recomputed * 2 * shape.hidden * wide + (number - recomputed) * whole
            transient = max(transient, whole)
        else:
            kept += number * whole
    per_chunk = kept * on_gpu / chunk_count
    logits = 0.0
    if stage.head:
        width = shape.vocab / layout.tp
        logits = (4 if layout.pp == 1 or layout.cross_entropy_fused else 8) * width
        logits = logits if layout.pp == 1 else 0.0
    return Activation(
        stage.rank, alive, per_chunk * alive * tokens / GIB, transient * tokens / GIB, logits * tokens / GIB
    )


def memory(shape: Shape, layout: Layout, *, penalty: bool = True) -> list[Activation]:
    """Activation GiB of every pipeline stage."""
    return [stage_activation(shape, layout, stage, penalty=penalty) for stage in stages(shape, layout)]
