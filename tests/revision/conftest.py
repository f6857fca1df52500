"""A git repository of configs, and moelint run in it as its users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BASE = """\
# moelint: gpu=h100 gpus=64 megatron-bridge=0.6.0 torch=2.9 transformer-engine=2.9
model:
  num_layers: 48
  hidden_size: 2048
  num_attention_heads: 32
  num_moe_experts: 128
  moe_router_topk: 8
  moe_router_dtype: fp32
  moe_ffn_hidden_size: 768
  moe_shared_expert_intermediate_size: 2048
  moe_shared_expert_overlap: false
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
OVERLAP = "comm_overlap:\n  overlap_moe_expert_parallel_comm: true\n"
BROKEN_PAIR = BASE.replace("moe_shared_expert_overlap: false", "moe_shared_expert_overlap: true") + OVERLAP  # OVL004


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def new(self) -> list[str]:
        """Rules of the new findings, sorted."""
        return sorted(item["rule"] for item in self.json["findings"] if item["new"] is not False)


class Repo:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "MOELINT"))}
        self.env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        for name in ("AUTHOR", "COMMITTER"):
            self.env |= {f"GIT_{name}_NAME": "A", f"GIT_{name}_EMAIL": "a@example.org"}

    def git(self, *words: str | Path, cwd: Path | None = None) -> str:
        command = ["git", "-c", "protocol.file.allow=always", *map(str, words)]
        done = subprocess.run(command, cwd=cwd or self.folder, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout.strip()

    def init(self) -> Repo:
        self.git("init", "-q", "-b", "main")
        return self

    def write(self, path: str, text: str | bytes) -> Path:
        full = self.folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return full

    def commit(self, message: str = "change", **files: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def moelint(self, *words: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> Result:
        command = [sys.executable, "-m", "moelint", *map(str, words)]
        done = subprocess.run(command, cwd=cwd or self.folder, env={**self.env, **(env or {})}, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return Result(done.returncode, done.stdout, done.stderr)

    def since(self, *words: str | Path, cwd: Path | None = None) -> Result:
        return self.moelint("--format", "json", "--since", *words, cwd=cwd)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo").init()


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Repo]:
    return lambda name: Repo(tmp_path / name)
