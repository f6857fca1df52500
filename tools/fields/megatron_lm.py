"""The argument table of Megatron-LM: canonical key → what each release's parser has for it."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from fields.tables import Fields, ranges

# dest → canonical key where the names differ: core_transformer_config_from_args and get_megatron_ddp_config
RENAMED = {
    "num_experts": "model.num_moe_experts",
    "decoder_first_pipeline_num_layers": "model.num_layers_in_first_pipeline_stage",
    "decoder_last_pipeline_num_layers": "model.num_layers_in_last_pipeline_stage",
    "rotary_seq_len_interpolation_factor": "model.seq_len_interpolation_factor",
    "use_rope_scaling": "model.rope_scaling",
    "cuda_graph_scope_deprecated": "model.cuda_graph_scope",
    "accumulate_allreduce_grads_in_fp32": "ddp.grad_reduce_in_fp32",
    "check_for_nan_in_loss_and_grad": "ddp.check_for_nan_in_grad",
    "ddp_num_buckets": "ddp.num_buckets",
    "ddp_bucket_size": "ddp.bucket_size",
    "ddp_pad_buckets_for_high_nccl_busbw": "ddp.pad_buckets_for_high_nccl_busbw",
    "ddp_reduce_scatter_with_fp32_accumulation": "ddp.reduce_scatter_with_fp32_accumulation",
    "ddp_param_name_patterns_for_fp32_local_accumulation": "ddp.param_name_patterns_for_fp32_local_accumulation",
    "ddp_average_in_collective": "ddp.average_in_collective",
    "mock_data": "dataset.mock",
    "te_rng_tracker": "rng.te_rng_tracker",
    "inference_rng_tracker": "rng.inference_rng_tracker",
    "seed": "rng.seed",
    "data_parallel_random_init": "rng.data_parallel_random_init",
    "micro_batch_size": "train.micro_batch_size",
    "global_batch_size": "train.global_batch_size",
    "rampup_batch_size": "train.rampup_batch_size",
    "train_iters": "train.train_iters",
    "seq_length": "model.seq_length",
    "ckpt_fully_parallel_save": "checkpoint.fully_parallel_save",
    "ckpt_fully_parallel_load": "checkpoint.fully_parallel_load",
}
# flags that say the opposite of their canonical key
INVERTED = {
    "untie_embeddings_and_output_weights": "model.share_embeddings_and_output_weights",
    "no_persist_layer_norm": "model.persist_layer_norm",
    "no_save_optim": "checkpoint.save_optim",
    "no_save_rng": "checkpoint.save_rng",
    "no_load_optim": "checkpoint.load_optim",
    "no_load_rng": "checkpoint.load_rng",
}
# arguments that name what another section of ConfigContainer holds, in order of preference
SECTIONS = (
    "model",
    "ddp",
    "optimizer",
    "train",
    "validation",
    "scheduler",
    "logger",
    "checkpoint",
    "dist",
    "rng",
    "profiling",
    "straggler",
    "rerun_state_machine",
    "tokenizer",
    "dataset",
)
CALLED = {
    "None": "str",
    "<lambda>": "str",
    "enum_type_handler": "str",
    "_parse_cuda_graph_modules_arg": "str",
    "moe_freq_type": "int|list|str",
    "tuple_type": "list|str",
    "no_rope_freq_type": "int|list|str",
    "la_freq_type": "int|list|str",
}


def lm_table(dumps: dict[str, list[dict[str, Any]]], core: Fields, bridge: dict[str, Any]) -> dict[str, Any]:
    """One table for all dumped releases; ``core`` and ``bridge`` say which canonical keys exist."""
    known = set(core) | set(bridge["keys"]) | {k for v in bridge["variants"].values() for k in v}
    releases = list(dumps)
    by_release = {release: _release(actions, known) for release, actions in dumps.items()}
    return {"releases": releases, "main": "0.20.0", "keys": ranges(releases, by_release)}


def canonical(dest: str, known: set[str]) -> str:
    """The canonical key of an argument's dest."""
    named = RENAMED.get(dest) or INVERTED.get(dest)
    if named:
        return named
    for section in SECTIONS:
        if f"{section}.{dest}" in known:
            return f"{section}.{dest}"
    return f"lm.{dest}"


def _release(actions: list[dict[str, Any]], known: set[str]) -> Fields:
    out: Fields = {}
    for action in actions:
        dest = action["dest"]
        if dest == "help":
            continue
        key = canonical(dest, known)
        spec = out.get(key)
        if spec is None:
            spec = out[key] = _spec(action, dest in INVERTED)
        elif spec["dest"] != dest:
            raise ValueError(f"{dest} and {spec['dest']} both stand for {key}")
        spec["actions"].append(_action(action, dest in INVERTED))
    return out


def _spec(action: dict[str, Any], inverted: bool) -> dict[str, Any]:
    flag = action["act"] != "_StoreAction"
    base = "bool" if flag else CALLED.get(action["type"], action["type"])
    default = _value(action["default"])
    if inverted:
        default = not default
    many = action["nargs"] in ("+", "*") or (isinstance(action["nargs"], int) and not flag)
    spec: dict[str, Any] = {"type": f"list[{base}]" if many else base, "dest": action["dest"]}
    if default is None:
        spec["null"] = True
    if action["choices"]:
        spec["choices"] = action["choices"]
    spec["default"] = default
    spec["actions"] = []
    return spec


def _action(action: dict[str, Any], inverted: bool) -> dict[str, Any]:
    """``flags``: spellings; ``value``: what the bare flag sets; ``off``: spellings that set the opposite; ``nargs``."""
    out: dict[str, Any] = {"flags": action["opts"]}
    if action["act"] == "BooleanOptionalAction":
        out = {"flags": [o for o in action["opts"] if not o.startswith("--no-")]}
        out["off"] = [o for o in action["opts"] if o.startswith("--no-")]
        out["value"] = True
    elif action["act"] in ("_StoreTrueAction", "_StoreFalseAction"):
        out["value"] = (action["act"] == "_StoreTrueAction") != inverted
    elif action["act"] == "_StoreConstAction":
        out["value"] = _value(action["const"])
    elif action["nargs"] is not None:
        out["nargs"] = action["nargs"]
        if action["nargs"] == "?":
            out["value"] = _value(action["const"])
    return out


def _value(text: str) -> Any:
    enum = re.match(r"<\w+\.(\w+): ", text)
    if enum:
        return enum[1]
    value = ast.literal_eval(text)
    json.dumps(value)
    return value
