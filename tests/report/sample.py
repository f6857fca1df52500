"""A report made by hand: every kind of thing that a format has to print."""

from __future__ import annotations

from moelint.report import Options
from moelint.results import ConfigReport, FileReport, Finding, Fix, Place, Related, Report, RuleInfo
from moelint.text.edits import Edit
from moelint.text.source import Source

TEXT = """\
# a pretraining run
model:
  num_moe_experts: 64
  expert_model_parallel_size: 8
  moe_shared_expert_overlap: true
  recompute_granularity: full
comm_overlap:
  overlap_moe_expert_parallel_comm: true
"""


def place(text: str, needle: str, path: str) -> Place:
    start = text.index(needle)
    line, column = Source(path, text).position(start)
    return Place(path, line, column, line, column + len(needle))


def overlap_finding(path: str = "configs/moe.yaml", text: str = TEXT) -> Finding:
    item = Finding(
        "OVL004", "shared-expert-overlap-with-ep-overlap", "refuses", "error",
        "EP overlap and shared-expert overlap both want the time around expert compute: the trainer refuses "
        "moe_shared_expert_overlap=true.",
        place(text, "moe_shared_expert_overlap: true", path), "model.moe_shared_expert_overlap",
    )
    item.config = "moe"
    item.related = [
        Related(
            "comm_overlap.overlap_moe_expert_parallel_comm", "",
            place(text, "overlap_moe_expert_parallel_comm: true", path),
        )
    ]
    item.facts = {
        "model.moe_shared_expert_overlap": {
            "value": True, "origin": "file", "path": path, "line": 5, "spelling": "moe_shared_expert_overlap",
        },
        "comm_overlap.overlap_moe_expert_parallel_comm": {
            "value": True, "origin": "file", "path": path, "line": 8, "spelling": "overlap_moe_expert_parallel_comm",
        },
        "target.megatron_core": {"value": "0.20.0", "origin": "target", "path": None, "line": None, "spelling": None},
    }
    fix = Fix(1, "safe", {"model.moe_shared_expert_overlap": False}, [], "EP overlap hides the larger part")
    at = text.index("moe_shared_expert_overlap: true") + len("moe_shared_expert_overlap: ")
    fix.edits = [Edit(at, at + 4, "false")]
    item.fixes = [fix]
    item.fingerprint = "0123456789abcdef"
    return item


def recompute_finding(path: str = "configs/moe.yaml", text: str = TEXT) -> Finding:
    item = Finding(
        "RCP002", "full-recompute-where-selective-does", "slow", "warning",
        "Full recompute pays a second forward pass.", place(text, "recompute_granularity: full", path),
        "model.recompute_granularity",
    )
    item.certainty, item.wall, item.config = "assumed", "compute", "moe"
    item.fingerprint = "fedcba9876543210"
    fix = Fix(1, "unsafe", {"model.recompute_granularity": "selective"}, ["model.recompute_method"], "measure it first")
    fix.reason = "the value is an alias"
    item.fixes = [fix]
    return item


def note_finding(path: str = "configs/moe.yaml", text: str = TEXT) -> Finding:
    item = Finding("HWR001", "dispatcher-for-nvlink", "advice", "note", "A note.", place(text, "num_moe_experts", path), "x")
    item.certainty, item.fingerprint, item.config = "assumed", "00000000000000aa", "moe"
    return item


def sample(path: str = "configs/moe.yaml", text: str = TEXT) -> Report:
    report = Report()
    file = FileReport(path)
    file.source = Source(path, text)
    config = ConfigReport("moe", 1, "bridge", "bridge", "standing")
    config.target = {"gpus": {"value": 64, "from": "directive"}}
    config.undecided = {
        "count": 5, "errors": 3,
        "waiting_for": [
            {"key": "model.tensor_model_parallel_size", "name": "TP", "line": 12, "rules": ["PAR001", "PAR002"],
             "how": "--define TP=8"},
            {"key": "target.gpus", "name": "gpus", "line": None, "rules": ["PAR001"], "how": None},
        ],
    }
    file.configs = [config]
    file.findings = [overlap_finding(path, text), recompute_finding(path, text), note_finding(path, text)]
    clean = FileReport("configs/clean.yaml")
    clean.configs = [ConfigReport("clean", 1, "bridge", "bridge", "complete")]
    other = FileReport("values.yaml")
    other.skipped = "no training config"
    report.files = [file, clean, other]
    report.packs = {"megatron": "2026.11.0"}
    info = RuleInfo(
        "OVL004", "shared-expert-overlap-with-ep-overlap", "refuses", "error",
        "EP overlap and shared-expert overlap exclude each other",
        "Both schedule the **same** gap.\n\nUse EP overlap.",
    )
    info.evidence, info.url = "code", "https://example.org/rules/OVL004"
    info.sources = [("Megatron Core TransformerConfig", "https://example.org/transformer_config.py")]
    report.rules = {"OVL004": info}
    return report


def look(**given: object) -> Options:
    options = Options()
    for name, value in given.items():
        setattr(options, name, value)
    return options
