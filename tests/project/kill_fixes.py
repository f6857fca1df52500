"""Kills ``moelint --fix`` at random moments and looks at what is left: python tests/project/kill_fixes.py [RUNS] [JOBS]

Every file must be the old or the new one, whole, and nothing may lie beside them. The test suite makes a few such runs;
this program makes as many as one wants, half of them with one process and half with several that are killed at once.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = 60
OLD = """\
# moelint: gpus=16 megatron-bridge=0.6.0
model:
  num_layers: 8
  num_moe_experts: 8
  expert_model_parallel_size: 8
  moe_shared_expert_intermediate_size: 2048
  moe_shared_expert_overlap: true
  add_bias_linear: false
  bf16: true
  pipeline_dtype: bf16
comm_overlap:
  overlap_moe_expert_parallel_comm: true
"""


def command(jobs: int = 1) -> list[str]:
    return [sys.executable, "-m", "moelint", "--no-config", "--fix", "-q", f"-j{jobs}", "."]


def start(folder: Path, jobs: int = 1) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(
        command(jobs), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, start_new_session=True
    )


def fill(folder: Path) -> None:
    for number in range(FILES):
        (folder / f"{number}.yaml").write_text(OLD.replace("num_layers: 8", f"num_layers: {8 + number}"), encoding="utf-8")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class Counts:
    """``killed``: runs that were stopped before their end; ``between``: those that left both old and new files."""

    def __init__(self) -> None:
        self.killed = self.between = self.old = self.new = 0


def kill(runs: int, seed: int = 0, jobs: int = 1) -> Counts:
    """What was found after ``runs`` runs. Raises AssertionError."""
    chance = random.Random(seed)
    counts = Counts()
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "work"
        folder.mkdir()
        fill(folder)
        old = content(folder)
        start(folder, jobs).wait()  # a first run may fill the caches
        shutil.rmtree(folder)
        folder.mkdir()
        fill(folder)
        began = time.perf_counter()
        assert start(folder, jobs).wait() == 0
        once = time.perf_counter() - began
        new = content(folder)
        assert old.keys() == new.keys() and all(old[name] != new[name] for name in old)
        for _ in range(runs):
            shutil.rmtree(folder)
            folder.mkdir()
            fill(folder)
            process = start(folder, jobs)
            # much of the time goes by before the first file is written
            waited = chance.uniform(0.3, 1.05) * once
            time.sleep(waited)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:  # it has ended
                pass
            if process.wait() == 0:
                once = min(once, waited)  # the machine has become faster since it was measured
            else:
                counts.killed += 1
            left = content(folder)
            assert left.keys() == old.keys(), f"left behind: {sorted(left.keys() ^ old.keys())}"
            for name, data in left.items():
                assert data in (old[name], new[name]), f"{name} is neither the old nor the new file: {data!r}"
            changed = sum(data == new[name] for name, data in left.items())
            counts.old += len(left) - changed
            counts.new += changed
            counts.between += 0 < changed < len(left)
    return counts


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    several = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    for processes in (1, several):
        found = kill(wanted // 2, int(time.time()), processes)
        print(
            f"{wanted // 2} runs of {FILES} files with -j{processes}: {found.killed} killed before their end, {found.between} amid their"
            f" writing; {found.old} files old, {found.new} new, none in between, nothing left over"
        )
