"""Time of one step and throughput, as a band. The constants are fitted; see benchmarks/walls_throughput.py.

A step is the microbatches' work on the busiest pipeline stage, stretched by the pipeline bubble, plus what gradient
and parameter exchange leaves exposed and the optimizer's pass over memory. The work of a layer is GEMM time at a
share of the peak, attention at a share of the BF16 peak, element-wise traffic over HBM, and expert communication
beside what overlap hides; the host's launches set a floor.
"""

from __future__ import annotations

from . import activations, communication, compute, host
from .model import Layout, Machine, Shape
from .stages import kinds, stages
from .static_memory import on_gpu, stage_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple


class Constants(NamedTuple):
    """Efficiencies fitted within plausible limits on published rows of containers up to 26.04 and four profiled jobs.
    None is a specification, and single ones trade against each other. ``benchmarks/walls_throughput.py --fit`` repeats
    the search."""

    gemm_bf16: float = 0.54  # share of the peak that wide, well-filled GEMMs reach
    gemm_fp8: float = 0.70
    gemm_fp4: float = 0.40
    core: float = 0.65  # of the BF16 peak, attention
    scan: float = 0.30  # of the BF16 peak, state-space scan and delta rule
    narrow: float = 50.0  # width at which a GEMM of an expert reaches half of the above
    traffic: float = 11.5  # passes of element-wise work over BF16 activations, permutation included, both ways
    quantised: float = 1.90  # times that, where inputs are quantised and transposed on the way
    # Of that, what a fused grouped MLP leaves of the experts' part. Not fitted: no row of the old containers has it.
    fused_traffic: float = 0.35
    hidden_share: float = 0.60  # of expert communication under EP overlap
    host_us: float = 40.0  # of the host a kernel: Python, framework, launch and the waits for token counts
    scoped_share: float = 0.30  # of the kernels that scoped graphs take from the host
    power: float = 1.2  # how sharply the slower of host and GPU decides: 1 adds them, large takes the larger
    fused_nic: float = 0.80  # of the NIC, for dispatch that sends a token once to a node
    band: float = 0.35  # half width, of the prediction


class StepTime(NamedTuple):
    """Seconds of one step on the busiest stage, by part. ``tflops`` is per GPU."""

    gemm_s: float
    core_s: float
    traffic_s: float
    expert_comm_s: float
    exposed_expert_comm_s: float
    tensor_comm_s: float
    host_s: float
    bubble_s: float
    data_parallel_s: float
    optimizer_s: float
    step_s: float
    low_s: float
    high_s: float
    tflops: float
    tflops_low: float
    tflops_high: float
    tokens_per_gpu_s: float

    @property
    def gpu_s(self) -> float:
        """Seconds of the GPU's own work."""
        return self.gemm_s + self.core_s + self.traffic_s


FITTED = Constants()


def _gemm_seconds(
    flops: float, rows: float, width: float, machine: Machine, layout: Layout, constants: Constants
) -> float:
    """Seconds of GEMM work; ``rows`` and ``width`` of an expert's GEMM, 0 for the wide GEMMs of the other parts."""
    precision = layout.precision
    share = {"bf16": constants.gemm_bf16, "fp8": constants.gemm_fp8, "fp4": constants.gemm_fp4}[precision]
    bound = compute.ridge_rows(machine, precision)
    filled = rows / (rows + 0.5 * bound) if rows > 0 and bound > 0 else 1.0
    if width > 0:
        filled *= width / (width + constants.narrow)
    return flops / (machine.peak_tflops(precision) * 1e12 * share * filled)


def step_time(shape: Shape, layout: Layout, machine: Machine, constants: Constants = FITTED) -> StepTime:
    """Seconds and TFLOPS of one step.

    Raises:
        ValueError: the machine's peak, memory bandwidth or links are unknown.
    """
    if not (machine.bf16_tflops and machine.hbm_tbs and machine.nvlink_gbs and machine.nic_gbs):
        raise ValueError("a step time needs the machine's peak, memory and link bandwidths")
    m, pp = layout.microbatches, layout.pp
    tokens = layout.tokens_per_rank
    flops = compute.flops_per_token(shape, layout.seq)
    # The busiest stage: the share of layers it holds, and the head where it holds that.
    per_layer = (flops.linear + flops.experts + flops.core) / max(1, len(shape.layers) + shape.mtp_depth)
    works = []
    for stage in stages(shape, layout):
        depth = len(stage.layers) + stage.mtp
        works.append((depth * per_layer + (flops.head if stage.head else 0.0), depth, stage.head))
    _, depth, head = max(works)
    share = depth / max(1, len(shape.layers) + shape.mtp_depth)
    passes = 4.0 if layout.recompute == "full" else 3.0
    rank_tokens = tokens * m / layout.tp
    gemm = compute.expert_gemm(shape, layout) if shape.experts else None
    gemm_s = _gemm_seconds(flops.linear * share * passes * rank_tokens, 0, 0, machine, layout, constants)
    if gemm:
        imbalance = max(layout.imbalance, 1.0)
        gemm_s += imbalance * _gemm_seconds(
            flops.experts * share * passes * rank_tokens,
            gemm.rows,
            min(gemm.k1, gemm.n1, gemm.k2, gemm.n2),
            machine,
            layout,
            constants,
        )
    plain = layout._replace(fp8=False, fp4=False)
    if head:
        gemm_s += _gemm_seconds(flops.head * 3 * rank_tokens, 0, 0, machine, plain, constants)
    scanned = _scan_share(shape, layout.seq)
    core_rate = (1 - scanned) / constants.core + scanned / constants.scan
    core_s = flops.core * share * passes * 7 / 6 * rank_tokens * core_rate / (machine.bf16_tflops * 1e12)
    kept = 0.0
    whole = layout._replace(recompute="none", offload_modules=frozenset(), fp8=False, fp4=False)
    for pair, number in kinds((shape.layers,)).items():
        items = activations.layer_bytes(shape, whole, *pair)
        if layout.op_fuser:
            for name in ("expert_input", "fc1", "moe_act"):
                items[name] = items.get(name, 0.0) * constants.fused_traffic
        kept += sum(items.values()) * number / len(shape.layers)
    passes_over = constants.traffic * (constants.quantised if layout.precision != "bf16" else 1.0)
    traffic_s = kept * depth * tokens * m * passes_over * passes / 3 / (machine.hbm_tbs * 1e12)
    traffic = communication.expert_traffic(shape, layout, machine, fused_nic_efficiency=constants.fused_nic)
    moe = sum(1 for _, kind in shape.layers if kind == "moe") / len(shape.layers)
    comm_passes = 6.0 if layout.recompute == "full" else 4.0
    comm_s = traffic.pass_ms * 1e-3 * comm_passes * moe * depth * m
    tensor_s = sum(c.seconds for c in communication.tensor_parallel(shape, layout, machine)) * 0.7
    tensor_s += sum(c.seconds for c in communication.context_parallel(shape, layout, machine)) * 0.3
    work = gemm_s + core_s + traffic_s
    exposed = comm_s
    if layout.ep_overlap:
        exposed = max(comm_s * (1 - constants.hidden_share), comm_s - work)
    gpu_s = work + exposed + tensor_s
    host_s = host.launch_seconds(shape, layout, constants.host_us, constants.scoped_share)
    # Launches run ahead of the GPU: they cost only as they come near its own time.
    busy = (gpu_s**constants.power + host_s**constants.power) ** (1 / constants.power)
    bubble_s = busy * compute.bubble(layout)
    dp_s = sum(c.seconds for c in communication.data_parallel(shape, layout, machine))
    dp_exposed = max(dp_s - 0.5 * busy, 0.1 * dp_s) if layout.overlap_grad_reduce else dp_s
    dense, expert = max(on_gpu(stage_count(shape, stage, pp), layout) for stage in stages(shape, layout))
    state = layout.master_bytes + layout.moment_bytes + layout.grad_bytes + layout.weight_bytes
    shards = (layout.dp * layout.cp, layout.edp) if layout.distributed_optimizer else (1, 1)
    optimizer_s = 2 * state * (dense / shards[0] + expert / shards[1]) / (machine.hbm_tbs * 1e12 * 0.6)
    step = busy + bubble_s + dp_exposed + optimizer_s
    batch_tokens = m * layout.micro_batch * layout.dp * layout.seq
    tflops = flops.step * batch_tokens / layout.world / step / 1e12
    low, high = 1 - constants.band, 1 + constants.band
    return StepTime(
        gemm_s,
        core_s,
        traffic_s,
        comm_s,
        exposed,
        tensor_s,
        host_s,
        bubble_s,
        dp_exposed,
        optimizer_s,
        step,
        step / high,
        step / low,
        tflops,
        tflops * low,
        tflops * high,
        batch_tokens / layout.world / step,
    )


def _scan_share(shape: Shape, seq: int) -> float:
    """Share of the core FLOPs that a scan or a delta rule does instead of attention."""
    counts: dict[str, int] = {}
    for (mixer, _), number in kinds((shape.layers,)).items():
        counts[mixer] = counts.get(mixer, 0) + number
    if not ("gdn" in counts or "mamba" in counts):
        return 0.0
    parts = [0.0, 0.0]
    for mixer, number in counts.items():
        parts[mixer in ("gdn", "mamba")] += number * compute.core_flops(shape, mixer, 0, seq)
    return parts[1] / sum(parts) if sum(parts) else 0.0


def layer_forward_ms(shape: Shape, layout: Layout, machine: Machine, share_of_peak: float) -> float:
    """Forward GPU time of one average layer and microbatch at a stated share of the peak."""
    flops = compute.flops_per_token(shape, layout.seq)
    per_layer = (flops.linear + flops.experts + flops.core) / max(1, len(shape.layers) + shape.mtp_depth)
    peak = machine.peak_tflops(layout.precision) * 1e12 * share_of_peak
    return per_layer * layout.tokens_per_rank / layout.tp / peak * 1e3 if peak else 0.0


__all__ = ["FITTED", "Constants", "StepTime", "layer_forward_ms", "step_time"]
