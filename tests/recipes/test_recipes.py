"""Recipes are read without running them: what is known is right, what cannot be followed is unknown."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from moelint.lang.unknown import UNKNOWN
from moelint.read.configs import ReadOptions
from moelint.read.files import FileRead, read_file
from moelint.text.edits import apply
from moelint.text.files import read
from moelint.text.python import modules

COMMON = """
from megatron.bridge.training.config import ConfigContainer, TrainingConfig
from pack.parts import Overlap, Precision, registry_lookup

SIZES = {"small": 2, "large": 16}


def _base() -> ConfigContainer:
    return ConfigContainer(
        model=None,
        train=TrainingConfig(micro_batch_size=1, global_batch_size=SIZES["large"] * 16),
        comm_overlap=None,
        mixed_precision="bf16_mixed",
    )


def small_pretrain_config() -> ConfigContainer:
    cfg = _base()
    cfg.model = AutoBridge.from_hf_pretrained("Qwen/Qwen3-30B-A3B").to_megatron_provider(load_weights=False)
    cfg.comm_overlap = Overlap(tp_comm_overlap=False)
    return cfg
"""
PARTS = """
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    auto = 1
    flash = 2


@dataclass
class Precision:
    bf16: bool = True
    fp8: str | None = None
    modules: list = field(default_factory=lambda: ["attn"])


@dataclass
class Overlap:
    tp_comm_overlap: bool
    overlap_moe_expert_parallel_comm: bool | None = None


KNOWN = {}


def register(function):
    KNOWN[function.__name__] = function
    return function


@register
def bf16_with_fp8() -> Precision:
    out = Precision(fp8="hybrid")
    out.modules.append("moe")
    return out


def registry_lookup(name):
    return KNOWN[name.replace("-", "_")]()
"""
RECIPE = '''
import os

from megatron.bridge import AutoBridge
from megatron.bridge.training.config import ConfigContainer
from pack.common import *
from pack.common import small_pretrain_config as base
from pack.parts import Kind, registry_lookup


def _tune(cfg, size=4, *, capacity=None):
    for name in ("tensor_model_parallel_size", "context_parallel_size"):
        setattr(cfg.model, name, 1)
    cfg.model.expert_model_parallel_size = size * 2
    if capacity is not None:
        cfg.model.moe_expert_capacity_factor = capacity


def tuned_16gpu_h100_bf16_config() -> ConfigContainer:
    """Sixteen GPUs."""
    cfg = base()
    cfg.mixed_precision = registry_lookup("bf16-with-fp8")
    _tune(cfg, capacity=1.5)
    cfg.model.pipeline_model_parallel_size = 2  # two stages
    cfg.model.attention_backend = Kind.flash
    cfg.model.recompute_modules = [*["moe_act"], "layernorm"] if cfg.model.pipeline_model_parallel_size > 1 else None
    if os.environ.get("DEBUG"):
        cfg.model.moe_permute_fusion = False
    cfg.comm_overlap.overlap_moe_expert_parallel_comm = True
    cfg.train.global_batch_size = cfg.train.micro_batch_size * 512
    cfg.env_vars = {"CUDA_DEVICE_MAX_CONNECTIONS": 1}
    return cfg


def strange_config() -> ConfigContainer:
    cfg = base()
    cfg.model = somewhere.build(cfg)
    cfg.model.moe_router_topk = 4
    return cfg


def not_public_of_config(path):
    return path
'''


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    pack = tmp_path / "pack"
    pack.mkdir()
    for name, text in (("__init__", ""), ("common", COMMON), ("parts", PARTS), ("recipe", RECIPE)):
        (pack / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return pack / "recipe.py"


def load(path: Path) -> FileRead:
    return read_file(read(str(path)), ReadOptions(named=True, read=read))


def test_each_config_function_is_a_config(recipe: Path) -> None:
    assert [config.name for config in load(recipe).configs] == ["tuned_16gpu_h100_bf16_config", "strange_config"]


def test_values_come_through_calls_imports_and_registries(recipe: Path) -> None:
    config = load(recipe).configs[0]
    value = {key: written.value for key, written in config.written.items()}
    assert value["model.num_moe_experts"] == 128
    assert value["model.expert_model_parallel_size"] == 8
    assert value["model.moe_expert_capacity_factor"] == 1.5
    assert value["model.attention_backend"] == "flash"
    assert value["model.recompute_modules"] == ["moe_act", "layernorm"]
    assert value["mixed_precision.fp8"] == "hybrid"
    assert value["mixed_precision.modules"] == ["attn", "moe"]
    assert value["train.global_batch_size"] == 512
    assert value["env_vars.CUDA_DEVICE_MAX_CONNECTIONS"] == "1"
    assert (config.completeness, config.stated["gpus"], config.stated["gpu"]) == (
        "complete",
        (16, "config"),
        ("h100", "config"),
    )


def test_what_a_condition_outside_decides_is_unknown(recipe: Path) -> None:
    assert load(recipe).configs[0].written["model.moe_permute_fusion"].value is UNKNOWN


def test_a_model_that_nobody_knows_leaves_a_fragment(recipe: Path) -> None:
    config = load(recipe).configs[1]
    assert config.completeness == "fragment"
    assert config.written["model.moe_router_topk"].value == 4


def test_origins_and_places(recipe: Path) -> None:
    read_ = load(recipe)
    written = read_.configs[0].written
    setting = written["model.pipeline_model_parallel_size"].setting
    assert setting is not None
    text = read_.source.text
    assert text[setting.key_start : setting.key_end] == "pipeline_model_parallel_size"
    assert text[setting.value_start : setting.value_end] == "2"
    assert written["model.pipeline_model_parallel_size"].origin == "file"
    assert written["train.micro_batch_size"].origin == "inherited"
    assert written["model.num_layers"].origin == "model"


def test_edits_change_one_statement(recipe: Path) -> None:
    config = load(recipe).configs[0]
    document, text = config.document, config.document.source.text
    path = (config.name, "model", "pipeline_model_parallel_size")
    assert apply(text, document.set(path, 4)) == text.replace("parallel_size = 2  # two", "parallel_size = 4  # two")
    inserted = apply(text, document.insert((config.name, "model", "moe_permute_fusion"), True, path))
    assert "parallel_size = 2  # two stages\n    cfg.model.moe_permute_fusion = True\n" in inserted
    removed = apply(text, document.remove(path))
    assert removed == text.replace("    cfg.model.pipeline_model_parallel_size = 2  # two stages\n", "")


def test_a_value_computed_by_a_helper_is_overridden_where_the_config_ends(recipe: Path) -> None:
    config = load(recipe).configs[0]
    text = config.document.source.text
    changed = apply(text, config.document.set((config.name, "model", "expert_model_parallel_size"), 4))
    assert "    cfg.model.expert_model_parallel_size = 4\n    return cfg\n\n\ndef strange_config" in changed


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        pass",
        "x = 2 ** 10**9",
        "x = [0] * 10**12",
        "return loop_config()",
        "x = 1 / 0",
        "raise SystemExit",
    ],
)
def test_hostile_functions_end(tmp_path: Path, body: str) -> None:
    file = tmp_path / "x.py"
    file.write_text(
        f"import megatron.bridge\n\n\ndef loop_config():\n    {body}\n    return ConfigContainer(model=1, train=2)\n"
    )
    assert len(load(file).configs) <= 1


def test_broken_python_is_a_finding_with_a_place(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("import megatron.bridge\ndef a_config(:\n    pass\n")
    problem = load(file).problems[0]
    assert problem.kind == "syntax"


def test_other_python_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("print('hello')\n")
    assert load(file).skipped == "no recipe of Megatron Bridge or NeMo 2"


def test_an_official_recipe_that_is_not_in_the_checkout_comes_from_the_table(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from megatron.bridge.recipes.deepseek import deepseek_v3_pretrain_config\n\n\n"
        "def mine_config():\n    cfg = deepseek_v3_pretrain_config()\n    cfg.model.moe_router_topk = 4\n    return cfg\n"
    )
    config = load(file).configs[0]
    assert config.completeness == "complete"
    assert config.written["model.num_moe_experts"].value == 256
    assert config.written["model.num_moe_experts"].origin == "base"
    assert config.written["model.moe_router_topk"].origin == "file"


def test_a_base_makes_an_override_complete(tmp_path: Path) -> None:
    file = tmp_path / "over.yaml"
    file.write_text("# moelint: base=deepseek_v3_pretrain_config\nmodel:\n  expert_model_parallel_size: 32\n")
    config = load(file).configs[0]
    assert (config.completeness, config.stated["gpus"]) == ("complete", (1024, "config"))
    assert config.written["model.expert_model_parallel_size"].value == 32
    assert config.written["model.pipeline_model_parallel_size"].value == 16


def test_a_base_may_be_a_file_of_the_checkout_and_none_outside(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / ".git").mkdir()
    for name in ("in/base.yaml", "outside.yaml"):
        (tmp_path / name).write_text("model:\n  num_layers: 4\n  num_moe_experts: 8\n  expert_model_parallel_size: 2\n")
    for base, origin in (("base.yaml", "base"), ("../outside.yaml", None)):
        file = tmp_path / "in" / "over.yaml"
        file.write_text(f"# moelint: base={base}\nmodel:\n  expert_model_parallel_size: 4\n")
        found = load(file)
        layers = found.configs[0].written.get("model.num_layers")
        assert (layers.origin if layers else None) == origin
        assert bool(found.problems) == (origin is None)


def test_an_unknown_base_is_said_with_the_nearest_name(tmp_path: Path) -> None:
    file = tmp_path / "over.yaml"
    file.write_text("# moelint: base=deepseek_v3_pretrain_confg\nmodel:\n  expert_model_parallel_size: 4\n")
    assert "did you mean deepseek_v3_pretrain_config?" in load(file).problems[0].message


def test_a_number_in_the_environment_stays_a_number(recipe: Path) -> None:
    config = load(recipe).configs[0]
    text = config.document.source.text
    changed = apply(text, config.document.set((config.name, "env_vars", "CUDA_DEVICE_MAX_CONNECTIONS"), "32"))
    assert changed == text.replace('"CUDA_DEVICE_MAX_CONNECTIONS": 1}', '"CUDA_DEVICE_MAX_CONNECTIONS": 32}')


def test_fix_changes_the_assignment_and_nothing_else(tmp_path: Path) -> None:
    from moelint.cli import main

    file = tmp_path / "mine.py"
    before = (
        "from megatron.bridge.recipes.deepseek import deepseek_v3_pretrain_config\n\n\n"
        "def mine_config():\n    cfg = deepseek_v3_pretrain_config()  # the base\n"
        "    cfg.model.moe_shared_expert_overlap = True  # hides a little\n"
        "    cfg.comm_overlap.overlap_moe_expert_parallel_comm = True\n"
        "    cfg.model.virtual_pipeline_model_parallel_size = 4\n    return cfg\n"
    )
    file.write_text(before)
    with pytest.raises(SystemExit):
        main(["--no-config", "--select", "OVL004", "--fix", str(file)])
    assert file.read_text() == before.replace("overlap = True  # hides", "overlap = False  # hides")


def test_trees_of_files_that_were_read_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "MAX_CHARACTERS", 100)
    (tmp_path / "common.py").write_text("SIZE = 1\n" + "#" * 200)
    checkout = modules.Checkout(str(tmp_path), read)
    for number in range(20):
        file = tmp_path / f"recipe_{number}.py"
        file.write_text(f"from common import SIZE\nN = {number}\n")
        adopted = checkout.adopt(read(str(file)))
        assert adopted.source.text.endswith(f"{number}\n") and checkout.find("common") is not None
        texts = [text for text, _ in checkout._trees.values()]
        assert len(texts) == 1 or sum(map(len, texts)) <= 100
