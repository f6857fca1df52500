"""Asks a trainer: a program that reads cases as JSON lines and prints their verdicts, one line each, in order.

The program is no part of this project: it needs torch and the trainers' sources. It is named by --oracle or by the
environment variable MOELINT_ORACLE, as a command line.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Sequence
from typing import Any

from verdicts.case import Case

FIELDS = ("verdict", "error_type", "message", "where", "stage", "changed", "warnings")


def command(given: str | None) -> list[str]:
    """The command line of the oracle. Raises SystemExit if nobody names one."""
    text = given or os.environ.get("MOELINT_ORACLE", "")
    if not text:
        raise SystemExit("no oracle: name its command with --oracle or MOELINT_ORACLE")
    return shlex.split(text)


def ask(cases: Sequence[Case], asked: Sequence[str]) -> list[dict[str, Any]]:
    """The verdict of each case. Raises RuntimeError if the oracle fails or loses one."""
    if not cases:
        return []
    lines = "\n".join(json.dumps(case) for case in cases) + "\n"
    done = subprocess.run(list(asked), input=lines, capture_output=True, text=True, check=False)
    out = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if done.returncode or len(out) != len(cases):
        raise RuntimeError(f"the oracle gave {len(out)} verdicts for {len(cases)} cases: {done.stderr[-800:]}")
    return [{field: verdict.get(field) for field in FIELDS} for verdict in out]
