"""Recipes as people write them in repositories of their own: over official ones, in scripts, in classes, in loops."""

from __future__ import annotations

import pytest

from moelint.lang.unknown import UNKNOWN
from moelint.read.configs import ReadOptions
from moelint.read.files import read_file
from moelint.text.source import Source

BASE = "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"
HEAD = f"""from megatron.bridge.recipes.qwen import {BASE}
from megatron.bridge.training.pretrain import pretrain
"""


def read(text, tmp_path, name="mine.py"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = read_file(Source(str(path), text), ReadOptions(named=True))
    assert found.problems == []
    return {config.name: config for config in found.configs}


def value(config, key):
    return config.written[key].value


def test_a_builder_under_any_name(tmp_path):
    found = read(f"{HEAD}\ndef build():\n    cfg = {BASE}()\n    cfg.model.seq_length = 8192\n    return cfg\n", tmp_path)
    assert list(found) == ["build"]
    assert value(found["build"], "model.seq_length") == 8192
    assert value(found["build"], "model.num_moe_experts") == 128
    assert found["build"].written["model.num_moe_experts"].origin == "base"
    assert found["build"].completeness == "complete"


def test_loops_over_tuples_and_mappings(tmp_path):
    text = f"""{HEAD}
SWITCHES = {{"moe_permute_fusion": False, "moe_router_topk": 4}}

def build():
    cfg = {BASE}()
    for section, field, wanted in (("model", "seq_length", 2048), ("train", "global_batch_size", 64)):
        setattr(getattr(cfg, section), field, wanted)
    for field, wanted in SWITCHES.items():
        setattr(cfg.model, field, wanted)
    return cfg
"""
    config = read(text, tmp_path)["build"]
    assert value(config, "model.seq_length") == 2048
    assert value(config, "train.global_batch_size") == 64
    assert value(config, "model.moe_permute_fusion") is False
    assert value(config, "model.moe_router_topk") == 4


def test_functools_partial(tmp_path):
    text = f"""{HEAD}
from functools import partial

def _wide(cfg, ep, tp=1):
    cfg.model.expert_model_parallel_size = ep
    cfg.model.tensor_model_parallel_size = tp
    return cfg

_ep16 = partial(_wide, ep=16)

def wide_config():
    return _ep16({BASE}(), tp=2)
"""
    config = read(text, tmp_path)["wide_config"]
    assert value(config, "model.expert_model_parallel_size") == 16
    assert value(config, "model.tensor_model_parallel_size") == 2


def test_dataclasses_over_the_trainers_own(tmp_path):
    text = """
from dataclasses import dataclass
from megatron.bridge.models.gpt_provider import GPTModelProvider
from megatron.bridge.training.config import ConfigContainer, TrainingConfig

@dataclass
class Small(GPTModelProvider):
    num_layers: int = 12
    num_moe_experts: int = 16

@dataclass
class Wide(Small):
    num_moe_experts: int = 100

def wide_config(ep: int = 8) -> ConfigContainer:
    return ConfigContainer(
        model=Wide(expert_model_parallel_size=ep),
        train=TrainingConfig(micro_batch_size=1, global_batch_size=64),
    )
"""
    config = read(text, tmp_path)["wide_config"]
    assert value(config, "model.num_layers") == 12
    experts = config.written["model.num_moe_experts"]
    assert experts.value == 100
    assert experts.origin == "file" and experts.setting is not None
    assert text[experts.setting.value_start : experts.setting.value_end] == "100"
    assert value(config, "model.expert_model_parallel_size") == 8


def test_a_script_that_starts_a_run(tmp_path):
    text = f"""{HEAD}
if __name__ == "__main__":
    config = {BASE}()
    config.model.moe_router_dtype = "fp32"
    pretrain(config, None)
    config.model.moe_router_dtype = "fp64"
"""
    found = read(text, tmp_path)
    assert list(found) == ["__main__"]
    assert value(found["__main__"], "model.moe_router_dtype") == "fp32"


def test_main_builds_and_runs(tmp_path):
    text = f"""{HEAD}
def build():
    cfg = {BASE}()
    cfg.model.seq_length = 1024
    return cfg

def main():
    cfg = build()
    cfg.train.micro_batch_size = 2
    pretrain(config=cfg, forward_step_func=None)

if __name__ == "__main__":
    main()
"""
    found = read(text, tmp_path)
    assert list(found)[:2] == ["build", "main"]
    main = found["main"]
    assert main.written["train.micro_batch_size"].origin == "file"
    assert main.written["model.seq_length"].origin == "inherited"  # build's own line
    assert value(main, "model.seq_length") == 1024


def test_what_the_command_line_decides_is_unknown(tmp_path):
    text = f"""{HEAD}
import argparse, os

def main():
    args = argparse.ArgumentParser().parse_args()
    cfg = {BASE}()
    cfg.model.tensor_model_parallel_size = args.tp
    cfg.model.pipeline_model_parallel_size = int(os.environ["PP"])
    if args.long:
        cfg.model.seq_length = 32768
    cfg.model.expert_model_parallel_size = 8
    pretrain(config=cfg)
"""
    config = read(text, tmp_path)["main"]
    for key in ("tensor_model_parallel_size", "pipeline_model_parallel_size", "seq_length"):
        assert value(config, f"model.{key}") is UNKNOWN
    assert value(config, "model.expert_model_parallel_size") == 8


def test_copies_and_replacements(tmp_path):
    text = f"""{HEAD}
import copy, dataclasses

def short_config():
    base = {BASE}()
    cfg = copy.deepcopy(base)
    base.model.seq_length = 1
    cfg.train = dataclasses.replace(cfg.train, global_batch_size=96)
    return cfg
"""
    config = read(text, tmp_path)["short_config"]
    assert value(config, "train.global_batch_size") == 96
    assert value(config, "model.seq_length") != 1


def test_a_module_of_the_same_repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "shared.py").write_text(
        "def tune(cfg):\n    cfg.model.moe_router_topk = 2\n    return cfg\n", encoding="utf-8"
    )
    text = f"{HEAD}\nfrom shared import tune\n\ndef mine_config():\n    return tune({BASE}())\n"
    assert value(read(text, tmp_path)["mine_config"], "model.moe_router_topk") == 2


def test_known_conditions_are_followed(tmp_path):
    text = f"""{HEAD}
LONG = True

def mine_config(precision: str = "bf16"):
    cfg = {BASE}()
    if LONG and precision == "bf16":
        cfg.model.seq_length = 16384
    elif not LONG:
        cfg.model.seq_length = 1
    cfg.model.context_parallel_size = 2 if cfg.model.seq_length > 8192 else 1
    return cfg
"""
    config = read(text, tmp_path)["mine_config"]
    assert value(config, "model.seq_length") == 16384
    assert value(config, "model.context_parallel_size") == 2


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\ndef build():\n    return torch.nn.Linear(1, 1)\n",
        "from megatron.bridge import AutoBridge\n\ndef export(path):\n    AutoBridge.from_hf_pretrained(path).save('x')\n",
        f"{HEAD}\ndef mine_config(nodes):\n    return {BASE}()\n",
        f"{HEAD}\ndef mine_config():\n    raise ValueError({BASE}())\n",
    ],
)
def test_what_makes_no_config_is_passed_over(text, tmp_path):
    assert read(text, tmp_path) == {}
