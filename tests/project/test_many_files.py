"""What a run over thousands of files keeps in memory: reports, and nothing of the files that were read."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import yaml

from moelint.api import one
from moelint.engine import Engine
from moelint.options import Options
from moelint.text.files import read
from moelint.trainer.effective import Effective, Override

TEXT = """\
# moelint: gpus=64 gpu=h100
model:
  num_layers: {layers}
  hidden_size: 2048
  ffn_hidden_size: 8192
  num_attention_heads: 32
  num_moe_experts: 64
  moe_router_topk: 8
  expert_model_parallel_size: 8
  moe_token_dispatcher_type: alltoall
  moe_shared_expert_intermediate_size: 2048
  moe_shared_expert_overlap: true
  bf16: true
comm_overlap:
  overlap_moe_expert_parallel_comm: true
train:
  micro_batch_size: 1
  global_batch_size: {batch}
"""


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for number in range(40):
        text = TEXT.format(layers=8 + number % 4, batch=64 * (1 + number))
        (tmp_path / f"c{number:02}.yaml").write_text(text, encoding="utf-8")
    return [f"c{number:02}.yaml" for number in range(40)]


def test_nothing_is_left_to_the_garbage_collector(paths: list[str]) -> None:
    engine = Engine(Options())
    engine.prepare(".")
    for path in paths[:30]:
        one(engine, path, False)
    gc.collect()
    gc.disable()
    try:
        reports = [one(engine, path, False)[0] for path in paths[30:]]
        # PyYAML's own parser, which stands in for libyaml, leaves some of its
        assert gc.collect() < (10 if yaml.__with_libyaml__ else 40) * len(reports)
    finally:
        gc.enable()
    assert all(report is not None and report.findings for report in reports)


def test_reports_of_alike_files_share_what_is_alike(paths: list[str]) -> None:
    engine = Engine(Options())
    engine.prepare(".")
    first, second = (one(engine, path, False)[0] for path in paths[:2])
    assert first is not None and second is not None
    assert first.configs[0].target is second.configs[0].target


def test_overrides_that_were_remembered_are_those_that_are_worked_out(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file's own ``tp_comm_overlap`` or ``overlap_param_gather`` may not hold; what decides differs from file to file."""
    for number, path in enumerate(paths):
        size, optimizer, gather = 1 + number % 3, "true" if number % 2 else "false", "true" if number % 5 else "false"
        more = f"  tensor_model_parallel_size: {size}\nddp:\n  use_distributed_optimizer: {optimizer}\n"
        more += f"  overlap_grad_reduce: true\n  overlap_param_gather: {gather}\n"
        Path(path).write_text(TEXT.format(layers=8, batch=64).replace("comm_overlap:", more + "comm_overlap:"), encoding="utf-8")
    seen: list[int] = []
    remembered = Effective.overrides

    def both(effective: Effective) -> list[Override]:
        found = remembered(effective)
        plain = remembered(Effective(effective.config, effective.target))
        assert [_told(one) for one in found] == [_told(one) for one in plain]
        seen.append(len(found))
        return found

    monkeypatch.setattr(Effective, "overrides", both)
    engine = Engine(Options())
    engine.prepare(".")
    for path in paths:
        engine.lint(read(path), False)
    assert len(seen) == len(paths) and len(set(seen)) > 1, seen


def _told(item: Override) -> tuple[object, ...]:
    return item.key, item.before, item.after, item.rewrite.id, item.certain, id(item.written)
