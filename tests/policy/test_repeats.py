"""Configs that are alike get the verdicts that each would get alone."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from moelint.policy import evaluate as evaluating
from moelint.policy.evaluate import evaluate
from moelint.policy.load import Packs, load
from moelint.policy.names import keys

from .packs import effective
from .test_index import random_config, random_value


def shown(found: Any) -> Any:
    verdicts, undecided = found
    return [(v.rule.id, v.case, v.certainty, v.assumed, v.reads, v.scope.position) for v in verdicts], undecided


@pytest.mark.parametrize("trainer", ["bridge", "core", "lm"])
def test_near_configs(monkeypatch: pytest.MonkeyPatch, trainer: str) -> None:
    shipped, rng, names = load(cache=False), random.Random(trainer), keys()
    packs = Packs(shipped.blobs, shipped.sources, False)
    monkeypatch.setattr(evaluating, "_FEW", 0)
    alone = Packs(shipped.blobs, shipped.sources, False)
    hits = 0
    for n in range(12):
        base = random_config(rng, names)
        target = ({}, {"gpus": 16}, {"megatron-core": "0.16.1"}, {"gpus": 8, "gpu": "h100"})[n % 4]
        for _ in range(12):  # most differ from the first in one setting, of which many matter to nobody
            values = dict(base)
            for key in rng.sample(sorted(names), rng.randint(0, 2)):
                values[key] = random_value(rng, names[key])
            if values and rng.random() < 0.5:
                changed = rng.choice(sorted(values))
                values[changed] = random_value(rng, names.get(changed))
            make = partial(effective, {**values, "target": target}, trainer, ("complete", "standing", "fragment")[n % 3])
            before = len(packs.repeats.known) if packs.repeats else 0
            found = shown(evaluate(packs, make()))
            hits += len(packs.repeats.known) == before
            alone.evaluated = -1
            with monkeypatch.context() as patch:
                patch.setattr(evaluating, "_FEW", 10**9)
                assert shown(evaluate(alone, make())) == found
    assert hits > 5


def test_what_nobody_asks_for_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = load(cache=False)
    packs = Packs(shipped.blobs, shipped.sources, False)
    monkeypatch.setattr(evaluating, "_FEW", 0)
    for number in range(20):
        evaluate(packs, effective({"model.num_moe_experts": 8, "logger.wandb_project": f"run {number}", "logger.log_interval": number}))
    assert len(packs.repeats.known) <= 2
