#!/bin/bash
PERF_ARGS=(
   --tensor-model-parallel-size 1
   --expert-model-parallel-size 8
   --recompute-granularity full
   --recompute-method uniforn
   --recompute-num-layers 1
   --micro-batch-size 1
)

python3 train.py \
   --actor-num-nodes 1 --actor-num-gpus-per-node 8 \
   --hf-checkpoint Qwen/Qwen3-30B-A3B \
   --num-layers 48 --hidden-size 2048 --num-attention-heads 32 --num-experts 128 \
   ${PERF_ARGS[@]}
