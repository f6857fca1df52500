"""Inheritance: chains, presets, replaced maps, cycles, the edge of the checkout."""

from __future__ import annotations

import pytest

from moelint.read.files import ReadOptions, read_file
from moelint.text.files import read as read_text


@pytest.fixture
def checkout(tmp_path):
    """``checkout({path: text}, name)``: writes files below a repository root, reads one of them."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)

    def reader(files, name):
        for path, text in files.items():
            full = tmp_path / "repo" / path
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text, encoding="utf-8")
        return read_file(read_text(str(tmp_path / "repo" / name)), ReadOptions(named=True, read=read_text))

    return reader


BASE = """\
policy:
  max_total_sequence_length: 512
  megatron_cfg:
    enabled: false
    expert_model_parallel_size: 1
    optimizer: {lr: 1.0e-6, clip_grad: '${policy.max_grad_norm}'}
    env_vars: {A: '1'}
  max_grad_norm: 1.0
"""


def test_chain_of_defaults(checkout):
    files = {
        "configs/base.yaml": BASE,
        "configs/mid.yaml": """\
defaults: base.yaml
policy:
  megatron_cfg: {enabled: true, expert_model_parallel_size: 4}
""",
        "configs/llm/leaf.yaml": """\
defaults: ../mid.yaml
policy:
  max_grad_norm: 0.5
  megatron_cfg: {env_vars: {B: '2'}}
""",
    }
    (config,) = checkout(files, "configs/llm/leaf.yaml").configs
    found = {key: (written.value, written.origin) for key, written in config.written.items()}
    assert found["model.expert_model_parallel_size"] == (4, "inherited")
    assert found["optimizer.clip_grad"] == (0.5, "inherited")  # an inherited reference sees the leaf's value
    assert found["env_vars.A"] == ("1", "inherited") and found["env_vars.B"] == ("2", "file")
    written = config.written["model.expert_model_parallel_size"]
    assert written.document.source.path.endswith("mid.yaml")
    assert written.document.source.position(written.setting.key_start)[0] == 3
    assert config.loose_ends == []


def test_override_and_null_replace_a_map(checkout):
    files = {
        "base.yaml": BASE,
        "override.yaml": "defaults: base.yaml\npolicy:\n  megatron_cfg: {_override_: true, enabled: true}\n",
        "null.yaml": "defaults: base.yaml\npolicy:\n  megatron_cfg: {enabled: true, optimizer: null}\n",
        "empty.yaml": "defaults: base.yaml\npolicy:\n  megatron_cfg: {enabled: true, env_vars: {}}\n",
    }
    assert "model.expert_model_parallel_size" not in checkout(files, "override.yaml").configs[0].written
    assert "optimizer.lr" not in checkout(files, "null.yaml").configs[0].written
    assert "env_vars.A" in checkout(files, "empty.yaml").configs[0].written


def test_what_cannot_be_read_leaves_a_loose_end(checkout):
    leaf = "defaults: {}\npolicy:\n  megatron_cfg: {{enabled: true, num_layers: 4, num_moe_experts: 8}}\n"
    for parent in ("missing.yaml", "../../outside.yaml", "'${oc.env:BASE}'"):
        (config,) = checkout({"leaf.yaml": leaf.format(parent)}, "leaf.yaml").configs
        assert len(config.loose_ends) == 1 and config.completeness == "fragment"


def test_parent_outside_of_the_checkout_is_not_read(checkout, tmp_path):
    (tmp_path / "outside.yaml").write_text(BASE)
    (config,) = checkout(
        {"leaf.yaml": "defaults: ../outside.yaml\npolicy:\n  megatron_cfg: {enabled: true}\n"}, "leaf.yaml"
    ).configs
    assert "outside of the checkout" in config.loose_ends[0]
    assert not [written for written in config.written.values() if written.origin == "inherited"]


def test_cycle_is_a_problem(checkout):
    files = {
        "a.yaml": "defaults: b.yaml\npolicy:\n  megatron_cfg: {enabled: true}\n",
        "b.yaml": "defaults: a.yaml\npolicy:\n  megatron_cfg: {expert_model_parallel_size: 2}\n",
    }
    (config,) = checkout(files, "a.yaml").configs
    assert config.loose_ends and config.written["model.expert_model_parallel_size"].value == 2
    files["a.yaml"] = files["a.yaml"].replace("b.yaml", "a.yaml")
    (config,) = checkout(files, "a.yaml").configs
    assert [problem.kind for problem in config.problems] == ["inheritance"]


def test_presets_of_primus(checkout):
    files = {
        "primus/configs/models/megatron/base.yaml": "num_layers: 61\nnum_experts: 256\n",
        "primus/configs/models/megatron/v3.yaml": "extends: [base.yaml]\nnum_experts: 128\n",
        "primus/configs/modules/megatron/pre_trainer.yaml": "micro_batch_size: 2\nglobal_batch_size: 128\n",
        "examples/run.yaml": "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
        "    model: ${MODEL:v3}.yaml\n    overrides:\n      micro_batch_size: 1\n",
    }
    (config,) = checkout(files, "examples/run.yaml").configs
    found = {key: (written.value, written.origin) for key, written in config.written.items()}
    assert found == {
        "model.num_layers": (61, "inherited"),
        "model.num_moe_experts": (128, "inherited"),
        "train.global_batch_size": (128, "inherited"),
        "train.micro_batch_size": (1, "file"),
    }
    assert config.completeness == "standing"
