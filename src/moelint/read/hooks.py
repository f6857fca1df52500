"""What a table cannot say of a dialect: a switch that stands for several keys, sizes inside a text, GPU counts.

A hook gets a config whose settings are already under their keys, and all settings of the file as the framework sees
them. It adds keys that settings imply, with the place of the setting, and what the file states of its target.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.read.view import View, imply, state
from moelint.text.document import Path
from moelint.typed import Any

Hook = Callable[[Config, View], None]


def _world(config: Config, nodes: int | None, each: int | None) -> None:
    state(config, "gpus-per-node", each)
    if nodes and each:
        state(config, "gpus", nodes * each)


def _no_lonely_sequence_parallel(config: Config, size: int | None = 1) -> None:
    """Several frameworks drop sequence parallelism without tensor parallelism. ``size``: TP where a file is silent."""
    found, tensor = (
        config.written.get("model.sequence_parallel"),
        config.written.get("model.tensor_model_parallel_size"),
    )
    if found is not None and found.value is True and (size if tensor is None else tensor.value) == 1:
        found.value = False


# Models that get sequences one by one and pack them inside (in NeMo-RL: those that say model_owns_packing)
_PACKS_ITSELF = re.compile(r"(?i)[-_.\d](vl|omni)\b|qwen3\.5")


def nemo_rl(config: Config, view: View) -> None:
    """``activation_checkpointing`` switches recomputation, ``fp8_cfg.enabled`` FP8; generation that is not
    colocated takes its GPUs away from training."""
    block = ("policy", "megatron_cfg")
    written = config.written
    checkpointing = view.get(*block, "activation_checkpointing")
    if checkpointing is False:
        for key in ("model.recompute_granularity", "model.recompute_method", "model.recompute_num_layers"):
            written.pop(key, None)
        written.pop("model.recompute_modules", None)
    elif checkpointing is True:
        path = (*block, "activation_checkpointing")
        imply(config, "model.recompute_granularity", "full", view, path)
        if written["model.recompute_granularity"].value == "full":
            imply(config, "model.recompute_method", "uniform", view, path)
            imply(config, "model.recompute_num_layers", 1, view, path)
    if view.get(*block, "fp8_cfg", "enabled") is not True:
        for key in ("model.fp8", "model.fp8_recipe", "model.fp8_param"):
            found = written.get(key)
            if found is not None and found.setting is not None and "fp8_cfg" in found.setting.path:
                del written[key]
    _hybrid_ep(config, view, block)
    name = view.get("policy", "model_name")
    if isinstance(name, str):
        imply(config, "nemo_rl.model_packs", _PACKS_ITSELF.search(name) is not None, view, ("policy", "model_name"))
    if view.get(*block, "cuda_graph_impl") not in (None, "none", UNKNOWN):
        imply(config, "model.use_te_rng_tracker", True, view, (*block, "cuda_graph_impl"))
    if view.get(*block, "peft", "enabled") is not True:
        for key in [key for key in written if key.startswith("peft.")]:
            del written[key]
    distributed = view.get(*block, "optimizer", "use_distributed_optimizer")
    if isinstance(distributed, bool):
        imply(
            config,
            "ddp.use_distributed_optimizer",
            distributed,
            view,
            (*block, "optimizer", "use_distributed_optimizer"),
        )
    if view.get("env", "nemo_gym", "num_gpu_nodes") is not None:
        return  # judges take nodes too, and launch scripts set how many
    nodes, each = view.number("cluster", "num_nodes"), view.number("cluster", "gpus_per_node")
    if view.get("policy", "generation", "colocated", "enabled") is False:
        there = ("policy", "generation", "colocated", "resources")
        taken, taken_each = view.number(*there, "num_nodes"), view.number(*there, "gpus_per_node")
        if nodes and each and nodes == 1 and taken_each:
            each -= taken_each
        elif nodes and taken and taken < nodes:
            nodes -= taken
        else:
            nodes = None
    _world(config, nodes, each)


def _hybrid_ep(config: Config, view: View, block: Path) -> None:
    """NeMo-RL fills in the environment that HybridEP needs, from the expert-parallel size."""
    experts = config.written.get("model.expert_model_parallel_size")
    size = experts.value if experts is not None else None
    if view.get(*block, "moe_flex_dispatcher_backend") != "hybridep" or not isinstance(size, int):
        return
    path = (*block, "moe_flex_dispatcher_backend")
    imply(config, "env_vars.NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN", str(min(size, 64)), view, path)
    imply(config, "env_vars.USE_MNNVL", str(int(size > 4)), view, path)


_RANGE = re.compile(r"list\(\s*range\(\s*(?:(\d+)\s*,\s*)?(\d+)\s*\)\s*\)")


def devices(text: Any) -> int | None:
    """How many devices ``list(range(0,16))``, a list, or ``0-15,20`` names."""
    if isinstance(text, list):
        return len(text) or None
    if not isinstance(text, str):
        return None
    found = _RANGE.findall(text)
    if found:
        return sum(int(stop) - int(start or 0) for start, stop in found) or None
    count = 0
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            return None
        count += int(last) - int(first) + 1 if dash else 1
    return count or None


def roll(config: Config, view: View) -> None:
    """GPUs from ``device_mapping``; the batch is per device, times accumulation, times data-parallel ranks."""
    root = config.root
    gpus = devices(view.get(*root, "device_mapping"))
    if gpus is None:
        nodes, each = view.number("num_nodes") or 1, view.number("num_gpus_per_node")
        gpus = nodes * each if each else None
    state(config, "gpus-per-node", view.number("num_gpus_per_node"))
    state(config, "gpus", gpus)
    prompt, response = view.number("prompt_length"), view.number("response_length")
    if view.get("sequence_length") is not None:
        imply(config, "model.seq_length", view.get("sequence_length"), view, ("sequence_length",))
    elif prompt and response:
        imply(config, "model.seq_length", prompt + response, view, ("response_length",))
    training = (*root, "training_args")
    each_batch = view.number(*training, "per_device_train_batch_size")
    steps = view.number(*training, "gradient_accumulation_steps") or 1
    if each_batch:
        imply(config, "train.micro_batch_size", each_batch, view, (*training, "per_device_train_batch_size"))
        ranks = _data_parallel(config, gpus)
        if ranks:
            total = each_batch * steps * ranks
            imply(config, "train.global_batch_size", total, view, (*training, "per_device_train_batch_size"))
    _filled_by_roll(config, view)


def _filled_by_roll(config: Config, view: View) -> None:
    """What ROLL's model config does before Megatron Core sees it."""
    written = config.written
    granularity = written.get("model.recompute_granularity")
    how = [written.get(key) for key in ("model.recompute_method", "model.recompute_num_layers")]
    if granularity is not None and granularity.value == "full" and granularity.setting is not None:
        path = granularity.setting.path
        if all(found is None or found.value is None for found in how):
            written.pop("model.recompute_method", None)
            written.pop("model.recompute_num_layers", None)
            imply(config, "model.recompute_method", "uniform", view, path)
            imply(config, "model.recompute_num_layers", 1, view, path)
    tensor, sequence = written.get("model.tensor_model_parallel_size"), written.get("model.sequence_parallel")
    if tensor is not None and tensor.setting is not None and min(_size(config, "tensor"), _size(config, "expert")) > 1:
        if sequence is None:
            imply(config, "model.sequence_parallel", True, view, tensor.setting.path)
        elif sequence.value is False:
            sequence.value = True
    _no_lonely_sequence_parallel(config)


def _size(config: Config, kind: str) -> int:
    found = config.written.get(f"model.{kind}_model_parallel_size")
    return found.value if found is not None and type(found.value) is int else 0


def _data_parallel(config: Config, gpus: int | None) -> int | None:
    size = 1
    for name in ("tensor", "pipeline", "context"):
        key = f"{name}_model_parallel_size" if name != "context" else "context_parallel_size"
        found = config.written.get(f"model.{key}")
        value = 1 if found is None else found.value
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        size *= value
    return gpus // size if gpus and size and gpus % size == 0 else None


_AREAL = re.compile(r"([a-z])(\d+)")
_AREAL_SIZES = {
    "t": "model.tensor_model_parallel_size",
    "p": "model.pipeline_model_parallel_size",
    "c": "model.context_parallel_size",
    "e": "model.expert_model_parallel_size",
}


def areal(config: Config, view: View) -> None:
    """Sizes inside ``backend: "megatron:(attn:d4p4t2|ffn:d2p4e4)"``: data, pipeline, tensor, context, expert."""
    path = (*config.root, "backend")
    text = view.get(*path)
    if not isinstance(text, str):
        path = ("allocation_mode",)
        text = view.get(*path)
    if not isinstance(text, str) or "megatron" not in text:
        return
    strategy = text[text.index("megatron") + len("megatron") :].lstrip(":").strip("()")
    attention, _, experts = strategy.partition("|")
    sizes = {letter: int(number) for letter, number in _AREAL.findall(attention.rpartition(":")[2])}
    ffn = {letter: int(number) for letter, number in _AREAL.findall(experts.rpartition(":")[2])}
    if not sizes:
        return
    for letter, key in _AREAL_SIZES.items():
        imply(config, key, (ffn if letter == "e" and ffn else sizes).get(letter, 1), view, path)
    if ffn:
        imply(config, "model.expert_tensor_parallel_size", ffn.get("t", 1), view, path)
    gpus = 1
    for letter in "dptc":
        gpus *= sizes.get(letter, 1)
    state(config, "gpus", gpus)
    state(config, "gpus-per-node", view.number("cluster", "n_gpus_per_node"))
    if view.get(*config.root, "gradient_checkpointing") is False:
        for key in ("model.recompute_granularity", "model.recompute_method", "model.recompute_num_layers"):
            config.written.pop(key, None)


def verl(config: Config, view: View) -> None:
    """World size from ``trainer``, sequence length from prompt and response."""
    _world(config, view.sure("trainer", "nnodes"), view.sure("trainer", "n_gpus_per_node"))
    _no_lonely_sequence_parallel(config)
    prompt, response = view.number("data", "max_prompt_length"), view.number("data", "max_response_length")
    if prompt and response:
        imply(config, "model.seq_length", prompt + response, view, ("data", "max_response_length"))


def rlinf(config: Config, view: View) -> None:
    """World size from the placement of the actor, else from the cluster."""
    placement = view.get("cluster", "component_placement", "actor")
    if placement is None:
        for path, setting in view.settings.items():
            if path[:2] == ("cluster", "component_placement") and "actor" in str(path[-1]).split(","):
                placement = setting.value
                break
    nodes, each = view.number("cluster", "num_nodes"), view.number("cluster", "num_gpus_per_node")
    if isinstance(placement, int) and not isinstance(placement, bool):
        placement = str(placement)
    count = devices(placement)
    if count:
        state(config, "gpus", count)
        state(config, "gpus-per-node", each)
    else:
        _world(config, nodes, each)


def nemo1(config: Config, view: View) -> None:
    """World size from the Lightning trainer; FP8 and the distributed optimizer from switches."""
    _world(config, view.number("trainer", "num_nodes"), view.number("trainer", "devices"))
    if view.get("model", "fp8") is True:
        hybrid = view.get("model", "fp8_hybrid")
        name = "fp8_hybrid" if hybrid is True else "fp8_e4m3" if view.get("model", "fp8_e4m3") is True else "fp8"
        imply(config, "model.fp8", "e4m3" if name == "fp8_e4m3" else "hybrid", view, ("model", name))
    optimizer = view.get("model", "optim", "name")
    if isinstance(optimizer, str):
        distributed = optimizer in ("mcore_distributed_optim", "distributed_fused_adam")
        imply(config, "ddp.use_distributed_optimizer", distributed, view, ("model", "optim", "name"))


def primus(config: Config, view: View) -> None:
    """A Bridge module names a recipe; the text ``none`` turns recomputation off; only ``overrides`` are read."""
    for key, held in list(config.written.items()):
        if config.root and held.setting is not None and held.setting.path[:-1] == config.root:
            del config.written[key]
            name = f"primus.{config.root[-1]}.{held.spelling}"
            config.written[name] = Written(name, held.value, held.spelling, held.document, held.setting, held.origin)
    found = config.written.get("model.recompute_granularity")
    if found is not None and isinstance(found.value, str) and found.value.lower() == "none":
        found.value = None
    own = config.written.get("primus.recompute_layer_ids")
    if own is not None and own.value is not None and own.setting is not None:  # Primus recomputes these layers itself
        for key in ("model.recompute_method", "model.recompute_num_layers"):
            config.written.pop(key, None)
            config.written[key] = Written(
                key,
                UNKNOWN,
                own.spelling,
                own.document,
                own.setting,
                own.origin,
                waits=("recompute_layer_ids",),
                derived=True,
            )


def swift(config: Config, view: View) -> None:
    """Sequence parallelism without tensor parallelism is dropped."""
    _no_lonely_sequence_parallel(config)


_ADDED_BY_LAUNCHER = (
    "model.moe_token_dispatcher_type",
    "model.moe_flex_dispatcher_backend",
    "model.overlap_moe_expert_parallel_comm",
    "model.delay_wgrad_compute",
    "model.fp8",
    "model.fp8_recipe",
    "model.tp_comm_overlap",
    "optimizer.optimizer_cpu_offload",
)


def modelzoo(config: Config, view: View) -> None:
    """The launcher of the ModelZoo adds flags to those of the file, by its environment; nodes come from its table."""
    likely = {} if view.resolver is None else view.resolver.likely
    if not likely:
        return
    for key in _ADDED_BY_LAUNCHER:
        if key not in config.written:
            config.written[key] = Written(
                key, UNKNOWN, key, None, None, "inherited", waits=("the launcher's environment",)
            )
    for variable, key in (
        ("PP_FIRST", "model.num_layers_in_first_pipeline_stage"),
        ("PP_LAST", "model.num_layers_in_last_pipeline_stage"),
    ):
        value, why = likely.get(variable, ("", ""))
        if (
            value.isdigit()
            and key not in config.written
            and "model.pipeline_model_parallel_layout" not in config.written
        ):
            config.written[key] = Written(key, int(value), variable, None, None, "inherited", assumed=why)
    if likely.get("VPP", ("1", ""))[0] != "1":
        for key in ("model.virtual_pipeline_model_parallel_size", "lm.num_virtual_stages_per_pipeline_rank"):
            if key not in config.written:
                config.written[key] = Written(key, UNKNOWN, "VPP", None, None, "inherited", waits=("VPP",))
    nodes = likely.get("NNODES", ("", ""))[0]
    if nodes.isdigit():
        state(config, "gpus", int(nodes) * 8)


HOOKS: dict[str, Hook] = {
    "nemo_rl": nemo_rl,
    "roll": roll,
    "areal": areal,
    "verl": verl,
    "rlinf": rlinf,
    "nemo1": nemo1,
    "primus": primus,
    "swift": swift,
    "modelzoo": modelzoo,
}
