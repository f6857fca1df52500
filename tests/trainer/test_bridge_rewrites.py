"""What Megatron Bridge makes of a config before it runs, by release: the figures are those of its own code."""

from __future__ import annotations

from typing import Any

import pytest
from trainer_configs import effective

MOE: dict[str, Any] = {"model.num_layers": 8, "model.num_moe_experts": 8, "model.expert_model_parallel_size": 2}
DISTRIBUTED = {"ddp.use_distributed_optimizer": True, "optimizer.use_distributed_optimizer": True}
MAIN, OLD = {"megatron-bridge": "0.7.0", "gpus": 8}, {"megatron-bridge": "0.5.1", "gpus": 8}


@pytest.mark.parametrize(
    ("written", "stated", "expected"),
    [
        pytest.param(
            {"model.fp8": "hybrid", "mixed_precision": "bf16_mixed"},
            MAIN,
            {"model.fp8": None, "model.bf16": True},
            id="a recipe without FP8 switches the model's FP8 off",
        ),
        pytest.param(
            {"mixed_precision": "bf16-with-mxfp8-mixed"},
            MAIN,
            {
                "model.fp8_recipe": "mxfp8",
                "model.fp8_param": True,
                "ddp.fp8_param_gather": True,
                "optimizer.reuse_grad_buf_for_mxfp8_param_ag": True,
            },
            id="a recipe goes over model, ddp and optimizer",
        ),
        pytest.param(
            {"model.overlap_moe_expert_parallel_comm": True, "comm_overlap.tp_comm_overlap": False},
            MAIN,
            {"model.overlap_moe_expert_parallel_comm": False, "model.delay_wgrad_compute": False},
            id="comm_overlap resets EP overlap on the model",
        ),
        pytest.param(
            {"comm_overlap.overlap_moe_expert_parallel_comm": True, "comm_overlap.tp_comm_overlap": False},
            MAIN,
            {"model.overlap_moe_expert_parallel_comm": True},
            id="comm_overlap sets EP overlap",
        ),
        pytest.param(
            {"comm_overlap.tp_comm_overlap": False, **DISTRIBUTED},
            MAIN,
            {
                "ddp.overlap_grad_reduce": True,
                "ddp.overlap_param_gather": True,
                "ddp.bucket_size": 134217728,
                "optimizer.overlap_param_gather": True,
            },
            id="data parallelism of 8 overlaps gradients and parameters",
        ),
        pytest.param(
            {"comm_overlap.tp_comm_overlap": False, "model.tensor_model_parallel_size": 8, **DISTRIBUTED},
            MAIN,
            {"ddp.overlap_grad_reduce": False, "ddp.bucket_size": None},
            id="no data parallelism, nothing to overlap",
        ),
        pytest.param(
            {"comm_overlap.tp_comm_overlap": True, "model.tensor_model_parallel_size": 2},
            MAIN,
            {"model.tp_comm_overlap": False},
            id="TP overlap needs sequence parallelism",
        ),
        pytest.param(
            {
                "comm_overlap.tp_comm_overlap": False,
                "model.pipeline_model_parallel_size": 2,
                "model.virtual_pipeline_model_parallel_size": 2,
            },
            MAIN,
            {"model.overlap_p2p_comm": True, "model.batch_p2p_comm": False},
            id="interleaved transfers overlap",
        ),
        pytest.param(
            {"model.sequence_parallel": True},
            MAIN,
            {"model.sequence_parallel": False},
            id="no TP, no sequence parallelism",
        ),
        pytest.param(
            {"model.tensor_model_parallel_size": 2}, MAIN, {"model.expert_tensor_parallel_size": 1}, id="expert TP is 1"
        ),
        pytest.param(
            {"model.tensor_model_parallel_size": 2},
            OLD,
            {"model.expert_tensor_parallel_size": 2},
            id="expert TP is TP before 0.6",
        ),
        pytest.param(
            {"model.moe_token_dispatcher_type": "flex", "model.moe_flex_dispatcher_backend": None},
            MAIN,
            {"model.moe_token_dispatcher_type": "alltoall"},
            id="flex without a backend is alltoall",
        ),
        pytest.param(
            {"model.moe_token_dispatcher_type": "flex", "model.moe_flex_dispatcher_backend": "hybridep"},
            MAIN,
            {"model.moe_hybridep_pad_uneven_dispatch_inputs": True},
            id="HybridEP pads without graphs",
        ),
        pytest.param(
            {
                "model.moe_token_dispatcher_type": "flex",
                "model.moe_flex_dispatcher_backend": "hybridep",
                "model.cuda_graph_impl": "transformer_engine",
            },
            MAIN,
            {"model.moe_hybridep_pad_uneven_dispatch_inputs": False},
            id="HybridEP does not pad in a graph",
        ),
        pytest.param(
            {"model.cuda_graph_modules": ["attn"]}, MAIN, {"model.cuda_graph_modules": []}, id="no graphs, no modules"
        ),
        pytest.param(
            {"rng.te_rng_tracker": True}, MAIN, {"model.use_te_rng_tracker": True}, id="one tracker, both places"
        ),
        pytest.param(
            {"dist.use_megatron_fsdp": True, "ddp.use_distributed_optimizer": False},
            MAIN,
            {"ddp.use_megatron_fsdp": True, "ddp.use_distributed_optimizer": True},
            id="FSDP has a distributed optimizer",
        ),
        pytest.param(
            {"ddp.use_distributed_optimizer": True, "optimizer.use_distributed_optimizer": False},
            MAIN,
            {"optimizer.use_distributed_optimizer": True},
            id="ddp and optimizer in step",
        ),
        pytest.param(
            {"train.eval_iters": 5, "validation.eval_iters": 9},
            MAIN,
            {"validation.eval_iters": 5},
            id="the old name wins",
        ),
    ],
)
def test_what_bridge_rewrites(written: dict[str, Any], stated: dict[str, Any], expected: dict[str, Any]) -> None:
    found = effective("bridge", {**MOE, **written}, stated={**stated, "transformer-engine": "2.9.0"})
    assert {key: found.get(key) for key in expected} == expected


def test_core_still_sees_the_flex_dispatcher() -> None:
    found = effective(
        "bridge",
        {**MOE, "model.moe_token_dispatcher_type": "flex", "model.moe_flex_dispatcher_backend": None},
        stated=MAIN,
    )
    assert found.scope("core").get("model.moe_token_dispatcher_type") == "flex"
    assert found.scope("layer").get("model.moe_token_dispatcher_type") == "alltoall"


def test_a_lost_setting_is_an_override_at_its_line() -> None:
    found = effective(
        "bridge",
        {**MOE, "model.overlap_moe_expert_parallel_comm": True, "comm_overlap.tp_comm_overlap": False},
        stated=MAIN,
    )
    lost = [o for o in found.overrides() if o.key == "model.overlap_moe_expert_parallel_comm"]
    assert [(o.before, o.after, o.rewrite.id, o.certain) for o in lost] == [(True, False, "RWB011", True)]
