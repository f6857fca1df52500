"""The shipped rewrites, facts and stages: every name in them exists, every expression compiles."""

from __future__ import annotations

import os
from typing import Any

import pytest

from moelint import data
from moelint.lang.names import reads
from moelint.trainer import compiled
from moelint.trainer.containers import holds
from moelint.trainer.hardware import canonical, facts, names
from moelint.trainer.precision import fields, recipes
from moelint.trainer.tables import known_anywhere

TRAINERS = ("bridge", "lm", "core")
PROVIDED = ("target.", "hw.", "walls.", "given.", "env_vars.", "lm.")
PLAIN = {"trainer", "dialect", "complete", "stages", "moe_layers", "release_stated", "recipe.official"}


def entries(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = compiled.load_yaml(os.path.join(data.folder("trainers"), "rewrites", name + ".yaml"))
    return found


@pytest.fixture(scope="module")
def keys() -> set[str]:
    classes = {"model._target_", "dataset._target_"}
    return known_anywhere("core") | known_anywhere("bridge") | known_anywhere("lm") | classes


def stray(tree: Any, known: set[str]) -> list[str]:
    """Names that an expression reads and nobody answers; a part of a structured setting counts as the setting."""
    return [n for n in reads(tree) if not (n in known or n.rpartition(".")[0] in known or n.startswith(PROVIDED))]


def test_stages_are_those_of_the_data() -> None:
    listed = compiled.load_yaml(os.path.join(data.folder("trainers"), "stages.yaml"))
    assert tuple(stage["id"] for stage in listed) == compiled.STAGES


@pytest.mark.parametrize("trainer", TRAINERS)
def test_rewrites_are_in_the_order_of_stages_and_have_their_own_ids(trainer: str) -> None:
    found = compiled.rewrites(trainer).entries
    assert [r.stage for r in found] == sorted(r.stage for r in found)
    ids = [r.id for r in found]
    assert len(set(ids)) == len(ids)
    assert all(r.message and r.sources and r.sets for r in found)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_rewrites_name_what_exists(trainer: str, keys: set[str]) -> None:
    sections = {key.partition(".")[0] for key in keys}
    known = keys | sections | set(compiled.facts()) | PLAIN
    for rewrite in compiled.rewrites(trainer).entries:
        assert all(key in keys for key in rewrite.sets), rewrite.id
        for tree in (*rewrite.when, *rewrite.sets.values()):
            assert stray(tree, known) == [], rewrite.id


@pytest.mark.parametrize("name", ["bridge", "core", "lm"])
def test_a_rewrite_belongs_to_the_stages_of_its_file(name: str) -> None:
    allowed = {
        "bridge": {"bridge-entry", "bridge", "layer"},
        "core": {"core-entry", "core", "layer"},
        "lm": {"lm", "core-entry"},
    }[name]
    assert {entry["stage"] for entry in entries(name)} <= allowed


def test_facts_name_what_exists(keys: set[str]) -> None:
    known = keys | {key.partition(".")[0] for key in keys} | set(compiled.facts()) | PLAIN
    for name, tree in compiled.facts().items():
        assert stray(tree, known) == [], name


def test_a_faulty_rewrite_is_named(tmp_path: Any) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("- {id: RWX001, stage: nowhere, set: {model.fp8: 'None'}}")
    with pytest.raises(compiled.DataError, match=r"RWX001.*nowhere"):
        compiled.build_rewrites([str(path)], "core")
    path.write_text("- {id: RWX001, stage: core, when: 'model.fp8 =', set: {model.fp8: 'None'}}")
    with pytest.raises(compiled.DataError, match="RWX001"):
        compiled.build_rewrites([str(path)], "core")
    path.write_text("- {id: RWX001, stage: core, applies: {trainer: nobody}, set: {model.fp8: 'None'}}")
    with pytest.raises(ValueError, match="nobody"):
        compiled.build_rewrites([str(path)], "core")


def test_mixed_precision_recipes() -> None:
    assert "bf16_mixed" in recipes()
    for recipe in recipes():
        found = fields(recipe.replace("_", "-"), {})
        assert found is not None and found["mixed_precision.params_dtype"] in ("bf16", "fp16")
    assert fields("no_such_recipe", {}) is None
    both = fields(None, {"mixed_precision.fp8_param_gather": True})
    assert both is not None and both["mixed_precision.fp8_param"] is True


def test_hardware_names() -> None:
    assert canonical("H100") == canonical("h100-sxm5") == canonical("DGX_H100")
    assert canonical("abacus") is None and facts("abacus") is None
    for name in names():
        found = facts(name)
        assert found is not None and found["name"] == name


def test_containers() -> None:
    assert holds("nvcr.io/nvidia/nemo:26.02")["megatron_core"] == "0.16.0"
    assert holds("nemo framework 25.09")["transformer_engine"] == "2.7.0"
    assert holds("pytorch:25.09") == {}


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("rewrites", "rewrites/bridge.yaml"),
        ("rewrites", "rewrites/core.yaml"),
        ("rewrites", "rewrites/lm.yaml"),
        ("renames", "renames.yaml"),
        ("fields", "fields/bridge.json"),
        ("fields", "fields/core.json"),
        ("fields", "fields/megatron-lm.json"),
    ],
)
def test_tables_keep_to_their_schemas(schema: str, path: str) -> None:
    import json

    import jsonschema

    with open(os.path.join(data.folder("schemas"), schema + ".schema.json"), encoding="utf-8") as file:
        rules = json.load(file)
    jsonschema.Draft202012Validator.check_schema(rules)
    table = compiled.load_yaml(os.path.join(data.folder("trainers"), path))
    errors = list(jsonschema.Draft202012Validator(rules).iter_errors(table))
    assert errors == [], errors[0].message
