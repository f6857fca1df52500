"""--resume-from: the config that a checkpoint was saved with, against the one that resumes."""

from __future__ import annotations

import pytest

from .conftest import BASE, Repo

RUN = BASE + "ddp:\n  use_distributed_optimizer: true\noptimizer:\n  use_distributed_optimizer: true\n  optimizer: adam\ncheckpoint:\n  save: /ckpt\n  load: /ckpt\n"
SAVED = RUN.replace("# moelint:", "# moelint: complete")


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ("num_layers: 48", "num_layers: 48", []),
        ("train:\n  micro_batch_size: 1", "train:\n  micro_batch_size: 2", []),
        ("pipeline_model_parallel_size: 1", "pipeline_model_parallel_size: 2\n  pipeline_dtype: bf16", ["CKP101.tp-pp"]),
        ("expert_model_parallel_size: 8", "expert_model_parallel_size: 16", ["CKP101.ep"]),
        ("num_layers: 48", "num_layers: 32", ["CKP102.depth"]),
        ("num_moe_experts: 128", "num_moe_experts: 64", ["CKP102.experts"]),
        ("optimizer: adam", "optimizer: sgd", ["CKP103"]),
        ("load: /ckpt", "load: /ckpt\n  load_optim: false", []),
    ],
)
def test_what_a_checkpoint_takes(repo: Repo, old: str, new: str, rules: list[str]) -> None:
    repo.write("saved/run_config.yaml", SAVED)
    assert RUN.count(old) == 1
    repo.write("a.yaml", RUN.replace(old, new))
    found = repo.moelint("a.yaml", "--resume-from", "saved/run_config.yaml", "--select", "CKP1", "--format", "json")
    got = [f"{item['rule']}.{item['case']}" if item["case"] else item["rule"] for item in found.json["findings"]]
    assert got == rules
    assert repo.moelint("a.yaml", "--select", "CKP1", "--format", "json").json["findings"] == [], "only with a checkpoint at hand"


def test_a_fully_reshardable_checkpoint_takes_another_layout(repo: Repo) -> None:
    repo.write("saved.yaml", SAVED.replace("save: /ckpt", "save: /ckpt\n  dist_ckpt_optim_fully_reshardable: true"))
    repo.write("a.yaml", RUN.replace("pipeline_model_parallel_size: 1", "pipeline_model_parallel_size: 2\n  pipeline_dtype: bf16"))
    assert repo.moelint("a.yaml", "--resume-from", "saved.yaml", "--select", "CKP1").code == 0


def test_a_checkpoint_config_that_is_no_good(repo: Repo) -> None:
    repo.write("a.yaml", RUN)
    repo.write("broken.yaml", "model: [\n")
    repo.write("text.yaml", "just text\n")
    for name in ("missing.yaml", "broken.yaml", "text.yaml", "."):
        found = repo.moelint("a.yaml", "--resume-from", name)
        assert found.code == 2 and found.err.startswith(f"moelint: --resume-from {name}: ") and found.err.count("\n") == 1
