"""Which alternatives a verdict offers, and what they come to."""

from __future__ import annotations

from typing import Any

from toy import Scope, configs, fix

from moelint.fix.choose import fixes_for
from moelint.results import Fix
from moelint.text.edits import apply

TEXT = """\
model:
  tensor_model_parallel_size: 8  # TP
  expert_model_parallel_size: 4
  recompute_modules: [core_attn, moe]
  moe_token_dispatcher_type: alltoall
comm_overlap:
  overlap_moe_expert_parallel_comm: true
"""
TP, EP, MODULES = "model.tensor_model_parallel_size", "model.expert_model_parallel_size", "model.recompute_modules"


def offered(*alternatives: Any, certainty: str = "certain", text: str = TEXT) -> list[Fix]:
    config = configs(text)[0]
    return fixes_for(alternatives, Scope(config), config, certainty)


def after(found: Fix, text: str = TEXT) -> str:
    return apply(text, found.edits)


def test_all_that_hold_are_offered_best_first() -> None:
    found = offered(
        fix(when=(("const", False),), set={TP: 1}),
        fix("unsafe", set={TP: 2}, why="half"),
        fix(set={EP: 8}),
    )
    assert [(f.rank, f.safety, f.set) for f in found] == [(1, "unsafe", {TP: 2}), (2, "safe", {EP: 8})]
    assert found[0].why == "half"


def test_an_unknown_value_or_condition_is_no_alternative() -> None:
    assert offered(fix(set={TP: ("name", "model.num_layers")})) == []
    assert offered(fix(when=(("name", "model.num_layers"),), set={TP: 1})) == []
    assert offered(fix(add={"model.offload_modules": ["moe_act"]})) == []


def test_an_expression_is_read_in_the_verdicts_scope() -> None:
    (found,) = offered(fix(set={TP: ("name", EP)}))
    assert found.set == {TP: 4}
    assert after(found) == TEXT.replace("8  # TP", "4  # TP")


def test_what_changes_nothing_is_no_alternative() -> None:
    assert offered(fix(set={TP: 8}), fix(unset=("model.num_layers",)), fix(add={MODULES: ["moe"]})) == []


def test_of_an_assumed_verdict_no_fix_is_safe() -> None:
    assert [f.safety for f in offered(fix(set={TP: 1}), certainty="assumed")] == ["unsafe"]


def test_elements_of_lists() -> None:
    (found,) = offered(fix(remove={MODULES: ["moe"]}, add={MODULES: ["mlp"]}))
    assert found.set == {MODULES: ["core_attn", "mlp"]}
    assert after(found) == TEXT.replace("[core_attn, moe]", "[core_attn, mlp]")


def test_a_renamed_key_keeps_its_place_and_comment() -> None:
    (found,) = offered(fix(rename={TP: "model.pipeline_model_parallel_size"}))
    assert (found.set, found.unset) == ({"model.pipeline_model_parallel_size": 8}, [TP])
    assert after(found) == TEXT.replace("tensor_model", "pipeline_model")


def test_a_key_that_moves_to_another_section() -> None:
    key = "comm_overlap.overlap_moe_expert_parallel_comm"
    (found,) = offered(fix(rename={key: "model.overlap_moe_expert_parallel_comm"}))
    assert after(found) == (
        TEXT.replace("comm_overlap:\n  overlap_moe_expert_parallel_comm: true\n", "comm_overlap: {}\n").replace(
            "alltoall\n", "alltoall\n  overlap_moe_expert_parallel_comm: true\n"
        )
    )


def test_several_keys_are_one_edit_of_the_text() -> None:
    (found,) = offered(fix(set={TP: 2, "model.pipeline_model_parallel_size": 4}, unset=(EP,)))
    changed = after(found)
    assert "tensor_model_parallel_size: 2  # TP\n" in changed
    assert "pipeline_model_parallel_size: 4\n" in changed and "expert_model_parallel_size" not in changed


def test_two_keys_in_a_section_that_is_not_there() -> None:
    (found,) = offered(fix(set={"ddp.overlap_grad_reduce": True, "ddp.overlap_param_gather": True}))
    assert after(found) == TEXT + "ddp:\n  overlap_grad_reduce: true\n  overlap_param_gather: true\n"


def test_what_the_text_cannot_take_is_offered_with_the_reason() -> None:
    text = TEXT.replace("  tensor_model_parallel_size: 8  # TP\n", "  tensor_model_parallel_size: &n 8\n").replace(
        ": 4", ": *n"
    )
    found = offered(fix(set={TP: 2}), fix(set={EP: 2}), text=text)
    assert [f.edits for f in found] == [[], []]
    assert "expert_model_parallel_size" in str(found[0].reason) and "alias" in str(found[1].reason)


def test_an_environment_variable_is_text() -> None:
    key, text = (
        "env_vars.CUDA_DEVICE_MAX_CONNECTIONS",
        TEXT + "env_vars:\n  CUDA_DEVICE_MAX_CONNECTIONS: '1'  # order\n",
    )
    (found,) = offered(fix(set={key: 32}), text=text)
    assert after(found, text) == text.replace("'1'", "'32'")
    assert offered(fix(set={key: 1}), text=text) == []
    (found,) = offered(fix(set={"env_vars.NCCL_NVLS_ENABLE": 0}), text=text)
    assert after(found, text) == text + "  NCCL_NVLS_ENABLE: '0'\n"
