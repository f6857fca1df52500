"""The Python API on paths, dicts and live objects. Nothing of a trainer is installed: objects count by their shape."""

from __future__ import annotations

import doctest
import enum
import subprocess
import sys
from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import moelint
from moelint import preflight
from moelint.objects import live, plain


class Scope(enum.Enum):
    attn = 1


class DType:
    def __repr__(self) -> str:
        return "torch.bfloat16"


def silu(x: float) -> float:
    return x


@dataclass
class TransformerConfig:
    num_layers: int = 48
    hidden_size: int = 2048
    num_attention_heads: int = 32
    tensor_model_parallel_size: int = 1
    pipeline_model_parallel_size: int = 1
    expert_model_parallel_size: int = 8
    num_moe_experts: int | None = 64
    moe_router_topk: int = 8
    moe_token_dispatcher_type: str = "alltoall"
    moe_shared_expert_overlap: bool = False
    moe_shared_expert_intermediate_size: int | None = None
    overlap_moe_expert_parallel_comm: bool = False
    bf16: bool = True
    add_bias_linear: bool = False
    params_dtype: Any = field(default_factory=DType)
    activation_func: Any = silu
    attention_backend: Any = Scope.attn
    init_method: Any = None


@dataclass
class GPTModelProvider(TransformerConfig):
    seq_length: int = 4096
    vocab_size: int = 151936


@dataclass
class CommOverlapConfig:
    tp_comm_overlap: bool = False
    overlap_moe_expert_parallel_comm: bool | None = None
    delay_wgrad_compute: bool | None = None
    _private: object = None


@dataclass
class TrainingConfig:
    micro_batch_size: int = 1
    global_batch_size: int = 64


@dataclass
class OptimizerConfig:
    lr: float = 1e-4
    use_distributed_optimizer: bool = True
    bf16: bool = True


@dataclass
class DistributedDataParallelConfig:
    use_distributed_optimizer: bool = True


@dataclass
class ConfigContainer:
    model: Any
    train: TrainingConfig = field(default_factory=TrainingConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    ddp: DistributedDataParallelConfig = field(default_factory=DistributedDataParallelConfig)
    comm_overlap: CommOverlapConfig | None = None
    mixed_precision: Any = "bf16_mixed"


def container(**model: Any) -> ConfigContainer:
    overlap = CommOverlapConfig(overlap_moe_expert_parallel_comm=True)
    return ConfigContainer(GPTModelProvider(**model), comm_overlap=overlap)


SHARED = {"moe_shared_expert_overlap": True, "moe_shared_expert_intermediate_size": 768}
TARGET = {"gpu": "h100", "gpus": 64, "target": {"transformer-engine": "2.9", "torch": "2.9"}}


def test_doctests() -> None:
    assert doctest.testmod(preflight).failed == 0


def test_a_live_config_container() -> None:
    assert moelint.check(container(), **TARGET).ok
    result = moelint.check(container(**SHARED), **TARGET)
    assert [finding.rule for finding in result.errors] == ["OVL004"]
    finding = result.errors[0]
    assert (finding.key, finding.certainty, finding.place.path) == (
        "model.moe_shared_expert_overlap",
        "certain",
        "<ConfigContainer>",
    )


def test_fixing_a_live_config_container_sets_its_attributes() -> None:
    config = container(**SHARED)
    dry = moelint.fix(config, write=False, **TARGET)
    assert dry.changes == {"model.moe_shared_expert_overlap": False} and config.model.moe_shared_expert_overlap is True
    done = moelint.fix(config, **TARGET)
    assert done.config is config and config.model.moe_shared_expert_overlap is False
    assert done.changes == dry.changes and done.result.ok and not done.removed
    assert moelint.check(config, **TARGET).ok


def test_a_live_transformer_config() -> None:
    assert moelint.check(TransformerConfig(), **TARGET).ok
    config = TransformerConfig(**SHARED, overlap_moe_expert_parallel_comm=True)
    result = moelint.check(config, **TARGET)
    assert [finding.rule for finding in result.errors] == ["OVL004"] and result.errors[0].certainty == "certain"
    moelint.fix(config, **TARGET)
    assert config.moe_shared_expert_overlap is False


def test_a_namespace_of_megatron_lm() -> None:
    args = Namespace(
        num_layers=48, hidden_size=2048, num_attention_heads=32, num_experts=64, moe_router_topk=8, bf16=True,
        micro_batch_size=1, global_batch_size=64, tensor_model_parallel_size=1, pipeline_model_parallel_size=1,
        expert_model_parallel_size=8, moe_token_dispatcher_type="alltoall", add_bias_linear=False, seq_length=4096,
        max_position_embeddings=4096, moe_shared_expert_overlap=True, moe_shared_expert_intermediate_size=768,
        overlap_moe_expert_parallel_comm=True, moe_grouped_gemm=True, swiglu=True, normalization="RMSNorm",
    )  # fmt: skip
    result = moelint.check(args, **TARGET)
    assert "OVL004" in [finding.rule for finding in result.errors]
    moelint.fix(args, **TARGET)
    assert args.moe_shared_expert_overlap is False
    assert "OVL004" not in [finding.rule for finding in moelint.check(args, **TARGET).errors]


def test_dicts_in_three_shapes() -> None:
    fields = {"num_moe_experts": 8, "expert_model_parallel_size": 3}
    for config in (fields, {"model": fields}, {f"model.{key}": value for key, value in fields.items()}):
        result = moelint.check(config, complete=True, gpus=6)
        assert "PAR003" in [finding.rule for finding in result.errors], config


def test_a_dict_is_partial_unless_it_says_otherwise() -> None:
    config = {"model": {"overlap_moe_expert_parallel_comm": True}}
    assert not moelint.check(config).errors, "nothing is known of the rest"
    assert "OVL001" in [finding.rule for finding in moelint.check(config, complete=True).errors]


def test_fixing_a_dict_leaves_the_given_one_alone() -> None:
    config = {"model.num_moe_experts": 64, "model.expert_model_parallel_size": 8, "model.bf16": True, **{f"model.{k}": v for k, v in SHARED.items()},
              "comm_overlap.overlap_moe_expert_parallel_comm": True, "model.moe_token_dispatcher_type": "alltoall"}  # fmt: skip
    before = dict(config)
    done = moelint.fix(config, complete=True, **TARGET)
    assert config == before and done.config["model.moe_shared_expert_overlap"] is False
    assert set(done.config) == set(config), "keys keep their spelling"


def test_paths(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "model:\n  num_layers: 2\n  num_moe_experts: 8\n  bf16: true\n  fp16: true # no\n", encoding="utf-8"
    )
    for config in (path, str(path), [str(path)], tmp_path):
        assert [finding.rule for finding in moelint.check(config).errors] == ["PRC001"]
    with pytest.raises(moelint.MoelintError, match="PRC001") as raised:
        moelint.check(path).raise_for("error")
    assert raised.value.result.errors and moelint.check(path).to_dict()["summary"]["errors"] == 1
    missing = moelint.check(tmp_path / "nothing.yaml")
    assert not missing.ok and "nothing.yaml" in str(missing)


def test_environment_is_known_only_where_it_is_given() -> None:
    config = {"model": {"num_moe_experts": 8, "cuda_graph_impl": "transformer_engine"}}
    item = live(config, {"NCCL_GRAPH_REGISTER": "0"})
    assert item.text.endswith("env_vars:\n  NCCL_GRAPH_REGISTER: '0'\n")
    assert preflight._relevant({"NCCL_DEBUG": "INFO", "AWS_SECRET_ACCESS_KEY": "x"}) == {"NCCL_DEBUG": "INFO"}


class Broken:
    @property
    def num_layers(self) -> int:
        raise RuntimeError("not yet")


@pytest.mark.parametrize(
    "config", [None, 3, object(), Broken(), {}, {1: 2}, {"a": 1}, [], [1], {"a.b": 1, "a": 2}.keys(), len]
)
def test_what_is_no_config_is_one_clear_line(config: Any) -> None:
    with pytest.raises(moelint.UsageError) as raised:
        moelint.check(config)
    assert "\n" not in str(raised.value) and "no training config" in str(raised.value)


def test_options_that_mean_nothing() -> None:
    config = {"model": {"num_layers": 2}}
    for options in (
        {"select": ["OVL9"]},
        {"target": {"megatron-brigde": "0.6"}},
        {"gpu": "h10"},
        {"policies": ["nowhere"]},
    ):
        with pytest.raises(moelint.UsageError):
            moelint.check(config, **options)  # type: ignore[arg-type]


def test_values_of_live_objects() -> None:
    assert plain(Scope.attn) == "attn" and plain(DType()) == "torch.bfloat16" and plain(silu) == "silu"
    assert plain((1, [Scope.attn])) == [1, ["attn"]] and plain({"a": {3}}) == {"a": [3]}
    text = live(TransformerConfig()).text
    assert "init_method" not in text and "_private" not in live(container()).text


def test_importing_moelint_imports_nothing_else() -> None:
    code = "import sys, moelint; moelint.__version__; print('moelint.preflight' in sys.modules, hasattr(moelint, 'nothing'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
