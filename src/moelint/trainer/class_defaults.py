"""What a field of one of the trainer's own classes holds until somebody sets it: for code that asks an object."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.tables import table
from moelint.typed import Any

_SECTIONS = {
    "DistributedDataParallelConfig": "ddp",
    "OptimizerConfig": "optimizer",
    "TrainingConfig": "train",
    "ValidationConfig": "validation",
    "SchedulerConfig": "scheduler",
    "LoggerConfig": "logger",
    "CheckpointConfig": "checkpoint",
    "DistributedInitConfig": "dist",
    "ProfilingConfig": "profiling",
    "CommOverlapConfig": "comm_overlap",
    "MixedPrecisionConfig": "mixed_precision",
    "RNGConfig": "rng",
    "RerunStateMachineConfig": "rerun_state_machine",
    "GPTDatasetConfig": "dataset",
    "TokenizerConfig": "tokenizer",
    "TransformerConfig": "model",
    "MLATransformerConfig": "model",
}
_VARIANTS = (("MLA", "mla"), ("Hybrid", "hybrid"), ("Nemotron", "hybrid"), ("Mamba", "mamba"))


def class_default(name: str, field: str) -> Any:
    """The default of a field by the newest tables, for the last part of a class's name. Raises KeyError where the
    tables do not know the class, the field, or its default."""
    section = "model" if name.endswith("ModelProvider") else _SECTIONS[name]
    known = table("bridge", "main")
    key = f"{section}.{field}"
    value = known.defaults[key]
    for part, variant in _VARIANTS:
        if section == "model" and name.startswith(part):
            own = known.variants.get(variant, {})
            if key in own:
                found = own[key]
                if found is None or found[0] != "value":
                    raise KeyError(key)
                value = found[1]
    if value is UNKNOWN:
        raise KeyError(key)
    return value
