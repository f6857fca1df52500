"""Settings of Megatron that a framework's file has at a place where the framework does not look for them."""

from __future__ import annotations

import re

from moelint.read import flags
from moelint.read.compile import pattern
from moelint.read.config import Config, Written
from moelint.read.fields import fields
from moelint.read.place import neighbour
from moelint.read.plan import canonical
from moelint.read.tables import Table
from moelint.text.document import EditError, Path, Problem
from moelint.text.edits import Edit

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
        right = _right(table, setting.path[:-1])
        leaf = setting.path[-1]
        if right is None or not isinstance(leaf, str) or leaf not in known or not _TELLING.fullmatch(leaf):
            continue
        there = ".".join(str(part) for part in right)
        message = f"{table['title']} does not take {leaf} from here: it belongs under {there}"
        problem = Problem("astray", message, setting.key_start, setting.key_end, setting.path)
        _move(problem, config, table, written, (*right, leaf))
        out.append(problem)
    return out


def _right(table: Table, section: Path) -> Path | None:
    """Where Megatron's fields of a section belong; a * stands for the same key on both sides."""
    for wrong, right in table["astray"].items():
        if len(wrong) == len(section) and all(a is None or a == b for a, b in zip(wrong, section, strict=True)):
            same = iter([b for a, b in zip(wrong, section, strict=True) if a is None])
            return tuple(next(same) if part is None else part for part in pattern(right))
    return None


def _move(problem: Problem, config: Config, table: Table, written: Written, path: Path) -> None:
    """Gives the problem the edits that take the setting to its place, if nothing stands there and that can be done."""
    document = written.document
    root = len(config.root)
    key = canonical(path[root:], table["exact"], table["prefixes"])
    if key is not None and key.startswith("args."):
        known = flags.argument(key[len("args.") :])
        key = None if known is None else known[0]
    if document is None or key is None or key in config.written or path[:root] != config.root:
        return
    try:
        edits = _together(
            document.remove(problem.path),
            document.insert(path, written.value, neighbour(document, path)),
            document.source.newline,
        )
    except EditError:
        return
    problem.edits, problem.sets, problem.unset = edits, {key: written.value}, [written.key]
    problem.why = f"the place that {table['title']} reads; the setting then has an effect"


def _together(removed: list[Edit], inserted: list[Edit], newline: str) -> list[Edit]:
    """A line taken out and one put in; where the new one would follow the old one, it takes its place."""
    if len(removed) != 1 or len(inserted) != 1 or not removed[0].start <= inserted[0].start <= removed[0].end:
        return removed + inserted
    old, new = removed[0], inserted[0]
    if new.start != new.end or not new.text.startswith(newline):
        raise EditError("the new place overlaps the old one")
    return [Edit(old.start, old.end, new.text[len(newline) :] + newline)]
