"""Flags that the shell drops, and how a command becomes whole again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from moelint.api import Options, check
from moelint.read.files import FileRead
from moelint.text.edits import apply

from .conftest import values

Read = Callable[..., FileRead]

HEAD = "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n  --num-layers 8 --hidden-size 64"
REST = "  --num-experts 8 \\\n  --bf16\n"
WHOLE = f"{HEAD} \\\n{REST}"

BROKEN = [
    (f"{HEAD}\n{REST}", "line 2 has no backslash at its end", WHOLE),
    (f"{HEAD} \\  \n{REST}", "blanks behind the backslash of line 2 end it", WHOLE),
    (f"{HEAD} \\\n  # the experts\n{REST}", "a comment behind line 2 ends it", f"# the experts\n{WHOLE}"),
    (f"{HEAD} \\\n\n{REST}", "an empty line behind line 2 ends it", WHOLE),
    (f"{HEAD} # why\n{REST}", "line 2 has no backslash at its end", None),
]


@pytest.mark.parametrize(("text", "why", "repaired"), BROKEN, ids=[why for _, why, _ in BROKEN[:-1]] + ["comment"])
def test_dropped_flags(read: Read, text: str, why: str, repaired: str | None) -> None:
    found = read(text)
    (problem,) = found.problems
    assert problem.kind == "dropped-flag" and why in problem.message
    assert text[problem.start : problem.end] == "--num-experts"
    assert "model.num_moe_experts" not in values(found.configs[0])
    if repaired is None:
        assert not problem.edits
        return
    assert apply(text, problem.edits) == repaired
    assert problem.sets == {"model.num_moe_experts": 8, "model.bf16": True}
    assert not read(repaired).problems


def test_the_rest_of_a_broken_command_is_no_config(read: Read) -> None:
    rest = "--tensor-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 8 --seq-length 16 --bf16"
    assert len(read(f"{HEAD}\n  {rest}\n").configs) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"{WHOLE}\n# --num-experts 4\n",
        "A=(\n  --num-layers 8\n  # --num-experts 4\n\n  --hidden-size 64\n)\npython pretrain_gpt.py ${A[@]} --bf16\n",
        'A="\n  --num-layers 8\n  --hidden-size 64"\npython pretrain_gpt.py $A --bf16\n',
        f"cat <<EOF\n  --num-experts 8\nEOF\n{WHOLE}",
    ],
)
def test_no_flag_is_dropped(read: Read, text: str) -> None:
    assert not read(text).problems


def test_overrides_are_dropped_too(read: Read) -> None:
    found = read("python run_recipe.py --recipe x_config model.seq_length=8\n  model.num_layers=4\n")
    assert [problem.kind for problem in found.problems] == ["dropped-flag"]


def test_fix_joins_the_command(tmp_path: Path) -> None:
    path = tmp_path / "train.sh"
    path.write_text(BROKEN[1][0])
    options = Options()
    options.fix = options.write = options.unsafe_fixes = options.no_config = True
    options.select = ["KEY"]
    report = check([str(path)], options)
    assert path.read_text() == WHOLE
    assert not report.files[0].findings


def test_pages_of_the_problems() -> None:
    from moelint.findings.builtin import KINDS
    from moelint.findings.builtin_pages import info

    for kind in ("dropped-flag", "repeated-flag", "stray-word", "odd-number"):
        page = info(KINDS[kind][0])
        assert page is not None and page.name == kind


ODD = [
    ("export CUDA_DEVICE_MAX_CONNECTIONS=1NCCL_NVLS_ENABLE=0", "runs into the assignment of NCCL_NVLS_ENABLE", True),
    ("export NCCL_NVLS_ENABLE=1B", "NCCL_NVLS_ENABLE=1B is no number", False),
    ("export NVTE_FWD_LAYERNORM_SM_MARGIN=16sm", "is no number", False),
]


@pytest.mark.parametrize(("line", "message", "sure"), ODD)
def test_odd_numbers(read: Read, line: str, message: str, sure: bool) -> None:
    found = read(f"{line}\n{WHOLE}")
    (problem,) = found.problems
    assert problem.kind == "odd-number" and message in problem.message
    assert bool(problem.edits) == sure
    if sure:
        assert problem.sets == {"env_vars.CUDA_DEVICE_MAX_CONNECTIONS": "1", "env_vars.NCCL_NVLS_ENABLE": "0"}
        assert not read(apply(found.source.text, problem.edits)).problems


@pytest.mark.parametrize(
    "line",
    ["export NCCL_IB_HCA=mlx5_0", "export NCCL_NVLS_ENABLE=1", "export RUN=8B", "export NCCL_DEBUG=INFO", "export NCCL_X=$((1+1))"],
)
def test_ordinary_values(read: Read, line: str) -> None:
    assert not read(f"{line}\n{WHOLE}").problems


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("--tensor-model-paralel-size 2", "--tensor-model-parallel-size 2"),
        ("--moe-grouped-gem", "--moe-grouped-gemm"),
        ("--moe-grouped-gem true", None),
        ("--frobnicate 1", None),
    ],
)
def test_misspelt_flags(tmp_path: Path, wrong: str, right: str | None) -> None:
    path = tmp_path / "train.sh"
    text = WHOLE.replace("--bf16", f"--bf16 \\\n  {wrong}")
    path.write_text(text)
    options = Options()
    options.fix = options.write = options.unsafe_fixes = options.no_config = True
    options.select = ["KEY001"]
    report = check([str(path)], options)
    assert path.read_text() == (text if right is None else text.replace(wrong, right))
    assert len(report.files[0].findings) == (1 if right is None else 0)
