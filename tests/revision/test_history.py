"""A history of scripted commits over examples/, each with what it must bring written beside it.

``new``: rules of new errors and warnings, ``fixed``: those that the change did away with, ``change``: what the pack ``change`` says,
by rule and case. Only the families OVL, PAR and KEY are listened to beside it, so that a new rule elsewhere does not move the table.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from moelint.api import Options, check
from moelint.conf import load as conf_load

from .conftest import Repo

ROOT = Path(__file__).resolve().parents[2]
Q = "configs/bridge/qwen3_30b_a3b.yaml"
D = "configs/bridge/deepseek_v3_overlap.yaml"
M = "configs/megatron-lm/mixtral_8x7b.yaml"
E = "configs/megatron-lm/mixtral_8x7b_ep16.yaml"
R = "configs/bridge/renamed/qwen3.yaml"
OVERLAP_ON, OVERLAP_OFF = "overlap_moe_expert_parallel_comm: true", "overlap_moe_expert_parallel_comm: false"
FULL = "  bf16: true\n  recompute_granularity: full\n  recompute_method: uniform\n  recompute_num_layers: 1\n"
SHARED = "  bf16: true\n  moe_shared_expert_intermediate_size: 768\n  moe_shared_expert_overlap: true\n"
Edit = Callable[[Repo], None]


def edit(path: str, *pairs: tuple[str, str]) -> Edit:
    def change(repo: Repo) -> None:
        text = (repo.folder / path).read_text(encoding="utf-8")
        for old, new in pairs:
            assert text.count(old) == 1, f"{path}: {old!r} stands there {text.count(old)} times"
            text = text.replace(old, new)
        repo.write(path, text)

    return change


def move(old: str, new: str) -> Edit:
    def change(repo: Repo) -> None:
        (repo.folder / new).parent.mkdir(exist_ok=True)
        repo.git("mv", old, new)

    return change


def reindent(path: str) -> Edit:
    def change(repo: Repo) -> None:
        text = (repo.folder / path).read_text(encoding="utf-8")
        repo.write(path, "".join(line.replace("  ", "      ", 1) if line.startswith("  ") else line for line in text.splitlines(True)))

    return change


def copy(path: str, other: str, *pairs: tuple[str, str]) -> Edit:
    def change(repo: Repo) -> None:
        shutil.copy(repo.folder / path, repo.folder / other)
        edit(other, *pairs)(repo)

    return change


def several(*edits: Edit) -> Edit:
    def change(repo: Repo) -> None:
        for one in edits:
            one(repo)

    return change


def delete(path: str) -> Edit:
    return lambda repo: (repo.folder / path).unlink()


# (what the commit does, new, fixed, change)
HISTORY: list[tuple[Edit, list[str], list[str], list[str]]] = [
    (edit(D, ("moe_shared_expert_overlap: true", "moe_shared_expert_overlap: false")), [], ["OVL004"], []),
    (edit(Q, ("# Qwen3", "# A comment more.\n\n# Qwen3")), [], [], []),
    (reindent(Q), [], [], []),
    (edit(Q, ("delay_wgrad_compute: false", "delay_wgrad_compute: true")), [], [], []),
    (edit(Q, ("      bf16: true\n", FULL.replace("  ", "      "))), ["OVL007"], [], ["CHG008"]),
    (edit(Q, (FULL.replace("  ", "      "), "      bf16: true\n")), [], ["OVL007"], []),
    (edit(Q, ("alltoall", "flex\n      moe_flex_dispatcher_backend: deepep")), [], [], []),
    (edit(Q, ("flex\n      moe_flex_dispatcher_backend: deepep", "alltoall"), ("micro_batch_size: 1", "micro_batch_size: 2")), [], [], ["CHG005"]),
    (edit(Q, ("micro_batch_size: 2", "micro_batch_size: 1")), [], [], []),
    (edit(Q, ("expert_model_parallel_size: 8", "expert_model_parallel_size: 16")), ["PAR002"], [], ["CHG010"]),
    (edit(Q, ("expert_model_parallel_size: 16", "expert_model_parallel_size: 8")), [], ["PAR002"], []),
    (move(Q, R), [], [], []),
    (edit(M, ("--pipeline-model-parallel-size: 4", "--pipeline-model-parallel-size: 2")), [], [], []),
    (edit(M, ("--pipeline-model-parallel-size: 2", "--pipeline-model-parallel-size: 1"), ("--global-batch-size: 256", "--global-batch-size: 512")), [], [], ["CHG005", "CHG006.scaled"]),
    (edit(M, ("--bf16: true", "--bf16: true\n  --save: /ckpt\n  --load: /ckpt")), [], [], []),
    (edit(M, ("--tensor-model-parallel-size: 2", "--tensor-model-parallel-size: 4")), [], [], ["CHG007.optimizer-layout"]),
    (edit(M, ("--mock-data: true", "--mock-data: false")), [], [], ["CHG004.mock-data-off"]),
    (edit(M, ("--moe-grouped-gemm: true", "--moe-grouped-gemm: true\n  --moe-router-force-load-balancing: true")), [], [], ["CHG004.forced-balancing-on"]),
    (edit(M, ("\n  --moe-router-force-load-balancing: true", "")), [], [], ["CHG004.forced-balancing-off"]),
    (edit(M, ("  --save: /ckpt\n", "")), [], [], ["CHG004.no-checkpoint"]),
    (edit(R, ("moe_router_dtype", "moe_ruter_dtype")), ["KEY001"], [], ["CHG011.router-precision"]),
    (edit(R, ("moe_ruter_dtype", "moe_router_dtype")), [], ["KEY001"], []),
    (edit(R, ("dataset:\n", "dataset: [\n")), ["KEY101"], [], []),
    (edit(R, ("dataset: [\n", "dataset:\n")), [], ["KEY101"], []),
    (edit(E, ("--expert-model-parallel-size: 16", "--expert-model-parallel-size: 8"), ("--bf16: true", "--bf16: true\n  --sequence-parallel: true")), [], ["PAR003", "PAR008"], []),
    (copy(R, "configs/bridge/other.yaml", ("      bf16: true\n", SHARED.replace("  ", "      "))), ["OVL004"], [], []),
    (delete("configs/bridge/other.yaml"), [], [], []),
    (edit(D, (OVERLAP_ON, OVERLAP_OFF)), [], [], ["CHG009.expert-parallel"]),
    (edit(D, (OVERLAP_OFF, f"{OVERLAP_ON}\n  delay_wgrad_compute: true")), [], [], ["CHG002"]),
    (edit(D, (f"{OVERLAP_ON}\n  delay_wgrad_compute: true", OVERLAP_OFF)), [], [], ["CHG009.expert-parallel"]),
    (edit(D, (OVERLAP_OFF, OVERLAP_ON), ("alltoall", "flex\n  moe_flex_dispatcher_backend: deepep")), [], [], ["CHG003"]),
    (several(edit(D, ("train:\n", "ddp:\n  check_for_nan_in_grad: true\ntrain:\n")), edit(M, ("--lr: 1.0e-4", "--lr: 2.0e-4"))), [], [], []),
    (edit(D, ("check_for_nan_in_grad: true", "check_for_nan_in_grad: false")), [], [], ["CHG011.nan-in-gradients"]),
]


def named(rule: str, case: str | None) -> str:
    return f"{rule}.{case}" if case else rule


@pytest.fixture
def examples(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    shutil.copytree(ROOT / "examples", repo.folder, dirs_exist_ok=True)
    repo.commit("examples")
    monkeypatch.chdir(repo.folder)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return repo


def test_thirty_commits(examples: Repo) -> None:
    assert len(HISTORY) >= 30
    wrong = []
    for number, (change, new, fixed, said) in enumerate(HISTORY, 1):
        change(examples)
        examples.commit()
        conf_load._found.clear()
        options = Options()
        options.since, options.select = "HEAD~1..HEAD", ["OVL", "PAR", "KEY", "CHG"]
        report = check(["."], options)
        assert not report.problems
        shown = [item for item in report.shown() if item.severity != "note" or item.rule.startswith("CHG")]
        got = (
            sorted(item.rule for item in shown if not item.rule.startswith("CHG")),
            sorted(item.rule for file in report.files for item in file.fixed_by_change if item.severity != "note"),
            sorted(named(item.rule, item.case) for item in shown if item.rule.startswith("CHG")),
        )
        if got != (sorted(new), sorted(fixed), sorted(said)):
            wrong.append(f"commit {number}: got {got}, expected {(new, fixed, said)}")
    assert not wrong, "\n".join(wrong)
