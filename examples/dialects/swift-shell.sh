#!/bin/bash
NPROC_PER_NODE=8 megatron sft \
    --model Qwen/Qwen3-30B-A3B \
    --expert_model_parallel_size 8 \
    --moe_token_dispatcher_type alltoal \
    --micro_batch_size 1 \
    --global_batch_size 64 \
    --max_length 8192
