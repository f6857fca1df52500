"""``--since`` on a repository of 5,000 configs of which 3 changed, beside linting those three and one ``git diff``.

    python benchmarks/since.py [--configs 5000] [--rounds 15]

Prints medians in milliseconds and the ratio; the aim is at most 1.5. Everything runs alternately, so that a busy machine
weighs on all alike.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """\
# moelint: gpu=h100 gpus=64 megatron-bridge=0.6.0 torch=2.9 transformer-engine=2.9
model:
  num_layers: {layers}
  hidden_size: 2048
  num_attention_heads: 32
  num_moe_experts: 128
  moe_router_topk: 8
  moe_router_dtype: fp32
  moe_ffn_hidden_size: 768
  moe_token_dispatcher_type: alltoall
  moe_grouped_gemm: true
  add_bias_linear: false
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 1
  context_parallel_size: 1
  expert_model_parallel_size: 8
  expert_tensor_parallel_size: 1
  bf16: true
train:
  micro_batch_size: 1
  global_batch_size: 512
"""


def repository(folder: Path, configs: int) -> list[str]:
    """A repository with that many configs in folders of fifty, three of them changed since the last commit."""
    for number in range(configs):
        path = folder / f"team{number // 50:03}" / f"run_{number:05}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(CONFIG.format(layers=16 + number % 48), encoding="utf-8")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "configs"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    changed = [f"team{n // 50:03}/run_{n:05}.yaml" for n in (7, configs // 2, configs - 1)]
    edits = [
        ("expert_model_parallel_size: 8", "expert_model_parallel_size: 16"),
        ("global_batch_size: 512", "global_batch_size: 1024"),
        ("moe_router_topk: 8", "moe_router_topk: 4"),
    ]
    for path, (old, new) in zip(changed, edits, strict=True):
        text = (folder / path).read_text(encoding="utf-8")
        assert old in text
        (folder / path).write_text(text.replace(old, new), encoding="utf-8")
    return changed


def milliseconds(command: list[str], folder: Path) -> tuple[float, float]:
    """(wall-clock time, processor time with all children) of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    spent = (time.perf_counter() - start) * 1000
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr.decode()
    return spent, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as cache:
        os.environ["PYTHONPYCACHEPREFIX"] = cache
        folder = Path(name)
        changed = repository(folder, given.configs)
        moelint = [sys.executable, "-m", "moelint"]
        runs = {
            "moelint --since HEAD": [*moelint, "--since", "HEAD"],
            "moelint THREE FILES": [*moelint, *changed],
            "git diff HEAD": ["git", "diff", "HEAD"],
        }
        spent: dict[str, list[tuple[float, float]]] = {key: [] for key in runs}
        for number in range(given.rounds + 2):
            for key, command in runs.items():
                took = milliseconds(command, folder)
                if number >= 2:  # the first rounds fill caches
                    spent[key].append(took)
    print(f"{'median, milliseconds':<22} {'wall':>8} {'processor':>10}")
    medians = {key: [statistics.median(column) for column in zip(*rows, strict=True)] for key, rows in spent.items()}
    for key, (wall, processor) in medians.items():
        print(f"{key:<22} {wall:8.1f} {processor:10.1f}")
    since, files, diff = medians.values()
    ratios = [since[i] / (files[i] + diff[i]) for i in (0, 1)]
    print(f"{'ratio (at most 1.5)':<22} {ratios[0]:8.2f} {ratios[1]:10.2f}")


if __name__ == "__main__":
    main()
