"""What ``moelint explain`` prints of an official recipe."""

from __future__ import annotations

from moelint.explain.recipe import explain
from moelint.read import bases

NAME = "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"


def test_page_has_layout_model_and_both_origins():
    page = explain(NAME)
    assert page is not None
    text = "\n".join(page)
    assert page[0] == NAME
    assert "Model: Qwen/Qwen3-30B-A3B (GPTModelProvider)." in page
    assert "Its name says 16 GPUs of the kind h100." in page
    own, of_model = text.split("From the model", 1)
    assert "  model.expert_model_parallel_size = 16" in own
    assert "  model.num_moe_experts = 128" in of_model
    assert "model.num_moe_experts" not in own


def test_other_names_lead_to_the_same_page():
    first = bases.names_of("deepseek_v3_pretrain_config")
    assert len(first) > 1
    tails = []
    for name in first:
        page = explain(name)
        assert page is not None and page[0] == name
        tails.append(page[page.index("Set by the recipe") :])
    assert all(tail == tails[0] for tail in tails)
    assert bases.names_of(first[0]) == first


def test_long_lists_are_told_by_runs():
    page = explain("deepseek_v3_pretrain_config")
    assert page is not None
    line = next(line for line in page if line.startswith("  model.moe_layer_freq"))
    assert line == "  model.moe_layer_freq = [3 × 0, 58 × 1]"


def test_no_recipe_of_that_name():
    assert explain("qwen3_30b") is None


def test_every_recipe_has_a_page():
    for name in bases.names():
        assert explain(name), name
