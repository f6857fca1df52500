"""The ModelZoo's templates: rows of runtime.conf are assumed values, what the launcher adds is unknown."""

from __future__ import annotations

import pytest

from moelint.lang.unknown import UNKNOWN
from moelint.read.files import ReadOptions, read_file
from moelint.text.files import read as read_text

MODEL = """\
MODEL_ARGS:
  --tensor-model-parallel-size: ${TP}
  --pipeline-model-parallel-size: ${PP}
  --num-layers-per-virtual-pipeline-stage: ${LAYERS_PER_VP}
  --global-batch-size: ${GBS}
  --seq-length: ${SEQ_LEN}
  --num-layers: 14
  --num-experts: 64
"""
CONF = """\
declare -A CONFIGS=(
    # MODEL:       TP PP VPP GBS LAYERS DISPATCHER NNODES SLEN [PP_FIRST PP_LAST]
    [Small]="      1  4  1   512 14     alltoall   8      4096  2 2"
    [Deep]="       1  4  2   256 48     alltoall   16     4096"
)
"""


@pytest.fixture
def zoo(tmp_path):
    (tmp_path / ".git").mkdir()
    conf = tmp_path / "runtime_configs" / "bench" / "runtime.conf"
    conf.parent.mkdir(parents=True)
    conf.write_text(CONF)
    (tmp_path / "model_configs" / "bench").mkdir(parents=True)

    def reader(name, define=None):
        path = tmp_path / "model_configs" / "bench" / name
        path.write_text(MODEL)
        (config,) = read_file(read_text(str(path)), ReadOptions(True, define, read=read_text)).configs
        return config

    return reader


def test_row_gives_assumed_values(zoo):
    config = zoo("Small.yaml")
    tensor = config.written["model.tensor_model_parallel_size"]
    assert tensor.value == 1 and "runtime.conf" in tensor.assumed
    assert config.written["train.global_batch_size"].value == 512
    assert config.written["model.seq_length"].value == 4096
    assert config.written["model.num_layers_in_first_pipeline_stage"].value == 2
    assert config.stated["gpus"] == (64, "config")
    assert config.completeness == "standing"
    assert not [key for key in config.written if "virtual" in key]


def test_what_the_launcher_adds_is_unknown(zoo):
    config = zoo("Deep.yaml")
    assert config.written["model.moe_token_dispatcher_type"].value is UNKNOWN
    assert config.written["model.fp8"].value is UNKNOWN
    assert "model.num_layers_in_first_pipeline_stage" not in config.written


def test_definition_wins_over_the_row(zoo):
    config = zoo("Small.yaml", {"TP": "8"})
    assert (
        config.written["model.tensor_model_parallel_size"].value,
        config.written["model.tensor_model_parallel_size"].assumed,
    ) == (8, None)


def test_model_without_a_row_stays_unknown(zoo):
    config = zoo("Other.yaml")
    assert config.written["model.tensor_model_parallel_size"].waits == ("TP",)
    assert "model.moe_token_dispatcher_type" not in config.written
