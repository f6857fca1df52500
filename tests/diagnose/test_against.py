"""The config that a log prints, in all its forms, held against the one that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from moelint.cli import diagnose as cli
from moelint.diagnose.dump import literal
from moelint.diagnose.knowledge import Knowledge
from moelint.diagnose.run import Diagnosis, diagnose
from moelint.lang.unknown import UNKNOWN
from moelint.policy.load import load

KNOWLEDGE = Knowledge(load())
CONFIG = """\
# moelint: gpus=64
model:
  num_layers: 48
  hidden_size: 2048
  num_attention_heads: 32
  num_moe_experts: 128
  moe_token_dispatcher_type: alltoall
  moe_flex_dispatcher_backend: hybridep
  expert_model_parallel_size: 8
  sequence_parallel: true
  bf16: true
comm_overlap:
  overlap_moe_expert_parallel_comm: true
  tp_comm_overlap: false
"""
SUMMARY = f"""\
INFO:nemo: starting
[default0]:{"=" * 70}
[default0]:Configuration Summary (Non-Default Values vs Megatron Core)
[default0]:{"=" * 70}
[default0]:
[default0]:[model] Non-default values (vs Mcore TransformerConfig):
[default0]:  num_layers: 48  (Mcore default: 0)
[default0]:  num_moe_experts: 128  (Mcore default: None)
[default0]:  hidden_size: 2048  (Mcore default: 0)
[default0]:  num_attention_heads: 32  (Mcore default: 0)
[default0]:  bf16: True  (Mcore default: False)
[default3]:  a line of another rank
[default0]:  expert_model_parallel_size: 8  (Mcore default: 1)
[default0]:  moe_token_dispatcher_type: 'alltoall'  (Mcore default: 'allgather')
[default0]:  moe_flex_dispatcher_backend: 'hybridep'  (Mcore default: 'deepep')
[default0]:  params_dtype: torch.bfloat16  (Mcore default: torch.float32)
[default0]:  activation_func: <function silu at 0x7f00>  (Mcore default: <function gelu at 0x7f01>)
[default0]:
[default0]:{"-" * 70}
[default0]:Other Configuration Values:
[default0]:{"-" * 70}
[default0]:
[default0]:[train]:
[default0]:  global_batch_size: 256
[default0]:
[default0]:{"=" * 70}
 iteration 1/ 10 |
"""
ARGUMENTS = """\
------------------------ arguments ------------------------
  expert_model_parallel_size ...................... 8
  moe_token_dispatcher_type ....................... alltoall
  num_experts ..................................... 128
  num_layers ...................................... 48
  overlap_moe_expert_parallel_comm ................ True
  sequence_parallel ............................... False
  params_dtype .................................... torch.bfloat16
-------------------- end of arguments ---------------------
"""
YAML = """\
0: _target_: megatron.bridge.training.config.ConfigContainer
0: model:
0:   _target_: megatron.bridge.models.gpt_provider.GPTModelProvider
0:   num_layers: 48
0:   num_moe_experts: 128
0:   expert_model_parallel_size: 4
0: train:
0:   global_batch_size: 256
1: another rank
0: [NeMo I] setup done
"""


def read(tmp_path: Path, log: str) -> Diagnosis:
    (tmp_path / "a.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "log").write_text(log, encoding="utf-8")
    given = {"meant": str(tmp_path / "a.yaml"), "policies": (), "base": None, "config": None, "no_config": True}
    report, effective = cli._meant({**given, "target": (), "name": None})
    return diagnose(str(tmp_path / "log"), KNOWLEDGE, report, effective)


def test_summary_of_bridge(tmp_path: Path) -> None:
    found = read(tmp_path, SUMMARY)
    assert found.config is not None and (found.config.kind, found.config.line) == ("bridge-summary", 3)
    differs = {item.key: (item.asked, item.logged, item.line, item.log_line) for item in found.differs}
    assert differs == {
        # values at the trainer's default are not printed: absent means off
        "model.sequence_parallel": (True, False, 10, 3),
        "comm_overlap.overlap_moe_expert_parallel_comm": (True, False, 13, 3),
    }
    [sequence] = [item for item in found.differs if item.key == "model.sequence_parallel"]
    assert sequence.rules == ["RWB033"], "the rewrite that explains it"
    assert "model.moe_token_dispatcher_type" in found.as_asked
    [cause] = found.causes
    assert cause.symptom == "flex-never-activated" and cause.means == "changed" and not found.fatal


def test_arguments_of_megatron_lm(tmp_path: Path) -> None:
    found = read(tmp_path, ARGUMENTS)
    assert found.config is not None and found.config.kind == "megatron-lm"
    assert found.config.values["model.num_moe_experts"] == (128, 4)
    assert [item.key for item in found.differs] == ["model.sequence_parallel"]
    assert "comm_overlap.overlap_moe_expert_parallel_comm" in found.as_asked, "what was asked for ran"
    assert not found.causes


def test_yaml_of_bridge(tmp_path: Path) -> None:
    found = read(tmp_path, YAML)
    assert found.config is not None and found.config.kind == "bridge-yaml"
    assert found.config.values["model.num_layers"] == (48, 4)
    assert [(item.key, item.asked, item.logged, item.log_line) for item in found.differs] == [
        ("model.expert_model_parallel_size", 8, 4, 6)
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("True", True),
        ("None", None),
        ("1e-05", 1e-05),
        ("['moe_act', 'core_attn']", ["moe_act", "core_attn"]),
        ("(1, 2)", [1, 2]),
        ("torch.bfloat16", "torch.bfloat16"),
        ("alltoall", "alltoall"),
        ("/data/a b", UNKNOWN),
        ("<function silu at 0x7f>", UNKNOWN),
        ("__import__('os').system('true')", UNKNOWN),
        ("[" * 10_000, UNKNOWN),
        ("{'a': 1}", UNKNOWN),
    ],
)
def test_printed_values(text: str, value: object) -> None:
    assert literal(text) == value or literal(text) is value


HANG = """\
  bf16 ............................................ True
  hidden_size ..................................... 2048
  micro_batch_size ................................ 1
  num_attention_heads ............................. 32
  pipeline_model_parallel_size .................... 2
  virtual_pipeline_model_parallel_size ............ {}
-------------------- end of arguments ---------------------
[rank5]: [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLTOALL_BASE, Timeout(ms)=600000)
"""


def test_without_a_file_the_printed_config_is_asked(tmp_path: Path) -> None:
    """A hang is explained by what the rules say of the config that ran, at the log's own lines."""
    log = tmp_path / "log"
    for stages, wanted in (("None", ["OVL006"]), ("2", [])):
        log.write_text(ARGUMENTS.rpartition("-------------------- end")[0] + HANG.format(stages), encoding="utf-8")
        found = diagnose(str(log), KNOWLEDGE)
        [cause] = found.causes
        assert (cause.symptom, cause.means) == ("collective-timeout", "hang") and "op ALLTOALL_BASE" in cause.title
        assert [finding.rule for finding in cause.findings if finding.severity == "error"] == wanted
        assert all(finding.place.path == str(log) and finding.place.line > 1 for finding in cause.findings)
