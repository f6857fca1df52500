"""What users install: a wheel outside the repository, the pre-commit hooks, the GitHub Action. Each is really run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
BAD = """\
# moelint: gpus=8
model:
  num_layers: 8
  num_moe_experts: 8
  expert_model_parallel_size: 8
  moe_shared_expert_intermediate_size: 2048
  moe_shared_expert_overlap: true  # kept from the old run
  moe_token_dispatcher_type: alltoall
  moe_router_dtype: fp32
  add_bias_linear: false
  bf16: true
comm_overlap:
  overlap_moe_expert_parallel_comm: true
train:
  micro_batch_size: 1
  global_batch_size: 256
"""


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None, code: int | None = 0) -> str:
    """Output of a command with an environment of its own, so that no checkout leaks in."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GIT_", "MOELINT", "PRE_COMMIT"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**clean, **(env or {})}, capture_output=True, text=True, check=False,
    )
    assert code is None or done.returncode == code, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    run("git", "init", "-q", "-b", "main", cwd=folder)
    run("git", "config", "user.email", "a@example.org", cwd=folder)
    run("git", "config", "user.name", "A", cwd=folder)
    (folder / "configs").mkdir()
    (folder / "configs" / "moe.yaml").write_text(BAD, encoding="utf-8")
    run("git", "add", ".", cwd=folder)
    run("git", "commit", "-qm", "configs", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=ROOT)
    (built,) = out.glob("moelint-*.whl")
    yield built


def test_a_second_build_gives_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    env = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "77"}
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=ROOT, env=env)
    (again,) = tmp_path.glob("moelint-*.whl")
    assert again.read_bytes() == wheel.read_bytes()


def test_wheel_in_a_new_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    run(sys.executable, "-m", "venv", home, cwd=tmp_path)
    python = home / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"moelint[fix] @ {wheel.as_uri()}", cwd=tmp_path)
    work = repository(tmp_path / "elsewhere")
    moelint = home / "bin" / "moelint"
    where = run(python, "-c", "import moelint.data as d; print(d.root())", cwd=work).strip()
    assert where.startswith(str(home))
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    report = json.loads(run(moelint, "--format", "json", cwd=work, env=env, code=1))
    assert [f["rule"] for f in report["findings"] if f["severity"] == "error"] == ["OVL004"]
    for words in (["rules"], ["explain", "OVL004"], ["schema", "report"], ["policy", "check", "megatron"]):
        assert run(moelint, *words, cwd=work, env=env).strip()
    run(moelint, "--fix", cwd=work, env=env)
    changed = (work / "configs" / "moe.yaml").read_text(encoding="utf-8")
    assert changed == BAD.replace("moe_shared_expert_overlap: true", "moe_shared_expert_overlap: false")


def test_pre_commit_hooks(tmp_path: Path) -> None:
    work = repository(tmp_path / "repo")
    env = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = (sys.executable, "-m", "pre_commit", "try-repo", ROOT)
    said = run(*command, "moelint", "--all-files", cwd=work, env=env, code=1)
    assert "OVL004" in said and "configs/moe.yaml:7:3" in said
    said = run(*command, "moelint-fix", "--all-files", cwd=work, env=env, code=1)
    assert "files were modified by this hook" in said
    assert "moe_shared_expert_overlap: false  # kept" in (work / "configs" / "moe.yaml").read_text(encoding="utf-8")
    run(*command, "moelint", "--all-files", cwd=work, env=env)


def test_hook_ids_are_those_that_users_write() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["moelint", "moelint-fix"]
