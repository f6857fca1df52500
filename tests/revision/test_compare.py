"""``moelint compare``: what differs, what is under test, what breaks comparability, and the way back."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from .conftest import BASE, BROKEN_PAIR, OVERLAP, Repo

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "schemas/compare.schema.json").read_text(encoding="utf-8"))
RECIPE = "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"


def compared(repo: Repo, a: str, b: str, *words: str) -> tuple[int, dict[str, object]]:
    found = repo.moelint("compare", a, b, "--format", "json", *words)
    jsonschema.validate(found.json, SCHEMA)
    return found.code, found.json


@pytest.mark.parametrize(
    ("text", "code", "variable", "breaks"),
    [
        (BASE, 0, None, []),
        ("# another comment\n" + BASE, 0, None, []),
        (BASE.replace("tensor_model_parallel_size: 1", "tensor_model_parallel_size: 2").replace("bf16: true", "bf16: true\n  sequence_parallel: true"), 0, "parallelism", []),
        (BASE + OVERLAP, 0, "overlap", []),
        (BASE.replace("alltoall", "allgather"), 0, "dispatcher", []),
        (BASE.replace("bf16: true", "bf16: true\n  recompute_granularity: selective"), 0, "recompute", []),
        (BASE.replace("micro_batch_size: 1", "micro_batch_size: 2"), 0, "batch", []),
        (BASE.replace("gpu=h100", "gpu=h200"), 0, "hardware", []),
        (BASE.replace("torch=2.9", "torch=2.8"), 0, "software", []),
        (BASE.replace("global_batch_size: 512", "global_batch_size: 1024"), 1, None, ["batch: train.global_batch_size"]),
        (BASE.replace("moe_router_topk: 8", "moe_router_topk: 4"), 1, None, ["data and routing: model.moe_router_topk"]),
        (BASE.replace("num_layers: 48", "num_layers: 24"), 1, None, ["model: model.num_layers"]),
        (BASE.replace("alltoall", "allgather").replace("bf16: true", "bf16: true\n  recompute_granularity: selective"), 1, None, []),
        (BROKEN_PAIR, 1, None, ["B does not run: OVL004"]),
    ],
)
def test_the_one_variable(repo: Repo, text: str, code: int, variable: str | None, breaks: list[str]) -> None:
    repo.write("a.yaml", BASE)
    repo.write("b.yaml", text)
    got, found = compared(repo, "a.yaml", "b.yaml")
    assert (got, found["variable"]) == (code, variable)
    assert len(found["breaks"]) == len(breaks) and all(one.startswith(two) for one, two in zip(found["breaks"], breaks, strict=True))  # type: ignore[arg-type, call-overload]
    assert found["comparable"] is (code == 0)
    assert compared(repo, "b.yaml", "a.yaml")[0] == code, "it does not matter which is called A"


def test_what_follows_is_told_from_what_was_changed(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.write("b.yaml", BASE + OVERLAP)
    rows = {row["key"]: row for row in compared(repo, "a.yaml", "b.yaml")[1]["differences"]}  # type: ignore[attr-defined]
    assert rows["comm_overlap.overlap_moe_expert_parallel_comm"]["cause"] is True
    follows = rows["model.overlap_moe_expert_parallel_comm"]
    assert follows["cause"] is False and follows["b"] == {"value": True, "origin": "rewritten"}
    text = repo.moelint("compare", "a.yaml", "b.yaml").out
    assert "A matched A/B: the one variable is overlap." in text and "follows" in text and "memory, fullest stage" in text
    assert len(text.splitlines()) < 40


def test_a_spelled_out_default_is_no_difference(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.write("b.yaml", BASE.replace("bf16: true", "bf16: true\n  moe_aux_loss_coeff: 0.0\n  recompute_granularity: null"))
    assert compared(repo, "a.yaml", "b.yaml")[1]["differences"] == []


def test_revisions_recipes_and_several_configs(repo: Repo) -> None:
    repo.write("conf/a.yaml", BASE)
    repo.commit()
    repo.write("conf/a.yaml", BASE + OVERLAP)
    assert compared(repo, "HEAD:conf/a.yaml", "conf/a.yaml")[1]["variable"] == "overlap"
    assert compared(repo, ":conf/a.yaml", "conf/a.yaml")[1]["variable"] == "overlap"
    code, found = compared(repo, RECIPE, RECIPE)
    assert code == 0 and found["variable"] is None and found["walls"]
    repo.write("own.yaml", f"# moelint: base={RECIPE}\nmodel:\n  expert_model_parallel_size: 8\n")
    code, found = compared(repo, RECIPE, "own.yaml")
    assert code == 0 and found["variable"] == "parallelism"


def test_walls_side_by_side(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.write("b.yaml", BASE.replace("expert_model_parallel_size: 8", "expert_model_parallel_size: 16"))
    walls = {row["figure"]: row for row in compared(repo, "a.yaml", "b.yaml")[1]["walls"]}  # type: ignore[attr-defined]
    row = walls["communication.ep_ms_per_layer"]
    assert row["b"] > row["a"] and row["change"] == pytest.approx(row["b"] - row["a"])


def test_markdown_is_a_table_with_details_folded(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.write("b.yaml", BASE + OVERLAP)
    text = repo.moelint("compare", "a.yaml", "b.yaml", "--format", "markdown").out
    assert text.startswith("### 🟢 A matched A/B: the one variable is overlap.")
    assert "| Section | Setting | A | B |" in text and text.count("<details>") == text.count("</details>") == 1


@pytest.mark.parametrize(
    "text",
    [
        BASE + OVERLAP,
        BASE.replace("alltoall", "flex").replace("  moe_router_dtype: fp32\n", "") + OVERLAP,
        BASE.replace("train:\n  micro_batch_size: 1\n", "train:\n  micro_batch_size: 4\n"),
        BASE.replace("bf16: true", "bf16: true\n  recompute_granularity: selective\n  recompute_modules: [moe_act, layernorm]"),
    ],
)
def test_rollback_takes_b_back_to_a(repo: Repo, text: str) -> None:
    repo.write("a.yaml", BASE)
    repo.write("b.yaml", text)
    repo.moelint("compare", "a.yaml", "b.yaml", "--rollback", "back.yaml")
    written = (repo.folder / "back.yaml").read_text(encoding="utf-8")
    assert "Takes b.yaml back to a.yaml" in written and "By hand" not in written
    repo.write("again.yaml", BASE.splitlines()[0] + "\n# moelint: base=b.yaml\n" + written)
    code, found = compared(repo, "a.yaml", "again.yaml")
    assert code == 0 and found["variable"] is None and not [row for row in found["differences"] if row["cause"]]  # type: ignore[attr-defined]


def test_rollback_in_the_words_of_the_dialect(repo: Repo) -> None:
    script = "#!/bin/bash\ntorchrun pretrain_gpt.py --num-layers 16 --num-experts 8 --moe-router-topk 2 --bf16{}\n"
    repo.write("a.sh", script.format(" --expert-model-parallel-size 4"))
    repo.write("b.sh", script.format(" --expert-model-parallel-size 8 --sequence-parallel"))
    repo.moelint("compare", "a.sh", "b.sh", "--rollback", "back")
    assert (repo.folder / "back").read_text().splitlines()[1:] == ["# By hand: take out --sequence-parallel", "--expert-model-parallel-size 4"]
    recipe = (
        f"from megatron.bridge.recipes.qwen import {RECIPE}\nfrom megatron.bridge.training.config import ConfigContainer\n\n\n"
        f"def mine_config() -> ConfigContainer:\n    cfg = {RECIPE}()\n    cfg.model.moe_router_dtype = {{!r}}\n    return cfg\n"
    )
    repo.write("a.py", recipe.format("fp32"))
    repo.write("b.py", recipe.format("fp64"))
    repo.moelint("compare", "a.py", "b.py", "--rollback", "back")
    assert (repo.folder / "back").read_text().splitlines()[1:] == ["cfg.model.moe_router_dtype = 'fp32'"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.yaml", "nope.yaml"], "there is no 'nope.yaml'"),
        (["a.yaml", RECIPE.replace("pretrain", "pretrian")], f"did you mean the recipe {RECIPE}?"),
        (["a.yaml", "HEAD:nope.yaml"], "HEAD has no file 'nope.yaml'"),
        (["a.yaml", "nope:a.yaml"], "there is no revision 'nope'"),
        (["a.yaml", "broken.yaml"], "broken.yaml: "),
        (["a.yaml", "empty.yaml"], "holds no training config"),
        (["a.yaml", "a.yaml#x"], "no config is called 'x': choose one with #NAME (config)"),
        (["a.yaml", "two.yaml"], "holds several configs: choose one with #NAME (config, config-2)"),
        (["a.yaml", "."], "is a folder: name two files"),
        (["a.yaml"], "Missing argument 'B'"),
        (["a.yaml", "a.yaml", "--gpus", "x"], "'x' is not a valid integer"),
        (["a.yaml", "a.yaml", "--rollback", "no/folder/back.yaml"], "no/folder/back.yaml: cannot be written"),
    ],
)
def test_what_cannot_be_compared(repo: Repo, words: list[str], said: str) -> None:
    repo.write("a.yaml", BASE)
    repo.write("empty.yaml", "")
    repo.write("broken.yaml", "model: [\n")
    repo.write("two.yaml", BASE + "---\n" + BASE)
    repo.commit()
    found = repo.moelint("compare", *words)
    assert found.code == 2 and said in found.err
