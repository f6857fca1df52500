"""Communication of one step: bytes on each link, time, and what stays exposed.

Expert parallel dispatch and combine follow "one token goes to ``topk`` experts"; fused backends (DeepEP, HybridEP)
send a token once to each destination node and forward it over NVLink. Times use a share of the link's nominal
bandwidth: 0.8 for plain collectives inside a domain, less where a measured run says so
(tests/walls/test_communication.py).
"""

from __future__ import annotations

from .model import GB, Layout, Machine, Shape
from .stages import stages
from .static_memory import on_gpu, stage_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple

LINK_EFFICIENCY = 0.8
# A profiled 16×H100 job spent twice the time that 0.8 of the link predicts (metadata, permutation, waits).
FUSED_NIC_EFFICIENCY = 0.4
FUSED = ("deepep", "hybridep", "ncclep")


class ExpertTraffic(NamedTuple):
    """One pass (dispatch or combine) of one MoE layer and microbatch: GB sent per GPU over each link, and
    milliseconds."""

    ranks: int
    nodes: int
    nvlink_gb: float
    nic_gb: float
    pass_ms: float

    @property
    def layer_ms(self) -> float:
        """Dispatch and combine of one forward; the backward repeats both."""
        return 2 * self.pass_ms


def routed_tokens(layout: Layout) -> float:
    """Tokens that one rank sends to the router in one microbatch."""
    split = layout.tp if layout.sequence_parallel else 1
    return layout.tokens_per_rank / split


def expert_traffic(
    shape: Shape,
    layout: Layout,
    machine: Machine,
    *,
    wire_bytes: float = 2.0,
    fused_nic_efficiency: float = FUSED_NIC_EFFICIENCY,
    efficiency: float = LINK_EFFICIENCY,
) -> ExpertTraffic:
    """Bytes and time of one dispatch (or combine) pass. ``wire_bytes`` per element: 2 for BF16.

    A machine without link figures (0) gives the bytes and a time of 0.
    """
    ranks = layout.ep * layout.etp
    domain = max(1, min(machine.nvlink_domain or ranks, ranks))
    nodes = max(1, -(-ranks // domain))
    if ranks <= 1 or not shape.experts:
        return ExpertTraffic(ranks, nodes, 0.0, 0.0, 0.0)
    width = shape.latent or shape.hidden
    tokens = routed_tokens(layout)
    if layout.dispatcher == "allgather":
        whole = tokens * width * wire_bytes * ranks
    else:
        copies = shape.topk * (layout.capacity_factor if layout.capacity_factor > 0 else 1.0)
        whole = tokens * copies * width * wire_bytes * layout.etp
    if nodes == 1:
        nvlink, nic = whole * (ranks - 1) / ranks, 0.0
    elif layout.dispatcher in FUSED:
        reach = min(nodes, layout.router_groups) if layout.router_groups else nodes
        once = reach * (1 - (1 - 1 / reach) ** shape.topk)
        nvlink = whole * (ranks - 1) / ranks
        nic = tokens * width * wire_bytes * layout.etp * once * (nodes - 1) / nodes
    else:
        nvlink, nic = whole * (domain - 1) / ranks, whole * (1 - domain / ranks)
    nvlink_s = nvlink / GB / (machine.nvlink_gbs * efficiency) if machine.nvlink_gbs else 0.0
    if layout.dispatcher in FUSED:
        nic_s = nic / GB / (machine.nic_gbs * fused_nic_efficiency) if machine.nic_gbs else 0.0
        seconds = max(nvlink_s, nic_s)
    else:
        nic_s = nic / GB / (machine.nic_gbs * efficiency) if machine.nic_gbs else 0.0
        seconds = nvlink_s + nic_s
    return ExpertTraffic(ranks, nodes, nvlink / GB, nic / GB, seconds * 1e3)


class Collective(NamedTuple):
    """One kind of collective: GB per GPU and call, calls per step, the link it mostly runs on, seconds per step."""

    name: str
    gb: float
    calls: float
    link: str  # nvlink | nic
    seconds: float


def _seconds(gb: float, link: str, machine: Machine) -> float:
    rate = machine.nvlink_gbs if link == "nvlink" else machine.nic_gbs
    return gb / (rate * LINK_EFFICIENCY) if rate else 0.0


def data_parallel(shape: Shape, layout: Layout, machine: Machine) -> list[Collective]:
    """Gradient reduce-scatter and parameter all-gather per optimizer step, of the heaviest stage; nothing for experts
    whose data-parallel size is 1."""
    found: list[Collective] = []
    counts = [on_gpu(stage_count(shape, stage, layout.pp), layout) for stage in stages(shape, layout)]
    dense = max(c[0] for c in counts) * layout.trained_fraction
    expert = max(c[1] for c in counts) * layout.trained_fraction
    per_stage = layout.world // layout.pp
    domain = machine.nvlink_domain or 8
    for name, count, ranks in (("dense", dense, layout.dp * layout.cp), ("expert", expert, layout.edp)):
        if ranks <= 1 or count <= 0:
            continue
        link = "nvlink" if per_stage <= domain else "nic"
        share = (ranks - 1) / ranks
        gather = 1.0 if layout.fp8_param_gather else 2.0
        for what, size in (("gradient reduce-scatter", layout.grad_bytes), ("parameter all-gather", gather)):
            gb = size * count * share / GB
            found.append(Collective(f"{name} {what}", gb, 1, link, _seconds(gb, link, machine)))
    return found


def tensor_parallel(shape: Shape, layout: Layout, machine: Machine) -> list[Collective]:
    """All-gather and reduce-scatter pairs around attention and dense feed-forward: four a layer and pass with SP."""
    if layout.tp <= 1:
        return []
    per_layer = 0.0
    for mixer, kind in shape.layers:
        per_layer += (2 if mixer else 0) + (2 if kind == "dense" or (kind == "moe" and shape.shared_ffn) else 0)
    calls = per_layer / layout.pp * 2 * layout.microbatches
    gb = layout.tokens_per_rank * shape.hidden * 2 * (layout.tp - 1) / layout.tp / GB
    link = "nvlink" if layout.tp <= (machine.nvlink_domain or 8) else "nic"
    return [Collective("tensor-parallel gather/scatter", gb, calls, link, calls * _seconds(gb, link, machine))]


def pipeline(shape: Shape, layout: Layout, machine: Machine) -> list[Collective]:
    """Activations and their gradients to the next chunk."""
    if layout.pp <= 1:
        return []
    split = layout.tp if layout.sequence_parallel else 1
    gb = layout.tokens_per_rank * shape.hidden * 2 / split / GB
    calls = 2.0 * layout.vpp * layout.microbatches
    link = "nvlink" if layout.world <= (machine.nvlink_domain or 8) else "nic"
    return [Collective("pipeline send/receive", gb, calls, link, calls * _seconds(gb, link, machine))]


def context_parallel(shape: Shape, layout: Layout, machine: Machine) -> list[Collective]:
    """Keys and values around the ring, CP−1 steps a layer, forward and (twice the bytes) backward."""
    if layout.cp <= 1:
        return []
    attending = sum(1 for mixer, _ in shape.layers if mixer in ("gqa", "mla")) / layout.pp
    key_value = 2 * shape.groups * shape.head_dim
    if any(mixer == "mla" for mixer, _ in shape.layers):
        key_value = shape.heads * (shape.nope_dim + shape.rope_dim + shape.v_dim)
    gb = key_value / layout.tp * 2 * layout.tokens_per_rank / GB
    calls = 3.0 * attending * (layout.cp - 1) * layout.microbatches
    link = "nvlink" if layout.tp * layout.cp <= (machine.nvlink_domain or 8) else "nic"
    return [Collective("context-parallel ring", gb, calls, link, calls * _seconds(gb, link, machine))]


class LayerShare(NamedTuple):
    """What one mean layer's forward of one microbatch sends (MB per GPU over each link), and its milliseconds."""

    name: str
    nvlink_mb: float
    nic_mb: float
    ms: float


def layer_forward(shape: Shape, layout: Layout, machine: Machine, traffic: ExpertTraffic) -> list[LayerShare]:
    """The collectives of one layer's forward, before overlap. Expert passes are those of an MoE layer, the others are
    spread over all layers."""
    found = []
    if traffic.ranks > 1 and shape.experts:
        over_nvlink, over_nic = traffic.nvlink_gb * 1e3, traffic.nic_gb * 1e3
        for name in ("expert dispatch", "expert combine"):
            found.append(LayerShare(name, over_nvlink, over_nic, traffic.pass_ms))
    layers = len(shape.layers) / layout.pp * layout.microbatches
    # tensor parallel calls are forward and backward alike; the ring's backward sends twice the forward's bytes
    for group, passes in ((tensor_parallel, 2.0), (context_parallel, 3.0)):
        for one in group(shape, layout, machine):
            calls = one.calls / passes / layers
            mb = one.gb * 1e3 * calls
            on_nvlink = one.link == "nvlink"
            ms = one.seconds / passes / layers * 1e3
            found.append(LayerShare(one.name, mb if on_nvlink else 0.0, 0.0 if on_nvlink else mb, ms))
    return found
