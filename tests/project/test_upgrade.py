"""moelint as an upgrade tool: a config written for Bridge 0.4, brought to 0.7."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from moelint.engine import Engine
from moelint.fixing import fix_file
from moelint.options import Options
from moelint.results import FileReport
from moelint.text.files import read
from moelint.text.source import Source

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "examples/upgrade/qwen3_30b_bridge_0_4.yaml"


def engine(release: str) -> Engine:
    options = Options()
    options.no_config = True
    options.target = {"megatron-bridge": release}
    return Engine(options)


def keys(report: FileReport) -> set[str]:
    return {item.rule for item in report.findings if item.rule.startswith("KEY")}


def test_the_page_shows_what_the_command_prints() -> None:
    page = (ROOT / "docs/upgrading.md").read_text(encoding="utf-8")
    block = re.search(r"```console\n\$ moelint ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert block is not None
    words = block[1].split()
    env = {k: v for k, v in os.environ.items() if not k.startswith("MOELINT")}
    command = [sys.executable, "-m", "moelint", *words]
    done = subprocess.run(command, cwd=ROOT / "examples", env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, block[2])


def test_the_upgraded_file_is_all_right_and_keeps_its_comments(tmp_path: Path) -> None:
    copy = tmp_path / "a.yaml"
    shutil.copy(FILE, copy)
    before = read(str(copy))
    assert keys(engine("0.7.0").lint(before, True)) == {"KEY004"}
    fix_file(engine("0.7.0"), before, True)
    after = read(str(copy))
    report = engine("0.7.0").lint(after, True)
    assert keys(report) == set()
    assert not [item for item in report.findings if item.severity == "error"]
    comments = re.compile(r"#.*")
    assert comments.findall(after.text) == comments.findall(before.text)
    model = yaml.safe_load(after.text)["model"]
    assert (model["moe_flex_dispatcher_backend"], model["moe_flex_dispatcher_num_sms"]) == ("deepep", 24)


def test_the_old_release_keeps_its_own_names() -> None:
    names = {item.key for item in engine("0.4.2").lint(read(str(FILE)), True).findings if item.rule == "KEY004"}
    assert not names & {"model.moe_deepep_num_sms", "model.cuda_graph_scope"}


def test_going_back_is_said() -> None:
    text = "model:\n  num_layers: 8\n  num_moe_experts: 8\n  moe_flex_dispatcher_num_sms: 24\n"
    found = engine("0.4.2").lint(Source("a.yaml", text), True).findings
    mine = [item for item in found if item.key == "model.moe_flex_dispatcher_num_sms" and item.rule.startswith("KEY")]
    assert [item.rule for item in mine] == ["KEY002"]
