#!/bin/bash
torchrun --nproc-per-node=8 --nnodes=2 scripts/training/run_recipe.py \
    --recipe qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config \
    model.moe_token_dispatcher_type=hybridep \
    train.global_batch_size=512
