#!/bin/bash
python3 -m verl.trainer.main_ppo --config-path=config --config-name=ppo_megatron_trainer \
    actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B \
    actor_rollout_ref.actor.megatron.expert_model_parallel_size=8 \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
    actor_rollout_ref.rollout.data_parallel_size=4 \
    actor_rollout_ref.rollout.expert_parallel_size=4 \
    trainer.nnodes=2 trainer.n_gpus_per_node=8
