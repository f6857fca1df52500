"""pre-commit as its users run it, and what ``moelint init`` writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from .conftest import BASE, BROKEN_PAIR, Repo

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = "spec:\n  {{- range .items }}\n  - name: {{ .name }}\n  {{- end }}\n"
SCRIPT = """\
#!/bin/bash
torchrun --nproc_per_node 8 pretrain_gpt.py --num-experts 8 --expert-model-parallel-size 8 --num-layers 8 \\
  --moe-token-dispatcher-type alltoall --tensor-model-parallel-size 2
"""


def pre_commit(repo: Repo, *words: str | Path, code: int) -> str:
    env = {**repo.env, "PRE_COMMIT_HOME": str(repo.folder.parent / "home"), "XDG_CACHE_HOME": str(repo.folder.parent / "cache")}
    env = {k: v for k, v in env.items() if not k.startswith(("PYTHON", "PRE_COMMIT_FROM"))}
    command = [sys.executable, "-m", "pre_commit", *map(str, words)]
    done = subprocess.run(command, cwd=repo.folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.write("configs/moe.yaml", BASE)
    repo.write("chart/template.yaml", TEMPLATE)
    repo.write("old/moe.yaml", BROKEN_PAIR)
    repo.write(".moelint.yaml", "exclude: ['old/**']\n")
    repo.write("run.sh", SCRIPT)
    repo.write("tool.py", "print('no recipe')\n")
    repo.commit()
    return repo


def test_try_repo_and_run(project: Repo) -> None:
    said = pre_commit(project, "try-repo", ROOT, "moelint", "--all-files", code=0)
    assert "Passed" in said, "excluded files and templates are passed over, though pre-commit names them"
    project.write("configs/moe.yaml", BROKEN_PAIR)
    said = pre_commit(project, "try-repo", ROOT, "moelint", "--all-files", code=1)
    assert "configs/moe.yaml:11:3" in said and "OVL004" in said and "moelint --fix" in said
    assert len(said.splitlines()) < 45
    # as users have it: a configuration that names the repository and a revision, run on what is staged
    sha = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    hooks = [{"id": "moelint-fix"}, {"id": "moelint"}]
    project.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": str(ROOT), "rev": sha, "hooks": hooks}]}))
    project.git("add", "configs/moe.yaml", ".pre-commit-config.yaml")
    said = pre_commit(project, "run", code=1)
    assert "files were modified by this hook" in said
    assert (project.folder / "configs/moe.yaml").read_text() == BROKEN_PAIR.replace("moe_shared_expert_overlap: true", "moe_shared_expert_overlap: false")
    project.git("add", "configs/moe.yaml")
    assert pre_commit(project, "run", code=0).count("Passed") == 2


def test_hooks_take_every_dialect() -> None:
    import re

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["moelint", "moelint-fix"]
    from moelint.discover import ENDINGS

    for hook in hooks:
        assert all(re.search(hook["files"], f"configs/a{ending}") for ending in ENDINGS)
        assert not re.search(hook["files"], "a.md") and "require_serial" not in hook


def test_init_sets_a_repository_up(repo: Repo) -> None:
    found = repo.moelint("init")
    assert found.code == 0 and found.out.splitlines() == [
        "wrote .moelint.yaml", "wrote .pre-commit-config.yaml", "wrote .github/workflows/moelint.yml",
    ]
    hook = yaml.safe_load((repo.folder / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"][0]
    assert hook == {"id": "moelint"}
    workflow = yaml.safe_load((repo.folder / ".github/workflows/moelint.yml").read_text())
    assert workflow["permissions"] == {} and workflow["jobs"]["moelint"]["permissions"]["security-events"] == "write"
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for step in workflow["jobs"]["moelint"]["steps"]:
        if step["uses"].startswith("moelint/"):
            assert set(step["with"]) <= set(action["inputs"])
    before = {p: p.read_bytes() for p in repo.folder.rglob("*") if p.is_file() and ".git/" not in str(p)}
    found = repo.moelint("init")
    assert found.code == 0 and found.out.count("kept") == 3
    assert before == {p: p.read_bytes() for p in before}
    assert repo.moelint().code == 0


def test_init_leaves_a_hook_configuration_alone(repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    (repo.folder / "sub").mkdir()
    found = repo.moelint("init", cwd=repo.folder / "sub")
    assert found.code == 0 and "kept ../.pre-commit-config.yaml" in found.out and "- id: moelint" in found.out
    assert (repo.folder / ".pre-commit-config.yaml").read_text() == "repos: []\n"
    assert (repo.folder / "sub/.moelint.yaml").exists() and (repo.folder / ".github/workflows/moelint.yml").exists()
    (repo.folder / "file").write_text("")
    (repo.folder / ".github/workflows/moelint.yml").unlink()
    (repo.folder / ".github/workflows").rmdir()
    (repo.folder / ".github/workflows").write_text("")
    found = repo.moelint("init")
    assert found.code == 2 and ".github/workflows" in found.err


def program(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def test_action_and_workflow_pass_zizmor_at_its_strictest(repo: Repo) -> None:
    repo.moelint("init")
    files = [str(ROOT / "action.yml"), ".github/workflows/moelint.yml"]
    command = [program("zizmor"), "--offline", "--persona", "auditor", "--min-severity", "informational", *files]
    done = subprocess.run(command, cwd=repo.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_of_the_action_pass_shellcheck(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for number, step in enumerate(action["runs"]["steps"]):
        if "run" in step:
            script = tmp_path / f"{number}.sh"
            script.write_text(f"#!/usr/bin/env bash\n{step['run']}", encoding="utf-8")
            done = subprocess.run([program("shellcheck"), str(script)], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout
