"""Measures `moelint diagnose` on refusals that trainers recorded: does a log with the message lead to the rule which
the linter gives for the same config?

usage: PYTHONPATH=src python tools/diagnose_share.py FILE.jsonl … [--sources FOLDER] [--for] [--show N]

A case is a JSON object with ``layer``, ``version``, ``env``, ``config`` and ``expected`` {verdict, message, where,
error_type}. Each refusal becomes a log with its traceback; ``--sources`` (folders mcore-<version>, bridge-<version>,
mcore-forbridge-<version>) adds the source line that a traceback shows, without which a bare assert says nothing.
Counted are cases for which the linter has an error at all: ``first`` the first rule that diagnose names is one of the
linter's, ``named`` some rule that it names is. ``--for``: with the config at hand, as `diagnose --for` has it.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from verdicts.case import load as load_cases
from verdicts.case import text_of

from moelint.diagnose.knowledge import Knowledge
from moelint.diagnose.run import causes
from moelint.diagnose.scan import Scan
from moelint.engine import Engine
from moelint.options import Options
from moelint.policy.load import load
from moelint.results import Finding
from moelint.text.source import Source


def refusals(paths: list[str]) -> Iterator[dict[str, Any]]:
    return (case for case in load_cases(paths) if case["expected"]["verdict"] == "error")


def log_text(case: dict[str, Any], sources: str | None) -> str:
    """What the job would have printed."""
    expected = case["expected"]
    file, _, line = (expected.get("where") or "train.py:1").rpartition(":")
    out = ["[rank0]: Traceback (most recent call last):", f'[rank0]:   File "/opt/{file}", line {line}, in check']
    shown = _source(case, file, int(line), sources) if sources else ""
    out += [f"[rank0]:     {shown}"] if shown else []
    kind = expected.get("error_type") or "AssertionError"
    message = expected["message"]
    out += [f"[rank0]: {text}" for text in (f"{kind}: {message}" if message else kind).split("\n")]
    return "\n".join(out) + "\n"


def _source(case: dict[str, Any], file: str, line: int, sources: str) -> str:
    version = case.get("version", "main")
    bridge = (f"bridge-{version}/src", f"mcore-forbridge-{version}")
    for folder in bridge if case["layer"] == "bridge" else (f"mcore-{version}",):
        path = os.path.join(sources, folder, file)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as text:
            lines = text.read().split("\n")
        return lines[line - 1].strip() if line <= len(lines) else ""
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--sources")
    parser.add_argument("--for", dest="meant", action="store_true")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    packs = load()
    knowledge = Knowledge(packs)
    settings = Options()
    settings.no_config = True
    engine = Engine(settings)
    count: Counter[str] = Counter()
    missed: list[str] = []
    for case in refusals(options.files):
        report = engine.lint(Source(f"{case.get('id')}.yaml", text_of(case)), True)
        errors = [f for f in report.findings if f.severity == "error"]
        count["refused"] += 1
        if not errors:
            count["not found by the linter"] += 1
            continue
        count["linted"] += 1
        named = _named(knowledge, log_text(case, options.sources), report.findings if options.meant else [])
        wanted = {finding.rule for finding in errors}
        count["first"] += bool(named[:1]) and named[0] in wanted
        count["named"] += bool(wanted & set(named))
        if not named or named[0] not in wanted:
            missed.append(f"{case.get('id')}: {named[:4]} for {sorted(wanted)}: {case['expected']['message'][:110]!r}")
    print(dict(count))
    for name in ("first", "named"):
        print(f"{name}: {count[name] / max(1, count['linted']):.2%}")
    for text in missed[: options.show]:
        print("  ", text)


def _named(knowledge: Knowledge, log: str, findings: list[Finding]) -> list[str]:
    scan = Scan(knowledge)
    scan.feed(log.encode())
    scan.finish()
    return [rule for cause in causes(scan, knowledge, findings) for rule in cause.rules]


if __name__ == "__main__":
    main()
