"""Shapes of the models that published figures speak of, from their model cards' config.json."""

from __future__ import annotations

from moelint.walls.model import Shape


def gqa(layers: int, dense: int = 0) -> tuple[tuple[str, str], ...]:
    return (("gqa", "dense"),) * dense + (("gqa", "moe"),) * (layers - dense)


def mla(layers: int, dense: int) -> tuple[tuple[str, str], ...]:
    return (("mla", "dense"),) * dense + (("mla", "moe"),) * (layers - dense)


QWEN3_30B = Shape(
    layers=gqa(48),
    hidden=2048,
    heads=32,
    groups=4,
    head_dim=128,
    vocab=151936,
    experts=128,
    topk=8,
    moe_ffn=768,
    qk_norm=True,
)
QWEN3_235B = Shape(
    layers=gqa(94),
    hidden=4096,
    heads=64,
    groups=4,
    head_dim=128,
    vocab=151936,
    experts=128,
    topk=8,
    moe_ffn=1536,
    qk_norm=True,
)
DEEPSEEK_V3 = Shape(
    layers=mla(61, 3),
    hidden=7168,
    heads=128,
    groups=128,
    head_dim=192,
    vocab=129280,
    ffn=18432,
    experts=256,
    topk=8,
    moe_ffn=2048,
    shared_ffn=2048,
    q_rank=1536,
    kv_rank=512,
    nope_dim=128,
    rope_dim=64,
    v_dim=128,
    expert_bias=True,
    mtp_depth=1,
)
MIXTRAL_8X7B = Shape(
    layers=gqa(32), hidden=4096, heads=32, groups=8, head_dim=128, vocab=32000, experts=8, topk=2, moe_ffn=14336
)
MIXTRAL_8X22B = Shape(
    layers=gqa(56), hidden=6144, heads=48, groups=8, head_dim=128, vocab=32768, experts=8, topk=2, moe_ffn=16384
)
GPT_OSS_120B = Shape(
    layers=gqa(36),
    hidden=2880,
    heads=64,
    groups=8,
    head_dim=64,
    vocab=201088,
    experts=128,
    topk=4,
    moe_ffn=2880,
    linear_bias=True,
    sinks=True,
    window=128,
    window_every=2,
)
KIMI_K2 = Shape(
    layers=mla(61, 1),
    hidden=7168,
    heads=64,
    groups=64,
    head_dim=192,
    vocab=163840,
    ffn=18432,
    experts=384,
    topk=8,
    moe_ffn=2048,
    shared_ffn=2048,
    q_rank=1536,
    kv_rank=512,
    nope_dim=128,
    rope_dim=64,
    v_dim=128,
    expert_bias=True,
)
QWEN3_NEXT_80B = Shape(
    layers=(("gdn", "moe"), ("gdn", "moe"), ("gdn", "moe"), ("gqa", "moe")) * 12,
    hidden=2048,
    heads=16,
    groups=2,
    head_dim=256,
    vocab=151936,
    experts=512,
    topk=10,
    moe_ffn=512,
    shared_ffn=512,
    shared_gate=True,
    output_gate=True,
    qk_norm=True,
    delta_k_heads=16,
    delta_k_dim=128,
    delta_v_heads=32,
    delta_v_dim=128,
    mtp_depth=1,
)
MOONLIGHT_16B = Shape(
    layers=mla(27, 1),
    hidden=2048,
    heads=16,
    groups=16,
    head_dim=192,
    vocab=163840,
    ffn=11264,
    experts=64,
    topk=6,
    moe_ffn=1408,
    shared_ffn=2816,
    kv_rank=512,
    nope_dim=128,
    rope_dim=64,
    v_dim=128,
    expert_bias=True,
)
OLMOE_7B = Shape(
    layers=gqa(16), hidden=2048, heads=16, groups=16, head_dim=128, vocab=50304, experts=64, topk=8, moe_ffn=1024
)

BY_NAME = {
    "Qwen3-30B-A3B": QWEN3_30B,
    "Qwen3-235B-A22B": QWEN3_235B,
    "DeepSeek-V3": DEEPSEEK_V3,
    "Mixtral-8x7B": MIXTRAL_8X7B,
    "Mixtral-8x22B": MIXTRAL_8X22B,
    "GPT-OSS-120B": GPT_OSS_120B,
    "Kimi-K2": KIMI_K2,
    "Qwen3-Next-80B-A3B": QWEN3_NEXT_80B,
    "Moonlight-16B-A3B": MOONLIGHT_16B,
    "OLMoE-7B": OLMOE_7B,
}
