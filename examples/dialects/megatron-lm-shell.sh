#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1

MOE_ARGS=(
    --num-experts 64
    --moe-router-topk 6
    --expert-model-parallel-size 8
    --moe-token-dispatcher-type alltoall
    --overlap-moe-expert-parallel-comm
    --moe-shared-expert-intermediate-size 1408
    --moe-shared-expert-overlap   # hides the shared expert
)

torchrun --nproc-per-node 8 pretrain_gpt.py \
    --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \
    --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 256 \
    --disable-bias-linear --bf16 --train-iters 1000 --lr 1e-4 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000 \
    "${MOE_ARGS[@]}"
