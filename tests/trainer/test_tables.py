"""Field tables: what releases know, and that the tables agree with the list of releases."""

from __future__ import annotations

import pytest

from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version
from moelint.trainer.releases import PINNED_CORE, RELEASES, TRAINER_PACKAGE, nearest, version
from moelint.trainer.tables import at_release, read_json, table

TRAINERS = ("core", "bridge", "lm")


@pytest.mark.parametrize("trainer", TRAINERS)
def test_releases_are_those_of_the_tables(trainer: str) -> None:
    assert tuple(read_json(trainer)["releases"]) == RELEASES[TRAINER_PACKAGE[trainer]]


def test_pins_are_those_of_the_bridge_table() -> None:
    assert read_json("bridge")["core"] == PINNED_CORE


@pytest.mark.parametrize("trainer", TRAINERS)
def test_every_release_loads_with_every_key_of_its_ranges(trainer: str) -> None:
    source = read_json(trainer)
    for release in source["releases"]:
        found = table(trainer, release)
        for key, ranges in source["keys"].items():
            spec = at_release(ranges, source["releases"], release)
            if spec is None:
                assert key in found.elsewhere or found.knows(key)
                continue
            assert found.specs[key][0] == spec["type"]
            if "default" in spec:
                assert found.defaults[key] == spec["default"]
            else:
                assert found.defaults.get(key, UNKNOWN) is UNKNOWN


@pytest.mark.parametrize(
    ("trainer", "release", "key", "default"),
    [
        ("core", "main", "model.moe_token_dispatcher_type", "allgather"),
        ("core", "0.14.0", "model.moe_deepep_num_sms", 20),
        ("core", "0.19.0", "model.moe_deepep_num_sms", None),
        ("core", "main", "model.activation_func", "gelu"),
        ("core", "main", "model.params_dtype", "fp32"),
        ("bridge", "main", "model.seq_length", 1024),
        ("bridge", "main", "ddp.use_distributed_optimizer", False),
        ("lm", "main", "model.overlap_p2p_comm", True),
        ("lm", "main", "model.share_embeddings_and_output_weights", True),
        ("lm", "main", "lm.swiglu", False),
        ("lm", "0.12.0", "model.moe_router_topk", 2),
    ],
)
def test_defaults(trainer: str, release: str, key: str, default: object) -> None:
    assert table(trainer, release).defaults[key] == default


def test_a_class_may_have_another_default_or_lack_a_key() -> None:
    found = table("bridge", "main")
    assert found.variants["hybrid"]["model.normalization"][1] == "RMSNorm"
    assert found.variants["hybrid"]["model.scatter_embedding_sequence_parallel"] is None
    assert found.spec("model.q_lora_rank") is not None
    assert found.spec("model.q_lora_rank", ("hybrid",)) is None


def test_choices_come_from_literals_and_parsers() -> None:
    assert table("core", "main").specs["model.moe_flex_dispatcher_backend"][2] == ("deepep", "hybridep", "ncclep")
    assert "flash" in (table("lm", "main").specs["model.attention_backend"][2] or ())


def test_names_of_arguments() -> None:
    keys = read_json("lm")["keys"]
    assert keys["model.num_moe_experts"][-1][2]["actions"][0]["flags"] == ["--num-experts"]
    assert keys["model.num_layers_in_first_pipeline_stage"][-1][2]["dest"] == "decoder_first_pipeline_num_layers"
    untie = keys["model.share_embeddings_and_output_weights"][-1][2]["actions"][0]
    assert untie == {"flags": ["--untie-embeddings-and-output-weights"], "value": False}


@pytest.mark.parametrize(
    ("package", "wanted", "release", "exact"),
    [
        ("megatron-core", "0.16.1", "0.16.1", True),
        ("megatron-core", "0.15.1", "0.15.0", False),
        ("megatron-core", "0.18.7", "0.18.2", False),
        ("megatron-lm", "0.15.0", "0.15.3", False),
        ("megatron-core", "0.11.0", "0.12.0", False),
        ("megatron-core", "main", "main", True),
        ("megatron-core", "0.20.0rc0", "main", True),
        ("megatron-bridge", "0.7.0", "main", True),
        ("megatron-bridge", "0.6.1", "0.6.0", False),
    ],
)
def test_nearest_release(package: str, wanted: str, release: str, exact: bool) -> None:
    key = "megatron-core" if package == "megatron-lm" else package
    found = version(key, wanted)
    assert found is not None
    assert nearest(package, found) == (release, exact)


def test_main_counts_as_the_release_that_it_will_become() -> None:
    found = version("megatron-core", "main")
    assert found is not None and found >= Version("0.20.0") and found > Version("0.19.9")
    assert version("megatron-core", "not a version") is None
