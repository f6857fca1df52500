"""Our reading of the policy schema agrees with the jsonschema package's."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from moelint.lang.functions import TABLE
from moelint.policy import commands
from moelint.policy.load import files, folders
from moelint.policy.schema import load, validate
from moelint.policy.yaml_tree import YamlTree, read
from moelint.trainer.compiled import STAGES

from .mutate import change
from .packs import write_pack


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
        change(rule, rng)
        theirs = validator.is_valid([rule])
        assert ours([rule], schema) == theirs, rule
        verdicts.add(theirs)
    assert verdicts == {True, False}


def test_the_guide_lists_every_function_and_its_rule_is_right(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "writing-policies.md").read_text(encoding="utf-8")
    for function in TABLE.values():
        assert f"| `{function.signature}` | {function.doc} |" in guide
    head, rules = (block.split("```")[0] for block in guide.split("```yaml\n")[1:3])
    folder = write_pack(tmp_path / "p", rules, head.replace("extends: [../company-pack]", ""))
    assert commands.test([str(folder)])[0] == 0
