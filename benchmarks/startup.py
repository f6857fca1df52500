"""Start-up beside yamllint, run by run on the same file: python benchmarks/startup.py [RUNS]

Measures processor time (a machine may be busy) of the commands beside this interpreter; prints medians and their ratio.
PYTHONDONTWRITEBYTECODE must not be set: an installed tool has its bytecode.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TEXT = Path(__file__).with_name("sixty_lines.yaml")


def cpu(command: list[str], env: dict[str, str]) -> float:
    """User and system time of one run, in ms."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    folder = Path(sys.executable).parent
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "train.yaml"
        path.write_bytes(TEXT.read_bytes())
        commands = {name: [str(folder / name), str(path)] for name in ("moelint", "yamllint")}
        commands["python -c pass"] = [sys.executable, "-c", "pass"]
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(runs + 2):
            for name, command in commands.items():
                spent = cpu(command, env)
                if number >= 2:  # the first runs fill caches
                    times[name].append(spent)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:<16} median {value:6.1f} ms   least {min(times[name]):6.1f} ms")
    print(f"moelint / yamllint = {medians['moelint'] / medians['yamllint']:.2f}")


if __name__ == "__main__":
    main()
