"""Layers, masks and rewrites: what a rule reads, and how sure it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trainer_configs import effective

from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN

BRIDGE = {"megatron-bridge": "0.6.0"}


def test_completeness_decides_what_an_absent_key_is() -> None:
    key = "model.moe_token_dispatcher_type"
    written = {"model.num_layers": 4, "model.num_moe_experts": 8}
    seen = {c: effective("bridge", written, c, BRIDGE) for c in ("complete", "standing", "fragment")}
    assert [seen[c].get(key) for c in seen] == ["allgather", "allgather", UNKNOWN]
    hidden: list[Any] = [e.scope("last", frozenset()).get(key) for e in seen.values()]
    assert hidden == ["allgather", UNKNOWN, UNKNOWN]
    assert seen["standing"].scope("last", frozenset((key,))).get(key) == "allgather"
    assert [seen[c].scope().origin(key)[0] for c in seen] == ["default", "default", "unknown"]
    assert seen["standing"].scope().origin(key)[2] is not None and seen["complete"].scope().origin(key)[2] is None


def test_assumptions_name_what_a_value_rests_on() -> None:
    found = effective("bridge", {"model.num_layers": 4}, "standing", {**BRIDGE, "gpus": 8})
    assert found.assumptions(["dp"]) == [
        "model.context_parallel_size",
        "model.pipeline_model_parallel_size",
        "model.tensor_model_parallel_size",
    ]
    assert effective("bridge", {"model.num_layers": 4}, "complete", {**BRIDGE, "gpus": 8}).assumptions(["dp"]) == []


def test_environment_is_complete_only_by_directive() -> None:
    found = effective("bridge", {"env_vars.NCCL_GRAPH_REGISTER": "0"}, "complete", BRIDGE)
    assert found.get("env_vars.NCCL_GRAPH_REGISTER") == "0"
    assert found.get("env_vars.CUDA_DEVICE_MAX_CONNECTIONS") is UNKNOWN
    found.config.complete_env = True
    assert effective_again(found).get("env_vars.CUDA_DEVICE_MAX_CONNECTIONS") is None


def effective_again(found: Any) -> Any:
    from moelint.trainer.effective import Effective

    return Effective(found.config, found.target)


def test_spellings_of_one_value() -> None:
    found = effective(
        "core",
        {
            "model.params_dtype": "torch.bfloat16",
            "model.activation_func": "torch.nn.functional.silu",
            "model.attention_backend": "AttnBackend.flash",
        },
    )
    assert [found.get(f"model.{k}") for k in ("params_dtype", "activation_func", "attention_backend")] == [
        "bf16",
        "silu",
        "flash",
    ]


def test_sections_that_a_config_leaves_out() -> None:
    found = effective("bridge", {"model.num_layers": 4}, "complete", BRIDGE)
    assert found.get("comm_overlap") is None and found.get("mixed_precision") is None
    assert found.get("ddp") == "set"
    assert effective("bridge", {"comm_overlap.tp_comm_overlap": False}, "fragment", BRIDGE).get("comm_overlap") == "set"
    assert effective("core", {"model.num_layers": 4}).get("comm_overlap.overlap_moe_expert_parallel_comm") is None


def test_a_key_that_came_later_is_absent_in_an_older_release() -> None:
    found = effective("core", {"model.num_layers": 4}, stated={"megatron-core": "0.12.0"})
    assert found.get("model.moe_flex_dispatcher_backend") is None
    assert found.get("train.micro_batch_size") is UNKNOWN  # a TransformerConfig says nothing of training


def test_multi_latent_attention_brings_its_own_defaults() -> None:
    assert effective("core", {"model.num_layers": 4}).get("model.qk_head_dim") is None
    assert effective("core", {"model.multi_latent_attention": True}).get("model.qk_head_dim") == 128


def test_mixed_precision_recipe() -> None:
    found = effective("bridge", {"mixed_precision": "bf16_mixed", "model.fp8": "hybrid"}, "fragment", BRIDGE)
    assert found.get("mixed_precision.bf16") is True
    assert found.scope("given").get("model.fp8") == "hybrid"
    assert found.scope("bridge-entry").get("model.fp8") is None
    assert found.get("model.params_dtype") == "bf16"
    assert [(o.key, o.before, o.after) for o in found.overrides()] == [("model.fp8", "hybrid", None)]
    assert found.scope().get("given.model.fp8") == "hybrid"


def test_comm_overlap_resets_what_it_does_not_state() -> None:
    written = {"comm_overlap.tp_comm_overlap": False, "model.overlap_moe_expert_parallel_comm": True}
    found = effective("bridge", written, "complete", {**BRIDGE, "gpus": 8})
    assert found.get("model.overlap_moe_expert_parallel_comm") is False
    override = found.overrides()[0]
    assert (override.key, override.certain, override.rewrite.effect) == (
        "model.overlap_moe_expert_parallel_comm",
        True,
        "ignored",
    )


def test_order_of_stages() -> None:
    written = {"model.tensor_model_parallel_size": 1, "model.sequence_parallel": True}
    found = effective("bridge", written, "complete", BRIDGE)
    seen = [
        found.scope(stage).get("model.sequence_parallel")
        for stage in ("given", "bridge-entry", "bridge", "core", "last")
    ]
    assert seen == [True, True, False, False, False]
    assert found.scope().origin("model.sequence_parallel")[0] == "rewritten"


def test_a_rewrite_that_may_happen_leaves_the_value_unknown() -> None:
    found = effective("bridge", {"model.sequence_parallel": True}, "fragment", BRIDGE)
    assert found.get("model.sequence_parallel") is UNKNOWN
    assert (
        effective("bridge", {"model.sequence_parallel": False}, "fragment", BRIDGE).get("model.sequence_parallel")
        is False
    )


def test_expert_tensor_parallel_size_by_trainer() -> None:
    written = {"model.tensor_model_parallel_size": 4, "model.expert_model_parallel_size": 8}
    key = "model.expert_tensor_parallel_size"
    assert effective("bridge", written, stated={"megatron-bridge": "0.6.0"}).get(key) == 1
    assert effective("bridge", written, stated={"megatron-bridge": "0.5.1"}).get(key) == 4
    assert effective("core", written).get(key) == 4
    assert effective("lm", written).get(key) == 4


def test_megatron_lm() -> None:
    found = effective(
        "lm",
        {
            "model.num_layers": 8,
            "model.hidden_size": 1024,
            "model.num_attention_heads": 16,
            "model.bf16": True,
            "lm.swiglu": True,
            "model.num_query_groups": 4,
            "model.pipeline_model_parallel_size": 2,
            "lm.num_layers_per_virtual_pipeline_stage": 2,
            "train.micro_batch_size": 2,
        },
        stated={"gpus": 8, "megatron-core": "0.19.0"},
    )
    expected = {
        "model.params_dtype": "bf16",
        "model.ffn_hidden_size": 2688,
        "model.activation_func": "silu",
        "model.num_query_groups": 16,
        "model.virtual_pipeline_model_parallel_size": 2,
        "model.overlap_p2p_comm": True,
        "train.global_batch_size": 8,
        "ddp.grad_reduce_in_fp32": True,
        "optimizer.bf16": True,
        "model.batch_p2p_comm": False,
    }
    assert {key: found.get(key) for key in expected} == expected
    assert [o.key for o in found.overrides()] == ["model.num_query_groups"]


def test_a_release_that_nobody_states_is_one_that_knows_the_keys() -> None:
    from moelint.trainer.gates import allows, compile_applies

    gate = compile_applies({"megatron-core": ">=0.16"})
    early = effective("core", {"model.num_layers": 4})
    late = effective("core", {"model.moe_flex_dispatcher_backend": "hybridep"})
    none: frozenset[str] = frozenset()
    assert allows(gate, early.view()) is True and allows(gate, early.view(none)) is UNKNOWN
    assert allows(gate, late.view(none)) is True
    assert allows(compile_applies([{"trainer": "bridge"}, {"megatron-core": "<0.10"}]), late.view(none)) is False


def test_hardware() -> None:
    assert effective("core", {}, stated={"gpu": "h100"}).get("hw.nvlink_domain") == 8
    assert effective("core", {}, stated={"gpu": "h100", "hbm-gb": "94"}).get("hw.hbm_gb") == 94
    assert effective("core", {}, stated={"gpu": "none"}).get("hw.hbm_gb") is None
    assert effective("core", {}).get("hw.hbm_gb") is UNKNOWN
    assert effective("core", {}, stated={"gpu": "unheard-of"}).get("hw.hbm_gb") is UNKNOWN


def test_written_and_changed() -> None:
    found, other = effective("bridge", {"comm_overlap.tp_comm_overlap": False}), effective("bridge", {})
    scope = found.scope()
    assert scope.written("comm_overlap") is True and scope.written("comm_overlap.tp_comm_overlap") is True
    assert scope.written("mixed_precision") is False
    assert scope.changed("model.num_layers") is UNKNOWN
    found.before = other
    assert scope.changed("model.num_layers") is False
    assert scope.get("before.model.num_layers") == other.get("model.num_layers")


SETTINGS: dict[str, Any] = {
    "model.tensor_model_parallel_size": [1, 2, 8],
    "model.sequence_parallel": [True, False],
    "model.fp8": [None, "hybrid"],
    "model.expert_model_parallel_size": [1, 8],
    "model.expert_tensor_parallel_size": [None, 1],
    "mixed_precision": ["bf16_mixed"],
    "comm_overlap.overlap_moe_expert_parallel_comm": [True, False],
    "comm_overlap.tp_comm_overlap": [True, False],
    "model.moe_token_dispatcher_type": ["alltoall", "flex"],
    "model.moe_flex_dispatcher_backend": [None, "deepep", "hybridep"],
    "model.cuda_graph_impl": ["none", "local"],
    "ddp.use_distributed_optimizer": [True, False],
    "model.num_moe_experts": [None, 8],
    "model.pipeline_model_parallel_size": [1, 4],
    "model.num_layers": [4, 8],
}
READ = [
    *SETTINGS,
    "ep_overlap",
    "dp",
    "stages",
    "moe_layers",
    "model.cuda_graph_modules",
    "ddp.overlap_grad_reduce",
    "etp",
]


@st.composite
def choices(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(sorted(SETTINGS)), unique=True, max_size=8))
    return {key: draw(st.sampled_from(SETTINGS[key])) for key in keys}


@settings(max_examples=60, deadline=None)
@given(choices(), st.sampled_from(["complete", "standing", "fragment"]), st.sampled_from([{}, BRIDGE, {"gpus": 16}]))
def test_hiding_assumptions_never_changes_a_value(
    written: dict[str, Any], completeness: str, stated: dict[str, Any]
) -> None:
    written.pop("comm_overlap.tp_comm_overlap", None) if "mixed_precision" in written else None
    found = effective("bridge", written, completeness, stated)
    shown, hidden = found.scope(), found.scope("last", frozenset())
    for name in READ:
        value = hidden.get(name)
        if value is not UNKNOWN:
            assert equal(value, shown.get(name)) is not False, name
    if completeness == "complete" and "megatron-bridge" in stated:
        assert all(hidden.get(n) is UNKNOWN or equal(hidden.get(n), shown.get(n)) is not False for n in READ)


@pytest.mark.parametrize("trainer", ["bridge", "core", "lm"])
def test_an_empty_config_has_no_surprises(trainer: str) -> None:
    for completeness in ("complete", "standing", "fragment"):
        found = effective(trainer, {}, completeness)
        assert found.overrides() == []
        for key in found.rewrites.by_key:
            found.get(key)


def test_a_feature_that_is_off_is_no_assumption_of_every_rule() -> None:
    written = {
        "model.num_layers": 4,
        "model.num_moe_experts": 8,
        "ddp.use_distributed_optimizer": False,
        "optimizer.use_distributed_optimizer": False,
    }
    found = effective("bridge", written, "standing", BRIDGE)
    hidden = found.scope("last", frozenset())
    assert hidden.get("ddp.use_distributed_optimizer") is False  # though Megatron FSDP would switch it on
    assert hidden.get("model.sequence_parallel") is UNKNOWN


def test_a_rewrite_that_hangs_on_a_size_stays_an_assumption() -> None:
    written = {"model.num_layers": 4, "model.num_moe_experts": 8, "model.tensor_model_parallel_size": 4}
    found = effective("bridge", written, "standing", BRIDGE)
    assert found.get("model.expert_tensor_parallel_size") == 4
    assert found.scope("last", frozenset()).get("model.expert_tensor_parallel_size") is UNKNOWN


def test_a_mixed_precision_section_says_no_more_than_it_says() -> None:
    written = {"mixed_precision.fp8_param_gather": True}
    key, pair = "mixed_precision.params_dtype", "mixed_precision.fp8_param"
    complete, standing, fragment = (
        effective("bridge", written, c, BRIDGE) for c in ("complete", "standing", "fragment")
    )
    assert [e.get(key) for e in (complete, standing, fragment)] == [None, None, UNKNOWN]
    assert standing.scope("last", frozenset()).get(key) is UNKNOWN
    assert [e.scope("last", frozenset()).get(pair) for e in (complete, standing, fragment)] == [True, True, True]


def test_an_old_spelling_that_is_not_written_is_not_set() -> None:
    found = effective("bridge", {"model.cuda_graph_impl": "none"}, "standing", BRIDGE)
    assert found.scope("last", frozenset()).get("model.enable_cuda_graph") is False
