"""`moelint diagnose` as typed: output, exit codes, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moelint.cli.diagnose import command

CONFIG = Path(__file__).parents[2] / "examples/configs/bridge/deepseek_v3_overlap.yaml"
REFUSED = "ValueError: disable moe_shared_expert_overlap when enabling overlap_moe_expert_parallel_comm\n"
LOG = f" iteration 1/ 2 |\n[rank3]: {REFUSED}[rank4]: {REFUSED}torch.distributed.elastic ... ChildFailedError:\n"


def run(*words: str, stdin: str | bytes = b"") -> Result:
    return CliRunner().invoke(command, [*words, "--no-config"], input=stdin, prog_name="moelint diagnose")


def test_names_the_rule_the_line_and_the_fix(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LOG, encoding="utf-8")
    line = (
        CONFIG.read_text(encoding="utf-8")
        .split("\n")
        .index("  moe_shared_expert_overlap: true  # hides the shared expert behind the dispatch")
    )
    result = run(str(log), "--for", str(CONFIG))
    assert result.exit_code == 1
    assert "fatal  OVL004 shared-expert-overlap-with-ep-overlap\n  line 2, 2 times on 2 ranks" in result.output
    assert f"deepseek_v3_overlap.yaml:{line + 1}" in result.output and "moelint --fix" in result.output
    assert result.output.index("OVL004") < result.output.index("A rank ended because another one failed")


def test_json(tmp_path: Path) -> None:
    result = run("-", "--format", "json", stdin=LOG)
    data = json.loads(result.stdout)
    assert result.exit_code == 1 and data["version"] == 1
    [log] = data["logs"]
    assert (log["lines"], log["bytes"], log["fatal"], log["config"]) == (4, len(LOG), True, None)
    first = log["causes"][0]
    assert (first["rules"], first["line"], first["count"], first["ranks"]) == (["OVL004"], 2, 2, 2)


def test_a_run_without_a_fault_exits_0() -> None:
    result = run("-", stdin=" iteration 1/ 2 | lm loss: 1.0 |\n" * 50)
    assert result.exit_code == 0 and "Nothing in it is known to mean trouble." in result.output


def test_an_error_that_nothing_is_known_of_is_not_passed_over() -> None:
    result = run(
        "-", stdin="Traceback (most recent call last):\n  File \"/opt/d.py\", line 3, in load\nKeyError: 'k'\n"
    )
    assert result.exit_code == 1 and "An error that moelint has no rule for" in result.output
    assert "raised in load, /opt/d.py:3" in result.output


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty", b"", "is empty"),
        ("binary", bytes(range(256)) * 4, "is it a log?"),
        ("cut.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "ends in the middle"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    result = run(str(path))
    lines = [line for line in result.stderr.splitlines() if line]
    assert result.exit_code == 2 and any(said in line for line in lines) and len(lines) <= 2
    assert "Traceback" not in result.output


def test_other_logs_are_still_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LOG, encoding="utf-8")
    result = run(str(tmp_path / "nothing"), str(log))
    assert result.exit_code == 2 and "OVL004" in result.output and "No such file" in result.stderr


def test_a_file_that_is_no_config(tmp_path: Path) -> None:
    log, other = tmp_path / "log", tmp_path / "notes.yaml"
    log.write_text(LOG, encoding="utf-8")
    other.write_text("a: 1\n", encoding="utf-8")
    result = run(str(log), "--for", str(other))
    assert result.exit_code == 2 and "no training config that moelint knows" in result.stderr


def test_hostile_bytes_do_not_reach_the_terminal() -> None:
    result = run("-", stdin=b"RuntimeError: \x1b]0;x\x07CUDA out of memory \xff\xfe\r\n")
    assert result.exit_code == 1 and "\x1b" not in result.output and "\x07" not in result.output
