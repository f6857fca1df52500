"""Settings that a shape and a layout stand for: the way back from the walls' inputs to a config."""

from __future__ import annotations

from typing import Any

from moelint.policy.examples import example_config
from moelint.read.config import Config
from moelint.trainer.effective import Effective
from moelint.trainer.target import resolve
from moelint.walls.model import Layout, Shape

_PATTERN = {("mamba", ""): "M", ("gdn", ""): "G", ("gqa", ""): "*", ("", "dense"): "-", ("", "moe"): "E"}
_DTYPE = {2.0: "bf16", 4.0: "fp32", 1.0: "fp8"}


def settings(shape: Shape, layout: Layout) -> dict[str, Any]:
    """Settings by canonical key."""
    dispatcher = layout.dispatcher
    out: dict[str, Any] = {
        "model.hidden_size": shape.hidden,
        "model.num_attention_heads": shape.heads,
        "model.num_query_groups": shape.groups,
        "model.kv_channels": shape.head_dim,
        "model.vocab_size": shape.vocab,
        "model.make_vocab_size_divisible_by": 1,
        "model.ffn_hidden_size": shape.ffn or shape.moe_ffn,
        "model.gated_linear_unit": shape.gated,
        "model.num_moe_experts": shape.experts or None,
        "model.moe_router_topk": shape.topk,
        "model.moe_ffn_hidden_size": shape.moe_ffn or None,
        "model.moe_shared_expert_intermediate_size": shape.shared_ffn or None,
        "model.moe_shared_expert_gate": shape.shared_gate,
        "model.moe_latent_size": shape.latent or None,
        "model.mtp_num_layers": shape.mtp_depth or None,
        "model.share_embeddings_and_output_weights": shape.tied_embeddings,
        "model.add_bias_linear": shape.linear_bias,
        "model.add_qkv_bias": shape.qkv_bias,
        "model.qk_layernorm": shape.qk_norm,
        "model.attention_output_gate": shape.output_gate,
        "model.moe_router_enable_expert_bias": shape.expert_bias,
        "model.softmax_type": "learnable" if shape.sinks else "vanilla",
        "model.window_size": [shape.window - 1, 0] if shape.window else None,
        "model.window_attn_skip_freq": shape.window_every if shape.window else None,
        "model.bf16": True,
        "model.tensor_model_parallel_size": layout.tp,
        "model.pipeline_model_parallel_size": layout.pp,
        "model.context_parallel_size": layout.cp,
        "model.expert_model_parallel_size": layout.ep,
        "model.expert_tensor_parallel_size": layout.etp,
        "model.sequence_parallel": layout.sequence_parallel and layout.tp > 1,
        "model.virtual_pipeline_model_parallel_size": layout.vpp if layout.vpp > 1 else None,
        "model.recompute_granularity": None if layout.recompute == "none" else layout.recompute,
        "model.recompute_modules": sorted(layout.recompute_modules) or None,
        "model.seq_length": layout.seq,
        "model.moe_token_dispatcher_type": dispatcher if dispatcher in ("alltoall", "allgather") else "flex",
        "model.moe_grouped_gemm": layout.grouped_gemm,
        "model.moe_router_dtype": "fp32",
        "model.overlap_moe_expert_parallel_comm": layout.ep_overlap,
        "model.fp8": "e4m3" if layout.fp8 else None,
        "model.fp4": "e2m1" if layout.fp4 else None,
        "dataset.seq_length": layout.seq,
        "model.moe_expert_rank_capacity_factor": layout.rank_capacity_factor or None,
        "model.fine_grained_activation_offloading": bool(layout.offload_modules),
        "model.offload_modules": sorted(layout.offload_modules),
        "model.moe_router_group_topk": layout.router_groups or None,
        "model.use_transformer_engine_op_fuser": layout.op_fuser,
        "model.cuda_graph_impl": {"none": "none", "scoped": "transformer_engine", "full_iteration": "full_iteration"}[
            layout.graphs
        ],
        "model.cuda_graph_modules": ["attn"] if layout.graphs == "scoped" else [],
        "train.micro_batch_size": layout.micro_batch,
        "train.global_batch_size": layout.global_batch or None,
        "ddp.use_distributed_optimizer": layout.distributed_optimizer,
        "ddp.grad_reduce_in_fp32": layout.grad_bytes == 4.0,
        "ddp.use_megatron_fsdp": layout.fsdp,
        "ddp.num_distributed_optimizer_instances": layout.optimizer_instances,
        "ddp.data_parallel_sharding_strategy": "optim_grads_params" if layout.fsdp else "no_shard",
        "optimizer.optimizer": "adam",
        "optimizer.use_distributed_optimizer": layout.distributed_optimizer,
        "optimizer.use_precision_aware_optimizer": layout.moment_bytes < 8,
        "optimizer.exp_avg_dtype": _DTYPE[layout.moment_bytes / 2],
        "optimizer.exp_avg_sq_dtype": _DTYPE[layout.moment_bytes / 2],
    }
    if dispatcher not in ("alltoall", "allgather"):
        out["model.moe_flex_dispatcher_backend"] = dispatcher
    pairs = shape.layers
    if all(pair in _PATTERN for pair in pairs):
        out["model.hybrid_layer_pattern"] = "".join(_PATTERN[pair] for pair in pairs)
        out.update(
            {
                "model.mamba_num_heads": shape.mamba_heads,
                "model.mamba_head_dim": shape.mamba_head_dim,
                "model.mamba_num_groups": shape.mamba_groups,
                "model.mamba_state_dim": shape.mamba_state,
            }
        )
    else:
        out["model.moe_layer_freq"] = [int(kind == "moe") for _, kind in pairs] if shape.experts else 1
    out["model.num_layers"] = len(pairs)
    if pairs[0][0] == "mla":
        out.update(
            {
                "model.multi_latent_attention": True,
                "model.q_lora_rank": shape.q_rank or None,
                "model.kv_lora_rank": shape.kv_rank,
                "model.qk_head_dim": shape.nope_dim,
                "model.qk_pos_emb_head_dim": shape.rope_dim,
                "model.v_head_dim": shape.v_dim,
            }
        )
    if layout.chunks is not None:
        parts = []
        for v in range(len(layout.chunks[0])):
            for rank, chunk in enumerate(layout.chunks):
                last = v == len(chunk) - 1
                mtp = (layout.mtp_ranks or (0,) * layout.pp)[rank] if last else 0
                parts.append(
                    "E" * (rank == 0 and v == 0) + "t" * chunk[v] + "m" * mtp + "L" * (rank == layout.pp - 1 and last)
                )
        out["model.pipeline_model_parallel_layout"] = "|".join(parts)
    return out


def config_of(shape: Shape, layout: Layout, gpu: str) -> Config:
    """A complete config that says it all."""
    return example_config(settings(shape, layout), {"gpus": layout.world, "gpu": gpu})


def effective_of(shape: Shape, layout: Layout, gpu: str) -> Effective:
    config = config_of(shape, layout, gpu)
    return Effective(config, resolve(config))
