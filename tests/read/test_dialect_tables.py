"""The shipped tables: by the published schema, without contradictions, and what a wrong one is answered."""

from __future__ import annotations

import json
import os

import jsonschema
import pytest
import yaml

from moelint import data
from moelint.read import hooks, shell_hooks, values
from moelint.read.compile import DialectError, compile_one
from moelint.read.directives import INTEGERS, NUMBERS, WORDS
from moelint.read.tables import defaults, hints, tables

FOLDER = os.path.join(data.folder("trainers"), "dialects")
NAMES = sorted(name for name in os.listdir(FOLDER) if name.endswith(".yaml"))


def load(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return yaml.safe_load(file)


@pytest.mark.parametrize("name", NAMES)
def test_table_follows_the_schema(name):
    with open(os.path.join(data.folder("schemas"), "dialect.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(load(name), schema)


@pytest.mark.parametrize("name", NAMES)
def test_table_names_things_that_exist(name):
    table = compile_one(load(name), name)
    assert set(table["convert"].values()) <= set(values.CONVERSIONS)
    assert table["hook"] is None or table["hook"] in (shell_hooks if table["form"] == "shell" else hooks).HOOKS
    assert set(table["target"].values()) <= INTEGERS | NUMBERS | WORDS | {"nodes"}


def test_schema_and_compiler_know_the_same_fields():
    from moelint.read.compile import _FIELDS

    with open(os.path.join(data.folder("schemas"), "dialect.schema.json"), encoding="utf-8") as file:
        assert set(json.load(file)["properties"]) == _FIELDS


def test_every_dialect_is_found_by_its_hints():
    for table in tables().values():
        assert not table["recognise"] or table["hints"], table["id"]
    assert "moelint:" in hints()


def test_defaults_of_frameworks_are_canonical_keys():
    for name in tables():
        assert all("." in key for key in defaults(name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id: x", "needs at least id and trainer"),
        ("{id: x, trainer: lm, keyz: {}}", "unknown field 'keyz'"),
        ("{id: x, trainer: lm, values: json}", "values is one of"),
        ("{id: x, trainer: lm, recognise: [{have: [a]}]}", "unknown test 'have'"),
    ],
)
def test_wrong_table(text, message):
    with pytest.raises(DialectError, match=message):
        compile_one(yaml.safe_load(text), "x.yaml")


def _example(path):
    """A document with something at a path of a recognition."""
    text, indent = "", ""
    parts = ["x" if part is None else part for part in path]
    if path[-1] is None:
        parts[-1] = "y"
    for part in parts[:-1]:
        text += f"{indent}{part}:\n"
        indent += "  "
    return f"{text}{indent}{parts[-1]}: 1\n"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_recognised_is_not_passed_over_unparsed(name, read):
    for test in load(name).get("recognise") or ():
        if set(test) != {"any"}:
            continue
        for spelled in test["any"]:
            found = read(_example(tuple(None if part == "*" else part for part in spelled.split("."))))
            assert found.skipped != "no sign of a training config", spelled
