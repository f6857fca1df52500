"""Configs that are alike get the verdicts that each would get alone."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from moelint.lang.template import render
from moelint.policy import evaluate as evaluating
from moelint.policy import remembered
from moelint.policy.evaluate import evaluate
from moelint.policy.load import Packs, load
from moelint.policy.names import keys
from moelint.trainer import ways

from .packs import effective
from .test_index import random_config, random_value


def shown(found: Any) -> Any:
    verdicts, undecided = found
    return [(v.rule.id, v.case, v.certainty, v.assumed, v.reads, v.scope.position) for v in verdicts], undecided


TARGETS: list[dict[str, Any]] = [
    {}, {"gpus": 16}, {"megatron-core": "0.16.1"}, {"gpus": 8, "gpu": "h100"}, {"gpus": 64, "gpu": "gb200", "transformer-engine": "2.9"},
]  # fmt: skip
MODEL = {
    "model.num_layers": 48, "model.hidden_size": 2048, "model.num_attention_heads": 32, "model.num_moe_experts": 128,
    "model.moe_router_topk": 8, "model.moe_ffn_hidden_size": 768, "model.moe_grouped_gemm": True, "model.bf16": True,
    "train.micro_batch_size": 1, "train.global_batch_size": 512, "dataset.seq_length": 4096,
}  # fmt: skip
SIZES: dict[str, list[Any]] = {
    "model.num_layers": [32, 48, 64], "model.hidden_size": [1024, 2048], "model.expert_model_parallel_size": [1, 4, 8],
    "model.pipeline_model_parallel_size": [1, 2, 4], "train.global_batch_size": [256, 512], "train.micro_batch_size": [1, 2, 4],
    "model.recompute_granularity": [None, "full", "selective"], "model.moe_shared_expert_overlap": [True, False],
    "optimizer.use_precision_aware_optimizer": [True, False], "comm_overlap.overlap_moe_expert_parallel_comm": [True, False],
}  # fmt: skip


class Both:
    """The same config judged alone and by what is known of the configs before it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        shipped = load(cache=False)
        self.packs, self.alone = (Packs(shipped.blobs, shipped.sources, False) for _ in range(2))
        self.monkeypatch = monkeypatch
        monkeypatch.setattr(remembered, "IDLE", 0)
        monkeypatch.setattr(remembered, "AFTER", 10**9)
        self.tried = 0
        real = remembered._try

        def counted(*given: Any) -> Any:
            self.tried += 1
            return real(*given)

        monkeypatch.setattr(remembered, "_try", counted)

    def check(self, make: Any) -> Any:
        with self.monkeypatch.context() as patch:
            patch.setattr(evaluating, "_FEW", 0)
            config = make()
            found = evaluate(self.packs, config)
        with self.monkeypatch.context() as patch:
            patch.setattr(evaluating, "_FEW", 10**9)
            other = make()
            wanted = evaluate(self.alone, other)
        assert shown(found) == shown(wanted)
        for mine, its in zip(found[0], wanted[0], strict=True):  # what messages will read
            assert render(mine.message, mine.scope) == render(its.message, its.scope)
        return shown(found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("trainer", ["bridge", "core", "lm"])
def test_near_configs(monkeypatch: pytest.MonkeyPatch, trainer: str, seed: int) -> None:
    rng, names = random.Random(f"{trainer}{seed}"), keys()
    monkeypatch.setattr(remembered, "WATCHED", 3)
    both = Both(monkeypatch)
    tried = []
    for n in range(5):
        base = {**(MODEL if n % 2 else {}), **random_config(rng, names)}
        for _ in range(16):  # most differ from the first in one setting, of which many matter to nobody
            values = dict(base)
            for key in rng.sample(sorted(names), rng.randint(0, 2)):
                values[key] = random_value(rng, names[key])
            for key in rng.sample(sorted(SIZES), rng.randint(0, 3)):
                values[key] = rng.choice(SIZES[key])
            if values and rng.random() < 0.5:
                changed = rng.choice(sorted(values))
                values[changed] = random_value(rng, names.get(changed))
            target = rng.choice(TARGETS) if rng.random() < 0.3 else TARGETS[n % len(TARGETS)]
            completeness = ("complete", "standing", "fragment")[n % 3]
            before = both.tried
            both.check(partial(effective, {**values, "target": target}, trainer, completeness))
            tried.append(both.tried - before)
    assert sum(tried[3:]) < len(tried) * max(tried) / 2


def test_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Same keys, other sizes: the usual folder. Cases are bundled, figures of the walls tell the rest apart."""
    rng = random.Random(5)
    monkeypatch.setattr(remembered, "WATCHED", 4)
    both, fired = Both(monkeypatch), set()
    every = {key: choices[0] for key, choices in SIZES.items()}
    for number in range(150):
        values = {**MODEL, **every, **{key: rng.choice(choices) for key, choices in SIZES.items()}, "optimizer.lr": number / 1e4}
        target = {"gpus": 64, "gpu": "h100"} if number % 7 else {"gpus": 32, "gpu": "gb200"}
        verdicts, _ = both.check(partial(effective, {**values, "target": target}))
        fired |= {entry[0] for entry in verdicts}
    kinds = list(both.packs.remembered.values())
    plans = [plan for kind in kinds for plan in kind.plans.values()]
    assert any(plan.bundle is not None and len(plan.rest) < len(plan.cases) / 2 for plan in plans)
    assert len(fired) > 10 and any(rule.startswith("MEM") for rule in fired)


def test_a_bundle_sees_what_changes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "WATCHED", 2)
    both = Both(monkeypatch)
    for number in range(12):
        values = {**MODEL, "model.moe_shared_expert_overlap": True, "comm_overlap.overlap_moe_expert_parallel_comm": True}
        values["optimizer.lr"] = number / 100
        if number >= 8:
            values["model.moe_router_topk"] = number
        both.check(partial(effective, values))


def test_numbers_and_truth_values_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(monkeypatch)
    for value in (1, True, 1.0, "1", False, 0, None, [1], [True]):
        for key in ("model.num_moe_experts", "model.expert_model_parallel_size", "model.moe_shared_expert_overlap"):
            both.check(partial(effective, {**MODEL, key: value}))


def test_what_nobody_asks_for_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(monkeypatch)
    tried = []
    for number in range(6):
        values = {**MODEL, "logger.wandb_project": f"run {number}", "logger.log_interval": number}
        both.check(partial(effective, values))
        tried.append(both.tried)
    assert tried[0] == tried[-1] > 0


def test_a_case_that_is_never_known_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "TRIALS", 5)
    both = Both(monkeypatch)
    for number in range(20):
        both.check(partial(effective, {"train.train_iters": number, "train.train_samples": number, "model.num_moe_experts": 8}))
    assert both.tried < 20 * 5


@pytest.mark.parametrize("name", ["KINDS", "TARGETS", "PLANS", "SETTINGS"])
def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(remembered, name, 2)
    monkeypatch.setattr(ways, "MOST_WAYS", 1)
    monkeypatch.setattr(ways, "MOST_VALUES", 2)
    both, rng = Both(monkeypatch), random.Random(name)
    for number in range(24):
        values = {**MODEL, **{key: rng.choice(choices) for key, choices in SIZES.items() if rng.random() < 0.6}}
        both.check(partial(effective, values, ("bridge", "core", "lm")[number % 3], ("complete", "standing")[number % 2]))
    assert name != "KINDS" or len(both.packs.remembered) <= 2
    for kind in both.packs.remembered.values():
        assert all(len(answers) <= 2 for case in kind.cases.values() for _, answers, _ in case.all)


def test_configs_of_which_no_two_are_alike_are_judged_the_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    both, rng, names = Both(monkeypatch), random.Random(1), keys()
    monkeypatch.setattr(remembered, "AFTER", 4)
    told, model = [], sorted(key for key in names if key.startswith("model.") and key.count(".") == 1)
    for _ in range(30):
        values = {key: random_value(rng, names[key]) for key in rng.sample(model, 40)}
        before = both.tried
        both.check(partial(effective, {**values, "model.num_layers": 4}, "core"))
        told.append(both.tried > before)
    assert all(told[:4]) and sum(told) < 20


def test_the_first_of_a_kind_are_judged_the_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(monkeypatch)
    monkeypatch.setattr(remembered, "IDLE", 3)
    tried = []
    for number in range(5):
        both.check(partial(effective, {**MODEL, "optimizer.lr": number}))
        tried.append(both.tried)
    assert tried[2] == 0 < tried[3] == tried[4]


def test_all_that_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "MOST_HELD", 20_000)
    both = Both(monkeypatch)
    most = 0
    for number in range(40):
        values = {**MODEL, "model.hidden_size": 64 * number, "model.num_layers": 4 * number + 4, "optimizer.lr": number / 7}
        both.check(partial(effective, {**values, "target": {"gpus": 8, "gpu": "h100"}}))
        kept = [kind for kind in both.packs.remembered.values()]
        most = max(most, sum(len(answers) for kind in kept for case in kind.cases.values() for _, answers, _ in case.all))
    assert 0 < most < 1_000
    assert ways.held < 20_000 + 15_000  # what one config adds


def test_long_texts_count_as_what_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(monkeypatch)
    both.check(partial(effective, {**MODEL, "logger.wandb_project": "first"}))
    for text in ("0123456789" * 100_000, "9876543210" * 100_000):
        before = ways.held
        both.check(partial(effective, {**MODEL, "logger.wandb_project": text}))
        assert ways.held - before > len(text) / 8
