"""The project configuration: what holds where, and where it is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest
import yaml

from moelint.conf import load as conf_load
from moelint.conf.globs import matches
from moelint.conf.load import for_folder, load
from moelint.conf.model import ConfError
from moelint.data import folder

GOOD = """\
target: {gpu: h100, gpus: 64, megatron-core: 0.16.1}
severity: {MEM: note, OVL004: off}
ignore:
  HWR001: our fabric is not in the profiles
exclude: ["old/**"]
fail-on: warning
policies: [hardware, policies/team]
paths:
  - match: configs/gb200/**
    target: {gpu: gb200}
    severity: {OVL: note}
    strict: true
  - match: [smoke, "*.tiny.yaml"]
    ignore: {MEM: tiny models}
"""


@pytest.fixture(autouse=True)
def _fresh() -> None:
    conf_load._found.clear()


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_later_sections_win_by_path(tmp_path: Path) -> None:
    conf = load(write(tmp_path / ".moelint.yaml", GOOD))
    plain, gb200 = conf.at(str(tmp_path / "configs/a.yaml")), conf.at(str(tmp_path / "configs/gb200/x/a.yaml"))
    assert plain.target == {"gpu": "h100", "gpus": 64, "megatron-core": "0.16.1"}
    assert plain.severity == {"MEM": "note", "OVL004": "off"} and plain.strict is None
    assert gb200.target["gpu"] == "gb200" and gb200.target["gpus"] == 64
    assert gb200.severity["OVL"] == "note" and gb200.strict is True
    assert conf.at(str(tmp_path / "deep/smoke/a.yaml")).ignore["MEM"] == "tiny models"
    assert conf.at(str(tmp_path / "deep/a.tiny.yaml")).ignore["MEM"] == "tiny models"
    assert not conf.takes(str(tmp_path / "old/a.yaml")) and conf.takes(str(tmp_path / "a.yaml"))
    assert plain.policies == ["hardware", str(tmp_path / "policies/team")] and conf.fail_on == "warning"


def test_nearest_up_to_the_repository_root(tmp_path: Path) -> None:
    write(tmp_path / ".moelint.yaml", "strict: true\n")
    (tmp_path / "repo/.git").mkdir(parents=True)
    write(tmp_path / "repo/sub/pyproject.toml", "[tool.moelint]\nfail-on = 'note'\n")
    write(tmp_path / "repo/sub/deep/pyproject.toml", "[project]\nname = 'x'\n")
    assert for_folder(str(tmp_path / "repo")).path is None, "the root of the repository is the end of the search"
    assert for_folder(str(tmp_path / "repo/sub/deep")).fail_on == "note"
    assert for_folder(str(tmp_path)).at("x").strict is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target: [a]\n", ".moelint.yaml:1:1: 'target' must be a mapping"),
        ("strict: 1\n", ".moelint.yaml:1:1: 'strict' must be true or false"),
        ("fail-on: fatal\n", ".moelint.yaml:1:1: 'fail-on' must be error, warning or note"),
        ("a: 1\n", ".moelint.yaml:1:1: unknown key 'a'"),
        ("x: {}\nseverty: {}\n", "unknown key 'x'"),
        ("severty: {}\n", ".moelint.yaml:1:1: unknown key 'severty': did you mean 'severity'?"),
        ("severity:\n  OVL: high\n", ".moelint.yaml:2:3: the severity of 'OVL' must be"),
        ("ignore:\n  OVL004: ''\n", ".moelint.yaml:2:3: ignoring 'OVL004' needs a reason"),
        ("ignore:\n  OVL004:\n", ".moelint.yaml:2:3: ignoring 'OVL004' needs a reason"),
        ("paths:\n  - target: {}\n", ".moelint.yaml:2:5: an entry of 'paths' needs 'match'"),
        ("paths:\n  - match: a\n    include: b\n", ".moelint.yaml:3:5: unknown key 'include'"),
        ("include: {a: 1}\n", "'include' must be a string or a list of strings"),
        ("target:\n  gpus: [1]\n", ".moelint.yaml:2:3: the target 'gpus' must be a single value"),
        ("a: [\n", ".moelint.yaml:2:1: not valid YAML"),
        ("strict: true\nstrict: false\n", ".moelint.yaml:2:1: the key 'strict' stands here twice"),
        ("- a\n", ".moelint.yaml:1:1: the configuration must be a mapping"),
        ("a: " * 60, "not valid YAML"),
        ("{a: " * 40 + "1" + "}" * 40, "nested too deeply"),
    ],
)
def test_errors_say_where(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / ".moelint.yaml", text)
    with pytest.raises(ConfError) as caught:
        load(path)
    assert message in str(caught.value)


def test_toml_errors_say_where(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n\n[tool.moelint]\nstrict = true\nselct = ['OVL']\n")
    with pytest.raises(ConfError, match=r"pyproject.toml:6:1: unknown key 'selct': did you mean 'select'"):
        load(path)
    with pytest.raises(ConfError, match=r":1:\d+: not valid TOML"):
        load(write(tmp_path / "b/pyproject.toml", "tool.moelint = = 1\n"))


def test_not_utf8_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / ".moelint.yaml"
    path.write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(ConfError, match="cannot be read"):
        load(str(path))


def _schema() -> jsonschema.Draft202012Validator:
    with open(os.path.join(folder("schemas"), "config.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(
    "text",
    [
        GOOD, "", "strict: true\n", "strict: 1\n", "ignore: {OVL: because}\n", "ignore: {OVL: ''}\n", "paths: [{match: a}]\n",
        "paths: [{}]\n", "paths: [{match: []}]\n", "severity: {OVL: off}\n", "severity: {OVL: on}\n", "fail-on: note\n",
        "fail-on: off\n", "include: a\n", "include: [1]\n", "target: {gpus: 8}\n", "target: {gpus: null}\n", "define: {TP: 8}\n",
        "unknown: 1\n", "target:\n", "- 1\n",
    ],
)
def test_the_published_schema_agrees(tmp_path: Path, text: str) -> None:
    valid = _schema().is_valid(yaml.safe_load(text))
    path = write(tmp_path / ".moelint.yaml", text)
    if valid:
        load(path)
    else:
        with pytest.raises(ConfError):
            load(path)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.yaml", "a/b.yaml", True), ("*.yaml", "b.yml", False), ("configs/*.yaml", "configs/a/b.yaml", False),
        ("configs/**", "configs/a/b.yaml", True), ("configs", "configs/a/b.yaml", True), ("configs", "x/configs/b.yaml", True),
        ("/configs", "x/configs/b.yaml", False), ("a/**/b.yaml", "a/b.yaml", True), ("a/**/b.yaml", "a/x/y/b.yaml", True),
        ("a?.yaml", "ab.yaml", True), ("[ab].yaml", "a.yaml", True), ("[!ab].yaml", "a.yaml", False), ("a.yaml", "axyaml", False),
        ("./configs/a.yaml", "configs/a.yaml", True), ("[", "[", True),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected
