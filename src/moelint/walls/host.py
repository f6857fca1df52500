"""The host half of the compute wall: kernels that a step launches against the time the GPU needs for them.

One profiled step of Qwen3-30B-A3B (48 layers, 64 microbatches, 16 H100) launched 463,348 kernels: 151 a layer and
microbatch, forward and backward. A launch costs the host 4 to 6 µs. Both are engineering values, not specifications.
"""

from __future__ import annotations

from .model import Layout, Shape

KERNELS_PER_LAYER = 151.0
LAUNCH_US = 5.0
# Share of a layer's kernels that the usual graph scopes (attention, router, preprocess) take out of the host's hands.
SCOPED_GRAPH_SHARE = 0.55


def kernels_per_step(shape: Shape, layout: Layout) -> float:
    """Kernels that one rank launches in a step, graphs not yet counted."""
    layers = (len(shape.layers) + shape.mtp_depth) / layout.pp
    kernels = KERNELS_PER_LAYER * layers * layout.microbatches
    if layout.recompute == "full":
        kernels *= 4 / 3
    if shape.experts and not layout.grouped_gemm:
        kernels += 6.0 * shape.experts / layout.ep * layers * layout.microbatches
    return kernels


def launched_per_step(shape: Shape, layout: Layout, scoped_share: float = SCOPED_GRAPH_SHARE) -> float:
    """Launches that remain with the host after CUDA graphs."""
    kernels = kernels_per_step(shape, layout)
    if layout.graphs == "full_iteration":
        return kernels * 0.02
    return kernels * (1 - scoped_share) if layout.graphs == "scoped" else kernels


def launch_seconds(
    shape: Shape, layout: Layout, launch_us: float = LAUNCH_US, scoped_share: float = SCOPED_GRAPH_SHARE
) -> float:
    """Seconds that the host needs to launch one step."""
    return launched_per_step(shape, layout, scoped_share) * launch_us * 1e-6
