"""Whether the trainer accepts what moelint's fixes make of refused configs.

    PYTHONPATH=src:tools python -m verdicts.fixes FILE.jsonl … [--oracle COMMAND] [--show N] [--save FILE]

Each refused case gets every fix, unsafe ones too; what was changed goes back to the trainer. Counted: cases with an
offered fix, cases that moelint no longer calls refused, cases that the trainer accepts, settings changed, and features
that were on and are off now although the refusal does not name them.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any

from verdicts.case import Case, config_of, flat, load, nested
from verdicts.judge import Judge, leaf, named, reads, refusals
from verdicts.oracle import ask, command

# settings that stand for a whole feature: on, it is what its author wants
FEATURES = frozenset(
    [
        "overlap_moe_expert_parallel_comm",
        "delay_wgrad_compute",
        "moe_shared_expert_overlap",
        "tp_comm_overlap",
        "moe_permute_fusion",
        "moe_router_fusion",
        "moe_grouped_gemm",
        "cuda_graph_impl",
        "enable_cuda_graph",
        "external_cuda_graph",
        "fp8",
        "fp4",
        "cpu_offloading",
        "fine_grained_activation_offloading",
        "recompute_granularity",
        "mtp_num_layers",
        "moe_router_enable_expert_bias",
        "sequence_parallel",
        "multi_latent_attention",
        "moe_paged_stash",
        "batch_invariant_mode",
        "use_megatron_fsdp",
        "use_torch_fsdp2",
        "optimizer_cpu_offload",
        "overlap_grad_reduce",
        "overlap_param_gather",
        "moe_expert_capacity_factor",
        "moe_pad_expert_input_to_capacity",
        "moe_router_padding_for_quantization",
    ]
)
OFF = (None, False, "none", "", 0, [], "<absent>")


def difference(case: Case, config: dict[str, Any], environ: dict[str, str]) -> dict[str, tuple[Any, Any]]:
    """Setting → (before, after) between a case and its repaired config."""
    before, after = dict(flat(nested(case["config"]))), dict(flat(nested(config)))
    before |= {f"env.{k}": str(v) for k, v in ((case.get("env") or {}).get("environ") or {}).items()}
    after |= {f"env.{k}": v for k, v in environ.items()}
    out = {}
    for key in {*before, *after}:
        old, new = before.get(key, "<absent>"), after.get(key, "<absent>")
        if _plain(old) != _plain(new):
            out[key] = (old, new)
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return None if value in ("<absent>", None, False) else str(value)


def switched_off(changes: dict[str, tuple[Any, Any]], about: set[str]) -> list[str]:
    """Features of a config that a repair switched off although the refusal is about something else."""
    return [
        key
        for key, (old, new) in changes.items()
        if leaf(key) in map(leaf, FEATURES) and old not in OFF and new in OFF and leaf(key) not in about
    ]


class Repaired:
    """A refused case after its fixes. ``offered``: a refusal had a fix with edits; ``left``: refusals that stayed;
    ``own``: settings that the fixes of errors alone changed; ``about``: settings that the refusal is about."""

    def __init__(self, case: Case, judge: Judge) -> None:
        found, outcome = refusals(judge.report(case)), judge.fixed(case)
        config, environ = config_of(case, outcome.source.text)
        self.before, self.found, self.said, self.blocked = case, found, outcome.changes, outcome.refused
        self.left = refusals(outcome.report)
        self.changes = difference(case, config, environ)
        self.offered = any(fix.edits for item in found for fix in item.fixes[:1])
        self.about = set().union(*(reads(item) for item in found)) | named(case["expected"]["message"])
        own = config_of(case, judge.fixed(case, only_errors=True).source.text) if self.asked else (config, environ)
        self.own = len(difference(case, *own))
        env = {**(case.get("env") or {}), "environ": environ}
        self.case = {k: v for k, v in case.items() if k != "expected"} | {"config": config, "env": env}
        self.verdict: dict[str, Any] = {}

    @property
    def asked(self) -> bool:
        return bool(self.changes) and self.offered

    @property
    def name(self) -> str:
        return f"{self.before['id']} {self.before['layer']}-{self.before.get('version')}"

    def rows(self) -> Iterator[tuple[str, str]]:
        """What is to be said of it, by kind."""
        if not self.found or self.left:
            why = ", ".join(f"{item.rule}.{item.case}" for item in self.left) or "not found"
            message = self.before["expected"]["message"][:100]
            yield (
                "left" if self.offered else "no fix",
                f"{self.name} {why}: {message} | {self.blocked[:2]} {self.changes}",
            )
        if self.verdict and self.verdict["verdict"] != "ok":
            yield (
                "still refused",
                f"{self.name} {self.said} → {self.verdict['message'][:200]} @{self.verdict['where']}",
            )
        elif self.verdict and self.own > 3:
            yield "more than three settings for the error", f"{self.name} {self.changes}"
        off = switched_off(self.changes, self.about)
        if off:
            yield "switched off", f"{self.name} {off}: {self.said}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--oracle")
    parser.add_argument("--dry", action="store_true", help="do not ask the oracle")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--only", default="", help="part of a case's id")
    parser.add_argument("--save", help="write every repaired case with its verdict as JSON lines")
    args = parser.parse_args()
    judge = Judge()
    cases = [c for c in load(args.files) if c["expected"]["verdict"] == "error" and args.only in c["id"]]
    done = [Repaired(case, judge) for case in cases]
    asked = [one for one in done if one.asked]
    if not args.dry:
        for one, verdict in zip(asked, ask([one.case for one in asked], command(args.oracle)), strict=True):
            one.verdict = verdict
    report(done, asked)
    rows = [row for one in done for row in one.rows()]
    for kind in dict.fromkeys(row[0] for row in rows):
        texts = [text for k, text in rows if k == kind]
        print(f"{kind}: {len(texts)}")
        for text in texts[: args.show]:
            print("   ", text)
    if args.save:
        with open(args.save, "w", encoding="utf-8") as file:
            file.writelines(json.dumps({**one.case, "expected": one.verdict}) + "\n" for one in asked)


def report(done: list[Repaired], asked: list[Repaired]) -> None:
    """The figures."""
    offered = sum(one.offered for one in done)
    clear = sum(one.asked and not one.left for one in done)
    print(
        f"refused {len(done)}   with an offered fix {share(offered, len(done))}   no refusal left {share(clear, len(done))}"
    )
    good = [one for one in asked if one.verdict.get("verdict") == "ok"]
    if good:
        sizes = [len(one.changes) for one in good]
        off = sum(bool(switched_off(one.changes, one.about)) for one in asked)
        print(f"changed and asked again {len(asked)}   accepted by the trainer {share(len(good), len(asked))}")
        print(f"settings changed: median {statistics.median(sizes)}   a feature off that is not meant: {off}")
        print("settings changed by all fixes: ", dict(sorted(Counter(sizes).items())))
        print("settings changed for the error:", dict(sorted(Counter(one.own for one in good).items())))


def share(part: int, whole: int) -> str:
    return f"{part} ({part / max(1, whole):.2%})"


if __name__ == "__main__":
    main()
