"""What the tables of the script dialects cannot say: options that stand for several settings."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.read import hooks
from moelint.read.config import Config
from moelint.read.view import View, imply


def bridge_shell(config: Config, view: View) -> None:
    """Options of Bridge's launch scripts that set more than one field, or one that has another name."""
    _recipe_name(config, view)
    for option in ("-sl", "--seq_length"):
        imply(config, "dataset.seq_length", view.get(option), view, (option,))
    for option in ("-rl", "--recompute_num_layers"):
        if view.get(option) is not None:
            imply(config, "model.recompute_granularity", "full", view, (option,))
            imply(config, "model.recompute_method", "block", view, (option,))
    if view.get("--recompute_modules") is not None:
        imply(config, "model.recompute_granularity", "selective", view, ("--recompute_modules",))
    for option in ("-ol", "--activation_offload_layers"):
        count = view.get(option)
        if isinstance(count, int) and count > 0:
            imply(config, "model.cpu_offloading", True, view, (option,))
            imply(config, "model.cpu_offloading_weights", False, view, (option,))
    backend = view.get("--moe_flex_dispatcher_backend")
    if isinstance(backend, str):
        kind = "alltoall" if backend.lower() == "none" else "flex"
        imply(config, "model.moe_token_dispatcher_type", kind, view, ("--moe_flex_dispatcher_backend",))
    graphs = view.get("--cuda_graph_impl")
    if isinstance(graphs, str):
        for key in ("model.use_te_rng_tracker", "rng.te_rng_tracker"):
            imply(config, key, graphs != "none", view, ("--cuda_graph_impl",))
    _overlap(config, view)
    _switches(config)


def _overlap(config: Config, view: View) -> None:
    """``--moe_a2a_overlap`` switches on, and never off."""
    switch = config.written.get("bridge.moe_a2a_overlap")
    if switch is None:
        return
    switch.value = _truth(switch.value)
    if switch.value is True:
        path = ("--moe_a2a_overlap",)
        imply(config, "comm_overlap.overlap_moe_expert_parallel_comm", True, view, path)
        imply(config, "comm_overlap.delay_wgrad_compute", True, view, path)
        imply(config, "model.moe_shared_expert_overlap", False, view, path)


def _truth(value: object) -> object:
    word = str(value).lower()
    if value is UNKNOWN:
        return value
    if word in ("true", "1", "t", "yes", "y"):
        return True
    return False if word in ("false", "0", "f", "no", "n") else value


def _switches(config: Config) -> None:
    for key in ("ddp.use_megatron_fsdp", "ddp.nccl_ub"):
        found = config.written.get(key)
        if found is not None:
            found.value = _truth(found.value)


def _recipe_name(config: Config, view: View) -> None:
    """The benchmark recipe that ``-mr``, ``-ng``, ``-g`` and ``-c`` name together."""
    if config.base is not None:
        return

    def word(*options: str) -> str | None:
        found = next((value for option in options if (value := view.get(option)) is not None), None)
        return str(found).lower() if isinstance(found, (str, int)) else None

    model, gpu = word("-mr", "--model_recipe_name"), word("-g", "--gpu")
    if model is None:
        return
    config.loose_ends = [*config.loose_ends]
    task, precision = word("--task") or "pretrain", word("-c", "--compute_dtype") or "bf16"
    count = word("-ng", "--num_gpus")
    from moelint.read.bases import names

    stem = f"{model}_{task}_"
    tail = f"_{gpu}_{precision}_config"
    exact = f"{stem}{count}gpu{tail}"
    known = set(names())
    if exact in known:
        config.base = exact
        return
    others = sorted(name for name in known if name.startswith(stem) and name.endswith(tail))
    config.base = others[0] if len(others) == 1 else exact


def slime(config: Config, view: View) -> None:
    """The distributed optimizer is always on, as is bf16 unless fp16 is asked for."""
    fp16 = config.written.get("model.fp16")
    if fp16 is not None and fp16.value is True:
        imply(config, "model.bf16", False, view, ("--fp16",))


HOOKS: dict[str, hooks.Hook] = {
    "bridge_shell": bridge_shell,
    "slime": slime,
    "swift_shell": hooks.swift,
    "verl": hooks.verl,
}
