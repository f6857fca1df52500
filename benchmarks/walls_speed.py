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
from moelint.report.walls_text import text
from moelint.trainer.walls_adapter import Walls
from moelint.trainer.walls_page import page
from moelint.walls.estimate import FIGURES


def spent(names: list[str], every: list[Row], count: int = 500) -> float:
    """Processor time of all rules of some packs, ms a config, each on an effective config of its own."""
    packs = load(names, shipped=False)
    evaluate(packs, effective_of(every[0].shape, every[0].layout, every[0].gpu))  # closures are built once
    configs = [effective_of(r.shape, r.layout, r.gpu) for r in (every * 8)[:count]]
    start = time.process_time()
    for effective in configs:
        evaluate(packs, effective)
    return (time.process_time() - start) / len(configs) * 1e3


def main() -> None:
    every = [r for r in rows() if r.model != "DeepSeekV4 Flash"]
    alone = spent(["walls"], every, 1000)
    others = ["megatron", "hardware"]
    added = sorted(spent([*others, "walls"], every) - spent(others, every) for _ in range(5))[2]
    print(f"all wall rules over 1,000 configs, the effective config worked out for them alone: {alone:.2f} ms each")
    print(f"what they add to the rules of the other packs: {added:.2f} ms each")
    figures, pages = [], []
    for row in every:
        scope = effective_of(row.shape, row.layout, row.gpu).scope()
        start = time.process_time()
        walls = Walls(scope.get)
        for name in FIGURES:
            walls.get(name)
        figures.append((time.process_time() - start) * 1e3)
        start = time.process_time()
        text([page(scope.get, "config", "config.yaml", 1, {})], False, False, True)
        pages.append((time.process_time() - start) * 1e3)
    for what, times in (("every figure of one config", figures), ("its page as text, knobs and all", pages)):
        times.sort()
        print(f"{what}: median {times[len(times) // 2]:.1f} ms, 95 % within {times[len(times) * 95 // 100]:.1f} ms")


if __name__ == "__main__":
    main()
