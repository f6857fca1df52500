"""How much of a config its text states: complete, standing or a fragment (design of partial configs)."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.read.tables import Table

_EXPERTS = ("model.num_moe_experts", "model.num_experts")
# arguments that take settings from a checkpoint: then the text does not state them
_FROM_CHECKPOINT = (
    "checkpoint.use_checkpoint_args",
    "checkpoint.use_mp_args_from_checkpoint_args",
    "lm.use_checkpoint_args",
)


def judge(config: Config, table: Table, directed: bool) -> str:
    """complete: an absent key has the trainer's default; standing: it is assumed to; fragment: it is unknown.

    ``directed``: a directive says that the config is complete.
    """
    if directed:
        return "complete"
    written = config.written
    if any(
        (found := written.get(key)) is not None and found.value is not False and found.value is not None
        for key in _FROM_CHECKPOINT
    ):
        return "fragment"
    if config.loose_ends:
        return "fragment"
    if table["completeness"] == "complete":
        # a file with placeholders is a template: whoever fills them in may add flags too
        waiting = any((found.value is UNKNOWN or found.assumed) and _counts(key) for key, found in written.items())
        return "standing" if waiting else "complete"
    if config.base is not None:  # found, and lies under the config
        waiting = any((found.value is UNKNOWN or found.assumed) and _counts(key) for key, found in written.items())
        return "standing" if waiting else "complete"
    layers = written.get("model.num_layers")
    if layers is not None and any(key in written for key in _EXPERTS):
        return "standing"
    return "fragment"


def _counts(key: str) -> bool:
    return key.endswith("_parallel_size") or key.endswith("_batch_size")
