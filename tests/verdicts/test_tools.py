"""The tools that take a release in: tables with a release more or less, dumps of classes, lists of refusals, cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fields.add import FILES, FOLDER, changed, expand
from fields.dump_classes import dump
from verdicts.aimed import aims
from verdicts.bases import case
from verdicts.case import config_of, nested, text_of
from verdicts.coverage import load
from verdicts.locate import Locator
from verdicts.refusals import statements

from moelint.policy.examples import flat


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("release", ["0.14.0", "0.19.0", "0.6.0", "main"])
def test_a_release_out_and_in_again_leaves_the_table_as_it_was(kind: str, release: str) -> None:
    table: dict[str, Any] = json.loads((Path(FOLDER) / FILES[kind]).read_text(encoding="utf-8"))
    if release not in table["releases"]:
        return
    one: dict[str, Any] = {"keys": only(table["keys"], table, release)}
    if "variants" in table:
        one["variants"] = {name: only(spans, table, release) for name, spans in table["variants"].items()}
    without = changed(table, release, None)
    assert release not in without["releases"]
    assert without["keys"] != table["keys"]
    assert changed(without, release, one, table.get("core", {}).get(release)) == table


def only(spans: dict[str, Any], table: dict[str, Any], release: str) -> dict[str, Any]:
    return {key: [[release, release, spec]] for key, spec in expand(spans, table["releases"])[release].items()}


def tree(root: Path, **files: str) -> str:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(text)
    return str(root)


def test_a_dump_has_what_classes_inherit(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        megatron__core__model_parallel_config="@dataclass\nclass ModelParallelConfig:\n    tp: int = 1\n    hidden: str\n",
        megatron__core__transformer__transformer_config=(
            "from dataclasses import dataclass, field\nfrom ..model_parallel_config import ModelParallelConfig\n"
            "@dataclass\nclass TransformerConfig(ModelParallelConfig):\n"
            "    tp: int = 2\n    layers: list = field(default_factory=list)\n"
        ),
    )
    fields = dump("core", root, None)["classes"]["TransformerConfig"]["fields"]
    assert fields["tp"] == {"class": "TransformerConfig", "default": "2", "line": 5, "required": False, "type": "int"}
    assert (fields["hidden"]["class"], fields["hidden"]["required"]) == ("ModelParallelConfig", True)
    assert fields["layers"]["default"] == "factory:list"


def test_refusals_stand_with_their_conditions(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        megatron__core__model_parallel_config=(
            "class C:\n    def __post_init__(self):\n        if self.a:\n            assert self.b, 'no'\n"
            "        elif self.c:\n            self.d = 1\n        else:\n            raise ValueError\n"
        ),
    )
    assert [text for _, text, _ in statements(root, "core")] == [
        "refuses unless self.b   [when self.a]",
        "sets self.d = 1   [when not (self.a) and self.c]",
        "refuses    [when not (self.a) and not (self.c)]",
    ]


def test_a_place_in_a_release_leads_to_its_constraint(tmp_path: Path) -> None:
    name = "megatron__core__parallel_state"
    tree(tmp_path / "mcore-main", **{name: "a\nb\nassert x\n"})
    tree(tmp_path / "mcore-0.18.2", **{name: "b\nassert x\n"})
    catalogue = tmp_path / "constraints.csv"
    catalogue.write_text("id,file_line,kind\nMLE001,megatron/core/parallel_state.py:3,error\n")
    locator = Locator(str(tmp_path), str(catalogue))
    assert locator.constraint("mcore", "main", "megatron/core/parallel_state.py:3") == "MLE001"
    assert locator.constraint("mcore", "0.18.2", "megatron/core/parallel_state.py:2") == "MLE001"
    assert locator.constraint("mcore", "main", "megatron/core/other.py:3") is None


def test_the_way_to_a_text_and_back() -> None:
    """What moelint repairs in a case's text reaches the trainer as it stands there."""
    for made in load("verdicts.json.gz")[::40]:
        config, environ = config_of(made, text_of(made))
        was = nested(made["config"]) if made["layer"] == "bridge" else made["config"]
        if made["layer"] == "mlm":
            was = {
                key: [str(item) for item in value] if isinstance(value, list) else value for key, value in was.items()
            }
            was = {key: value for key, value in was.items() if value is not None}
            config = {key: value for key, value in config.items() if value is not None}
        assert config == was, made["id"]
        assert environ == {k: str(v) for k, v in ((made["env"] or {}).get("environ") or {}).items()}


def test_every_aim_has_words_in_its_layer() -> None:
    for entry in aims():
        layer, _, version = entry["layer"].partition("@")
        values, target = flat({k: v for k, v in entry.items() if k not in ("aim", "layer", "dense")})
        assert case("x", layer, version or "main", values, target) is not None, entry
