from megatron.bridge.recipes.qwen import qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config


def ours_config():
    """Qwen3-30B-A3B on DeepEP."""
    cfg = qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config()
    cfg.train.global_batch_size = 512
    cfg.model.moe_token_dispatcher_type = "deepep"
    return cfg
