"""Whole configs around a few settings: what a trainer wants said before it looks at anything else.

What the trainers would fill by themselves, or what whoever asks them fills (the distributed optimizer, BF16, a learning
rate), is written out, so that a case says all that decides it.
"""

from __future__ import annotations

from math import lcm
from typing import Any

from moelint.read import flags
from verdicts.case import Case

DENSE = {"num_layers": 8, "hidden_size": 1024, "num_attention_heads": 16}
MOE = {
    **DENSE,
    "num_moe_experts": 8,
    "moe_router_topk": 2,
    "moe_ffn_hidden_size": 512,
    "moe_grouped_gemm": True,
    "add_bias_linear": False,
    "gated_linear_unit": True,
    "activation_func": "silu",
}
ENV = {"te": "2.16.0", "torch": "2.9.0", "gpu": "H100"}
WORDS = {"transformer_engine": "te", "torch": "torch", "gpu": "gpu", "gpus": "world_size", "deep_ep": "deep_ep",
         "hybrid_ep": "hybrid_ep", "nccl_ep": "nccl_ep", "apex": "apex"}  # fmt: skip
GPUS = ("V100", "A100", "L40S", "H100", "H200", "H20", "GH200", "B200", "B300", "GB200", "GB300")
# flags that a Megatron-LM run needs whatever it trains
LM = {
    "train-iters": 10,
    "lr": "1e-4",
    "mock-data": True,
    "tokenizer-type": "NullTokenizer",
    "vocab-size": 32000,
    "position-embedding-type": "rope",
}


def case(
    name: str, layer: str, version: str, values: dict[str, Any], target: dict[str, Any], moe: bool = True
) -> Case | None:
    """The case of some settings by canonical key; None if the layer has no words for one of them."""
    values = dict(values)
    for key, value in (MOE if moe else DENSE).items():
        values.setdefault(f"model.{key}", value)
    if not moe:
        values.setdefault("model.add_bias_linear", False)
    env: dict[str, Any] = dict(ENV)
    for word, value in target.items():
        word = word.replace("-", "_")
        if word in WORDS:
            env[WORDS[word]] = None if value in (None, "none") else _plain(WORDS[word], value)
    env["environ"] = {
        k.partition(".")[2]: str(v) for k, v in values.items() if k.startswith("env_vars.") and v is not None
    }
    values = {k: v for k, v in values.items() if not k.startswith(("env_vars.", "target."))}
    if layer != "bridge":
        values = {k.replace("comm_overlap.", "model."): v for k, v in values.items() if k != "mixed_precision"}
    sizes = _sizes(values)
    if sizes is not None:
        env.setdefault("world_size", sizes)
    config = {"mcore": _core, "bridge": _bridge, "mlm": _lm}[layer](values, env)
    stages = {"mcore": ["config"], "bridge": ["validate"], "mlm": ["validate", "config"]}[layer]
    if config is None:
        return None
    stages += ["parallel_state", *(["provide"] if layer == "bridge" else []), "moe_layer"]
    return {"id": name, "layer": layer, "version": version, "env": env, "config": config, "stages": stages}


def _plain(word: str, value: Any) -> Any:
    if word == "gpu":
        return next((gpu for gpu in GPUS if gpu.lower() == str(value).lower()), str(value).upper())
    if word == "world_size":
        return int(value)
    return str(value) if word in ("te", "torch") else value not in (False, "none", None)


def _sizes(values: dict[str, Any]) -> int | None:
    """The least number of GPUs that holds whole copies of everything, at least 8."""

    def size(name: str, other: Any = 1) -> int:
        value = values.get(f"model.{name}")
        return value if isinstance(value, int) and value > 0 else other

    tp, pp = size("tensor_model_parallel_size"), size("pipeline_model_parallel_size")
    cp, ep = size("context_parallel_size"), size("expert_model_parallel_size")
    out = lcm(tp * pp * cp, size("expert_tensor_parallel_size", tp) * ep * pp)
    return out * max(1, -(-8 // out)) if out <= 65536 else None


def _core(values: dict[str, Any], env: dict[str, Any]) -> dict[str, Any] | None:
    out = {k.partition(".")[2]: v for k, v in values.items() if k.startswith("model.")}
    if len(out) != len(values):
        return None
    if out.get("pipeline_model_parallel_size", 1) != 1:
        out.setdefault("pipeline_dtype", "bf16")
    if not any(key in out for key in ("bf16", "fp16", "params_dtype")):
        out |= {"bf16": True, "params_dtype": "bf16"}
    out.pop("seq_length", None)
    return out


def _bridge(values: dict[str, Any], env: dict[str, Any]) -> dict[str, Any] | None:
    filled = {
        "model.seq_length": 4096,
        "model.vocab_size": 32000,
        "optimizer.lr": 1e-4,
        "optimizer.use_distributed_optimizer": True,
        "ddp.use_distributed_optimizer": True,
        "train.micro_batch_size": 1,
        "train.global_batch_size": 4 * (env.get("world_size") or 8),
        "train.train_iters": 100,
    }
    if not any(k.startswith("mixed_precision") or k in ("model.bf16", "model.fp16") for k in values):
        filled["mixed_precision"] = "bf16_mixed"
    if "dataset._target_" not in values:
        filled["dataset.seq_length"] = values.get("model.seq_length", 4096)
    if any(k.startswith(("lm.", "verl.", "nemo_rl.", "primus.")) for k in values):
        return None
    out: dict[str, Any] = {}
    for key, value in {**filled, **values}.items():
        *path, last = key.split(".")
        at = out
        for part in path:
            at = at.setdefault(part, {})
            if not isinstance(at, dict):
                return None
        at[last] = value
    return out


def _lm(values: dict[str, Any], env: dict[str, Any]) -> dict[str, Any] | None:
    values = {**values}
    values.setdefault("model.seq_length", 4096)
    values.setdefault("lm.max_position_embeddings", values["model.seq_length"])
    values.setdefault("train.micro_batch_size", 1)
    if not any(k in values for k in ("model.bf16", "model.fp16")):
        values["model.bf16"] = True
    activation = (values.pop("model.activation_func", "gelu"), bool(values.pop("model.gated_linear_unit", False)))
    if activation not in (("silu", True), ("gelu", False)):
        return None
    environ = env["environ"]
    if "CUDA_DEVICE_MAX_CONNECTIONS" not in environ:
        environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"
    out: dict[str, Any] = {"swiglu": True} if activation[1] else {}
    for key, value in values.items():
        if key.startswith("flag."):
            out[key.removeprefix("flag.")] = value
            continue
        spelled = flags.spellings(key)
        if not spelled:
            if value in (None, False):
                continue
            return None
        if value is None:
            continue
        alone = [flag for flag, single, constant in spelled if single and constant == value]
        valued = [flag for flag, single, _ in spelled if not single]
        if alone:
            out[_name(alone[0])] = True
        elif valued:
            out[_name(valued[0])] = str(value) if key == "model.moe_layer_freq" and isinstance(value, list) else value
        elif isinstance(value, bool):
            if key == "model.bf16":
                out["bf16"] = False
            continue  # the other value is said by leaving the flag out
        else:
            return None
    for name, value in LM.items():
        out.setdefault(_name(name), value)
    return out


def _name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")
