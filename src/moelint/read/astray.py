"""Settings of Megatron that a framework's file has at a place where the framework does not look for them."""

from __future__ import annotations

import re

from moelint.read.config import Config
from moelint.read.fields import fields
from moelint.read.tables import Table
from moelint.text.document import Problem

_TELLING = re.compile(
    r"(tensor|pipeline|virtual_pipeline|context|expert)_(model_)?(tensor_)?parallel_size|sequence_parallel|num_moe_experts"
    r"|(moe|recompute|overlap_moe|mtp|cuda_graph|offload|fine_grained)_\w+|\w+_fusion|delay_wgrad_compute"
)
_SECTIONS = {"model", "ddp", "optimizer", "train"}


def find(config: Config, table: Table) -> list[Problem]:
    """Problems of kind 'astray' for settings directly under a section of the dialect's ``astray``, which has section →
    where Megatron's fields belong. Only names that no framework would use for anything else count."""
    out = []
    known = fields()["model"]
    for written in config.written.values():
        setting = written.setting
        if written.origin != "file" or setting is None or written.derived or written.key.partition(".")[0] in _SECTIONS:
            continue
        right = table["astray"].get(setting.path[:-1])
        leaf = setting.path[-1]
        if right is None or not isinstance(leaf, str) or leaf not in known or not _TELLING.fullmatch(leaf):
            continue
        message = f"{table['title']} does not take {leaf} from here: it belongs under {right}"
        out.append(Problem("astray", message, setting.key_start, setting.key_end, setting.path))
    return out
