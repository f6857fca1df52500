"""Kills ``moelint --fix`` at random moments and looks at what is left: python tests/project/kill_fixes.py [RUNS]

Every file must be the old or the new one, whole, and nothing may lie beside them. The test suite makes a few such runs;
this program makes as many as one wants.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = 12
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


def command() -> list[str]:
    return [sys.executable, "-m", "moelint", "--no-config", "--fix", "-q", "."]


def start(folder: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(command(), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)


def fill(folder: Path) -> None:
    for number in range(FILES):
        (folder / f"{number}.yaml").write_text(OLD.replace("num_layers: 8", f"num_layers: {8 + number}"), encoding="utf-8")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def kill(runs: int, seed: int = 0) -> tuple[int, int, int]:
    """(runs that were killed before their end, files found old, files found new). Raises AssertionError."""
    chance = random.Random(seed)
    killed = old_files = new_files = 0
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "work"
        folder.mkdir()
        fill(folder)
        old = content(folder)
        began = time.perf_counter()
        assert start(folder).wait() == 0
        once = time.perf_counter() - began
        new = content(folder)
        assert old.keys() == new.keys() and all(old[name] != new[name] for name in old)
        for _ in range(runs):
            shutil.rmtree(folder)
            folder.mkdir()
            fill(folder)
            process = start(folder)
            # most of the time goes by before the first file is written
            time.sleep(chance.uniform(0.3, 1.05) * once)
            process.kill()
            killed += process.wait() != 0
            left = content(folder)
            assert left.keys() == old.keys(), f"left behind: {sorted(left.keys() ^ old.keys())}"
            for name, data in left.items():
                assert data in (old[name], new[name]), f"{name} is neither the old nor the new file: {data!r}"
                old_files += data == old[name]
                new_files += data == new[name]
    return killed, old_files, new_files


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    stopped, kept, changed = kill(wanted, seed=int(time.time()))
    print(f"{wanted} runs, {stopped} killed before their end: {kept} files old, {changed} new, none in between, nothing left over")
