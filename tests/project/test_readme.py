"""The README tells the truth: its output is what the command prints, its commands and snippets exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def output(*words: str, cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith("MOELINT")}
    done = subprocess.run([sys.executable, "-m", "moelint", *words], cwd=cwd, env=env, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode("utf-8")


def blocks() -> list[tuple[list[str], str]]:
    """(words, printed text) of every command in the first console block."""
    block = re.search(r"```console\n(.*?)```", README, re.DOTALL)
    assert block is not None
    parts = re.split(r"^\$ moelint (.*)\n", block[1], flags=re.MULTILINE)[1:]
    return [(words.split(), text) for words, text in zip(parts[::2], parts[1::2], strict=True)]


def test_output_is_real(tmp_path: Path) -> None:
    work = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", work)
    shown = blocks()
    assert len(shown) == 2
    for words, text in shown:
        assert output(*words, cwd=work) == text
    before = (ROOT / "examples/configs/bridge/deepseek_v3_overlap.yaml").read_text(encoding="utf-8")
    after = (work / "configs/bridge/deepseek_v3_overlap.yaml").read_text(encoding="utf-8")
    assert after == before.replace("moe_shared_expert_overlap: true", "moe_shared_expert_overlap: false")


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_snippets_are_yaml_and_name_what_there_is() -> None:
    snippets = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)]
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert {hook["id"] for hook in snippets[1][0]["hooks"]} <= hooks
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    steps = snippets[2]["jobs"]["moelint"]["steps"]
    assert set(steps[1]["with"]) <= set(inputs)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_examples_hold_good_and_bad_configs() -> None:
    good = output("--fail-on", "warning", "configs/bridge/qwen3_30b_a3b.yaml", "configs/megatron-lm/mixtral_8x7b.yaml",
                  cwd=ROOT / "examples")
    assert "error" not in good and "warning" not in good
