"""Everything that ``moelint walls`` shows of one config, as plain data: what the text, JSON and HTML pages print."""

from __future__ import annotations

from moelint.trainer.walls_adapter import Walls
from moelint.trainer.walls_knobs import Knob, best, known
from moelint.trainer.walls_reader import Get
from moelint.typed import Any
from moelint.walls import communication, compute, host, params, static_memory, step
from moelint.walls.estimate import LAYER_SHARE_OF_PEAK, Estimate
from moelint.walls.stages import kinds

# What an unknown input would change, for those that a user is most likely to have left out.
_EFFECT = {
    "target.gpus": "everything: data-parallel sizes, memory, communication",
    "target.gpu": "memory limit, times, the ridge, which links are fast",
    "model.hidden_size": "every size of the model",
    "model.num_layers": "every size of the model",
    "model.num_attention_heads": "attention's weights, activations and FLOPs",
    "model.moe_router_topk": "dispatch bytes, expert rows and FLOPs",
    "train.global_batch_size": "microbatches: pipeline bubble, step time, throughput",
}
_PARTS = (
    ("expert weights", "expert_weights_gib"),
    ("other weights", "dense_weights_gib"),
    ("expert gradients", "expert_grads_gib"),
    ("other gradients", "dense_grads_gib"),
    ("expert optimizer", "expert_optimizer_gib"),
    ("other optimizer", "dense_optimizer_gib"),
    ("gathered by FSDP", "gathered_gib"),
)


def page(get: Get, name: str, path: str, line: int, target: dict[str, Any]) -> dict[str, Any]:
    """The page of one config. ``get``: its scope; ``target``: what it is judged for, with origins."""
    walls = Walls(get)
    estimate = walls.estimate
    out: dict[str, Any] = {
        "config": name,
        "path": path,
        "line": line,
        "target": target,
        "problem": walls.problem,
        "missing": [
            {"key": key, "changes": _EFFECT.get(key, "the model's sizes")} for key in dict.fromkeys(walls.missing)
        ],
        "assumptions": list(dict.fromkeys(walls.assumptions)),
    }
    if estimate is None:
        return out
    if not estimate.timed:
        out["missing"].append({"key": "target.gpu", "changes": _EFFECT["target.gpu"]})
    if not estimate.layout.global_batch:
        out["missing"].append({"key": "train.global_batch_size", "changes": _EFFECT["train.global_batch_size"]})
    if walls.get("memory.modelled") is not True:
        variant = known(get, "model.experimental_attention_variant")
        out["assumptions"].append(
            f"attention variant {variant} is not modelled: its figures are those of its base class"
        )
    if walls.get("memory.trains_all") is False:
        out["assumptions"].append("fine-tuning: memory is that of the stated trained share, frozen parts may be missed")
    out["model"] = _model(estimate)
    node = known(get, "hw.gpus_per_node") or known(get, "target.gpus_per_node")
    out["mesh"] = _mesh(estimate, node, known(get, "hw.usable_domain"))
    out["memory"] = _memory(estimate)
    out["communication"] = _communication(estimate)
    out["compute"] = _compute(estimate)
    out["host"] = _host(estimate)
    out["walls"] = _order(estimate)
    out["knobs"] = [_knob(estimate, knob, get) for knob in best(get, estimate)]
    return out


def _model(e: Estimate) -> dict[str, Any]:
    shape, layout = e.shape, e.layout
    return {
        "params_b": params.total(shape) / 1e9,
        "active_params_b": params.active(shape) / 1e9,
        "layers": len(shape.layers),
        "kinds": [[mixer, kind, n] for (mixer, kind), n in kinds((shape.layers,)).items()],
        "hidden": shape.hidden,
        "experts": shape.experts,
        "topk": shape.topk,
        "expert_ffn": shape.moe_ffn,
        "mtp_depth": shape.mtp_depth,
        "seq": layout.seq,
        "micro_batch": layout.micro_batch,
        "global_batch": layout.global_batch or None,
        "microbatches": layout.microbatches,
        "precision": layout.precision,
    }


def _mesh(e: Estimate, gpus_per_node: Any, usable: Any) -> dict[str, Any]:
    lay = e.layout
    domain = e.machine.nvlink_domain or None
    used = domain
    # Layouts of powers of two leave a few GPUs of a rack of 72 idle, so that no group straddles two.
    if domain and isinstance(usable, int) and 0 < usable < domain and usable % (lay.ep * lay.etp) == 0:
        used = usable
    return {
        "attention": {"tp": lay.tp, "cp": lay.cp, "dp": lay.dp, "pp": lay.pp},
        "experts": {"etp": lay.etp, "ep": lay.ep, "edp": lay.edp, "pp": lay.pp},
        "vpp": lay.vpp,
        "gpus": lay.world,
        "nvlink_domain": domain,
        "used_domain": used,
        "gpus_per_node": int(gpus_per_node) if isinstance(gpus_per_node, int) else min(8, domain or 8),
        "stage_gpus": lay.world // lay.pp,
        "expert_domains": None if domain is None else -(-lay.ep * lay.etp // domain),
    }


def _memory(e: Estimate) -> dict[str, Any]:
    stages = []
    for s in e.memory:
        parts = [[label, getattr(s.static, field)] for label, field in _PARTS]
        parts.append(["activations", s.activation.total_gib])
        stages.append(
            {
                "rank": s.stage.rank,
                "layers": len(s.stage.layers),
                "embedding": s.stage.embedding,
                "head": s.stage.head,
                "mtp": s.stage.mtp,
                "parts_gib": [[label, size] for label, size in parts if size > 0.0005],
                "total_gib": s.total_gib,
                "high_gib": s.high_gib,
                "chunks_in_flight": s.activation.chunks,
            }
        )
    factor, extra = e.reserve
    return {
        "hbm_gib": e.machine.hbm_usable_gib or None,
        "stages": stages,
        "worst_stage": e.worst.stage.rank,
        "floor_gib": e.figure("memory.floor_gib"),
        "reserve": {"factor": factor, "gib": extra},
        "recompute": e.layout.recompute,
        "recompute_modules": sorted(e.layout.recompute_modules) if e.layout.recompute == "selective" else [],
        "bytes_per_param": {
            "weight": e.layout.weight_bytes,
            "gradient": e.layout.grad_bytes,
            "master": e.layout.master_bytes,
            "moments": e.layout.moment_bytes,
        },
    }


def _communication(e: Estimate) -> dict[str, Any]:
    shape, layout, machine = e.shape, e.layout, e.machine
    traffic = e.traffic
    out: dict[str, Any] = {"dispatcher": layout.dispatcher, "ep_overlap": layout.ep_overlap, "ep_ranks": traffic.ranks}
    if machine.nvlink_domain:
        out.update(ep_domains=traffic.nodes, nvlink_gb=traffic.nvlink_gb, nic_gb=traffic.nic_gb)
    if e.timed:
        out["ep_ms_per_layer"] = traffic.layer_ms
        out["layer_ms"] = e.figure("communication.layer_ms")
        out["layer_share_of_peak"] = LAYER_SHARE_OF_PEAK[layout.precision]
        out["ep_share"] = e.figure("communication.ep_share")
        shares = communication.layer_forward(shape, layout, machine, traffic)
        whole = out["layer_ms"] + sum(one.ms for one in shares)
        out["layer_forward"] = [
            {
                "name": one.name,
                "nvlink_mb": one.nvlink_mb,
                "nic_mb": one.nic_mb,
                "ms": one.ms,
                "share": one.ms / whole if whole > 0 else 0.0,
            }
            for one in shares
        ]
        rows = []
        for group in (
            communication.tensor_parallel,
            communication.context_parallel,
            communication.pipeline,
            communication.data_parallel,
        ):
            rows += [
                {"name": c.name, "link": c.link, "gb": c.gb, "calls": c.calls, "seconds": c.seconds}
                for c in group(shape, layout, machine)
            ]
        out["collectives"] = rows
    return out


def _compute(e: Estimate) -> dict[str, Any]:
    shape, layout, machine = e.shape, e.layout, e.machine
    flops = compute.flops_per_token(shape, layout.seq)
    out: dict[str, Any] = {
        "gflop_per_token": flops.step / 1e9,
        "gflop_parts": {
            "linear": 3 * flops.linear / 1e9,
            "experts": 3 * flops.experts / 1e9,
            "attention core": 3 * flops.core / 1e9,
            "head": 3 * flops.head / 1e9,
        },
        "bubble": compute.bubble(layout) if layout.global_batch else None,
        "ridge_rows": compute.ridge_rows(machine, layout.precision) or None,
        "ridge_flop_per_byte": compute.ridge(machine, layout.precision) or None,
    }
    if shape.experts:
        gemm = compute.expert_gemm(shape, layout)
        width = 1.0 if layout.precision != "bf16" else 2.0
        out["expert_gemms"] = [
            {"rows": gemm.rows, "k": k, "n": n, "flop_per_byte": compute.intensity(gemm.rows, n, k, width)}
            for k, n in ((gemm.k1, gemm.n1), (gemm.k2, gemm.n2))
        ]
        out["rows_per_expert"], out["local_experts"] = gemm.rows, shape.experts / layout.ep
    time = e.step
    if time is not None and layout.global_batch:
        out["step"] = {
            "seconds": time.step_s,
            "low_s": time.low_s,
            "high_s": time.high_s,
            "tflops": time.tflops,
            "tflops_low": time.tflops_low,
            "tflops_high": time.tflops_high,
            "tokens_per_gpu_s": time.tokens_per_gpu_s,
            "peak_tflops": machine.peak_tflops(layout.precision),
            "parts_s": {
                "GEMMs": time.gemm_s,
                "attention core": time.core_s,
                "element-wise": time.traffic_s,
                "expert communication, exposed": time.exposed_expert_comm_s,
                "tensor and context parallel": time.tensor_comm_s,
                "host": max(
                    0.0,
                    time.step_s
                    - time.gpu_s
                    - time.exposed_expert_comm_s
                    - time.tensor_comm_s
                    - time.bubble_s
                    - time.data_parallel_s
                    - time.optimizer_s,
                ),
                "pipeline bubble": time.bubble_s,
                "gradient exchange, exposed": time.data_parallel_s,
                "optimizer": time.optimizer_s,
            },
        }
    return out


def _host(e: Estimate) -> dict[str, Any]:
    return {
        "kernels": host.kernels_per_step(e.shape, e.layout),
        "launch_us": host.LAUNCH_US,
        "launch_s": host.launch_seconds(e.shape, e.layout),
        "graphs": e.layout.graphs,
        "launch_ratio": e.figure("host.launch_ratio"),
        # with Python, the framework and waits for token counts: what the step model counts for a kernel
        "host_us": step.FITTED.host_us,
    }


def _fits(e: Estimate, hbm: float) -> str | None:
    """What rule MEM001 says, and the weaker verdicts between its floor and the upper end; None: it fits."""
    if e.worst.high_gib <= hbm:
        return None
    if e.figure("memory.static_max_gib") > hbm or e.figure("memory.floor_gib") > hbm:
        return "does not fit"
    return "probably does not fit" if e.worst.total_gib > hbm else "may not fit"


def _order(e: Estimate) -> list[dict[str, Any]]:
    """The walls, the one that stands first at the head: memory while it does not fit, else what a step loses most
    to."""
    hbm = e.machine.hbm_usable_gib or None
    high = e.worst.high_gib
    found: list[dict[str, Any]] = []
    if hbm is not None:
        found.append(
            {
                "wall": "memory",
                "share": high / hbm,
                "blocks": high > hbm,
                "verdict": _fits(e, hbm),
                "why": f"the fullest stage needs {e.worst.total_gib:.1f} to {high:.1f} GiB of {hbm:.1f}",
            }
        )
    time = e.step
    if time is not None and e.layout.global_batch:
        whole = time.step_s
        comm = time.exposed_expert_comm_s + time.tensor_comm_s + time.data_parallel_s
        gpu = time.gpu_s + time.exposed_expert_comm_s + time.tensor_comm_s
        waits = max(0.0, whole - gpu - time.bubble_s - time.data_parallel_s - time.optimizer_s)
        lost = time.traffic_s + time.bubble_s + time.optimizer_s
        found += [
            {
                "wall": "communication",
                "share": comm / whole,
                "blocks": False,
                "why": f"about {comm / whole:.0%} of the step waits for links, "
                f"{time.exposed_expert_comm_s / whole:.0%} for expert dispatch",
            },
            {
                "wall": "compute",
                "share": lost / whole,
                "blocks": False,
                "why": f"about {lost / whole:.0%} of the step goes to element-wise work, the bubble and the optimizer; "
                f"GEMMs and attention take {(time.gemm_s + time.core_s) / whole:.0%}",
            },
            {
                "wall": "host",
                "share": waits / whole,
                "blocks": False,
                "why": f"about {waits / whole:.0%} of the step waits for the host to launch and to count tokens",
            },
        ]
    found.sort(key=lambda w: (not w["blocks"], w["wall"] == "memory", -w["share"]))
    return found


def _knob(now: Estimate, knob: Knob, get: Get) -> dict[str, Any]:
    after = knob.after
    worst = static_memory.stage_memory(after.shape, after.layout, after.worst.stage)
    out: dict[str, Any] = {
        "change": knob.change,
        "before": {key: known(get, key) for key in knob.change},
        "why": knob.why,
        "high_gib": [now.worst.high_gib, after.worst.high_gib],
        "static_gib": worst.total_gib,
    }
    if now.step is not None and after.step is not None and now.layout.global_batch:
        out["step_s"] = [now.step.step_s, after.step.step_s]
        out["tflops"] = [now.step.tflops, after.step.tflops]
    return out
