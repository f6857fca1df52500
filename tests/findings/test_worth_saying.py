"""What moelint does not say, or says softly: judged on official recipes and public configs, where it was noise."""

from __future__ import annotations

import pytest

from moelint.engine import Engine
from moelint.options import Options
from moelint.text.source import Source

MODEL = "  num_layers: 8\n  num_moe_experts: 64\n  expert_model_parallel_size: 8\n  moe_router_dtype: fp32\n"


def said(text: str) -> dict[str, str]:
    """Rule → severity."""
    options = Options()
    options.no_config = True
    report = Engine(options).lint(Source("a.yaml", text), True)
    assert report.configs, report.skipped
    return {item.rule: item.severity for item in report.findings}


def test_a_bridge_file_is_not_lectured_about_the_bias_that_it_leaves_out() -> None:
    shared = f"model:\n{MODEL}  moe_shared_expert_intermediate_size: 512\n"
    assert "RTR025" not in said(shared)
    assert said(f"{shared}  add_bias_linear: true\n")["RTR025"] == "error"
    assert said(f"# moelint: complete dialect=megatron-core\n{shared}")["RTR025"] == "error"


@pytest.mark.parametrize(("experts", "expected"), [(8, None), (128, "note")])
def test_experts_as_wide_as_the_dense_ffn(experts: int, expected: str | None) -> None:
    """Right for eight experts of a Mixtral; nearly always forgotten for fine-grained ones."""
    text = f"model:\n{MODEL}  hidden_size: 1024\n  ffn_hidden_size: 4096\n".replace("experts: 64", f"experts: {experts}")
    assert said(f"# moelint: complete dialect=megatron-core megatron-core=0.19.0\n{text}").get("RTR035") == expected


def test_sequence_parallelism_without_tp_costs_nobody_anything() -> None:
    text = f"model:\n{MODEL}  tensor_model_parallel_size: 1\n  sequence_parallel: true\n"
    assert said(text)["RWB033"] == "note"


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("Ett|tt|tt|ttL", None),
        ("Ett||ttttt|tL", "note"),  # the first rank has layers in its other chunk
        ("Etttt||tttt|L", "error"),  # the second rank has nothing but the loss
    ],
)
def test_empty_stages(layout: str, expected: str | None) -> None:
    text = (
        f"# moelint: megatron-core=0.19.0\nmodel:\n{MODEL}  pipeline_model_parallel_size: 2\n"
        f"  virtual_pipeline_model_parallel_size: 2\n  pipeline_dtype: bf16\n  pipeline_model_parallel_layout: '{layout}'\n"
    )
    assert said(text).get("LAY008") == expected
