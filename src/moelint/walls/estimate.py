"""All walls of one configuration behind one door. Parts are computed when first asked for."""

from __future__ import annotations

from . import activations, communication, compute, host, params, static_memory, step
from .activations import Activation
from .communication import ExpertTraffic
from .model import Layout, Machine, Shape
from .stages import Stage, stages
from .static_memory import Static
from .step import StepTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple
else:
    from moelint.walls.record import Record as NamedTuple

# Above the sum of the parts: allocator, NCCL buffers, workspaces; with graphs or EP overlap also their private pools.
RESERVE_EAGER = (1.08, 2.0)  # factor, GiB
RESERVE_GRAPHS = (1.12, 4.0)
# Of the activations' estimate, what the verdict "does not fit" counts on: parts of the published break-down differ from
# it by up to 6 %, and all three measured peaks lay above the whole.
SURE_ACTIVATIONS = 0.9
LAYER_SHARE_OF_PEAK = {"bf16": 0.5, "fp8": 0.4, "fp4": 0.3}


class StageMemory(NamedTuple):
    """One pipeline stage: what stays, what activations need, and the estimate's band (GiB)."""

    stage: Stage
    static: Static
    activation: Activation
    total_gib: float
    high_gib: float


# name → what it is; the policy language checks rules against this table.
FIGURES: dict[str, str] = {
    "memory.total_gib": "memory of the fullest pipeline stage: static and activations, without the reserve",
    "memory.floor_gib": "what a stage needs at the very least: static memory and the activations that are sure",
    "memory.high_gib": "the same with the reserve for allocator, communication and graph pools: the band's upper end",
    "memory.static_gib": "weights, gradients and optimizer state of the fullest stage",
    "memory.static_max_gib": "the largest static memory of any stage",
    "memory.weights_gib": "weights of the fullest stage",
    "memory.grads_gib": "gradients of the fullest stage",
    "memory.optimizer_gib": "optimizer state of the fullest stage",
    "memory.expert_optimizer_gib": "optimizer state of the experts of the fullest stage",
    "memory.expert_gib": "all static memory of the experts of the fullest stage",
    "memory.dense_gib": "all static memory of the rest of the fullest stage",
    "memory.moments_gib": "optimizer moments that CPU offload or BF16 moments would touch",
    "memory.activation_gib": "activations of the fullest stage",
    "memory.hbm_gib": "memory that the driver reports for the GPU",
    "memory.headroom_gib": "hbm_gib less high_gib; negative when the band's upper end does not fit",
    "memory.worst_stage": "pipeline rank of the fullest stage",
    "memory.stage_spread_gib": "fullest less emptiest stage, static memory",
    "memory.largest": "the three largest terms of the fullest stage, in words",
    "memory.no_recompute_high_gib": "upper end with no recompute at all",
    "memory.selective_high_gib": "upper end with the narrow selective modules instead of full recompute",
    "memory.selective_modules": "those modules",
    "memory.half_tp_high_gib": "upper end with half the tensor parallelism",
    "memory.double_ep_total_gib": "total with twice the expert parallelism",
    "memory.sharded_optimizer_saves_gib": "what the distributed optimizer would save",
    "communication.ep_ranks": "GPUs of one expert-parallel group: EP × ETP",
    "communication.ep_nodes": "NVLink domains that the group spans",
    "communication.crosses_nvlink": "the group is larger than the NVLink domain",
    "communication.ep_nvlink_gb": "GB over NVLink per GPU, pass, layer and microbatch",
    "communication.ep_nic_gb": "GB over the network per GPU, pass, layer and microbatch",
    "communication.ep_ms_per_layer": "dispatch and combine of one layer's forward, milliseconds",
    "communication.ep_share": "their share of the layer's forward time, before overlap",
    "communication.layer_ms": "GPU time of one layer's forward at a usual share of the peak",
    "communication.dp_s": "gradient and parameter exchange per step, seconds, before overlap",
    "compute.rows_per_expert": "rows of one local expert's GEMM (balanced routing)",
    "compute.ridge_rows": "rows below which that GEMM is bound by reading its weights",
    "compute.expert_width": "the smaller of the expert GEMMs' two widths",
    "compute.bubble": "idle over ideal time of the pipeline",
    "compute.flops_per_token": "model FLOPs of a token, forward and backward",
    "compute.params_b": "parameters in billions",
    "compute.active_params_b": "active parameters in billions, both tables counted",
    "compute.moe_layers": "MoE layers",
    "compute.dense_layers": "layers with a dense feed-forward",
    "compute.mamba_layers": "Mamba layers",
    "compute.imbalance": "layers of the fullest over layers of the mean stage",
    "compute.tflops": "TFLOPS per GPU, the middle of the band",
    "compute.tflops_low": "the band's lower end",
    "compute.tflops_high": "the band's upper end",
    "compute.step_s": "seconds of a step, the middle of the band",
    "host.kernels": "kernels that a rank launches in a step, before graphs",
    "host.launch_s": "seconds that the host needs to launch a step, after graphs",
    "host.launch_ratio": "launch time over the GPU's time",
}


class Estimate:
    """The walls of one (shape, layout, machine). A figure whose inputs the machine lacks is None."""

    __slots__ = ("_figures", "_memory", "_step", "_traffic", "layout", "machine", "shape")

    def __init__(self, shape: Shape, layout: Layout, machine: Machine) -> None:
        self.shape, self.layout, self.machine = shape, layout, machine
        self._figures: dict[str, Any] = {}
        self._memory: list[StageMemory] | None = None
        self._step: StepTime | None = None
        self._traffic: ExpertTraffic | None = None

    def again(self, **changes: Any) -> Estimate:
        """The same job with parts of its layout changed."""
        return Estimate(self.shape, self.layout._replace(**changes), self.machine)

    @property
    def reserve(self) -> tuple[float, float]:
        """(factor, GiB) between the sum of the parts and the upper end."""
        return RESERVE_GRAPHS if self.layout.graphs != "none" or self.layout.ep_overlap else RESERVE_EAGER

    @property
    def memory(self) -> list[StageMemory]:
        """Memory of every pipeline stage."""
        if self._memory is None:
            factor, extra = self.reserve
            self._memory = []
            for stage in stages(self.shape, self.layout):
                static = static_memory.stage_memory(self.shape, self.layout, stage)
                act = activations.stage_activation(self.shape, self.layout, stage)
                total = static.total_gib + act.total_gib
                self._memory.append(StageMemory(stage, static, act, total, total * factor + extra))
        return self._memory

    @property
    def worst(self) -> StageMemory:
        """The fullest stage."""
        return max(self.memory, key=lambda s: s.total_gib)

    @property
    def traffic(self) -> ExpertTraffic:
        """Expert dispatch of one layer."""
        if self._traffic is None:
            self._traffic = communication.expert_traffic(self.shape, self.layout, self.machine)
        return self._traffic

    @property
    def step(self) -> StepTime | None:
        """Step time, or None where the machine's figures are unknown."""
        if self._step is None and self.timed:
            self._step = step.step_time(self.shape, self.layout, self.machine)
        return self._step

    @property
    def timed(self) -> bool:
        """The machine's figures suffice for times."""
        m = self.machine
        return bool(m.bf16_tflops and m.hbm_tbs and m.nvlink_gbs and m.nic_gbs)

    def figure(self, name: str) -> Any:
        """A figure of ``FIGURES``, computed once; None where an input is unknown.

        Raises:
            KeyError: no such figure.
        """
        if name not in self._figures:
            if name not in FIGURES:
                raise KeyError(name)
            group, _, rest = name.partition(".")
            answer = {"memory": self._memory_group, "communication": self._communication, "compute": self._compute}
            self._figures[name] = answer.get(group, self._host)(rest)
        return self._figures[name]

    def _memory_figure_again(self, **changes: Any) -> float:
        return self.again(**changes).worst.high_gib

    def narrow(self) -> list[str]:
        """Selective modules that cost little: those that this model has."""
        modules = ["layernorm"]
        if self.shape.experts:
            modules.insert(0, "moe_act")
        if any(mixer == "mla" for mixer, _ in self.shape.layers):
            modules.append("mla_up_proj")
        return modules

    def _floor(self) -> float:
        """GiB that no allocator can do without: no transients, no chunk beyond P·v in flight, no reserve; offload
        counted as if it took the master copy along."""
        layout = self.layout
        least = layout._replace(master_bytes=layout.master_bytes * (1 - layout.offloaded_fraction), ep_overlap=False)
        found = 0.0
        for stage in stages(self.shape, least):
            static = static_memory.stage_memory(self.shape, least, stage)
            kept = activations.stage_activation(self.shape, least, stage, penalty=False).kept_gib
            found = max(found, static.total_gib - static.gathered_gib + SURE_ACTIVATIONS * kept)
        return found

    def _largest(self) -> str:
        worst, layout = self.worst, self.layout
        parts = {
            "expert optimizer state": worst.static.expert_optimizer_gib,
            "other optimizer state": worst.static.dense_optimizer_gib,
            "expert weights": worst.static.expert_weights_gib,
            "other weights": worst.static.dense_weights_gib,
            "expert gradients": worst.static.expert_grads_gib,
            "other gradients": worst.static.dense_grads_gib,
            "activations": worst.activation.total_gib,
        }
        if layout.fsdp:
            parts["layers that FSDP gathers"] = worst.static.gathered_gib
        top = sorted(parts.items(), key=lambda item: -item[1])[:3]
        return ", ".join(f"{name} {size:.1f} GiB" for name, size in top)

    def _memory_group(self, rest: str) -> Any:
        worst, layout = self.worst, self.layout
        static = worst.static
        hbm = self.machine.hbm_usable_gib or None
        if rest in ("static_gib", "total_gib", "high_gib"):
            return (
                static.total_gib if rest == "static_gib" else worst.total_gib if rest == "total_gib" else worst.high_gib
            )
        if rest in ("weights_gib", "grads_gib", "optimizer_gib"):
            return getattr(static, rest)
        if rest == "expert_optimizer_gib":
            return static.expert_optimizer_gib
        if rest == "expert_gib":
            return static.expert_weights_gib + static.expert_grads_gib + static.expert_optimizer_gib
        if rest == "dense_gib":
            return static.dense_weights_gib + static.dense_grads_gib + static.dense_optimizer_gib
        if rest == "moments_gib":
            return static.optimizer_gib * layout.moment_bytes / max(1.0, layout.master_bytes + layout.moment_bytes)
        if rest == "static_max_gib":
            return max(s.static.total_gib for s in self.memory)
        if rest == "floor_gib":
            return self._floor()
        if rest == "activation_gib":
            return worst.activation.total_gib
        if rest == "hbm_gib":
            return hbm
        if rest == "headroom_gib":
            return None if hbm is None else hbm - worst.high_gib
        if rest == "worst_stage":
            return worst.stage.rank
        if rest == "stage_spread_gib":
            sizes = [s.static.total_gib for s in self.memory]
            return max(sizes) - min(sizes)
        if rest == "largest":
            return self._largest()
        return self._memory_again(rest)

    def _memory_again(self, rest: str) -> Any:
        """Figures that ask the same job with another setting."""
        layout = self.layout
        if rest == "no_recompute_high_gib":
            return self._memory_figure_again(recompute="none")
        if rest == "selective_modules":
            return ", ".join(self.narrow())
        if rest == "selective_high_gib":
            return self._memory_figure_again(recompute="selective", recompute_modules=frozenset(self.narrow()))
        if rest == "half_tp_high_gib":
            if layout.tp % 2:
                return None
            return self._memory_figure_again(
                tp=layout.tp // 2, sequence_parallel=layout.tp > 2 and layout.sequence_parallel
            )
        if rest == "double_ep_total_gib":
            twice = layout.ep * 2
            if not self.shape.experts or self.shape.experts % twice or layout.world % (twice * layout.etp * layout.pp):
                return None
            return self.again(ep=twice).worst.total_gib
        return self.worst.static.total_gib - self.again(distributed_optimizer=True).worst.static.total_gib

    def _communication(self, rest: str) -> Any:
        traffic, machine = self.traffic, self.machine
        if rest == "ep_ranks":
            return traffic.ranks
        if rest == "dp_s":
            return (
                sum(c.seconds for c in communication.data_parallel(self.shape, self.layout, machine))
                if self.timed
                else None
            )
        if not machine.nvlink_domain:
            return None
        if rest == "ep_nodes":
            return traffic.nodes
        if rest == "crosses_nvlink":
            return traffic.ranks > machine.nvlink_domain
        if rest in ("ep_nvlink_gb", "ep_nic_gb"):
            return traffic.nvlink_gb if rest == "ep_nvlink_gb" else traffic.nic_gb
        if not self.timed:
            return None
        precision = self.layout.precision
        layer = step.layer_forward_ms(self.shape, self.layout, machine, LAYER_SHARE_OF_PEAK[precision])
        if rest == "layer_ms":
            return layer
        if rest == "ep_share":
            return traffic.layer_ms / (traffic.layer_ms + layer) if traffic.layer_ms + layer > 0 else 0.0
        return traffic.layer_ms

    def _compute(self, rest: str) -> Any:
        shape, layout, machine = self.shape, self.layout, self.machine
        if rest in ("rows_per_expert", "expert_width"):
            if not shape.experts:
                return None
            gemm = compute.expert_gemm(shape, layout)
            return gemm.rows if rest == "rows_per_expert" else min(gemm.k1, gemm.n1, gemm.k2, gemm.n2)
        if rest == "ridge_rows":
            return compute.ridge_rows(machine, layout.precision) or None
        if rest == "bubble":
            return compute.bubble(layout) if layout.global_batch else None
        if rest == "flops_per_token":
            return compute.flops_per_token(shape, layout.seq).step
        if rest == "params_b":
            return params.total(shape) / 1e9
        if rest == "active_params_b":
            return params.active(shape) / 1e9
        if rest in ("moe_layers", "dense_layers"):
            return sum(1 for _, kind in shape.layers if kind == rest[: -len("_layers")])
        if rest == "mamba_layers":
            return sum(1 for mixer, _ in shape.layers if mixer == "mamba")
        if rest == "imbalance":
            sizes = [len(s.layers) + s.mtp for s in stages(shape, layout)]
            return max(sizes) * len(sizes) / max(1, sum(sizes))
        timed = self.step
        if timed is None or not layout.global_batch:
            return None
        return timed.step_s if rest == "step_s" else getattr(timed, rest)

    def _host(self, rest: str) -> Any:
        if rest == "kernels":
            return host.kernels_per_step(self.shape, self.layout)
        if rest == "launch_s":
            return host.launch_seconds(self.shape, self.layout)
        timed = self.step
        if timed is None:
            return None
        launches = host.launch_seconds(self.shape, self.layout)
        return launches / max(timed.gpu_s + timed.exposed_expert_comm_s, 1e-9)
