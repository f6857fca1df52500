"""Microsoft's SARIF multitool on moelint's SARIF, with the rule kinds that GitHub asks for.

    npm install --prefix FOLDER @microsoft/sarif-multitool
    moelint --format sarif configs > report.sarif
    python tools/validate_sarif.py --multitool FOLDER report.sarif …

Prints errors and warnings by rule of the multitool; exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def validate(tool: Path, report: Path) -> collections.Counter[str]:
    """Findings of the multitool on one report, by rule."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found.sarif"
        command = [str(tool), "validate", str(report), "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"]
        subprocess.run([*command, "--output", str(out), "--log", "ForceOverwrite"], capture_output=True, check=False)
        found = json.loads(out.read_text(encoding="utf-8-sig"))
    counts: collections.Counter[str] = collections.Counter()
    for run in found["runs"]:
        for result in run.get("results", []):
            counts[f"{result.get('level', 'warning')} {result['ruleId']}"] += 1
        for note in run.get("invocations", [{}])[0].get("toolConfigurationNotifications", []):
            counts[f"tool: {note['message']['text']}"] += 1
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--multitool", type=Path, required=True, help="folder of npm install")
    parser.add_argument("reports", nargs="+", type=Path)
    given = parser.parse_args()
    names = ("sarif-multitool-linux/Sarif.Multitool", "sarif-multitool-darwin/Sarif.Multitool")
    tool = next(path for name in names if (path := given.multitool / "node_modules/@microsoft" / name).exists())
    total = 0
    for report in given.reports:
        counts = validate(tool, report)
        results = sum(len(run["results"]) for run in json.loads(report.read_text(encoding="utf-8"))["runs"])
        print(f"{report}: {results} results, {sum(counts.values())} complaints")
        for what, number in counts.items():
            print(f"  {number} {what}")
        total += sum(counts.values())
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
