"""From an effective config to the walls' inputs: model, layout and machine.

Settings without which a figure would mean nothing (sizes of the model, parallel sizes, GPUs) are needed; details that
move it by little fall back to what the trainer does by default and are listed in ``assumptions``.
"""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.walls_reader import LARGEST, Get, Reader
from moelint.typed import Any
from moelint.walls import stages
from moelint.walls.model import Layer, Layout, Machine, Shape, ShapeError, check

_DTYPE_BYTES = {
    "float32": 4.0,
    "fp32": 4.0,
    "float": 4.0,
    "bfloat16": 2.0,
    "bf16": 2.0,
    "float16": 2.0,
    "fp16": 2.0,
    "half": 2.0,
    "uint8": 1.0,
    "fp8": 1.0,
    "float8_e4m3fn": 1.0,
}
_HYBRID: dict[str, Layer] = {
    "M": ("mamba", ""),
    "G": ("gdn", ""),
    "*": ("gqa", ""),
    "-": ("", "dense"),
    "E": ("", "moe"),
    "D": ("gqa", ""),
}
ASSUMED_VOCAB = 131_072


def dtype_bytes(value: Any, default: float) -> float:
    """Bytes per element of a dtype as configs spell it (``torch.bfloat16``, ``bf16``)."""
    text = str(value).rpartition(".")[2].lower()
    return _DTYPE_BYTES.get(text, default)


def _pattern(text: str) -> tuple[Layer, ...] | None:
    """Layers of a hybrid pattern (``MEM*E…``, MTP parts after a slash, bars between pipeline stages)."""
    letters = [c for c in text.split("/")[0] if c not in "| "]
    if not letters or any(c not in _HYBRID for c in letters):
        return None
    return tuple(_HYBRID[c] for c in letters)


def _layers(r: Reader, experts: int) -> tuple[Layer, ...]:
    pattern = r.maybe("model.hybrid_layer_pattern", None) or r.maybe("model.hybrid_override_pattern", None)
    if isinstance(pattern, str):
        found = _pattern(pattern)
        if found:
            return found
    count = r.number("model.num_layers")
    if r.missing:
        return ()
    if count > 10_000:
        raise ShapeError(f"model.num_layers is {count:,}: no model has so many")
    mixer = "mla" if r.flag("model.multi_latent_attention") else "gqa"
    mixers = [mixer] * count
    if r.maybe("model.experimental_attention_variant", "") in ("gdn", "gated_delta_net"):
        freq = r.maybe("model.linear_attention_freq", 4)
        for n in range(count):
            linear = (
                (freq[n] if n < len(freq) else 0) if isinstance(freq, (list, tuple)) else (n + 1) % _every(freq) != 0
            )
            if linear:
                mixers[n] = "gdn"
    if experts <= 0:
        return tuple((m, "dense") for m in mixers)
    freq = r.maybe("model.moe_layer_freq", 1)
    if isinstance(freq, (list, tuple)):
        kinds = ["moe" if n < len(freq) and freq[n] else "dense" for n in range(count)]
    else:
        every = _every(freq)
        kinds = ["moe" if n % every == 0 else "dense" for n in range(count)]
    return tuple(zip(mixers, kinds, strict=True))


def _window(r: Reader) -> tuple[int, int]:
    window = r.maybe("model.window_size", None)
    if isinstance(window, (list, tuple)) and window and isinstance(window[0], int) and window[0] > 0:
        size = window[0] + 1
    elif isinstance(window, int) and not isinstance(window, bool) and window > 0:
        size = window
    else:
        return 0, 1
    every = r.maybe("model.window_attn_skip_freq", 1)
    return size, _every(every)


def _every(value: Any) -> int:
    """A period in layers; 1 for what is none."""
    return value if isinstance(value, int) and value > 0 else 1


def read_shape(r: Reader) -> Shape | None:
    """The model, or None (``r.missing`` says why)."""
    experts = r.number("model.num_moe_experts", 0)
    hidden = r.number("model.hidden_size")
    heads = r.number("model.num_attention_heads")
    topk = r.number("model.moe_router_topk") if experts else 0
    layers = _layers(r, experts)
    if r.missing or not layers or hidden <= 0 or heads <= 0:
        return None
    ffn = r.maybe("model.ffn_hidden_size", None)
    if ffn is None and any(kind == "dense" for _, kind in layers):
        r.assumptions.append("feed-forward size 4 × hidden size, the trainer's default")
    ffn = int(ffn) if isinstance(ffn, int) else 4 * hidden
    vocab = r.size("model.vocab_size") or r.size("tokenizer.vocab_size")
    if not vocab:
        vocab = ASSUMED_VOCAB
        r.assumptions.append(f"vocabulary of {vocab:,} (model.vocab_size is not stated)")
    unit = max(
        1, r.size("model.make_vocab_size_divisible_by", 128) * max(1, r.size("model.tensor_model_parallel_size", 1))
    )
    window, every = _window(r)
    mla = any(m == "mla" for m, _ in layers)
    moe_ffn = 0
    if experts:
        moe_ffn = r.size("model.moe_ffn_hidden_size") or ffn
    return Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        groups=r.size("model.num_query_groups") or heads,
        head_dim=r.size("model.kv_channels") or max(1, hidden // heads),
        vocab=-(-vocab // unit) * unit,
        ffn=ffn,
        gated=r.flag("model.gated_linear_unit"),
        experts=experts,
        topk=topk,
        moe_ffn=moe_ffn,
        shared_ffn=r.size("model.moe_shared_expert_intermediate_size") if experts else 0,
        shared_gate=r.flag("model.moe_shared_expert_gate"),
        latent=r.size("model.moe_latent_size"),
        q_rank=r.size("model.q_lora_rank") if mla else 0,
        kv_rank=r.size("model.kv_lora_rank", 512) if mla else 0,
        nope_dim=r.size("model.qk_head_dim", 128) if mla else 0,
        rope_dim=r.size("model.qk_pos_emb_head_dim", 64) if mla else 0,
        v_dim=r.size("model.v_head_dim", 128) if mla else 0,
        delta_k_heads=r.size("model.linear_num_key_heads", 16),
        delta_v_heads=r.size("model.linear_num_value_heads", 32),
        delta_k_dim=r.size("model.linear_key_head_dim", 128),
        delta_v_dim=r.size("model.linear_value_head_dim", 128),
        conv_width=r.size("model.linear_conv_kernel_dim", 4),
        mamba_heads=r.size("model.mamba_num_heads") or max(1, 2 * hidden // max(1, r.size("model.mamba_head_dim", 64))),
        mamba_head_dim=r.size("model.mamba_head_dim", 64),
        mamba_groups=r.size("model.mamba_num_groups", 8),
        mamba_state=r.size("model.mamba_state_dim", 128),
        mtp_depth=r.size("model.mtp_num_layers"),
        tied_embeddings=r.flag("model.share_embeddings_and_output_weights"),
        linear_bias=r.flag("model.add_bias_linear"),
        qkv_bias=r.flag("model.add_qkv_bias"),
        qk_norm=r.flag("model.qk_layernorm") and not mla,
        output_gate=r.flag("model.attention_output_gate"),
        expert_bias=r.flag("model.moe_router_enable_expert_bias"),
        sinks=r.maybe("model.softmax_type", "") == "learnable",
        window=window,
        window_every=every,
    )


def _optimizer_bytes(r: Reader) -> tuple[float, float]:
    """(master, moments) bytes per parameter."""
    name = str(r.maybe("optimizer.optimizer", "adam"))
    if not r.flag("optimizer.use_precision_aware_optimizer"):
        return 4.0, 4.0 if "muon" in name or name in ("sgd", "lion") else 8.0
    master = dtype_bytes(r.maybe("optimizer.main_params_dtype", "fp32"), 4.0)
    first = dtype_bytes(r.maybe("optimizer.exp_avg_dtype", "fp32"), 4.0)
    second = dtype_bytes(r.maybe("optimizer.exp_avg_sq_dtype", "fp32"), 4.0)
    return master, first + second


def _pipeline(r: Reader, shape: Shape, pp: int, vpp: int) -> dict[str, Any]:
    """Chunks, MTP ranks and (where a layout states it) VPP."""
    count = len(shape.layers)
    text = r.maybe("model.pipeline_model_parallel_layout", None)
    if text is not None:
        parsed = stages.parse(text)
        found = stages.layout_chunks(parsed, pp) if parsed else None
        if found and sum(sum(c) for c in found[0]) == count:
            return {"chunks": found[0], "mtp_ranks": found[1], "vpp": len(found[0][0])}
    first = r.maybe("model.num_layers_in_first_pipeline_stage", None)
    last = r.maybe("model.num_layers_in_last_pipeline_stage", None)
    if isinstance(first, int) or isinstance(last, int):
        return {"chunks": stages.first_last_chunks(count, pp, vpp, first, last)}
    embedding = r.flag("model.account_for_embedding_in_pipeline_split")
    loss = r.flag("model.account_for_loss_in_pipeline_split")
    if embedding or loss:
        return {"chunks": stages.accounted_chunks(count, pp, vpp, embedding, loss)}
    return {}


def read_layout(r: Reader, shape: Shape) -> Layout | None:
    """Parallel sizes, batch and memory savers, or None (``r.missing`` says why)."""
    world = r.number("target.gpus")
    tp = r.number("model.tensor_model_parallel_size", 1)
    pp = r.number("model.pipeline_model_parallel_size", 1)
    cp = r.number("model.context_parallel_size", 1)
    ep = r.number("model.expert_model_parallel_size", 1) if shape.experts else 1
    etp = r.number("model.expert_tensor_parallel_size", tp) if shape.experts else 1
    vpp = r.number("model.virtual_pipeline_model_parallel_size", 1)
    if r.missing:
        return None
    sizes = Layout(world, tp, pp, cp, ep, etp, vpp)
    check(shape, sizes)  # before anything is spread over stages
    master, moments = _optimizer_bytes(r)
    name = str(r.maybe("optimizer.optimizer", "adam"))
    offload = r.flag("optimizer.optimizer_cpu_offload")
    fraction = _positive(r, "optimizer.optimizer_offload_fraction", 1.0) if offload else 0.0
    distributed = (
        r.flag("ddp.use_distributed_optimizer")
        or r.flag("optimizer.use_distributed_optimizer")
        or name.startswith("dist_")
    )
    half = r.flag("model.bf16") or r.flag("model.fp16") or str(r.maybe("model.params_dtype", "")).endswith("16")
    fsdp = (
        r.flag("ddp.use_megatron_fsdp") and r.maybe("ddp.data_parallel_sharding_strategy", "") == "optim_grads_params"
    )
    granularity = r.maybe("model.recompute_granularity", "none")
    modules = r.maybe("model.recompute_modules", None)
    modules = modules if isinstance(modules, (list, tuple)) else ["core_attn"]
    block = granularity == "full" and r.maybe("model.recompute_method", "uniform") == "block"
    fine = r.flag("model.fine_grained_activation_offloading")
    offloaded = r.maybe("model.offload_modules", []) if fine else []
    dispatcher = str(r.maybe("model.moe_token_dispatcher_type", "allgather"))
    if dispatcher == "flex":
        dispatcher = str(r.maybe("model.moe_flex_dispatcher_backend", "deepep"))
    graph = str(r.maybe("model.cuda_graph_impl", "none"))
    scope = r.maybe("model.cuda_graph_modules", None) or r.maybe("model.cuda_graph_scope", None) or []
    whole = graph == "full_iteration" or "full_iteration" in (scope if isinstance(scope, (list, tuple)) else [scope])
    graphs = "none" if graph == "none" else "full_iteration" if whole else "scoped"
    return Layout(
        world=world,
        tp=tp,
        pp=pp,
        cp=cp,
        ep=ep,
        etp=etp,
        micro_batch=max(1, r.size("train.micro_batch_size", 1)),
        global_batch=r.size("train.global_batch_size"),
        seq=_sequence(r),
        sequence_parallel=tp > 1 and r.flag("model.sequence_parallel"),
        weight_bytes=_weight_bytes(r, half),
        grad_bytes=4.0 if r.flag("ddp.grad_reduce_in_fp32") or not half else 2.0,
        master_bytes=master if half else 0.0,
        moment_bytes=moments,
        distributed_optimizer=distributed,
        optimizer_instances=max(1, r.size("ddp.num_distributed_optimizer_instances", 1)),
        offloaded_fraction=min(1.0, fraction),
        fsdp=fsdp,
        trained_fraction=_trained(r),
        recompute=granularity if granularity in ("selective", "full") else "none",
        recompute_modules=frozenset(m for m in modules if isinstance(m, str)),
        recompute_layers=r.size("model.recompute_num_layers") if block else 0,
        offload_modules=frozenset(m for m in offloaded if isinstance(m, str))
        if isinstance(offloaded, (list, tuple))
        else frozenset(),
        offload_fraction=min(1.0, _positive(r, "model.activation_offload_fraction", 1.0)),
        host_layers=max(0, r.size("model.cpu_offloading_num_layers")) if r.flag("model.cpu_offloading") else 0,
        fp8=r.maybe("model.fp8", None) not in (None, False),
        fp4=r.maybe("model.fp4", None) not in (None, False),
        capacity_factor=_positive(r, "model.moe_expert_capacity_factor"),
        rank_capacity_factor=_rank_capacity(r),
        dispatcher=dispatcher,
        ep_overlap=r.flag("model.overlap_moe_expert_parallel_comm"),
        delay_wgrad=r.flag("model.delay_wgrad_compute"),
        shared_overlap=r.flag("model.moe_shared_expert_overlap"),
        graphs=graphs,
        grouped_gemm=r.flag("model.moe_grouped_gemm"),
        op_fuser=r.flag("model.use_transformer_engine_op_fuser"),
        router_groups=r.size("model.moe_router_group_topk"),
        overlap_grad_reduce=r.flag("ddp.overlap_grad_reduce"),
        overlap_param_gather=r.flag("ddp.overlap_param_gather"),
        # MXFP8 weights are gathered in BF16 and quantised on each rank
        fp8_param_gather=r.flag("ddp.fp8_param_gather") and r.maybe("model.fp8_recipe", "") != "mxfp8",
        **{"vpp": vpp, **_pipeline(r, shape, pp, vpp)},
    )


def _weight_bytes(r: Reader, half: bool) -> float:
    """Bytes of a weight: FP8 primary weights scaled by tensor need no second, transposed copy from Blackwell on;
    before it, and with block scales, two copies of one byte."""
    if not half:
        return 4.0
    arch = r.get("hw.sm_arch")
    once = isinstance(arch, int) and arch >= 100 and r.maybe("model.fp8_recipe", "") in ("tensorwise", "delayed")
    return 1.0 if once and r.flag("ddp.fp8_param_gather") and r.maybe("model.fp8", None) else 2.0


def _positive(r: Reader, key: str, default: float = 0.0) -> float:
    value = r.maybe(key, default)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number and 0 < value <= LARGEST else 0.0


def _rank_capacity(r: Reader) -> float:
    """Rows kept per balanced row: the paged stash keeps what arrived, not what the static buffers could hold."""
    factor = _positive(r, "model.moe_expert_rank_capacity_factor")
    if factor and r.flag("model.moe_paged_stash"):
        return min(factor, _positive(r, "model.moe_paged_stash_buffer_size_factor_cuda") or factor)
    return factor


def _trained(r: Reader) -> float:
    """Share of the parameters that carry gradients and optimizer state: 0.01 with adapters, 0 with a frozen model."""
    if r.flag("model.freeze_language_model"):
        return 0.0
    adapter = r.get("peft")
    written = adapter not in (UNKNOWN, None, False) or r.maybe("peft._target_", None) is not None
    return 0.01 if written else 1.0


def _sequence(r: Reader) -> int:
    for key in ("dataset.seq_length", "dataset.sequence_length", "model.seq_length"):
        value = r.size(key)
        if value > 0:
            return value
    r.assumptions.append("sequence length 4,096 (dataset.seq_length is not stated)")
    return 4096


def read_machine(get: Get) -> Machine:
    """The GPU's figures; an unknown one is 0."""

    def figure(name: str) -> float:
        value = get("hw." + name)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0

    name = get("target.gpu")
    stated = get("target.hbm_gb")
    if isinstance(stated, (int, float)) and not isinstance(stated, bool) and stated > 0:
        usable = stated * 0.995  # the driver keeps a little; vendors' GB of HBM are near GiB
    else:
        usable = figure("hbm_usable_gib")
    return Machine(
        name=name if isinstance(name, str) else "",
        sm_arch=int(figure("sm_arch")),
        hbm_usable_gib=usable,
        hbm_tbs=figure("hbm_tbs"),
        bf16_tflops=figure("bf16_tflops"),
        fp8_tflops=figure("fp8_tflops"),
        fp4_tflops=figure("fp4_tflops"),
        nvlink_gbs=figure("nvlink_gbs_unidir"),
        nvlink_domain=int(figure("nvlink_domain")),
        nic_gbs=figure("nic_gbs"),
    )
