"""Which settings to try next, each answered by changing the config and asking the walls again."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.walls_adapter import Walls
from moelint.trainer.walls_reader import Get
from moelint.typed import Any
from moelint.walls.estimate import Estimate

Change = dict[str, Any]  # canonical key → value


class Knob:
    """A change and what the walls say after it. ``family``: knobs of one family exclude each other."""

    __slots__ = ("after", "change", "family", "why")

    def __init__(self, family: str, change: Change, after: Estimate, why: str) -> None:
        self.family, self.change, self.after, self.why = family, change, after, why


def with_changes(get: Get, change: Change) -> Get:
    """The same settings with some replaced."""
    return lambda key: change[key] if key in change else get(key)


def candidates(get: Get, now: Estimate) -> list[tuple[str, Change, str]]:
    """(family, change, reason) of every knob that the trainer would accept on this layout, as far as sizes tell."""
    shape, layout, machine = now.shape, now.layout, now.machine
    found: list[tuple[str, Change, str]] = []
    world, experts, ranks = layout.world, shape.experts, layout.ep * layout.etp
    modules = set(layout.recompute_modules)
    if experts:
        for ep in (layout.ep * 2, layout.ep // 2):
            if ep >= 1 and ep != layout.ep and experts % ep == 0 and world % (ep * layout.etp * layout.pp) == 0:
                why = (
                    "fewer experts a GPU, more rows for each"
                    if ep > layout.ep
                    else "less of the dispatch leaves the GPU"
                )
                found.append(("ep", {"model.expert_model_parallel_size": ep}, why))
        overlappable = layout.recompute != "full" and "moe" not in modules and (layout.pp == 1 or layout.vpp > 1)
        if layout.ep > 1 and not layout.ep_overlap and overlappable and layout.dispatcher != "allgather":
            found.append(
                (
                    "ep overlap",
                    {"model.overlap_moe_expert_parallel_comm": True},
                    "dispatch runs beside another microbatch's compute",
                )
            )
        if layout.dispatcher in ("alltoall", "allgather") and ranks > 1 and get("hw.hybridep") is True:
            found.append(
                (
                    "dispatcher",
                    {"model.moe_token_dispatcher_type": "flex", "model.moe_flex_dispatcher_backend": "hybridep"},
                    "a token crosses the network once for each node, not for each expert",
                )
            )
        if (
            layout.etp > 1
            and world % (layout.ep * layout.etp * layout.pp) == 0
            and experts % (layout.ep * layout.etp) == 0
        ):
            found.append(
                (
                    "etp",
                    {
                        "model.expert_tensor_parallel_size": 1,
                        "model.expert_model_parallel_size": layout.ep * layout.etp,
                    },
                    "whole experts, wider GEMMs",
                )
            )
        if not layout.grouped_gemm:
            found.append(("grouped gemm", {"model.moe_grouped_gemm": True}, "all local experts in one call"))
    pinned = {"model.expert_tensor_parallel_size": layout.etp}  # an unset one would follow TP
    if layout.tp > 1 and layout.tp % 2 == 0:
        found.append(
            (
                "tp",
                {
                    "model.tensor_model_parallel_size": layout.tp // 2,
                    **pinned,
                    "model.sequence_parallel": layout.tp > 2,
                },
                "larger GEMMs, fewer gathers and scatters",
            )
        )
    if (
        layout.tp * 2 <= min(8, machine.nvlink_domain or 8)
        and world % (layout.tp * 2 * layout.pp * layout.cp) == 0
        and (shape.heads % (layout.tp * 2) == 0)
    ):
        found.append(
            (
                "tp",
                {"model.tensor_model_parallel_size": layout.tp * 2, **pinned, "model.sequence_parallel": True},
                "activations and dense weights over twice the GPUs",
            )
        )
    plain = {
        "model.pipeline_model_parallel_layout": None,
        "model.num_layers_in_first_pipeline_stage": None,
        "model.num_layers_in_last_pipeline_stage": None,
    }
    for pp in (layout.pp * 2, layout.pp // 2):
        fits = pp >= 1 and pp != layout.pp and len(shape.layers) % pp == 0
        if fits and world % (pp * layout.tp * layout.cp) == 0 and world % (pp * ranks) == 0:
            change = {
                "model.pipeline_model_parallel_size": pp,
                "model.virtual_pipeline_model_parallel_size": None,
                **plain,
            }
            found.append(
                ("pp", change, "fewer layers a GPU" if pp > layout.pp else "a shorter pipeline, a smaller bubble")
            )
    if layout.pp > 1 and len(shape.layers) % (layout.pp * layout.vpp * 2) == 0:
        found.append(
            ("vpp", {"model.virtual_pipeline_model_parallel_size": layout.vpp * 2, **plain}, "a smaller bubble")
        )
    for mbs in (layout.micro_batch * 2, layout.micro_batch // 2):
        if mbs >= 1 and layout.global_batch and layout.global_batch % (mbs * layout.dp) == 0:
            why = "fewer launches, more rows an expert" if mbs > layout.micro_batch else "half the activations"
            found.append(("micro batch", {"train.micro_batch_size": mbs}, why))
    found += _memory(now)
    if layout.graphs == "none" and layout.recompute != "full":
        found.append(
            (
                "graphs",
                {
                    "model.cuda_graph_impl": "transformer_engine",
                    "model.cuda_graph_modules": ["attn", "moe_router", "moe_preprocess"],
                },
                "the host launches fewer kernels",
            )
        )
    return found


def _memory(now: Estimate) -> list[tuple[str, Change, str]]:
    """Recompute, offload and the optimizer's precision."""
    layout = now.layout
    narrow = now.narrow()
    found: list[tuple[str, Change, str]] = []
    if layout.recompute != "none":
        found.append(("recompute", {"model.recompute_granularity": None}, "nothing runs twice"))
    missing = [m for m in narrow if m not in layout.recompute_modules]
    if layout.recompute == "full" or missing or layout.recompute == "none":
        kept = [] if layout.recompute == "full" else sorted(layout.recompute_modules - {"core_attn"})
        found.append(
            (
                "recompute",
                {"model.recompute_granularity": "selective", "model.recompute_modules": sorted({*kept, *narrow})},
                "cheap parts run twice",
            )
        )
    if layout.recompute != "full" and not layout.ep_overlap:
        found.append(
            (
                "recompute",
                {
                    "model.recompute_granularity": "full",
                    "model.recompute_method": "uniform",
                    "model.recompute_num_layers": 1,
                },
                "only layer inputs are kept",
            )
        )
    if layout.moment_bytes >= 8 and layout.trained_fraction == 1:
        found.append(
            (
                "optimizer",
                {
                    "optimizer.use_precision_aware_optimizer": True,
                    "optimizer.exp_avg_dtype": "bf16",
                    "optimizer.exp_avg_sq_dtype": "bf16",
                },
                "BF16 moments: 8 bytes a parameter, not 12",
            )
        )
    if not layout.distributed_optimizer and layout.dp * layout.cp > 1:
        found.append(("optimizer", {"ddp.use_distributed_optimizer": True}, "each rank keeps its share of the state"))
    return found


def best(get: Get, now: Estimate, count: int = 2) -> list[Knob]:
    """The knobs that give most: memory first while the upper end does not fit, then step time among those that fit."""
    hbm = now.machine.hbm_usable_gib or None
    tight = hbm is not None and now.worst.high_gib > hbm
    scored: list[tuple[float, Knob]] = []
    for family, change, why in candidates(get, now):
        after = Walls(with_changes(get, change)).estimate
        if after is None or after.layout == now.layout:
            continue
        gain = _gain(now, after, hbm, tight)
        if gain is not None and gain > 0.02:
            scored.append((gain, Knob(family, change, after, why)))
    scored.sort(key=lambda item: -item[0])
    chosen: list[Knob] = []
    for _, knob in scored:
        if all(knob.family != other.family for other in chosen):
            chosen.append(knob)
        if len(chosen) == count:
            break
    return chosen


def _gain(now: Estimate, after: Estimate, hbm: float | None, tight: bool) -> float | None:
    """What a knob is worth, larger is better; None: it makes the first wall worse."""
    freed = 1 - after.worst.high_gib / max(now.worst.high_gib, 1e-9)
    if tight and hbm is not None:
        if freed <= 0:
            return None
        fits = after.worst.high_gib <= hbm
        slower = _seconds(after) / _seconds(now) - 1 if now.timed and _seconds(now) else 0.0
        return (10.0 - slower) if fits else freed - 0.5 * max(slower, 0.0)
    if hbm is not None and after.worst.high_gib > hbm:
        return None
    if not now.timed or not now.layout.global_batch:
        return freed
    return 1 - _seconds(after) / max(_seconds(now), 1e-9)


def _seconds(estimate: Estimate) -> float:
    return estimate.step.step_s if estimate.step is not None else 0.0


def known(get: Get, key: str) -> Any:
    """A value for print: None for what is unknown."""
    value = get(key)
    return None if value is UNKNOWN else value
