r"""Puts the trainers' verdicts to cases.

    PYTHONPATH=src:tools python -m verdicts.ask CASES.jsonl … [--oracle COMMAND] \
        [--sources FOLDER --catalogue FILE] > VERDICTS.jsonl

With the trainers' source trees and the catalogue of constraints each refusal also gets the id of its constraint: the
catalogue names files and lines of the main branch, the verdict those of its release.
"""

from __future__ import annotations

import argparse
import json
import sys

from verdicts.case import Case
from verdicts.locate import Locator
from verdicts.oracle import ask, command


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--oracle")
    parser.add_argument("--sources")
    parser.add_argument("--catalogue")
    args = parser.parse_args()
    cases: list[Case] = []
    for path in args.files:
        with open(path, encoding="utf-8") as file:
            cases += [json.loads(line) for line in file if line.strip()]
    locator = Locator(args.sources, args.catalogue) if args.sources and args.catalogue else None
    for case, verdict in zip(cases, ask(cases, command(args.oracle)), strict=True):
        case["expected"] = verdict
        if locator is not None and verdict["verdict"] == "error":
            found = locator.constraint(case["layer"], case["version"], verdict["where"], case.get("aimed"))
            if found is not None:
                case["constraint"] = found
        sys.stdout.write(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
