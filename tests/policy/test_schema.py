"""Our reading of the policy schema agrees with the jsonschema package's."""

from __future__ import annotations

import copy
import random
from typing import Any

import jsonschema
import pytest

from moelint.lang.functions import TABLE
from moelint.policy.load import files, folders
from moelint.policy.schema import load, validate
from moelint.policy.yaml_tree import YamlTree, read
from moelint.trainer.compiled import STAGES


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return load("policy.schema.json")


def ours(value: Any, schema: dict[str, Any]) -> bool:
    tree = YamlTree("x")
    tree.value = value
    return not validate(tree, schema)


def rule_files() -> list[str]:
    return [path for folder in folders([]) for path in files(folder) if "/rules/" in path.replace("\\", "/")]


def test_the_schema_is_one(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_function_and_stage_stands_in_it(schema: dict[str, Any]) -> None:
    for function in TABLE.values():
        assert function.signature in schema["description"]
    assert schema["$defs"]["stage"]["enum"] == [*STAGES, "last"]


def test_shipped_rules_pass_both(schema: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    paths = rule_files()
    assert paths
    for path in paths:
        tree, problems = read(path)
        assert problems == []
        assert list(validator.iter_errors(tree.value)) == []
        assert validate(tree, schema) == []


def test_broken_rules_fail_both(schema: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    rng, verdicts = random.Random(3), set()
    rules = [rule for path in rule_files()[:6] for rule in read(path)[0].value[:8]]
    for _ in range(400):
        rule = copy.deepcopy(rng.choice(rules))
        _break(rule, rng)
        theirs = validator.is_valid([rule])
        assert ours([rule], schema) == theirs, rule
        verdicts.add(theirs)
    assert verdicts == {True, False}


def _break(value: Any, rng: random.Random) -> None:
    """Change one thing somewhere in a rule."""
    odd = [None, True, 7, 1.5, "", "x", "Bad Name", [], ["x"], {}, {"x": 1}, [[1]]]
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys or rng.random() < 0.1:
            break
        key = rng.choice(keys)
        inner = value[key]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.6:
            value = inner
            continue
        if rng.random() < 0.3:
            del value[key]
        else:
            value[key] = rng.choice(odd)
        return
    if isinstance(value, dict):
        value["stray"] = rng.choice(odd)
    else:
        value.append(rng.choice(odd))
