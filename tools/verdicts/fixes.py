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
from typing import Any

from verdicts.case import Case, config_of, flat, load, nested
from verdicts.judge import Judge, leaf, named, reads, refusals
from verdicts.oracle import ask, command

# settings that stand for a whole feature: on, it is what its author wants
FEATURES = (
    "overlap_moe_expert_parallel_comm", "delay_wgrad_compute", "moe_shared_expert_overlap", "tp_comm_overlap",
    "moe_permute_fusion", "moe_router_fusion", "moe_grouped_gemm", "cuda_graph_impl", "enable_cuda_graph", "external_cuda_graph",
    "fp8", "fp4", "cpu_offloading", "fine_grained_activation_offloading", "recompute_granularity", "mtp_num_layers",
    "moe_router_enable_expert_bias", "sequence_parallel", "multi_latent_attention", "moe_paged_stash", "batch_invariant_mode",
    "use_megatron_fsdp", "use_torch_fsdp2", "optimizer_cpu_offload", "overlap_grad_reduce", "overlap_param_gather", "moe_expert_capacity_factor",
    "moe_pad_expert_input_to_capacity", "moe_router_padding_for_quantization",
)  # fmt: skip
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
    return [key for key, (old, new) in changes.items() if leaf(key) in map(leaf, FEATURES) and old not in OFF and new in OFF and leaf(key) not in about]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--oracle")
    parser.add_argument("--dry", action="store_true", help="do not ask the oracle")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--save", help="write every repaired case with its verdict as JSON lines")
    args = parser.parse_args()
    judge = Judge()
    cases = [c for c in load(args.files) if c["expected"]["verdict"] == "error" and args.only in c["id"]]
    count: Counter[str] = Counter()
    sizes: list[int] = []
    own_sizes: list[int] = []
    rows: list[tuple[str, str]] = []
    repaired: list[tuple[Case, dict[str, tuple[Any, Any]], set[str], list[str]]] = []
    for case in cases:
        found = refusals(judge.report(case))
        outcome = judge.fixed(case)
        left = refusals(outcome.report)
        config, environ = config_of(case, outcome.source.text)
        changes = difference(case, config, environ)
        count["refused"] += 1
        offered = any(fix.edits for item in found for fix in item.fixes[:1])
        count["offered"] += offered
        count["clear"] += bool(changes) and not left
        name = f"{case['id']} {case['layer']}-{case.get('version')}"
        if not found or left:
            why = "not found" if not found else ", ".join(f"{i.rule}.{i.case}" for i in left)
            rows.append(("left" if offered else "no fix", f"{name} {why}: {case['expected']['message'][:100]} | {outcome.refused[:2]} {changes}"))
        if not changes or not offered:
            continue
        about = set().union(*(reads(item) for item in found)) | named(case["expected"]["message"])
        own = difference(case, *config_of(case, judge.fixed(case, only_errors=True).source.text))
        own_sizes.append(len(own))
        again = {k: v for k, v in case.items() if k != "expected"} | {"config": config, "env": {**(case.get("env") or {}), "environ": environ}}
        repaired.append((again, changes, about, outcome.changes))
    verdicts = [] if args.dry else ask([entry[0] for entry in repaired], command(args.oracle))
    kept: list[int] = []
    for (case, changes, about, said), own, verdict in zip(repaired, own_sizes, verdicts, strict=False):
        good = verdict["verdict"] == "ok"
        count["accepted"] += good
        off = switched_off(changes, about)
        count["off"] += bool(off)
        name = f"{case['id']} {case['layer']}-{case.get('version')}"
        if good:
            sizes.append(len(changes))
            kept.append(own)
            if own > 3:
                rows.append(("many settings", f"{name} {changes}"))
        else:
            rows.append(("still refused", f"{name} {said} → {verdict['message'][:200]} @{verdict['where']}"))
        if off:
            rows.append(("switched off", f"{name} {off}: {said}"))
        case["expected"] = verdict
    tried = len(repaired)
    print(f"refused {count['refused']}   with an offered fix {count['offered']} ({count['offered'] / max(1, count['refused']):.2%})   "
          f"no refusal left {count['clear']} ({count['clear'] / max(1, count['refused']):.2%})")
    if verdicts:
        print(f"changed and asked again {tried}   accepted by the trainer {count['accepted']} ({count['accepted'] / max(1, tried):.2%})   "
              f"settings changed: median {statistics.median(sizes)}, most {max(sizes)}   a feature off that is not meant {count['off']}")
        print("settings changed by all fixes: ", dict(sorted(Counter(sizes).items())))
        print("settings changed for the error:", dict(sorted(Counter(kept).items())))
    for kind in dict.fromkeys(row[0] for row in rows):
        texts = [text for k, text in rows if k == kind]
        print(f"{kind}: {len(texts)}")
        for text in texts[: args.show]:
            print("   ", text)
    if args.save:
        with open(args.save, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(entry[0]) + "\n" for entry in repaired)


if __name__ == "__main__":
    main()
