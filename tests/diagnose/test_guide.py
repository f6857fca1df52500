"""The failure table and the checks of NVIDIA's guide to expert-parallel overlap, line by line: what a log says there
leads to the rule or symptom that stands for it."""

from __future__ import annotations

import pytest

from moelint.diagnose.knowledge import Knowledge
from moelint.diagnose.run import Cause, causes
from moelint.diagnose.scan import Scan
from moelint.policy.load import load

KNOWLEDGE = Knowledge(load())

LINES = [
    # expert parallelism is not set
    (
        "AssertionError: overlap_moe_expert_parallel_comm is only supported when expert_model_parallel_size > 1",
        "OVL001",
    ),
    ("AssertionError: overlap_moe_expert_parallel_comm is only supported with expert model parallelism", "OVL001"),
    # the dispatcher was left at allgather
    ("AssertionError: overlap_moe_expert_parallel_comm is supported with alltoall/flex token dispatcher", "OVL002"),
    # precision
    ("AssertionError: overlap_moe_expert_parallel_comm is only supported with bf16 or fp16 model", "OVL003"),
    # PyTorch before 2.6
    ("AssertionError: A2A Overlap encounters hang issue with torch version < 2.6.0", "OVL005"),
    # pipeline without virtual stages
    (
        "AssertionError: If enabling EP A2A overlap, virtual_pipeline_model_parallel_size must be specified when "
        "pipeline_model_parallel_size > 1",
        "OVL006",
    ),
    # full recompute
    ("AssertionError: disable full recomputation when enabling overlap_moe_expert_parallel_comm", "OVL007"),
    # delayed wgrad without the overlap
    ("AssertionError: overlap_moe_expert_parallel_comm must be enabled when enabling delay_wgrad_compute", "OVL011"),
    # fused gradient accumulation, attention bias, under captured delayed wgrad
    ("AssertionError: CUDA graph with delay_wgrad_compute requires gradient_accumulation_fusion", "OVL013"),
    ("AssertionError: CUDA graph with delay_wgrad_compute doesn't support attn bias for now", "OVL013"),
    # the backend is skipped on an unsupported GPU
    (
        "WARNING: HybridEP is only applicable for GB200, GB300 with NVL72 and for Ampere, Hopper, B200 and B300 GPUs. "
        "Current GPU: NVIDIA L40S. Falling back to alltoall.",
        "dispatcher-falls-back",
    ),
    (
        "WARNING: Not a valid flex dispatcher backend. Skipping flex dispatcher backend configuration.",
        "dispatcher-falls-back",
    ),
    # summed kernel time is up although wall time is down
    (" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):", "summed-kernel-time-up"),
]


def said(*lines: str) -> list[Cause]:
    scan = Scan(KNOWLEDGE)
    scan.feed(("\n".join(lines) + "\n").encode())
    scan.finish()
    return causes(scan, KNOWLEDGE, [])


@pytest.mark.parametrize(("line", "wanted"), LINES)
@pytest.mark.parametrize("prefix", ["", "[rank12]: ", "3: "])
def test_line_of_the_failure_table(line: str, wanted: str, prefix: str) -> None:
    found = said(" iteration 1/ 10 |", prefix + line, " iteration 2/ 10 |")
    assert len(found) == 1 and found[0].line == 2
    assert (found[0].rules[:1] if wanted[:3].isupper() else [found[0].symptom]) == [wanted]
    assert found[0].cause and found[0].fix, "a cause and what to do about it"


@pytest.mark.parametrize(("line", "wanted"), [case for case in LINES if case[1][:3].isupper()])
def test_the_same_in_a_traceback(line: str, wanted: str) -> None:
    """The frame's source line shows the message too, cut where the statement wraps."""
    found = said(
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "/opt/megatron/core/transformer/transformer_config.py", line 2700, in __post_init__',
        "[rank0]:     assert (",
        f"[rank0]: {line}",
    )
    assert [cause.rules[0] for cause in found] == [wanted]
    assert found[0].file == ("/opt/megatron/core/transformer/transformer_config.py", 2700, "__post_init__")
    assert found[0].line == 4 and found[0].means in ("fatal", "hang") and found[0].message == line


def test_a_fall_back_is_no_failure() -> None:
    """Warnings of a silent change are told of a run that succeeds, too; they are not fatal."""
    [cause] = said(LINES[10][0])
    assert cause.means == "changed" and "NVIDIA L40S" in cause.title
