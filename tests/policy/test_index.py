"""The watch index never changes what fires."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from moelint.policy.evaluate import evaluate
from moelint.policy.index import candidates
from moelint.policy.load import Packs, load
from moelint.policy.names import keys
from moelint.trainer.effective import Effective

from .packs import effective, load_only, rule, write_pack


@pytest.fixture(scope="module")
def packs() -> Packs:
    return load(cache=False)


def same(packs: Packs, make: Any) -> list[Any]:
    full, _ = evaluate(packs, make(), index=False)
    quick, _ = evaluate(packs, make())

    def shown(verdicts: list[Any]) -> list[Any]:
        return [(v.rule.id, v.case, v.certainty, v.assumed, v.reads) for v in verdicts]

    assert shown(quick) == shown(full)
    return shown(full)


def random_config(rng: random.Random, names: dict[str, Any]) -> dict[str, Any]:
    common = [
        "model.num_moe_experts",
        "model.expert_model_parallel_size",
        "model.tensor_model_parallel_size",
        "model.bf16",
        "model.pipeline_model_parallel_size",
        "model.moe_token_dispatcher_type",
        "model.recompute_granularity",
        "comm_overlap.overlap_moe_expert_parallel_comm",
        "model.moe_shared_expert_overlap",
        "model.num_layers",
        "model.moe_flex_dispatcher_backend",
        "model.cuda_graph_impl",
        "model.sequence_parallel",
        "mixed_precision",
    ]
    chosen = rng.sample(common, rng.randint(0, 8)) + rng.sample(sorted(names), rng.randint(0, 12))
    return {key: random_value(rng, names.get(key)) for key in chosen}


def random_value(rng: random.Random, info: Any) -> Any:
    if info is not None and info.choices and rng.random() < 0.8:
        value = rng.choice(info.choices)
        return [value] if info.type == "list" else value
    by_type = {
        "bool": [True, False],
        "int": [0, 1, 2, 3, 4, 8, 64, None],
        "float": [0, 0.001, 1.5],
        "list": [[], ["moe"], ["attn"]],
        "str": ["none", "flex", "full", "selective", "bf16", "alltoall", "8"],
    }
    return rng.choice(by_type.get(info.type if info is not None else "str", [None, True, 1, "x", ["x"]]))


@pytest.mark.parametrize("trainer", ["bridge", "core", "lm"])
def test_random_configs_fire_the_same_with_and_without(packs: Packs, trainer: str) -> None:
    rng, names, seen = random.Random(7), keys(), set()
    targets = [{}, {"gpus": 16}, {"gpus": 8, "gpu": "h100", "transformer-engine": "2.9"}, {"megatron-core": "0.16.1"}]
    for n in range(120):
        values = random_config(rng, names)
        completeness, target = ("complete", "standing", "fragment")[n % 3], targets[n % 4]
        make = partial(effective, {**values, "target": target}, trainer, completeness)
        seen |= {entry[0] for entry in same(packs, make)}
    assert len(seen) > 20


@pytest.mark.parametrize("trainer", ["bridge", "core", "lm"])
def test_watching_more_than_one_conjunct_hides_no_undecided_rule(
    packs: Packs, trainer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, names, fewer = random.Random(11), keys(), 0
    for n in range(60):
        values = {**random_config(rng, names), "target": ({}, {"gpus": 16}, {"megatron-core": "0.16.1"})[n % 3]}
        make = partial(effective, values, trainer, ("complete", "standing", "fragment")[n % 3])
        narrow, found = len(candidates(packs, make())), evaluate(packs, make())[1]
        with monkeypatch.context() as patch:
            patch.setattr("moelint.policy.index.knows_defaults", lambda effective: False)
            fewer += len(candidates(packs, make())) - narrow
            assert evaluate(packs, make())[1] == found
    assert fewer > 100


def test_an_empty_config_tries_next_to_nothing(packs: Packs) -> None:
    assert len(candidates(packs, effective({}))) < len(packs.cases) / 8


def test_writing_the_default_is_not_a_change(packs: Packs) -> None:
    default = effective({"model.moe_shared_expert_overlap": False, "model.tensor_model_parallel_size": 1})
    assert len(candidates(packs, default)) < len(packs.cases) / 8


CONDITIONS = [
    "model.moe_shared_expert_overlap",
    "not model.moe_shared_expert_overlap",
    "written(model.moe_shared_expert_overlap)",
    "written('comm_overlap')",
    "comm_overlap is None",
    "comm_overlap is not None",
    "mixed_precision.fp16",
    "model.fp16",
    "ep_overlap",
    "delay_wgrad",
    "model.expert_tensor_parallel_size == 4",
    "target.gpus == 16",
    "trainer == 'bridge'",
    "given.model.expert_tensor_parallel_size == 4",
    "env_vars.NCCL_IB_SL is None",
    "env_vars.NCCL_IB_SL == '1'",
    "complete",
    "dialect == 'bridge'",
    "changed(model.fp16)",
    "default(model.fp16) == False",
    "optimizer.optimizer == 'adam'",
    "model.multi_latent_attention",
    "len(stages) == 4",
    "edp == 2",
]
CONFIGS: list[dict[str, Any]] = [
    {},
    {"model.moe_shared_expert_overlap": True},
    {"model.moe_shared_expert_overlap": False},
    {"comm_overlap": {"overlap_moe_expert_parallel_comm": True}},
    {"comm_overlap.delay_wgrad_compute": False},
    {"mixed_precision": "fp16_mixed"},
    {"mixed_precision.fp16": True},
    {"model.fp16": True},
    {"optimizer.lr": 0.1},
    {"model.tensor_model_parallel_size": 4},
    {"model.expert_tensor_parallel_size": 4},
    {"env_vars.NCCL_IB_SL": "1"},
    {"model.multi_latent_attention": True},
    {"model.pipeline_model_parallel_size": 4, "model.num_layers": 8},
    {"model.overlap_moe_expert_parallel_comm": True, "model.num_moe_experts": 8},
    {"target.gpus": 16},
]


@pytest.mark.parametrize("trainer", ["bridge", "core", "lm"])
@pytest.mark.parametrize("completeness", ["complete", "standing", "fragment"])
def test_every_kind_of_conjunct(tmp_path: Path, trainer: str, completeness: str) -> None:
    text = "\n".join(
        rule(f"TST{n:03d}", "model.num_layers", when=f'["{condition}", model.hidden_size != 77]')
        for n, condition in enumerate(CONDITIONS)
    )
    mine = load_only(write_pack(tmp_path / "p", text))
    for values in CONFIGS:
        same(mine, lambda values=values: effective(values, trainer, completeness))
        with_old: list[Effective] = []

        def make(values: dict[str, Any] = values, made: list[Effective] = with_old) -> Effective:
            new = effective(values, trainer, completeness)
            new.before = effective({"model.fp16": True}, trainer, completeness)
            made.append(new)
            return new

        same(mine, make)


@pytest.mark.parametrize("first", [{"megatron-bridge": "main"}, {}])
def test_the_config_that_an_index_is_made_for_does_not_matter(first: dict[str, str]) -> None:
    """A release that is stated, and one that is assumed to be the same, share an index but not what rules say of it."""
    packs = load(cache=False)
    values = {
        "model.num_layers": 8, "model.num_moe_experts": 8, "model.tensor_model_parallel_size": 2,
        "model.expert_model_parallel_size": 8, "model.sequence_parallel": True,
    }
    fired = set()
    for stated in (first, {"megatron-bridge": "main"}, {}):
        make = partial(effective, {**values, "target": {"gpus": 8, **stated}}, "bridge", "standing")
        fired.add((bool(stated), any(entry[0] == "PAR040" for entry in same(packs, make))))
    assert fired == {(True, False), (False, True)}
