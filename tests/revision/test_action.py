"""The GitHub Action, played step by step: a bare remote, a checkout as actions/checkout makes it, the event's context,
each ``run`` script executed as the runner does it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import BASE, BROKEN_PAIR, Repo

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def evaluate(text: str, context: dict[str, Any]) -> Any:
    """An expression of the subset that the action uses: names, texts, == and !=, && and ||, parentheses."""

    def look_up(match: re.Match[str]) -> str:
        word = match.group()
        if word in ("true", "false"):
            return word.capitalize()
        value: Any = context
        for part in word.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return repr("" if value is None else value)

    code = re.sub(r"'[^']*'|[A-Za-z_][\w.-]*", lambda m: m.group() if m.group()[0] == "'" else look_up(m), text)
    return _value(ast.parse(code.replace("&&", " and ").replace("||", " or ").strip(), mode="eval").body)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        value: Any = None
        for operand in node.values:
            value = _value(operand)
            if bool(value) is stop:
                break
        return value
    if isinstance(node, ast.Compare):
        (op,), (right,) = node.ops, node.comparators
        return (_value(node.left) == _value(right)) is isinstance(op, ast.Eq)
    return ast.literal_eval(node)


def fill(text: str, context: dict[str, Any]) -> str:
    def shown(match: re.Match[str]) -> str:
        value = evaluate(match[1], context)
        return str(value).lower() if isinstance(value, bool) else str(value)

    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", shown, text)


class Runner:
    """What is left of a run: ``said`` (the log), ``outputs``, ``summary``, ``uploaded`` (inputs of the upload), ``code``."""

    def __init__(self, home: Path, workspace: Path, installed: Path) -> None:
        self.home, self.workspace, self.installed = home, workspace, installed
        self.said, self.code = "", 0
        self.uploaded: dict[str, str] | None = None
        self.outputs: dict[str, str] = {}
        self.summary = home / "summary.md"

    def play(self, event_name: str, event: dict[str, Any], **inputs: str) -> Runner:
        self.home.mkdir(parents=True)
        (self.home / "temp").mkdir()
        os.symlink(self.installed, self.home / "temp/moelint-action")
        defaults = {name: spec["default"] for name, spec in ACTION["inputs"].items()}
        context: dict[str, Any] = {
            "inputs": {**defaults, **inputs}, "steps": {},
            "github": {"event_name": event_name, "event": event, "action_path": str(ROOT)},
        }
        for number, step in enumerate(STEPS):
            if step["name"] == "Install moelint":
                continue
            if self.code or ("if" in step and not evaluate(step["if"][3:-2], context)):
                continue
            if "uses" in step:
                self.uploaded = {key: fill(text, context) for key, text in step["with"].items()}
                continue
            self._run(number, step, context)
        self.outputs = {name: fill(spec["value"], context) for name, spec in ACTION["outputs"].items()}
        return self

    def _run(self, number: int, step: dict[str, Any], context: dict[str, Any]) -> None:
        script, output = self.home / f"step{number}.sh", self.home / f"output{number}"
        script.write_text(step["run"], encoding="utf-8")
        output.touch()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHON", "MOELINT"))}
        env |= {"GIT_CONFIG_GLOBAL": os.devnull, "RUNNER_TEMP": str(self.home / "temp"), "GITHUB_OUTPUT": str(output)}
        env |= {"GITHUB_STEP_SUMMARY": str(self.summary), "XDG_CACHE_HOME": str(self.home / "cache")}
        env |= {key: fill(text, context) for key, text in (step.get("env") or {}).items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(command, cwd=self.workspace, env=env, capture_output=True, text=True, check=False)
        self.said += done.stdout + done.stderr
        self.code = done.returncode
        lines = output.read_text(encoding="utf-8").splitlines()
        context["steps"][step.get("id", str(number))] = {"outputs": dict(line.split("=", 1) for line in lines)}

    def uris(self) -> set[str]:
        assert self.uploaded is not None
        sarif = json.loads(Path(self.uploaded["sarif_file"]).read_text(encoding="utf-8"))
        return {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in sarif["runs"][0]["results"]}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the install step makes, once: by its own script."""
    home = tmp_path_factory.mktemp("installed")
    script = home / "install.sh"
    script.write_text(STEPS[0]["run"], encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHON", "MOELINT"))}
    env |= {"RUNNER_TEMP": str(home), "MOELINT_VERSION": "", "MOELINT_PYTHON": sys.executable, "MOELINT_SOURCE": str(ROOT)}
    done = subprocess.run(["bash", "-eo", "pipefail", str(script)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("moelint 20")
    yield home / "moelint-action"


class Forge:
    """A bare remote with a main branch that goes on while a pull request changes one of three configs."""

    def __init__(self, make: Callable[[str], Repo], tmp_path: Path, installed: Path) -> None:
        self.tmp_path, self.installed = tmp_path, installed
        work = self.work = make("work").init()
        for name in ("configs/a.yaml", "configs/b.yaml"):
            work.write(name, BASE)
        work.write("configs/old.yaml", BROKEN_PAIR)
        self.start = work.commit()
        work.git("switch", "-qc", "feature")
        work.write("configs/a.yaml", BROKEN_PAIR)
        self.head = work.commit()
        work.git("switch", "-q", "main")
        for number in range(3):
            work.write("configs/b.yaml", BASE.replace("512", str(1024 + 64 * number)))
            self.main = work.commit()
        work.git("switch", "-q", "--detach")
        work.git("merge", "-q", "--no-edit", "feature")
        self.merge = work.git("rev-parse", "HEAD")
        work.git("update-ref", "refs/pull/1/merge", self.merge)
        self.bare = tmp_path / "remote.git"
        work.git("clone", "-q", "--mirror", work.folder, self.bare, cwd=tmp_path)
        work.git("config", "uploadpack.allowAnySHA1InWant", "true", cwd=self.bare)

    def checkout(self, commit: str, depth: int = 1) -> Path:
        """As actions/checkout does it: an empty repository, one fetch, a detached HEAD."""
        folder = self.tmp_path / f"workspace-{commit[:6]}-{depth}"
        folder.mkdir()
        self.work.git("init", "-q", cwd=folder)
        self.work.git("remote", "add", "origin", f"file://{self.bare}", cwd=folder)
        deep = [f"--depth={depth}"] if depth else []
        self.work.git("fetch", "-q", "--no-tags", *deep, "origin", commit, cwd=folder)
        self.work.git("checkout", "-q", "--detach", commit, cwd=folder)
        return folder

    def runner(self, commit: str, depth: int = 1) -> Runner:
        return Runner(self.tmp_path / "runner", self.checkout(commit, depth), self.installed)

    def pull_request(self, fork: bool = False) -> dict[str, Any]:
        return {"pull_request": {"base": {"sha": self.main}, "head": {"sha": self.head, "repo": {"fork": fork}}}}


@pytest.fixture
def forge(make: Callable[[str], Repo], tmp_path: Path, installed: Path) -> Forge:
    return Forge(make, tmp_path, installed)


@pytest.mark.parametrize("depth", [1, 0])
def test_pull_request(forge: Forge, depth: int) -> None:
    run = forge.runner(forge.merge, depth).play("pull_request", forge.pull_request())
    assert run.code == 1, run.said
    assert "::error file=configs/a.yaml,line=11,endLine=11,col=3" in run.said and "old.yaml" not in run.said
    assert "notice" not in run.said
    assert run.outputs["exit-code"] == "1" and run.outputs["errors"] == "1" and run.outputs["fixed"] == "0"
    assert run.uris() == {"configs/a.yaml", "configs/old.yaml"}, "code scanning gets the whole state"
    assert run.uploaded is not None and run.uploaded["category"] == "moelint"
    summary = run.summary.read_text(encoding="utf-8")
    assert "1 new error" in summary and "OVL004" in summary and "```diff" in summary


def test_pull_request_of_a_fork(forge: Forge) -> None:
    run = forge.runner(forge.merge).play("pull_request", forge.pull_request(fork=True))
    assert run.code == 1 and run.uploaded is None and "::notice::moelint - a pull request from a fork" in run.said
    assert Path(run.outputs["sarif"]).exists()


def test_clean_pull_request_on_a_messy_main(forge: Forge) -> None:
    event = {"pull_request": {"base": {"sha": forge.start}, "head": {"sha": forge.main, "repo": {"fork": False}}}}
    run = forge.runner(forge.main).play("pull_request", event)
    assert run.code == 0 and run.outputs["exit-code"] == "0" and run.outputs["errors"] == "0"
    assert run.uris() == {"configs/old.yaml"}
    assert "no new findings" in run.summary.read_text(encoding="utf-8")


def test_push_to_main(forge: Forge) -> None:
    run = forge.runner(forge.main).play("push", {"before": forge.start})
    assert run.code == 0 and run.uris() == {"configs/old.yaml"}
    forge.tmp_path = forge.tmp_path / "again"
    forge.tmp_path.mkdir()
    run = forge.runner(forge.main).play("push", {"before": "0" * 40})
    assert run.code == 1 and run.outputs["errors"] == "1", "a new branch: everything is reported"


def test_other_events_and_a_base_out_of_reach(forge: Forge) -> None:
    run = forge.runner(forge.main).play("workflow_dispatch", {})
    assert run.code == 1 and "old.yaml" in run.said
    forge.tmp_path = forge.tmp_path / "again"
    forge.tmp_path.mkdir()
    forge.work.git("config", "--unset", "uploadpack.allowAnySHA1InWant", cwd=forge.bare)
    runner = forge.runner(forge.merge)
    forge.bare.rename(forge.bare.with_name("gone.git"))
    run = runner.play("pull_request", forge.pull_request())
    assert run.code == 1 and "::notice::moelint - the base of this change is not in the checkout" in run.said
    assert "old.yaml" in run.said


def test_inputs(forge: Forge) -> None:
    runner = forge.runner(forge.main)
    (runner.workspace / "pack").mkdir()
    subprocess.run([str(forge.installed / "bin/moelint"), "--baseline", "known.json", "--write-baseline"], cwd=runner.workspace, check=True, capture_output=True)
    run = runner.play(
        "push", {"before": forge.start}, since="none", gpu="h100", gpus="64", targets="torch=2.9 megatron-bridge=0.6.0",
        paths="configs/old.yaml configs/b.yaml", baseline="known.json", args="--strict --select OVL,PAR", sarif="false",
    )
    assert run.code == 0 and run.uploaded is None and run.outputs["errors"] == "0"
    forge.tmp_path = forge.tmp_path / "again"
    forge.tmp_path.mkdir()
    run = forge.runner(forge.main).play("push", {"before": forge.start}, since="nope")
    assert run.code == 2 and "no revision 'nope'" in run.said and run.outputs["exit-code"] == "2"
    assert run.uris() == {"configs/old.yaml"}, "the upload does not close what was not looked at"


@pytest.mark.parametrize("name", ["paths", "args", "since", "targets", "policy", "gpu", "baseline", "fail-on"])
def test_inputs_are_words_and_never_commands(forge: Forge, name: str) -> None:
    evil = "$(touch owned) `touch owned` ; touch owned *.yaml"
    run = forge.runner(forge.main).play("push", {"before": forge.start}, **{name: evil})
    assert run.code == 2 and not (run.workspace / "owned").exists()


def test_no_expression_inside_a_script_and_every_action_pinned() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", ""), "an expression in a script is an injection"
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", step["uses"])
