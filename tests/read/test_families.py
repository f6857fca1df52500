"""The frameworks around Megatron: recognition, keys, values, implied settings, GPU counts, writing back."""

from __future__ import annotations

import pytest

from moelint.read.place import place, text_value

NEMO_RL = """\
policy:
  model_name: Qwen/Qwen3-30B-A3B
  precision: bfloat16
  train_micro_batch_size: 1
  train_global_batch_size: 64
  max_total_sequence_length: 4096
  megatron_cfg:
    enabled: true
    activation_checkpointing: true
    expert_model_parallel_size: 8
    fp8_cfg: {enabled: false, fp8: e4m3}
    peft: {enabled: false, dim: 8}
    optimizer: {lr: 1e-6, use_distributed_optimizer: true}
    distributed_data_parallel_config: {overlap_grad_reduce: true, use_custom_fsdp: false}
    env_vars: {NVLINK_DOMAIN_SIZE: '72'}
  generation:
    colocated: {enabled: false, resources: {num_nodes: 2, gpus_per_node: 8}}
cluster: {gpus_per_node: 8, num_nodes: 6}
checkpointing: {enabled: true}
"""

PRIMUS = """\
exp_name: ${EXP:run}
modules:
  pre_trainer:
    framework: megatron
    overrides:
      num_experts: 160
      expert_model_parallel_size: ${PRIMUS_EP:8}
      seq_length: ${SEQ}
      moe_layer_freq: ([0]*1+[1]*3)
      untie_embeddings_and_output_weights: true
      recompute_granularity: none
      use_turbo_deepep: true
"""

ROLL = """\
pretrain: Qwen/Qwen3-235B-A22B
prompt_length: 2048
response_length: 4096
num_gpus_per_node: 8
system_envs: {USE_MODELSCOPE: '1'}
actor_train:
  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 64}
  strategy_args:
    strategy_name: megatron_train
    strategy_config:
      tensor_model_parallel_size: 4
      pipeline_model_parallel_size: 8
      recompute_granularity: selective
      recompute_modules: moe,layernorm
      use_distributed_optimizer: true
  device_mapping: list(range(0,256))
actor_infer:
  strategy_args:
    strategy_name: vllm
    strategy_config: {tensor_parallel_size: 8}
reference:
  strategy_args:
    strategy_name: megatron_infer
    strategy_config: {expert_model_parallel_size: 8}
  device_mapping: list(range(0,128)) + list(range(192,256))
"""

SWIFT = """\
model: Qwen/Qwen3-30B-A3B
tuner_type: lora
max_length: 2048
micro_batch_size: 1
sequence_parallel: true
moe_router_dtype: none
no_save_optim: true
fp8_format: e4m3
ENV: {NPROC_PER_NODE: '8'}
"""

VERL = """\
actor_rollout_ref:
  model: {path: Qwen/Qwen3-30B-A3B}
  actor:
    strategy: megatron
    ppo_micro_batch_size_per_gpu: 2
    megatron:
      tensor_model_parallel_size: 4
      override_transformer_config: {moe_aux_loss_coeff: 1e-4, mtp_num_layers: 0}
      override_ddp_config: {overlap_grad_reduce: true}
  ref: {megatron: {expert_model_parallel_size: 2}}
  rollout: {tensor_model_parallel_size: 2}
data: {max_prompt_length: 512, max_response_length: 1536}
trainer: {nnodes: 2, n_gpus_per_node: 8}
"""

RLINF = """\
cluster:
  num_nodes: 8
  component_placement: {rollout: 0-15, actor: 24-63}
runner: {seq_length: 28672}
algorithm: {training_batch_size_per_gpu: 1}
actor:
  training_backend: megatron
  model: {moe_grouped_gemm: te, seq_length: '${runner.seq_length}', normalization: rmsnorm, activation: swiglu}
  optim: {lr: 2.0e-06, overlap_param_gather: true}
"""

AREAL = """\
cluster: {n_nodes: 4, n_gpus_per_node: 8}
actor:
  backend: "megatron:(attn:d4p4t2|ffn:d2p4e4)"
  path: Qwen/Qwen3-30B-A3B
  megatron:
    ddp: {overlap_grad_reduce: false}
    moe_token_dispatcher_type: alltoall
"""

NEMO1 = """\
trainer: {devices: 8, num_nodes: 2, precision: bf16}
exp_manager: {name: x}
model:
  micro_batch_size: 1
  encoder_seq_length: 4096
  num_moe_experts: 8
  num_layers: 32
  activations_checkpoint_granularity: full
  bias: false
  fp8: true
  fp8_hybrid: true
  native_amp_init_scale: 4294967296
  optim: {name: mcore_distributed_optim, overlap_grad_sync: true}
"""

CHATLEARN = """\
runtime_args: {train_global_batch_size: 512}
models:
  policy_trainer:
    num_gpu: 8
    decoder_first_pipeline_num_layers: 4
    optimizer: {clip_grad: 1.0}
    packing: true
"""

FLAGSCALE = """\
experiment:
  runner: {nnodes: 2, nproc_per_node: 8}
  envs: {CUDA_DEVICE_MAX_CONNECTIONS: 1}
train:
  system:
    tensor_model_parallel_size: 2
    precision: {bf16: true}
    checkpoint: {save_interval: 100}
  model:
    num_experts: 8
"""


def one(read, text, name=None, **options):
    configs = read(text, **options).configs
    return configs[0] if name is None else next(config for config in configs if config.name == name)


def values(config, origin="file"):
    return {key: written.value for key, written in config.written.items() if written.origin == origin}


@pytest.mark.parametrize(
    ("text", "dialect", "trainer", "expected", "gpus"),
    [
        (
            NEMO_RL,
            "nemo-rl",
            "bridge",
            {
                "model.expert_model_parallel_size": 8,
                "train.micro_batch_size": 1,
                "train.global_batch_size": 64,
                "model.seq_length": 4096,
                "model.bf16": True,
                "optimizer.lr": 1e-6,
                "ddp.overlap_grad_reduce": True,
                "ddp.use_megatron_fsdp": False,
                "ddp.use_distributed_optimizer": True,
                "env_vars.NVLINK_DOMAIN_SIZE": "72",
                "model.recompute_granularity": "full",
                "model.recompute_method": "uniform",
                "model.recompute_num_layers": 1,
            },
            32,
        ),
        (
            PRIMUS,
            "primus",
            "lm",
            {
                "model.num_moe_experts": 160,
                "model.expert_model_parallel_size": 8,
                "model.moe_layer_freq": [0, 1, 1, 1],
                "model.share_embeddings_and_output_weights": False,
                "model.recompute_granularity": None,
                "primus.use_turbo_deepep": True,
            },
            None,
        ),
        (
            ROLL,
            "roll",
            "core",
            {
                "model.tensor_model_parallel_size": 4,
                "model.recompute_modules": ["moe", "layernorm"],
                "ddp.use_distributed_optimizer": True,
                "env_vars.USE_MODELSCOPE": "1",
                "model.seq_length": 6144,
                "train.micro_batch_size": 1,
                "train.global_batch_size": 512,
            },
            256,
        ),
        (
            SWIFT,
            "swift-yaml",
            "core",
            {
                "model.seq_length": 2048,
                "train.micro_batch_size": 1,
                "model.moe_router_dtype": None,
                "checkpoint.save_optim": False,
                "model.fp8": "e4m3",
                "env_vars.NPROC_PER_NODE": "8",
                "swift.tuner_type": "lora",
            },
            None,
        ),
        (
            VERL,
            "verl-yaml",
            "core",
            {
                "model.tensor_model_parallel_size": 4,
                "model.moe_aux_loss_coeff": 1e-4,
                "model.mtp_num_layers": 0,
                "ddp.overlap_grad_reduce": True,
                "train.micro_batch_size": 2,
                "model.seq_length": 2048,
                "verl.rollout.tensor_model_parallel_size": 2,
            },
            16,
        ),
        (
            RLINF,
            "rlinf",
            "core",
            {
                "model.moe_grouped_gemm": True,
                "model.seq_length": 28672,
                "model.normalization": "RMSNorm",
                "train.micro_batch_size": 1,
                "ddp.overlap_param_gather": True,
                "rlinf.actor.model.activation": "swiglu",
            },
            40,
        ),
        (
            AREAL,
            "areal",
            "core",
            {
                "model.tensor_model_parallel_size": 2,
                "model.pipeline_model_parallel_size": 4,
                "model.context_parallel_size": 1,
                "model.expert_model_parallel_size": 4,
                "model.expert_tensor_parallel_size": 1,
                "ddp.overlap_grad_reduce": False,
            },
            32,
        ),
        (
            NEMO1,
            "nemo1",
            "core",
            {
                "model.seq_length": 4096,
                "model.recompute_granularity": "full",
                "model.add_bias_linear": False,
                "model.fp8": "hybrid",
                "ddp.use_distributed_optimizer": True,
                "ddp.overlap_grad_reduce": True,
                "model.bf16": True,
                "nemo1.model.native_amp_init_scale": 4294967296,
            },
            16,
        ),
        (
            CHATLEARN,
            "chatlearn",
            "lm",
            {
                "train.global_batch_size": 512,
                "model.num_layers_in_first_pipeline_stage": 4,
                "optimizer.clip_grad": 1.0,
                "chatlearn.models.policy_trainer.packing": True,
            },
            8,
        ),
        (
            FLAGSCALE,
            "flagscale",
            "lm",
            {
                "model.tensor_model_parallel_size": 2,
                "model.bf16": True,
                "checkpoint.save_interval": 100,
                "model.num_moe_experts": 8,
                "env_vars.CUDA_DEVICE_MAX_CONNECTIONS": "1",
            },
            16,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else None,
)
def test_family(read, text, dialect, trainer, expected, gpus):
    config = one(read, text)
    assert (config.dialect, config.trainer) == (dialect, trainer)
    found = values(config)
    assert {key: found.get(key, "absent") for key in expected} == expected
    assert config.stated.get("gpus", (None, ""))[0] == gpus
    assert config.unread == []


def test_switched_off_parts_of_nemo_rl_say_nothing(read):
    config = one(read, NEMO_RL)
    assert not [key for key in config.written if key.startswith(("model.fp8", "peft."))]
    off = one(read, NEMO_RL.replace("enabled: true\n    activation", "enabled: false\n    activation"))
    assert off.dialect == "nemo-rl" and off.written == {}
    without = one(read, NEMO_RL.replace("activation_checkpointing: true", "activation_checkpointing: false"))
    assert "model.recompute_granularity" not in without.written


def test_model_facts(read):
    config = one(read, NEMO_RL)
    facts = values(config, "model")
    assert facts["model.num_moe_experts"] == 128 and facts["model.moe_router_topk"] == 8
    assert facts["model.moe_token_dispatcher_type"] == "alltoall"  # Bridge's provider chooses it
    assert config.completeness == "standing"
    other = values(one(read, SWIFT), "model")
    assert other["model.num_moe_experts"] == 128 and "model.moe_token_dispatcher_type" not in other
    local = one(read, SWIFT.replace("Qwen/Qwen3-30B-A3B", "/data/models/Qwen3-30B-A3B/"))
    assert local.written["model.num_layers"].value == 48 and local.written["model.num_layers"].assumed
    unknown = one(read, SWIFT.replace("Qwen/Qwen3-30B-A3B", "my/model"))
    assert values(unknown, "model") == {} and unknown.completeness == "fragment"


def test_blocks_of_roll(read):
    configs = read(ROLL).configs
    assert [config.name for config in configs] == ["actor_train", "reference"]
    assert configs[1].stated["gpus"] == (192, "config")
    assert configs[1].line == ROLL[: ROLL.index("megatron_infer")].count("\n") + 1


def test_defaults_of_primus_are_assumed(read):
    config = one(read, PRIMUS)
    assert config.written["model.expert_model_parallel_size"].assumed
    assert config.written["model.seq_length"].waits == ("SEQ",)
    assert one(read, PRIMUS, define={"SEQ": "4096"}).written["model.seq_length"].value == 4096


@pytest.mark.parametrize(
    ("text", "name", "key", "value", "path", "text_form"),
    [
        (NEMO_RL, None, "model.moe_permute_fusion", True, ("policy", "megatron_cfg", "moe_permute_fusion"), True),
        (
            NEMO_RL,
            None,
            "ddp.overlap_param_gather",
            True,
            ("policy", "megatron_cfg", "distributed_data_parallel_config", "overlap_param_gather"),
            True,
        ),
        (NEMO_RL, None, "env_vars.USE_MNNVL", "1", ("policy", "megatron_cfg", "env_vars", "USE_MNNVL"), "1"),
        (PRIMUS, None, "model.num_moe_experts", 64, ("modules", "pre_trainer", "overrides", "num_experts"), 64),
        (
            PRIMUS,
            None,
            "model.share_embeddings_and_output_weights",
            True,
            ("modules", "pre_trainer", "overrides", "untie_embeddings_and_output_weights"),
            False,
        ),
        (
            PRIMUS,
            None,
            "primus.use_turbo_grouped_mlp",
            False,
            ("modules", "pre_trainer", "overrides", "use_turbo_grouped_mlp"),
            False,
        ),
        (
            ROLL,
            "reference",
            "model.sequence_parallel",
            True,
            ("reference", "strategy_args", "strategy_config", "sequence_parallel"),
            True,
        ),
        (
            ROLL,
            "actor_train",
            "model.recompute_modules",
            ["moe", "mlp"],
            ("actor_train", "strategy_args", "strategy_config", "recompute_modules"),
            "moe,mlp",
        ),
        (SWIFT, None, "model.seq_length", 4096, ("max_length",), 4096),
        (SWIFT, None, "model.num_layers_in_first_pipeline_stage", 4, ("decoder_first_pipeline_num_layers",), 4),
        (
            VERL,
            "actor_rollout_ref.actor",
            "model.moe_permute_fusion",
            True,
            ("actor_rollout_ref", "actor", "megatron", "override_transformer_config", "moe_permute_fusion"),
            True,
        ),
        (
            VERL,
            "actor_rollout_ref.ref",
            "model.sequence_parallel",
            True,
            ("actor_rollout_ref", "ref", "megatron", "sequence_parallel"),
            True,
        ),
        (FLAGSCALE, None, "model.moe_grouped_gemm", True, ("train", "system", "moe_grouped_gemm"), True),
    ],
)
def test_places(read, text, name, key, value, path, text_form):
    config = one(read, text, name)
    found = place(config, key, value)
    assert found is not None and found[0] is config.document and found[1] == path
    assert text_value(config, key, value) == text_form


def test_sizes_inside_a_text_cannot_be_rewritten(read):
    assert place(one(read, AREAL), "model.tensor_model_parallel_size", 1) is None


def test_settings_astray(read):
    config = one(read, NEMO_RL.replace("  precision", "  expert_model_parallel_size: 8\n  precision"))
    (problem,) = config.problems
    assert problem.kind == "astray" and problem.path == ("policy", "expert_model_parallel_size")
    assert problem.message.endswith("it belongs under policy.megatron_cfg")
    deep = NEMO_RL.replace(
        "    activation", "    moe_aux_loss_coeff: 0.1\n    model_overrides: {moe_z_loss_coeff: 0.1}\n    activation"
    )
    config = one(read, deep)
    assert [problem.path[-1] for problem in config.problems] == ["moe_aux_loss_coeff"]
    assert config.written["model.moe_z_loss_coeff"].value == 0.1
    assert one(read, NEMO_RL).problems == [] and one(read, VERL).problems == []


@pytest.mark.parametrize(
    ("text", "key", "value", "expected"),
    [
        (NEMO_RL, "model.bf16", True, "bfloat16"),
        (NEMO1, "model.bf16", True, "bf16"),
        (RLINF, "model.moe_grouped_gemm", False, None),
        (SWIFT, "model.moe_router_dtype", None, "none"),
        (SWIFT, "checkpoint.save_optim", True, False),
    ],
)
def test_converted_values_are_turned_round(read, text, key, value, expected):
    config = one(read, text)
    assert place(config, key, value) is not None
    assert text_value(config, key, value) == expected


def test_value_that_the_dialect_cannot_say(read):
    assert place(one(read, NEMO_RL), "model.bf16", False) is None


def test_facts_of_a_changed_model_are_assumed(read):
    config = one(read, NEMO_RL.replace("  precision", "  hf_config_overrides: {num_hidden_layers: 4}\n  precision"))
    assert config.written["model.num_layers"].assumed
