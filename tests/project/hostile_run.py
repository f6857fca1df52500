"""One run of moelint in a process of its own, measured; and what it said of a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import yaml

# Seconds of processor time, the start of the program included. PyYAML's own parser, which stands in where PyYAML was built
# without libyaml, takes about ten times as long; the program's bounds are the same.
SECONDS = 2.0 if yaml.__with_libyaml__ else 15.0
MEGABYTES = 300  # at the peak
# A process inherits the peak of the one that starts it, and that may be a test run of hundreds of MB: a small one starts it.
_MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stderr=subprocess.STDOUT)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr)
"""
_PLACE = re.compile(r"(?P<file>.+?):\d+:\d+: (?P<level>\w+)\[(?P<rule>[A-Z]+\d+)\]")


def run(folder: Path, *words: str) -> tuple[int, bytes, float, float]:
    """(exit code, everything printed, seconds of processor time, MB at the peak)."""
    command = [sys.executable, "-c", _MEASURE, sys.executable, "-m", "moelint", "-j1", "--no-config", *words]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "COLUMNS": "80"}
    with open(folder / "said", "wb") as said:
        done = subprocess.run(command, cwd=folder, stdout=said, stderr=subprocess.PIPE, env=env, check=True)
    code, seconds, peak = (float(word) for word in done.stderr.split())
    megabytes = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return int(code), (folder / "said").read_bytes(), seconds, megabytes


def told(said: str, file: str) -> str:
    """The first finding of a text report about a file: what is said of its text (KEY1…) rather than of its settings.
    Empty if nothing is."""
    found = []
    for line, following in pairwise(said.split("\n")):
        place = _PLACE.match(line)
        if place is not None and place["file"] == file:
            found.append((not place["rule"].startswith("KEY1"), f"{place['level']}[{place['rule']}] {following.strip()}"))
    return min(found, key=lambda entry: entry[0], default=(False, ""))[1]
