"""Text that reads as another type, and settings at the wrong level: named in each dialect where they bite, and only there."""

from __future__ import annotations

import pytest

from moelint.read.configs import ReadOptions
from moelint.read.files import read_file
from moelint.text.edits import apply
from moelint.text.source import Source
from moelint.trainer.effective import Effective
from moelint.trainer.keys import check
from moelint.trainer.target import resolve

NEMO = "policy:\n  megatron_cfg:\n    enabled: true\n"
PRIMUS = "modules:\n  pre_trainer:\n    framework: megatron\n    overrides:\n"
VERL = "actor_rollout_ref:\n  actor:\n    strategy: megatron\n    megatron:\n"
ROLL = "actor_train:\n  strategy_args:\n    strategy_name: megatron_train\n    strategy_config:\n"
SWIFT = "megatron_args: {}\n"


def problems(text):
    """[(rule, canonical key, what the fix sets)] of the keys and values of every config in a text."""
    out = []
    for config in read_file(Source("x.yaml", text), ReadOptions(named=True)).configs:
        for problem in check(Effective(config, resolve(config))):
            out.append((problem.rule, problem.key, dict(problem.sets), problem.safety))
    return out


def astray(text):
    return [
        problem
        for config in read_file(Source("x.yaml", text), ReadOptions(named=True)).configs
        for problem in config.problems
        if problem.kind == "astray"
    ]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (NEMO + '    tensor_model_parallel_size: "2"\n', "model.tensor_model_parallel_size", 2),
        (NEMO + '    recompute_granularity: "None"\n', "model.recompute_granularity", None),
        (VERL + '      expert_model_parallel_size: "8"\n', "model.expert_model_parallel_size", 8),
        (ROLL + '      pipeline_model_parallel_size: "2"\n', "model.pipeline_model_parallel_size", 2),
        (PRIMUS + "      lr: 1e-4\n", "optimizer.lr", 0.0001),
        (PRIMUS + "      moe_aux_loss_coeff: 1e-3\n", "model.moe_aux_loss_coeff", 0.001),
        (PRIMUS + '      tensor_model_parallel_size: "2"\n', "model.tensor_model_parallel_size", 2),
    ],
)
def test_text_where_the_trainer_wants_another_type(text, key, value):
    assert problems(text) == [("KEY005", key, {key: value}, "safe")]


@pytest.mark.parametrize(
    "text",
    [
        NEMO + "    optimizer:\n      lr: 1e-4\n",  # OmegaConf reads a number
        VERL + "      override_transformer_config:\n        moe_aux_loss_coeff: 1e-3\n",
        PRIMUS + "      lr: 1.0e-4\n",
        PRIMUS + "      lr: ${PRIMUS_LR:1e-4}\n",  # Primus turns what it fills in into a number
        PRIMUS + '      moe_layer_freq: "([0]*1+[1]*26)"\n',
        PRIMUS + "      moe_router_load_balancing_type: seq_aux_loss\n",
        "MODEL_ARGS:\n  --lr: 1e-4\n  --num-layers: '4'\n  --hidden-size: 8\n",  # a parser stands behind
    ],
)
def test_no_alarm_where_the_text_is_read_as_meant(text):
    assert [problem for problem in problems(text) if problem[0] == "KEY005"] == []


def test_a_text_that_counts_as_true_is_left_to_the_author():
    found = problems(PRIMUS + '      use_distributed_optimizer: "false"\n')
    assert [(rule, safety) for rule, _, _, safety in found] == [("KEY005", "unsafe")]


@pytest.mark.parametrize(
    ("text", "key", "repaired"),
    [
        (
            "policy:\n  expert_model_parallel_size: 8\n  megatron_cfg:\n    enabled: true\n",
            "model.expert_model_parallel_size",
            "policy:\n  megatron_cfg:\n    enabled: true\n    expert_model_parallel_size: 8\n",
        ),
        (
            NEMO + "    moe_router_topk: 4\n",
            "model.moe_router_topk",
            NEMO + "    model_overrides:\n      moe_router_topk: 4\n",
        ),
        (
            PRIMUS + "      lr: 0.1\n    expert_model_parallel_size: 8\n",
            "model.expert_model_parallel_size",
            PRIMUS + "      lr: 0.1\n      expert_model_parallel_size: 8\n",
        ),
    ],
)
def test_a_setting_at_the_wrong_level_is_moved(text, key, repaired):
    (problem,) = astray(text)
    assert list(problem.sets) == [key]
    assert apply(text, problem.edits) == repaired


def test_nothing_is_moved_over_what_stands_there():
    text = "policy:\n  expert_model_parallel_size: 8\n  megatron_cfg:\n    enabled: true\n    expert_model_parallel_size: 4\n"
    (problem,) = astray(text)
    assert problem.edits == []
