"""What the formulas need to know: a model's shape, how it is laid out over GPUs, and the machine.

Plain immutable tuples: ``shape._replace(...)`` is how "what would another setting give" is asked. No unit is implied
by a name alone: bytes, GB (1e9), GiB (2^30), GB/s, TFLOPS and seconds stand in the names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple


GIB = float(2**30)
GB = 1e9

# Sequence mixers: grouped-query attention, multi-head latent attention, gated delta net, Mamba-2. Feed-forward:
# dense, moe.
Layer = tuple[str, str]  # (mixer, feed_forward); "" where a hybrid model has none in this layer


class Shape(NamedTuple):
    """A model. Dimensions are element counts; ``layers`` holds one (mixer, feed-forward) pair per decoder layer."""

    layers: tuple[Layer, ...]
    hidden: int
    heads: int
    groups: int
    head_dim: int
    vocab: int  # padded
    ffn: int = 0
    gated: bool = True
    experts: int = 0
    topk: int = 0
    moe_ffn: int = 0
    shared_ffn: int = 0  # sum over shared experts
    shared_gate: bool = False
    latent: int = 0  # width of the experts' input and output where it is not ``hidden``
    q_rank: int = 0
    kv_rank: int = 0
    nope_dim: int = 0  # MLA: query/key head dimension without the rotary part
    rope_dim: int = 0
    v_dim: int = 0
    delta_k_heads: int = 0
    delta_v_heads: int = 0
    delta_k_dim: int = 0
    delta_v_dim: int = 0
    conv_width: int = 4
    mamba_heads: int = 0
    mamba_head_dim: int = 0
    mamba_groups: int = 0
    mamba_state: int = 0
    mtp_depth: int = 0
    tied_embeddings: bool = False
    linear_bias: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    output_gate: bool = False
    expert_bias: bool = False  # the router's balancing bias, one per expert
    sinks: bool = False
    window: int = 0  # sliding-window size in tokens; 0: none
    window_every: int = 1  # of this many layers, all but one use the window; 1: all do


class Layout(NamedTuple):
    """Parallel sizes, batch, precision and the memory savers. ``world`` is the number of GPUs."""

    world: int
    tp: int = 1
    pp: int = 1
    cp: int = 1
    ep: int = 1
    etp: int = 1
    vpp: int = 1
    micro_batch: int = 1
    global_batch: int = 0  # 0: one micro batch per data-parallel rank and pipeline stage
    seq: int = 4096
    sequence_parallel: bool = True
    # Per pipeline rank, per chunk: decoder layers. None: even, remainder on the first chunks.
    chunks: tuple[tuple[int, ...], ...] | None = None
    # Per pipeline rank: MTP depths it holds. None: all on the last.
    mtp_ranks: tuple[int, ...] | None = None
    weight_bytes: float = 2.0
    grad_bytes: float = 4.0
    master_bytes: float = 4.0
    moment_bytes: float = 8.0
    distributed_optimizer: bool = True
    optimizer_instances: int = 1
    offloaded_fraction: float = 0.0
    fsdp: bool = False  # parameters, gradients and optimizer sharded over the data-parallel ranks
    trained_fraction: float = 1.0  # below 1 with adapters: frozen weights carry no gradient and no optimizer state
    recompute: str = "none"  # none | selective | full
    recompute_modules: frozenset[str] = frozenset()
    recompute_layers: int = 0  # full + block: layers per chunk; 0: all
    offload_modules: frozenset[str] = frozenset()
    offload_fraction: float = 1.0
    host_layers: int = 0  # layers whose activations Transformer Engine keeps in host memory (cpu_offloading)
    fp8: bool = False
    fp4: bool = False
    capacity_factor: float = 0.0  # 0: dropless
    rank_capacity_factor: float = 0.0
    imbalance: float = 1.0
    memory_efficient_permute: bool = True
    cross_entropy_fused: bool = True
    dispatcher: str = "alltoall"  # allgather | alltoall | deepep | hybridep | ncclep
    ep_overlap: bool = False
    delay_wgrad: bool = False
    shared_overlap: bool = False
    graphs: str = "none"  # none | scoped | full_iteration
    grouped_gemm: bool = True
    op_fuser: bool = False  # quantisation, activation and permutation fused into the experts' grouped GEMM
    router_groups: int = 0  # group-limited routing: most groups a token reaches
    overlap_grad_reduce: bool = True
    overlap_param_gather: bool = True
    fp8_param_gather: bool = False

    @property
    def dp(self) -> int:
        """Data-parallel size of the dense mesh, context parallel ranks not counted."""
        return max(1, self.world // (self.tp * self.pp * self.cp))

    @property
    def edp(self) -> int:
        """Data-parallel size of the expert mesh."""
        return max(1, self.world // (self.ep * self.etp * self.pp))

    @property
    def microbatches(self) -> int:
        """Microbatches per step on one data-parallel rank."""
        if self.global_batch <= 0:
            return max(1, self.pp)
        return max(1, self.global_batch // (self.micro_batch * self.dp))

    @property
    def tokens_per_rank(self) -> float:
        """Tokens of one microbatch on one rank before sequence parallelism splits them."""
        return self.seq * self.micro_batch / self.cp

    @property
    def precision(self) -> str:
        return "fp4" if self.fp4 else "fp8" if self.fp8 else "bf16"


class Machine(NamedTuple):
    """One GPU of a system and its links. 0 means unknown."""

    name: str = ""
    sm_arch: int = 0
    hbm_usable_gib: float = 0.0
    hbm_tbs: float = 0.0
    bf16_tflops: float = 0.0
    fp8_tflops: float = 0.0
    fp4_tflops: float = 0.0
    nvlink_gbs: float = 0.0  # one direction
    nvlink_domain: int = 0
    nic_gbs: float = 0.0  # one direction

    def peak_tflops(self, precision: str) -> float:
        """Dense peak; a missing precision falls back to the next wider one."""
        if precision == "fp4" and self.fp4_tflops:
            return self.fp4_tflops
        if precision in ("fp4", "fp8") and self.fp8_tflops:
            return self.fp8_tflops
        return self.bf16_tflops


class ShapeError(ValueError):
    """Sizes that no run can have; the message names the setting."""


def check(shape: Shape, layout: Layout) -> None:
    """Refuse impossible sizes before a formula divides by one of them.

    Raises:
        ShapeError: one line that names the size and its value.
    """
    for name in ("hidden", "heads", "groups", "head_dim", "vocab"):
        if getattr(shape, name) <= 0:
            raise ShapeError(f"{name} must be positive, not {getattr(shape, name)}")
    if not shape.layers:
        raise ShapeError("the model has no layers")
    if any(ffn == "moe" for _, ffn in shape.layers) and (shape.experts <= 0 or shape.moe_ffn <= 0):
        raise ShapeError("MoE layers need the number of experts and their feed-forward size")
    if shape.experts and not 0 < shape.topk <= shape.experts:
        raise ShapeError(f"router top-k {shape.topk} is not between 1 and {shape.experts} experts")
    for name in ("world", "tp", "pp", "cp", "ep", "etp", "vpp", "micro_batch", "seq"):
        if getattr(layout, name) <= 0:
            raise ShapeError(f"{name} must be positive, not {getattr(layout, name)}")
    if shape.mtp_depth > 64:
        raise ShapeError(f"{shape.mtp_depth:,} MTP depths are more than any model has")
    for name, ranks in (
        ("TP×PP×CP", layout.tp * layout.pp * layout.cp),
        ("EP×ETP×PP", layout.ep * layout.etp * layout.pp),
    ):
        if ranks > layout.world:
            raise ShapeError(f"{name} = {ranks} GPUs, more than the {layout.world} given")
        if layout.world % ranks:
            raise ShapeError(f"{layout.world} GPUs are no multiple of {name} = {ranks}")
    if shape.experts % layout.ep:
        raise ShapeError(f"{shape.experts} experts do not divide over EP = {layout.ep}")
    if layout.vpp > len(shape.layers):
        raise ShapeError(f"{layout.vpp} virtual stages a rank, more than the {len(shape.layers)} layers")
