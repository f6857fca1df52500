"""Changing a command in its text: a value, a flag more, a flag less, another name."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from moelint.read.config import Config
from moelint.read.place import REMOVED, place, text_value
from moelint.text.document import EditError
from moelint.text.edits import apply
from moelint.text.shell.document import ShellDocument

from .conftest import values

Only = Callable[..., Config]


def change(config: Config, key: str, value: Any) -> str:
    """The text in which ``key`` is ``value``."""
    where = place(config, key, value)
    assert where is not None
    document, path, after = where
    assert isinstance(document, ShellDocument)
    text = text_value(config, key, value)
    if text is REMOVED:
        edits = document.remove(path) if path in document.settings else []
    elif path in document.settings:
        edits = document.set(path, text)
    else:
        edits = document.insert(path, text, after)
    return apply(document.source.text, edits)


COMMAND = """
#!/bin/bash
export NCCL_NVLS_ENABLE=0
TP=4
ARGS=(
  --num-layers 8      # small
  --hidden-size 64
  --sequence-parallel
  --moe-router-load-balancing-type aux_loss
)
EXTRA="--tensor-model-parallel-size $TP --expert-model-parallel-size 8"
torchrun pretrain_gpt.py ${ARGS[@]} $EXTRA \\
    --micro-batch-size 1 \\
    --moe-grouped-gemm \\
    --bf16
"""

CHANGES = [
    ("model.num_layers", 12, "  --num-layers 8      # small", "  --num-layers 12      # small"),
    ("train.micro_batch_size", 2, "--micro-batch-size 1 \\", "--micro-batch-size 2 \\"),
    ("model.expert_model_parallel_size", 4, "--expert-model-parallel-size 8", "--expert-model-parallel-size 4"),
    ("model.tensor_model_parallel_size", 2, "TP=4", "TP=2"),
    ("env_vars.NCCL_NVLS_ENABLE", "1", "NCCL_NVLS_ENABLE=0", "NCCL_NVLS_ENABLE=1"),
    ("model.moe_grouped_gemm", False, "    --moe-grouped-gemm \\\n", ""),
    ("model.bf16", False, "    --moe-grouped-gemm \\\n    --bf16\n", "    --moe-grouped-gemm\n"),
    ("model.sequence_parallel", False, "  --sequence-parallel\n", ""),
    (
        "model.moe_router_load_balancing_type",
        ["aux_loss", "seq_aux_loss"],
        "--moe-router-load-balancing-type aux_loss",
        "--moe-router-load-balancing-type aux_loss seq_aux_loss",
    ),
    ("model.moe_permute_fusion", True, "--moe-grouped-gemm \\\n", "--moe-grouped-gemm \\\n    --moe-permute-fusion \\\n"),
    ("model.moe_layer_freq", [0, 1], "--moe-grouped-gemm \\\n", "--moe-grouped-gemm \\\n    --moe-layer-freq '([0, 1])' \\\n"),
    ("model.hidden_dropout", 0.0, "--hidden-size 64\n", "--hidden-size 64\n  --hidden-dropout 0.0\n"),
    ("model.num_moe_experts", 8, "--num-layers 8      # small\n", "--num-layers 8      # small\n  --num-experts 8\n"),
    ("model.context_parallel_size", 2, None, None),
    ("env_vars.NVTE_FUSED_ATTN", "1", "NCCL_NVLS_ENABLE=0\n", "NCCL_NVLS_ENABLE=0\nexport NVTE_FUSED_ATTN=1\n"),
    ("model.masked_softmax_fusion", False, None, None),
]


@pytest.mark.parametrize(("key", "value", "old", "new"), CHANGES, ids=[f"{key}={value}" for key, value, _, _ in CHANGES])
def test_change(only: Only, key: str, value: Any, old: str | None, new: str | None) -> None:
    before = only(COMMAND)
    text = change(before, key, value)
    if old is not None and new is not None:
        assert text == COMMAND.replace(old, new), text
    after = only(text)
    expected = {**values(before), key: value}
    if value is False:  # written by leaving the flag out
        assert values(after).get(key, False) is False
        expected.pop(key)
    assert {k: v for k, v in values(after).items() if k in expected or k != key} == expected


LAYOUTS = [
    # one line
    ("python pretrain_gpt.py --num-layers 8 --hidden-size 64 --bf16\n", "--num-layers 8 --num-experts 8 --hidden-size"),
    # tabs, a blank behind the last flag
    ("python pretrain_gpt.py \\\n\t--num-layers 8 \\\n\t--hidden-size 64 \\\n\t--bf16 \n", "\t--num-layers 8 \\\n\t--num-experts 8 \\\n"),
    # the last line of a command
    ("python pretrain_gpt.py --bf16 --hidden-size 64 \\\n  --num-layers 8\n", "  --num-layers 8 \\\n  --num-experts 8\n"),
    # a backslash that nothing follows
    ("python pretrain_gpt.py --bf16 --hidden-size 64 \\\n  --num-layers 8 \\\n", "  --num-layers 8 \\\n  --num-experts 8 \\\n"),
    # an array in one line
    ("A=(--num-layers 8 --hidden-size 64)\npython pretrain_gpt.py ${A[@]} --bf16\n", "(--num-layers 8 --num-experts 8 --hidden-size"),
    # an array with continuations
    ("A=(\n  --num-layers 8 \\\n  --hidden-size 64 \\\n)\npython pretrain_gpt.py ${A[@]} --bf16\n", "  --num-layers 8 \\\n  --num-experts 8 \\\n"),
    # a text with continuations
    ('A="--hidden-size 64 \\\n  --num-layers 8 \\\n  --bf16"\npython pretrain_gpt.py $A --lr 1\n', "  --num-layers 8 \\\n  --num-experts 8 \\\n"),
    # windows line ends
    ("python pretrain_gpt.py \\\r\n  --num-layers 8 \\\r\n  --hidden-size 64 --bf16\r\n", "  --num-layers 8 \\\r\n  --num-experts 8 \\\r\n"),
]


@pytest.mark.parametrize(("script", "expected"), LAYOUTS, ids=range(len(LAYOUTS)))
def test_a_new_flag_keeps_the_layout(only: Only, script: str, expected: str) -> None:
    before = only(script)
    text = change(before, "model.num_moe_experts", 8)
    assert expected in text
    assert values(only(text)) == {**values(before), "model.num_moe_experts": 8}


REMOVALS = [
    ("python pretrain_gpt.py --num-layers 8 --hidden-size 64 --bf16\n", "python pretrain_gpt.py --num-layers 8 --bf16\n"),
    ("python pretrain_gpt.py \\\n  --num-layers 8 \\\n  --hidden-size 64 --bf16\n", "python pretrain_gpt.py \\\n  --num-layers 8 \\\n  --bf16\n"),
    ("python pretrain_gpt.py --num-layers 8 \\\n  --bf16 \\\n  --hidden-size 64\n", "python pretrain_gpt.py --num-layers 8 \\\n  --bf16\n"),
    ("python pretrain_gpt.py --num-layers 8 \\\n  --bf16 \\\n  --hidden-size 64 \\\n", "python pretrain_gpt.py --num-layers 8 \\\n  --bf16 \\\n"),
    ("A=(\n  --num-layers 8\n  --hidden-size 64 # w\n)\npython pretrain_gpt.py ${A[@]} --bf16\n", "A=(\n  --num-layers 8\n)\npython pretrain_gpt.py ${A[@]} --bf16\n"),
    ('H=64\npython pretrain_gpt.py --num-layers 8 --hidden-size "$H" --bf16\n', "H=64\npython pretrain_gpt.py --num-layers 8 --bf16\n"),
    ("python pretrain_gpt.py --num-layers 8 --hidden-size=64 --bf16\n", "python pretrain_gpt.py --num-layers 8 --bf16\n"),
]


@pytest.mark.parametrize(("script", "expected"), REMOVALS, ids=range(len(REMOVALS)))
def test_remove(only: Only, script: str, expected: str) -> None:
    config = only(script)
    assert apply(script, config.document.remove(("--hidden-size",))) == expected


def test_a_shared_variable_is_left_alone(only: Only) -> None:
    script = "N=4\npython pretrain_gpt.py --num-layers 8 --hidden-size 64 --tensor-model-parallel-size $N --pipeline-model-parallel-size $N\n"
    text = change(only(script), "model.tensor_model_parallel_size", 2)
    assert text == script.replace("--tensor-model-parallel-size $N", "--tensor-model-parallel-size 2")


def test_a_default_of_a_variable_is_changed_where_it_stands(only: Only) -> None:
    script = "TP=${TP:-4}\npython pretrain_gpt.py --num-layers 8 --hidden-size 64 --tensor-model-parallel-size ${TP}\n"
    assert change(only(script), "model.tensor_model_parallel_size", 2) == script.replace(":-4", ":-2")


def test_rename(only: Only) -> None:
    script = "python pretrain_gpt.py --num-layers 8 --hidden-size 64 --moe-enable-deepep\n"
    edits = only(script).document.rename(("--moe-enable-deepep",), "--moe-permute-fusion")
    assert apply(script, edits) == script.replace("--moe-enable-deepep", "--moe-permute-fusion")


def test_overrides(only: Only) -> None:
    script = dedent(
        """\
        python run_recipe.py --recipe x_config \\
            model.tensor_model_parallel_size=2 \\
            +model.moe_router_dtype=fp32
        """
    )
    config = only(script)
    assert change(config, "model.tensor_model_parallel_size", 4) == script.replace("size=2", "size=4")
    text = change(config, "comm_overlap.overlap_moe_expert_parallel_comm", True)
    assert text == script.replace("fp32\n", "fp32 \\\n    comm_overlap.overlap_moe_expert_parallel_comm=true\n")
    assert apply(script, config.document.remove(("model", "moe_router_dtype"))) == script.replace(" \\\n    +model.moe_router_dtype=fp32", "")
    edits = config.document.rename(("model", "moe_router_dtype"), "moe_router_topk")
    assert apply(script, edits) == script.replace("moe_router_dtype", "moe_router_topk")


def test_new_fields_of_verl_get_their_plus(only: Only) -> None:
    script = (
        "python -m verl.trainer.main_ppo \\\n"
        "    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 \\\n"
        "    +actor_rollout_ref.actor.megatron.override_transformer_config.moe_router_dtype=fp32\n"
    )
    text = change(only(script), "model.moe_permute_fusion", True)
    assert text.endswith(" \\\n    +actor_rollout_ref.actor.megatron.override_transformer_config.moe_permute_fusion=true\n")


def test_swift_flags(only: Only) -> None:
    script = "megatron sft \\\n    --model Qwen/Qwen3-30B-A3B \\\n    --moe_permute_fusion false \\\n    --max_length 4096\n"
    config = only(script)
    assert change(config, "model.moe_permute_fusion", True) == script.replace("false", "true")
    text = change(config, "model.moe_grouped_gemm", True)
    assert text == script.replace("false \\\n", "false \\\n    --moe_grouped_gemm true \\\n")


def test_what_cannot_be_written_is_said(only: Only) -> None:
    config = only("X=--num-layers; python pretrain_gpt.py $X 8 --hidden-size 64 --micro-batch-size 1\n")
    with pytest.raises(EditError):
        config.document.remove(("--nothing",))
    with pytest.raises(EditError):
        config.document.remove(("--num-layers",))
