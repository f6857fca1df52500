"""Compares the rewrites with what trainers recorded: each case's settings before and after the trainer changed them.

usage: PYTHONPATH=src python tools/compare_changed.py FILE.jsonl … [--layer bridge|mcore|mlm] [--version V] [--show N]

A case is a JSON object with ``layer``, ``version``, ``env``, ``config`` and ``expected.changed`` {key: [before,
after]}.
Reported by key: recorded changes that the effective config does not show (missing), shows otherwise (wrong), leaves
unknown, and changes that nothing recorded (extra).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.text.document import Document
from moelint.text.source import Source
from moelint.trainer.effective import Effective
from moelint.trainer.tables import table
from moelint.trainer.target import resolve

LAYERS = {"mcore": ("core", "megatron-core"), "bridge": ("bridge", "bridge"), "mlm": ("lm", "megatron-lm-yaml")}
PACKAGES = {
    "te": "transformer-engine",
    "torch": "torch",
    "gpu": "gpu",
    "world_size": "gpus",
    "deep_ep": "deep-ep",
    "hybrid_ep": "hybrid-ep",
    "nccl_ep": "nccl-ep",
    "apex": "apex",
}
DTYPES = {
    "torch.bfloat16": "bf16",
    "torch.float16": "fp16",
    "torch.float32": "fp32",
    "torch.uint8": "fp8",
    "auto": None,
}
# arguments that the cases leave out and the trainer was given all the same
FILLED = {"model.bf16": True, "train.micro_batch_size": 1, "model.seq_length": 2048}
DERIVED = ("params_dtype", "variable_seq_lengths", "virtual_pipeline_model_parallel_size")  # set without an argument
BRIDGE_FILLED = {
    "optimizer.use_distributed_optimizer": True,
    "ddp.use_distributed_optimizer": True,
    "train.micro_batch_size": 1,
}
# bookkeeping of the trainers that no setting stands for
PLUMBING = (
    "consumed_",
    "skipped_",
    "encoder_",
    "transformer_pipeline",
    "use_custom_fsdp",
    "use_dist_ckpt",
    "dataset.",
    "data_parallel_size",
    "init_method",
    "gtp_weight",
    "expert_gtp",
    "tensor_parallel_num",
    "expert_tensor_parallel_num",
    "scheduler.",
    "use_layer_wise",
    "mixed_precision.",
    "inference_cuda",
    "embedding_init",
    "inference_grouped",
    "comm_overlap.data_parallel",
)


def flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            yield from flat(value, name)
        else:
            yield name, value


def flags() -> dict[str, tuple[str, Any]]:
    """Argument as a case writes it (underscores) → canonical key, value of the bare flag."""
    with open("trainers/fields/megatron-lm.json", encoding="utf-8") as file:
        keys = json.load(file)["keys"]
    out: dict[str, tuple[str, Any]] = {}
    for key, ranges in keys.items():
        for _, _, spec in ranges:
            for action in spec["actions"]:
                for flag in action["flags"]:
                    out[flag.removeprefix("--").replace("-", "_")] = (key, action.get("value", UNKNOWN))
    return out


def config_of(case: dict[str, Any], arguments: dict[str, tuple[str, Any]]) -> Config:
    trainer, dialect = LAYERS[case["layer"]]
    document = Document()
    document.source = Source("case", "")
    config = Config(case.get("id", ""), 1, dialect, trainer, document)
    config.completeness = "complete"
    values: dict[str, Any] = {}
    for key, value in flat(case["config"]) if case["layer"] != "mlm" else case["config"].items():
        if case["layer"] == "mcore":
            values["model." + key] = value
        elif case["layer"] == "bridge":
            values[key] = value
        elif key in arguments and value is not False and value is not None:
            canonical, bare = arguments[key]
            values[canonical] = bare if value is True and bare is not UNKNOWN else value
    if case["layer"] == "bridge" and not case.get("no_defaults"):
        values = {**BRIDGE_FILLED, **values}
    if case["layer"] == "mlm" and not case.get("no_defaults"):
        values = {**{k: v for k, v in FILLED.items() if k.split(".")[1] not in case["config"]}, **values}
    config.written = {k: Written(k, v, k, None, None) for k, v in values.items()}
    env = case.get("env") or {}
    package = "megatron-bridge" if case["layer"] == "bridge" else "megatron-core"
    config.stated = {package: (case.get("version", "main"), "directive")}
    for name, word in PACKAGES.items():
        if name in env:
            stated = (
                {True: "installed", False: "none", None: "none"}.get(env[name], env[name])
                if name != "world_size"
                else env[name]
            )
            config.stated[word] = (stated, "directive")
    return config


def canonical_key(layer: str, key: str, arguments: dict[str, str]) -> str:
    if layer == "mcore":
        return "model." + key
    if layer == "mlm":
        return arguments.get(key) or ("model." + key if key in DERIVED else "lm." + key)
    return key


def plain(value: Any) -> Any:
    if isinstance(value, str):
        return DTYPES.get(value, value)
    if isinstance(value, tuple):
        return list(value)
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--layer")
    parser.add_argument("--version")
    parser.add_argument("--show", type=int, default=2)
    options = parser.parse_args()
    arguments = flags()
    counts: Counter[str] = Counter()
    reports: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        for line in lines:
            case = json.loads(line)
            if case["expected"]["verdict"] != "ok" or (options.layer and case["layer"] != options.layer):
                continue
            if (options.version and case.get("version") != options.version) or any(
                k.startswith("_") for k in case["config"]
            ):
                continue
            compare(case, arguments, counts, reports)
    print(dict(counts))
    for (kind, layer, key), examples in sorted(
        reports.items(), key=lambda item: (item[0][0], item[0][1], -len(item[1]))
    ):
        print(f"{kind:8} {layer:7} {key:50} {len(examples):4}")
        for example in examples[: options.show]:
            print("          ", example)


def compare(
    case: dict[str, Any],
    arguments: dict[str, tuple[str, Any]],
    counts: Counter[str],
    reports: dict[tuple[str, str, str], list[str]],
) -> None:
    layer, changed = case["layer"], case["expected"].get("changed") or {}
    config = config_of(case, arguments)
    effective = Effective(config, resolve(config))
    scope = effective.scope({"mcore": "core", "bridge": "last", "mlm": "lm"}[layer])
    if layer == "mlm" and "variable_seq_lengths" in changed:
        changed = {
            k: v for k, v in changed.items() if k != "variable_seq_lengths"
        }  # set with the translation into Core
    dests: dict[str, str] = {}
    if layer == "mlm":
        dests = {spec[3]: key for key, spec in table("lm", effective.target.release).specs.items()}
        inverted = {"untie_embeddings_and_output_weights", "no_persist_layer_norm", "no_load_optim", "no_load_rng"}
        changed = {k: v for k, v in changed.items() if k not in inverted}
    seen = set()
    for key, (before, after) in changed.items():
        if key.startswith(PLUMBING):
            continue
        canonical = canonical_key(layer, key, dests)
        seen.add(canonical)
        ours = plain(scope.get(canonical))
        where = f"{case.get('id')} {case.get('version')} {before!r} -> {after!r}, here {ours!r}"
        if ours is UNKNOWN:
            kind = "unknown"
        elif ours == plain(after):
            kind = "right"
        elif ours == plain(before) or before == "<absent>":
            kind = "missing"
        else:
            kind = "wrong"
        counts[kind] += 1
        if kind != "right":
            reports[kind, layer, key].append(where)
    for canonical in effective.rewrites.by_key if changed else ():
        if canonical in seen or canonical.startswith(PLUMBING) or canonical.split(".", 1)[-1].startswith(PLUMBING):
            continue
        given, ours = plain(effective.view().given(canonical)), plain(scope.get(canonical))
        if given is not UNKNOWN and given != ours and effective.table.knows(canonical):
            kind = "extra?" if ours is UNKNOWN else "extra"
            counts[kind] += 1
            reports[kind, layer, canonical].append(f"{case.get('id')} {case.get('version')} {given!r} -> {ours!r}")


if __name__ == "__main__":
    main()
