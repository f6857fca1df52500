"""Writes trainers/fields/{core,bridge,megatron-lm}.json.

usage: PYTHONPATH=src:tools python -m fields.build --facts FOLDER --lm RELEASE=DUMP.json … --out trainers/fields

FOLDER holds one JSON dump per release (``megatron-core-<release>.json``, ``megatron-bridge-<release>.json``) with
``classes: {name: {fields: {name: {type, default, required}}}}``, as ``ast`` reads them from the sources. A DUMP is what
``fields/dump_lm_args.py`` prints inside the trainer's own environment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from typing import Any

from fields.megatron_lm import lm_table
from fields.tables import Fields, class_fields, differences, ranges
from moelint.trainer.releases import PINNED_CORE as PINNED

# section of ConfigContainer → the dataclass behind it, newest name first
BRIDGE = {
    "ddp": ["DistributedDataParallelConfig"],
    "optimizer": ["OptimizerConfig"],
    "train": ["TrainingConfig"],
    "scheduler": ["SchedulerConfig"],
    "logger": ["LoggerConfig"],
    "checkpoint": ["CheckpointConfig"],
    "dist": ["DistributedInitConfig"],
    "ft": ["FaultToleranceConfig"],
    "straggler": ["StragglerDetectionConfig"],
    "nvrx_straggler": ["NVRxStragglerDetectionConfig"],
    "profiling": ["ProfilingConfig"],
    "peft": ["LoRA"],
    "comm_overlap": ["CommOverlapConfig"],
    "mixed_precision": ["MixedPrecisionConfig"],
    "tensor_inspect": ["TensorInspectConfig"],
    "inprocess_restart": ["InProcessRestartConfig"],
    "rng": ["RNGConfig"],
    "rerun_state_machine": ["RerunStateMachineConfig"],
    "dataset": ["GPTDatasetConfig"],
}
CORE = {
    "ddp": "DistributedDataParallelConfig",
    "optimizer": "OptimizerConfig",
    "train": "training.TrainingConfig",
    "validation": "training.ValidationConfig",
    "scheduler": "training.SchedulerConfig",
    "logger": "training.LoggerConfig",
    "checkpoint": "training.CheckpointConfig",
    "dist": "training.DistributedInitConfig",
    "rng": "training.RNGConfig",
    "profiling": "training.ProfilingConfig",
    "straggler": "training.StragglerDetectionConfig",
    "rerun_state_machine": "training.RerunStateMachineConfig",
    "tokenizer": "training.TokenizerConfig",
}
# Bridge takes these from the training package of the Core that it pins
FROM_CORE = {
    "validation": "training.ValidationConfig",
    "rng": "training.RNGConfig",
    "tokenizer": "training.TokenizerConfig",
}
# Base of every dataset config since Bridge 0.6, in a module of its own (megatron/bridge/data/base.py) that the dumps
# leave out: name → (type, default, may be None)
DATALOADER: dict[str, tuple[str, Any, bool]] = {
    "dataloader_type": ("str", None, True),
    "num_workers": ("int", 2, False),
    "data_sharding": ("bool", True, False),
    "pin_memory": ("bool", True, False),
    "drop_last": ("bool", True, False),
    "persistent_workers": ("bool", True, False),
    "trust_remote_code": ("bool", None, True),
    "dataloader_save": ("str", None, True),
    "dataloader_load": ("str", None, True),
}
SINCE_OWN_MODULE = (0, 6, 0)


def dataloader(release: str) -> Fields:
    """The fields of that base, for the releases in which it stands by itself."""
    if version_key(release) < SINCE_OWN_MODULE:
        return {}
    out: Fields = {}
    for name, (kind, default, null) in DATALOADER.items():
        spec: dict[str, Any] = {"type": kind, "null": True} if null else {"type": kind}
        if name == "dataloader_type":
            spec["choices"] = ["single", "cyclic", "batch", "external"]
        out[f"dataset.{name}"] = {**spec, "default": default, "class": "DataloaderConfig"}
    return out


def version_key(release: str) -> tuple[Any, ...]:
    if release == "main":
        return (10**6,)
    return tuple(int(p) if p.isdigit() else -1 for p in re.split(r"[.]|(?=rc)", release))


def dumps(folder: str, package: str) -> dict[str, dict[str, Any]]:
    """release → dump, oldest first; 'pinned by' dumps are left out."""
    found = {}
    for name in os.listdir(folder):
        match = re.fullmatch(re.escape(package) + r"-([0-9][^/]*|main)\.json", name)
        if match:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[match[1]] = json.load(file)
    return dict(sorted(found.items(), key=lambda item: version_key(item[0])))


def core_table(facts: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Fields]]:
    base: dict[str, Fields] = {}
    mla: dict[str, Fields] = {}
    for release, dump in facts.items():
        fields = class_fields(dump, "TransformerConfig", "model")
        mla[release] = differences(fields, class_fields(dump, "MLATransformerConfig", "model"))
        for section, name in CORE.items():
            fields.update(class_fields(dump, name, section))
        base[release] = fields
    releases = list(facts)
    table = {
        "releases": releases,
        "main": "0.20.0",
        "keys": ranges(releases, base),
        "variants": {"mla": ranges(releases, mla)},
    }
    return table, base


def bridge_table(
    facts: dict[str, dict[str, Any]], core: dict[str, dict[str, Any]], pinned: dict[str, str] | None = None
) -> dict[str, Any]:
    """The table of some releases. ``core``: dumps of Core by release; ``pinned``: the Core of each Bridge release."""
    base: dict[str, Fields] = {}
    variants: dict[str, dict[str, Fields]] = {v: {} for v in ("mla", "hybrid", "mamba", "sft")}
    pins: dict[str, str] = {}
    for release, dump in facts.items():
        with_core = (pinned or PINNED)[release]
        pins[release] = with_core
        fields = class_fields(dump, "GPTModelProvider", "model")
        fusion = fields["model.gradient_accumulation_fusion"]
        if "expr" in fusion and version_key(release) < (0, 4):
            fusion["expr"] = "target.apex is not None"
        mla = class_fields(dump, "MLAModelProvider", "model")
        variants["mla"][release] = differences(
            fields, mla or {**fields, **class_fields(dump, "MLATransformerConfig", "model")}
        )
        for variant, name in (("hybrid", "HybridModelProvider"), ("mamba", "MambaModelProvider")):
            other = class_fields(dump, name, "model")
            if other:
                variants[variant][release] = differences(fields, other)
        for section, names in BRIDGE.items():
            for name in names:
                fields.update(class_fields(dump, name, section))
        for section, name in FROM_CORE.items():
            fields.update(class_fields(core[_core_release(with_core, core)], name, section))
        # the class has no default for it; a config that says nothing of TP overlap means none
        tp_overlap = fields["comm_overlap.tp_comm_overlap"]
        tp_overlap.pop("unknown", None)
        tp_overlap["default"] = False
        fields = {**dataloader(release), **fields}
        gpt = {k: v for k, v in fields.items() if k.startswith("dataset.")}
        sft = class_fields(dump, "GPTSFTDatasetConfig", "dataset") or class_fields(
            dump, "FinetuningDatasetConfig", "dataset"
        )
        sft = {**dataloader(release), **sft}
        variants["sft"][release] = differences(gpt, sft)
        base[release] = fields
    releases = list(facts)
    return {
        "releases": releases,
        "main": "0.7.0",
        "core": pins,
        "keys": ranges(releases, base),
        "variants": {v: ranges(releases, by) for v, by in variants.items()},
    }


def _core_release(wanted: str, core: dict[str, dict[str, Any]]) -> str:
    return (
        wanted if wanted in core else max((r for r in core if version_key(r) <= version_key(wanted)), key=version_key)
    )


def write(path: str, table: dict[str, Any]) -> None:
    """JSON with one key a line, so that a release's changes read well in a diff."""
    lines = []
    for name, value in table.items():
        if name == "variants":
            inner = ",\n".join(f"  {json.dumps(v)}: {_keys(keys, '    ')}" for v, keys in value.items())
            lines.append(f' "variants": {{\n{inner}\n }}')
        elif name in ("keys", "flags"):
            lines.append(f' "{name}": {_keys(value, "  ")}')
        else:
            lines.append(f" {json.dumps(name)}: {json.dumps(value)}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def _keys(keys: dict[str, Any], indent: str) -> str:
    return (
        "{\n"
        + ",\n".join(f"{indent}{json.dumps(k)}: {json.dumps(v)}" for k, v in keys.items())
        + "\n"
        + indent[:-1]
        + "}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", required=True)
    parser.add_argument("--lm", action="append", default=[], metavar="RELEASE=DUMP")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    core_dumps = dumps(options.facts, "megatron-core")
    core, core_fields = core_table(core_dumps)
    bridge_dumps = dumps(options.facts, "megatron-bridge")
    bridge = bridge_table(bridge_dumps, core_dumps)
    lm_dumps = {}
    for word in options.lm:
        release, _, path = word.partition("=")
        with open(path, encoding="utf-8") as file:
            lm_dumps[release] = json.load(file)
    lm_dumps = dict(sorted(lm_dumps.items(), key=lambda item: version_key(item[0])))
    os.makedirs(options.out, exist_ok=True)
    write(os.path.join(options.out, "core.json"), core)
    write(os.path.join(options.out, "bridge.json"), bridge)
    write(os.path.join(options.out, "megatron-lm.json"), lm_table(lm_dumps, core_fields["main"], bridge))


if __name__ == "__main__":
    main()
