"""What the walls cost: python benchmarks/walls_speed.py

Prints the time of all figures of one complete config, and of all rules of the walls pack over 1,000 configs: alone, and
as what the pack adds to the rules of the others, which share the effective config with it.
"""

from __future__ import annotations

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "walls"))

from walls_published import Row, rows
from walls_settings import effective_of

from moelint.policy.evaluate import evaluate
from moelint.policy.load import load
from moelint.trainer.walls_adapter import Walls
from moelint.walls.estimate import FIGURES


def spent(names: list[str], every: list[Row], count: int = 500) -> float:
    """Processor time of all rules of some packs, ms a config, each on an effective config of its own."""
    packs = load(names)
    evaluate(packs, effective_of(every[0].shape, every[0].layout, every[0].gpu))  # closures are built once
    configs = [effective_of(r.shape, r.layout, r.gpu) for r in (every * 8)[:count]]
    start = time.process_time()
    for effective in configs:
        evaluate(packs, effective)
    return (time.process_time() - start) / len(configs) * 1e3


def main() -> None:
    every = [r for r in rows() if r.model != "DeepSeekV4 Flash"]
    alone = spent(["walls"], every, 1000)
    pairs = [(spent(["megatron", "hardware"], every), spent(["megatron", "hardware", "walls"], every)) for _ in range(3)]
    added = sorted(b - a for a, b in pairs)[1]
    print(f"all wall rules over 1,000 configs, with the effective config worked out for them alone: {alone:.2f} ms each")
    print(f"what they add to the rules of the other packs: {added:.2f} ms each")
    times = []
    for row in every:
        scope = effective_of(row.shape, row.layout, row.gpu).scope()
        start = time.perf_counter()
        walls = Walls(scope.get)
        for name in FIGURES:
            walls.get(name)
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    print(f"every figure of one config: median {times[len(times) // 2]:.2f} ms, worst {times[-1]:.2f} ms")


if __name__ == "__main__":
    main()
