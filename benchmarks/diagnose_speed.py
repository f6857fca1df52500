"""Times `moelint diagnose` on a big log against `grep -F -f` with the same fragments, and measures its memory.

usage: python benchmarks/diagnose_speed.py [--megabytes N] [--keep FILE]

The log is made up: iteration lines, NCCL notes, warnings of many ranks, lines with a name of their own, with one
refusal in its middle. Needs GNU grep and a folder for temporary files.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

from moelint.diagnose.knowledge import Knowledge
from moelint.policy.load import load

SAID = "[rank5]: AssertionError: disable moe_shared_expert_overlap when enabling overlap_moe_expert_parallel_comm\n"


def noise(megabytes: float, seed: int) -> str:
    """Lines as jobs print them."""
    pick = random.Random(seed)
    lines: list[str] = []
    size, number = 0, 0
    while size < megabytes * 1e6:
        number += 1
        kind = pick.random()
        if kind < 0.5:
            line = (
                f" [2026-10-0{pick.randint(1, 9)} 12:{pick.randint(10, 59)}:{pick.randint(10, 59)}] iteration "
                f"{number:8d}/  500000 | consumed samples: {number * 256:12d} | elapsed time per iteration (ms): "
                f"{pick.uniform(5000, 6000):.1f} | throughput per GPU (TFLOP/s/GPU): {pick.uniform(200, 300):.1f} | "
                f"learning rate: {pick.random():.6E} | global batch size:   256 | lm loss: {pick.uniform(2, 9):.6E} | "
                f"load_balancing_loss: {pick.random():.6E} | loss scale: 1.0 | grad norm: {pick.random():.3f} | "
                "number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
        elif kind < 0.75:
            line = (
                f"node{pick.randint(0, 63):03d}:{pick.randint(1000, 99999)}:{pick.randint(1000, 99999)} "
                f"[{pick.randint(0, 7)}] NCCL INFO Channel {pick.randint(0, 31):02d}/0 : {pick.randint(0, 511)}"
                f"[{pick.randint(0, 7)}] -> {pick.randint(0, 511)}[{pick.randint(0, 7)}] [send] via NET/IB/1/GDRDMA"
            )
        elif kind < 0.9:
            line = f"INFO:megatron.core.distributed.param_and_grad_buffer:Number of buckets: {pick.randint(1, 30)}"
        elif kind < 0.94:
            line = f"[rank{pick.randint(0, 511)}]: /opt/layers.py:{pick.randint(1, 999)}: FutureWarning: not final"
        elif kind < 0.96:
            line = f"loading index cache {pick.getrandbits(128):032x} of blend {pick.getrandbits(64):016x}"
        else:
            line = f"WARNING: dataset shard {number} must be read again, only {pick.randint(1, 99)} % of it was there"
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines) + "\n"


def timed(command: list[str]) -> tuple[float, float]:
    """(seconds, peak megabytes) of a child process."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.monotonic() - start, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--keep", help="Write the log here and leave it.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = options.keep or os.path.join(folder, "train.log")
        with open(log, "wb") as file:
            parts = max(2, options.megabytes // 5)
            for part in range(parts):  # small pieces: a child process counts the memory of its parent as its own
                file.write(noise(options.megabytes / parts, part).encode())
                if part == parts // 2:
                    file.write(SAID.encode())
        fragments = os.path.join(folder, "fragments")
        with open(fragments, "wb") as file:
            file.write(b"\n".join(fragment.text for fragment in Knowledge(load()).fragments) + b"\n")
        for name, command in (
            ("grep -F -f", ["grep", "-F", "-f", fragments, log]),
            ("grep -F -f (LC_ALL=C)", ["env", "LC_ALL=C", "grep", "-F", "-f", fragments, log]),
            ("moelint diagnose", [sys.executable, "-m", "moelint", "diagnose", log]),
        ):
            seconds, memory = timed(command)
            print(f"{name:24} {seconds:7.2f} s   {memory:6.0f} MB   {os.path.getsize(log) / 1e6 / seconds:8.0f} MB/s")
    print(f"this script: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
