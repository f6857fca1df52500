"""bridge, bridge-resolved, megatron-core and megatron-lm-yaml: recognition, keys, values, writing back."""

from __future__ import annotations

import pytest

from moelint.lang.unknown import UNKNOWN
from moelint.read.place import REMOVED, place, text_value

BRIDGE = """\
model:
  num_layers: 48
  num_moe_experts: 128
  expert_model_parallel_size: 8
  moe_z_loss_coeff: 1e-3
comm_overlap:
  overlap_moe_expert_parallel_comm: true
mixed_precision: bf16_with_mxfp8_mixed
env_vars:
  CUDA_DEVICE_MAX_CONNECTIONS: 1
train:
  global_batch_size: ${oc.env:GBS,256}
  micro_batch_size: ???
dataset:
  seq_length: ${model.num_layers}
"""


def values(config):
    return {key: written.value for key, written in config.written.items()}


def test_bridge_override(read):
    (config,) = read(BRIDGE).configs
    assert (config.dialect, config.trainer, config.completeness) == ("bridge", "bridge", "standing")
    assert values(config) == {
        "model.num_layers": 48,
        "model.num_moe_experts": 128,
        "model.expert_model_parallel_size": 8,
        "model.moe_z_loss_coeff": 0.001,
        "comm_overlap.overlap_moe_expert_parallel_comm": True,
        "mixed_precision": "bf16_with_mxfp8_mixed",
        "env_vars.CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "train.global_batch_size": 256,
        "train.micro_batch_size": UNKNOWN,
        "dataset.seq_length": 48,
    }
    assert config.written["train.global_batch_size"].assumed
    assert config.written["dataset.seq_length"].assumed is None


def test_defined_variable_is_known(read):
    (config,) = read(BRIDGE, define={"GBS": "512"}).configs
    assert (config.written["train.global_batch_size"].value, config.written["train.global_batch_size"].assumed) == (
        512,
        None,
    )


def test_fragment_without_a_model(read):
    (config,) = read("comm_overlap:\n  delay_wgrad_compute: true\n").configs
    assert config.completeness == "fragment"


def test_transformer_section_of_a_built_model(read):
    (config,) = read("model:\n  transformer:\n    moe_grouped_gemm: true\n").configs
    assert values(config) == {"model.moe_grouped_gemm": True}


RESOLVED = """\
_target_: megatron.bridge.training.config.ConfigContainer
model:
  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider
  activation_func:
    _call_: false
    _target_: torch.nn.functional.silu
  attention_backend:
    _args_:
    - 5
    _call_: true
    _name_: auto
    _target_: megatron.core.transformer.enums.AttnBackend
  params_dtype:
    _call_: false
    _target_: torch.bfloat16
  moe_aux_loss_coeff: 1e-4
  recompute_modules: [moe_act]
  pipeline_model_parallel_layout:
  - [embedding, decoder]
  - [decoder, loss]
train:
  micro_batch_size: 1
"""


def test_resolved_dump(read):
    (config,) = read(RESOLVED).configs
    assert (config.dialect, config.completeness) == ("bridge-resolved", "complete")
    found = values(config)
    assert found["model.activation_func"] == "torch.nn.functional.silu"
    assert found["model.attention_backend"] == "auto"
    assert found["model.params_dtype"] == "torch.bfloat16"
    assert found["model.moe_aux_loss_coeff"] == "1e-4"  # text: a dump is read by the safe loader
    assert found["model.recompute_modules"] == ["moe_act"]
    assert found["model.pipeline_model_parallel_layout"] == [["embedding", "decoder"], ["decoder", "loss"]]
    assert not [key for key in found if key.endswith(("_call_", "_args_", "_name_"))]


MEGATRON_LM = """\
ENV_VARS:
  CUDA_DEVICE_MAX_CONNECTIONS: 1
MODEL_ARGS:
  --num-layers: 27
  --num-experts: 64
  --moe-layer-freq: ([0]*3+[1]*24)
  --recompute-modules: "[moe_act layernorm]"
  --moe-aux-loss-coeff: 1e-3
  --untie-embeddings-and-output-weights: true
  --no-gradient-accumulation-fusion: true
  --sequence-parallel: true
  --tensor-model-parallel-size: 2
  --unheard-of-flag: 3
MODEL_ARGS_2:
  --num-layers: 28
TEST_TYPE: regular
"""


def test_megatron_lm_arguments(read):
    first, second = read(MEGATRON_LM).configs
    assert (first.name, first.dialect, first.trainer, first.completeness) == (
        "MODEL_ARGS",
        "megatron-lm-yaml",
        "lm",
        "complete",
    )
    assert values(first) == {
        "env_vars.CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "model.num_layers": 27,
        "model.num_moe_experts": 64,
        "model.moe_layer_freq": [0] * 3 + [1] * 24,
        "model.recompute_modules": ["moe_act", "layernorm"],
        "model.moe_aux_loss_coeff": 0.001,
        "model.share_embeddings_and_output_weights": False,
        "model.gradient_accumulation_fusion": False,
        "model.sequence_parallel": True,
        "model.tensor_model_parallel_size": 2,
    }
    assert [setting.path[-1] for setting in first.unread] == ["--unheard-of-flag"]
    assert first.written["model.num_moe_experts"].spelling == "--num-experts"
    assert second.name == "MODEL_ARGS_2" and values(second)["model.num_layers"] == 28


def test_template_variables_wait_for_a_definition(read):
    text = "MODEL_ARGS:\n  --tensor-model-parallel-size: ${TP}\n  --expert-model-parallel-size: ${EP:-8}\n"
    (config,) = read(text).configs
    tp, ep = config.written["model.tensor_model_parallel_size"], config.written["model.expert_model_parallel_size"]
    assert (tp.value, tp.waits) == (UNKNOWN, ("TP",))
    assert ep.value == 8 and ep.assumed
    assert config.completeness == "standing"
    (config,) = read(text, define={"TP": "4"}).configs
    assert config.written["model.tensor_model_parallel_size"].value == 4


def test_settings_from_a_checkpoint_make_it_a_fragment(read):
    (config,) = read("MODEL_ARGS:\n  --num-layers: 4\n  --use-checkpoint-args: true\n").configs
    assert config.completeness == "fragment"


def test_core_fields_by_directive(read):
    text = "# moelint: complete dialect=megatron-core gpu=h100\nmodel:\n  num_layers: 4\nenv_vars:\n  A: '1'\n"
    (config,) = read(text).configs
    assert (config.dialect, config.trainer, config.completeness, config.complete_env) == (
        "megatron-core",
        "core",
        "complete",
        True,
    )
    assert values(config) == {"model.num_layers": 4, "env_vars.A": "1"}


@pytest.mark.parametrize(
    ("key", "value", "path", "after", "text"),
    [
        ("model.num_layers", 2, ("model", "num_layers"), None, 2),
        (
            "model.expert_tensor_parallel_size",
            1,
            ("model", "expert_tensor_parallel_size"),
            ("model", "expert_model_parallel_size"),
            1,
        ),
        ("ddp.use_distributed_optimizer", True, ("ddp", "use_distributed_optimizer"), None, True),
        ("env_vars.A.B", "x", ("env_vars", "A.B"), ("env_vars", "CUDA_DEVICE_MAX_CONNECTIONS"), "x"),
    ],
)
def test_places_in_bridge(read, key, value, path, after, text):
    (config,) = read(BRIDGE).configs
    assert place(config, key, value) == (config.document, path, after)
    assert text_value(config, key, value) == text


@pytest.mark.parametrize(
    ("key", "value", "flag", "text"),
    [
        ("model.moe_permute_fusion", True, "--moe-permute-fusion", True),
        ("model.sequence_parallel", False, "--sequence-parallel", REMOVED),
        ("model.gradient_accumulation_fusion", True, "--no-gradient-accumulation-fusion", REMOVED),
        ("model.recompute_modules", ["moe_act"], "--recompute-modules", "[moe_act]"),
        ("model.num_moe_experts", 8, "--num-experts", 8),
        ("model.bias_dropout_fusion", False, "--no-bias-dropout-fusion", True),
    ],
)
def test_places_in_megatron_lm_arguments(read, key, value, flag, text):
    config = read(MEGATRON_LM).configs[0]
    found = place(config, key, value)
    assert found is not None and found[1] == ("MODEL_ARGS", flag)
    assert text_value(config, key, value) == text


def test_key_that_a_dialect_cannot_say(read):
    config = read(MEGATRON_LM).configs[0]
    assert place(config, "model.no_such_field", 1) is None


def test_core_dialect_writes_overlap_on_the_model(read):
    (config,) = read("# moelint: dialect=megatron-core\nmodel:\n  num_layers: 4\n").configs
    found = place(config, "comm_overlap.delay_wgrad_compute", True)
    assert found is not None and found[1] == ("model", "delay_wgrad_compute")


def test_other_files_are_passed_over(read):
    assert read("apiVersion: v1\nkind: ConfigMap\ndata:\n  x: megatron\n").skipped == "a Kubernetes manifest"
    assert read("name: hello\n").skipped == "no sign of a training config"
    assert read("{{ if .Values.x }}\nmodel: megatron\n{{ end }}\n").skipped == "a template, not YAML"
    assert read("").skipped


def test_broken_text_is_a_problem_with_a_place(read):
    found = read("model:\n  moe_x: [1\ntrain: 2\n")
    assert found.configs == [] and found.skipped == "broken"
    (problem,) = found.problems
    assert problem.kind == "syntax" and found.source.position(problem.start)[0] == 3


def test_several_documents_are_several_configs(read):
    text = "ddp:\n  a: 1\n---\n# moelint: gpus=8\nddp:\n  a: 2\n---\nname: x\n"
    first, second = read(text).configs
    assert [first.name, second.name] == ["config", "config-2"] and second.line == 6
    assert second.stated == {"gpus": (8, "directive")} and first.stated == {}


def test_list_of_layers_is_written_as_python(read):
    config = read(MEGATRON_LM).configs[0]
    assert text_value(config, "model.moe_layer_freq", [0, 1]) == "([0, 1])"
    assert text_value(config, "model.moe_router_topk", None) is REMOVED


def test_enum_members_in_a_list_of_a_dump(read):
    text = (
        "_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n  cuda_graph_modules:\n"
        "  - {_args_: [1], _call_: true, _name_: attn, _target_: x.CudaGraphModule}\n"
        "  - {_args_: [4], _call_: true, _name_: moe_router, _target_: x.CudaGraphModule}\n"
    )
    (config,) = read(text).configs
    assert config.written["model.cuda_graph_modules"].value == ["attn", "moe_router"]
