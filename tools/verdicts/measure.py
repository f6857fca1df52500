"""How far moelint agrees with recorded verdicts: recall, precision, reason.

    PYTHONPATH=src:tools python -m verdicts.measure FILE.jsonl … [--catalogue constraints.csv] [--show N]

recall: rejected configs that get an error with effect ``refuses``; precision: accepted configs that get none; reason:
found configs of which such a finding reads a setting that the trainer's refusal is about (by the catalogue, or by the
words of its message).
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter

from verdicts.case import load
from verdicts.judge import Judge, leaf, named, reads, refusals


def catalogue_keys(path: str | None) -> dict[str, set[str]]:
    if not path:
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {row["id"]: {leaf(key) for key in row["keys_read"].split(";") if key} for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--catalogue")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--only", default="", help="part of a case's id or layer-version")
    args = parser.parse_args()
    catalogue = catalogue_keys(args.catalogue)
    known = set().union(*catalogue.values()) if catalogue else None
    tally: Counter[tuple[str, str, bool, bool]] = Counter()
    lists: dict[str, list[str]] = {"missed": [], "false": [], "reason": [], "other": []}
    scored: Counter[tuple[str, bool]] = Counter()
    judge = Judge()
    for case in load(args.files):
        where = f"{case['layer']}-{case.get('version')}"
        if args.only and args.only not in case["id"] + where:
            continue
        report = judge.report(case)
        found, bad = refusals(report), case["expected"]["verdict"] == "error"
        tally[case["layer"], case.get("version", "main"), bad, bool(found)] += 1
        message = case["expected"]["message"]
        if bad and not found:
            place = case["expected"].get("where")
            lists["missed"].append(f"{case['id']} {where} {case.get('constraint') or ''} {message[:150]} @{place}")
        elif found and not bad:
            lists["false"].append(f"{case['id']} {where} {[(f.rule, f.message[:110]) for f in found][:2]}")
        elif not bad and any(f.severity == "error" for f in report.findings):
            lists["other"].append(
                f"{case['id']} {where} {[(f.rule, f.effect) for f in report.findings if f.severity == 'error']}"
            )
        if bad and found:
            words = named(message)
            keys = catalogue.get(case.get("constraint") or "", set()) | (words if known is None else words & known)
            if keys:
                right = any(keys & reads(f) for f in found)
                scored[case["layer"], right] += 1
                if not right:
                    lists["reason"].append(
                        f"{case['id']} {where} {[f.rule for f in found]} for {case.get('constraint')} {message[:130]}"
                    )
    for layer, version in [*sorted({key[:2] for key in tally}), ("all", "")]:
        counts = {
            (bad, found): sum(
                n
                for key, n in tally.items()
                if layer == "all" or key[:2] == (layer, version)
                if key[2:] == (bad, found)
            )
            for bad in (True, False)
            for found in (True, False)
        }
        rejected, accepted = counts[True, True] + counts[True, False], counts[False, True] + counts[False, False]
        print(
            f"{layer + '-' + version:14} rejected {rejected:5} recall {counts[True, True] / max(1, rejected):8.2%}   "
            f"accepted {accepted:5} precision {counts[False, False] / max(1, accepted):8.2%}"
        )
    for layer in sorted({key[0] for key in scored}):
        right, n = scored[layer, True], scored[layer, True] + scored[layer, False]
        print(f"reason {layer:7} {right}/{n} {right / n:.2%}")
    for title, rows in lists.items():
        print(f"{title}: {len(rows)}")
        for row in rows[: args.show]:
            print("   ", row)


if __name__ == "__main__":
    main()
