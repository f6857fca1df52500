"""Counts of a JSON report as ``name=value`` lines, for whoever runs moelint from a script: the action's outputs.

python -m moelint.report.counts REPORT.json
"""

from __future__ import annotations

import json
import sys


def lines(path: str) -> list[str]:
    """errors, warnings and notes (new ones, where a revision was compared with), and what the change fixed."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    shown = [item["severity"] for item in report["findings"] if item["new"] is not False]
    out = [f"{severity}s={shown.count(severity)}" for severity in ("error", "warning", "note")]
    return [*out, f"fixed={report['summary']['fixed_by_change'] or 0}"]


if __name__ == "__main__":
    print("\n".join(lines(sys.argv[1])))
