"""The contract of the command line: options, streams, exit codes, bad input."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

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
GOOD = BAD.replace("overlap: true  #", "overlap: false  #")


def write(path: Path, text: str = BAD) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def rules(result: Any) -> list[str]:
    return [finding["rule"] for finding in json.loads(result.out)["findings"]]


def test_one_clear_error_at_its_line(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    result = moelint("a.yaml")
    assert result.code == 1 and not result.err
    assert result.out.startswith("a.yaml:7:3: error[OVL004] ")
    assert "1 error in 1 config in 1 file" in result.out
    assert moelint("--format", "json", "a.yaml").out.count('"rule": "OVL004"') == 1


def test_clean(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", GOOD)
    result = moelint("a.yaml")
    assert result.code == 0 and "no findings in 1 config in 1 file" in result.out


def test_no_paths_is_the_current_folder_and_check_is_the_default(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "sub/a.yaml")
    write(tmp_path / ".hidden/b.yaml")
    write(tmp_path / "values.yaml", "a: 1\n")
    for words in ([], ["check"], ["check", "."]):
        report = json.loads(moelint(*words, "--format", "json").out)
        assert [f["path"] for f in report["findings"]] == [os.path.join(*(["."] if words == [] else []), "sub/a.yaml")[-10:]]


def test_options_may_stand_anywhere(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    assert moelint("a.yaml", "--exit-zero", "-q").code == 0
    assert moelint("--exit-zero", "a.yaml", "-q").code == 0
    assert moelint("a.yaml", "--fix").code == 0
    assert "moe_shared_expert_overlap: false  # kept" in (tmp_path / "a.yaml").read_text()


def test_a_path_named_like_a_command(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "rules/a.yaml")
    assert moelint("./rules").code == 1


def test_fix_changes_one_word(moelint: Run, tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a.yaml"))
    result = moelint("--fix", ".")
    assert result.code == 0 and "1 fixed" in result.out
    assert path.read_text() == GOOD
    before = path.stat().st_mtime_ns
    assert moelint("--fix", ".").code == 0 and path.stat().st_mtime_ns == before


def test_diff_is_a_patch_alone_and_writes_nothing(moelint: Run, tmp_path: Path) -> None:
    path = Path(write(tmp_path / "sub/a.yaml"))
    result = moelint("--diff", "sub")
    assert result.code == 1 and path.read_text() == BAD
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-p1"], cwd=tmp_path, input=result.out.encode(), check=True)
    assert path.read_text() == GOOD
    assert moelint("--diff", "sub").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--diff", "--format", "json"], ["--diff", "--fix"], ["--unsafe-fixes"], ["--config", "x", "--no-config"], ["-", "--fix"],
        ["--gpus", "0"], ["--gpus", "x"], ["--target", "gpus"], ["--target", "gpus=x"], ["--target", "gpuz=h100"], ["--format", "xml"],
        ["--output", "json"], ["--output", "xml=f"], ["--select", "NOPE1"], ["--ignore", "NOPE1"], ["--nope"], ["-j", "0"],
        ["--gpu", "h100", "--target", "gpu=b200"], ["--define", "x"], ["--policy", "nowhere"], ["--config", "nowhere.yaml"],
        ["--gpu", "h1000"],
    ],
)
def test_wrong_usage_is_exit_2_and_one_clear_line(moelint: Run, tmp_path: Path, words: list[str]) -> None:
    write(tmp_path / "a.yaml", GOOD)
    result = moelint(*words, "a.yaml")
    assert result.code == 2, result.out
    assert result.err and "Traceback" not in result.err and not result.out


def test_a_missing_path_is_exit_2_and_the_others_are_checked(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    result = moelint("gone.yaml", "a.yaml", "--output", "json=out.json", "--exit-zero")
    assert result.code == 2 and "gone.yaml: no such file or folder" in result.err
    assert "OVL004" in result.out and "OVL004" in (tmp_path / "out.json").read_text()


def test_an_output_that_cannot_be_written(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", GOOD)
    result = moelint("a.yaml", "--output", "sarif=no/where.sarif")
    assert result.code == 2 and "no/where.sarif: cannot be written" in result.err
    assert not (tmp_path / "no").exists()


def test_several_reports_at_once(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    formats = ("json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown", "text")
    words = [word for name in formats for word in ("--output", f"{name}=out.{name}")]
    assert moelint("a.yaml", *words).code == 1
    for name in formats:
        assert "OVL004" in (tmp_path / f"out.{name}").read_text(encoding="utf-8"), name
    assert sorted(os.listdir(tmp_path)) == ["a.yaml", *sorted(f"out.{name}" for name in formats)]


def test_stdin(moelint: Run, tmp_path: Path) -> None:
    result = moelint("-", "--format", "json", stdin=BAD.encode())
    assert result.code == 1 and json.loads(result.out)["findings"][0]["path"] == "<stdin>"
    write(tmp_path / ".moelint.yaml", "paths: [{match: special, ignore: {OVL: because}}]\n")
    result = moelint("-", "--stdin-filename", "special/a.yaml", "--format", "json", stdin=BAD.encode())
    assert result.code == 0 and json.loads(result.out)["files"][0]["path"] == "special/a.yaml"


def test_select_ignore_and_severity(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    assert rules(moelint("--format", "json", "--select", "PAR", "a.yaml")) == []
    assert rules(moelint("--format", "json", "--ignore", "OVL,PAR", "a.yaml")) == []
    assert rules(moelint("--format", "json", "--select", "OVL004", "--select", "PAR", "a.yaml")) == ["OVL004"]
    write(tmp_path / ".moelint.yaml", "severity: {OVL: warning}\n")
    assert moelint("a.yaml").code == 0
    assert moelint("a.yaml", "--fail-on", "warning").code == 1
    assert moelint("a.yaml", "--no-config").code == 1
    write(tmp_path / ".moelint.yaml", "severity: {OVL004: off}\nfail-on: note\n")
    assert moelint("a.yaml").code == 0
    write(tmp_path / ".moelint.yaml", "severity: {OVL404: off}\n")
    assert moelint("a.yaml").code == 2


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a"), (".",)])
def test_each_folder_is_held_to_its_own_configuration(moelint: Run, tmp_path: Path, order: tuple[str, ...]) -> None:
    write(tmp_path / "a/one.yaml")
    write(tmp_path / "b/one.yaml", GOOD)
    write(tmp_path / "a/.moelint.yaml", "severity: {OVL004: warning}\n")
    write(tmp_path / "b/.moelint.yaml", "fail-on: warning\n")
    assert moelint(*order).code == 0  # the warning lies in a folder where warnings pass
    write(tmp_path / "a/.moelint.yaml", "severity: {OVL004: warning}\nfail-on: warning\n")
    assert moelint(*order).code == 1
    assert moelint(*order, "--fail-on", "error").code == 0
    write(tmp_path / "b/.moelint.yaml", "severity: {OVL404: off}\n")
    result = moelint(*order)
    assert result.code == 2 and "b/.moelint.yaml:1:12: severity" in result.err.replace(os.sep, "/")


def test_a_rule_of_any_folders_policies_can_be_selected(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a/one.yaml")
    write(tmp_path / "b/one.yaml")
    write(tmp_path / "pack/pack.yaml", 'name: team\nversion: "2026.11.0"\nrequires: "moelint>=2026.11"\n')
    rule = (
        '- id: TEM001\n  name: experts\n  effect: advice\n  about: [model.num_moe_experts]\n  when: ["model.num_moe_experts == 8"]\n'
        '  message: "Eight."\n  why: Eight.\n  evidence: inferred\n  since: "2026.11.0"\n'
        '  sources: [{what: "us", url: "https://example.org/"}]\n'
    )
    write(tmp_path / "pack/rules/a.yaml", rule)
    write(tmp_path / "b/.moelint.yaml", "policies: [../pack]\n")
    for order in (("a", "b"), ("b", "a")):
        result = moelint(*order, "--select", "TEM001", "--format", "json")
        assert rules(result) == ["TEM001"]
    assert moelint("a", "--select", "TEM001").code == 2


def test_configuration_errors_say_where(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", GOOD)
    write(tmp_path / ".moelint.yaml", "strict: true\ntarget: 3\n")
    result = moelint("a.yaml")
    assert result.code == 2 and ".moelint.yaml:2:1: 'target' must be a mapping" in result.err


@pytest.mark.parametrize(
    ("data", "rule"),
    [(b"model:\n  a: [\n", "KEY101"), (b"model: \xff\xfe\n", "KEY104"), (b"model:\n\ta: 1\n", "KEY101"), (b"a: \x00\n", "KEY104")],
)
def test_broken_files_are_findings_with_a_place(moelint: Run, tmp_path: Path, data: bytes, rule: str) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    write(tmp_path / "b.yaml")
    result = moelint("--format", "json", "a.yaml", "b.yaml")
    assert result.code == 1 and rules(result) == [rule, "OVL004"]
    assert json.loads(result.out)["findings"][0]["line"] >= 1


def test_a_folder_passes_over_what_is_no_config(moelint: Run, tmp_path: Path) -> None:
    (tmp_path / "blob.yaml").write_bytes(b"\xff\xfe\x00\x01num_moe_experts")
    write(tmp_path / "chart/templates/x.yaml", "{{ if .Values.x }}\nmodel: 1\n{{ end }}\n")
    write(tmp_path / "k8s.yaml", "apiVersion: v1\nkind: Pod\n")
    os.mkfifo(tmp_path / "pipe.yaml")
    os.symlink("nowhere", tmp_path / "dangling.yaml")
    result = moelint()
    assert result.code == 0, result.out


def test_unreadable_named_paths(moelint: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    os.symlink("nowhere", tmp_path / "dangling.yaml")
    result = moelint("pipe.yaml", "dangling.yaml")
    assert result.code == 2 and len(result.err.splitlines()) == 2


def test_suppressions(moelint: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "# moelint: ignore[OVL004] because the patch in our fork allows it\n" + BAD)
    result = moelint("a.yaml")
    assert result.code == 0 and "1 suppressed" in result.out
    write(tmp_path / "a.yaml", "# moelint: ignore[OVL004]\n" + BAD)
    assert sorted(rules(moelint("a.yaml", "--format", "json"))) == ["KEY112", "OVL004"]
    write(tmp_path / "a.yaml", "# moelint: ignore[OVL004] because reasons\n" + GOOD)
    assert rules(moelint("a.yaml", "--format", "json")) == ["KEY113"]
    assert rules(moelint("a.yaml", "--format", "json", "--select", "PAR")) == []
    write(tmp_path / "a.yaml", "# moelint: gpuz=8\n" + GOOD)
    result = moelint("a.yaml", "--format", "json")
    assert rules(result) == ["KEY111"] and "did you mean" in result.out


def test_many_files_in_processes_and_in_one_are_the_same(moelint: Run, tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path / f"c/{number:02}.yaml", BAD if number % 2 else GOOD)
    one, two = moelint("c", "-j", "1", "--format", "json"), moelint("c", "-j", "2", "--format", "json")
    assert one.out == two.out and len(rules(one)) == 20


def test_version_and_help(moelint: Run) -> None:
    assert moelint("--version").out.startswith("moelint 20")
    said = moelint("--help").out
    assert "explain" in said and "--unsafe-fixes" in said and "Exit code" in said


def test_json_report_follows_its_schema(moelint: Run, tmp_path: Path) -> None:
    import jsonschema

    write(tmp_path / "a.yaml")
    write(tmp_path / "b.yaml", "model:\n  num_moe_experts: 8\n  tensor_model_parallel_size: ${TP}\n")
    schema = json.loads(moelint("schema", "report").out)
    jsonschema.validate(json.loads(moelint("--format", "json").out), schema)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpus", "0"), "--gpus"),
        (("--fix", "--diff"), "choose one"),
        (("--format", "xml"), "sarif"),
        (("--fial",), "--fail-on"),
        (("--base", "nope"), "no official recipe and no file is called nope"),
        (("--base", "broken.yaml"), "holds no training config"),
        (("--select", "OVLO04"), "did you mean OVL004?"),
        (("--target", "torch"), "KEY=VALUE"),
        (("-j",), "-j"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(moelint: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    write(tmp_path / "a.yaml", GOOD)
    write(tmp_path / "broken.yaml", "model: [1\n")
    result = moelint("a.yaml", *words)
    assert result.code == 2 and not result.out
    assert result.err.count("\n") == 1 and result.err.startswith("moelint: ") and said in result.err


def test_no_config_is_not_called_clean(moelint: Run, tmp_path: Path) -> None:
    assert moelint(".").out == "no training config found\n"
    write(tmp_path / "values.yaml", "replicas: 3\n")
    assert moelint("values.yaml").out == "no training config found: --show-files says why\n"
    assert "values.yaml: " in moelint("--show-files", "values.yaml").out


def test_output_keeps_links_and_devices(moelint: Run, tmp_path: Path) -> None:
    """A report is moved into place; what is no plain file must not be replaced by one."""
    write(tmp_path / "a.yaml")
    os.symlink("real.json", tmp_path / "link.json")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    moelint("--output", "json=link.json", "--output", "github=pipe", "a.yaml")
    assert os.path.islink(tmp_path / "link.json") and json.loads((tmp_path / "real.json").read_text())["findings"]
    assert os.read(reader, 100_000).startswith(b"::error file=a.yaml") and not os.path.isfile(tmp_path / "pipe")
    os.close(reader)


@pytest.mark.parametrize("words", [("a.yaml",), ("rules",), ("--format", "json", "a.yaml"), ("explain", "OVL004")])
def test_a_full_disk_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    write(tmp_path / "a.yaml")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([sys.executable, "-m", "moelint", *words], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2 and done.stderr == b"moelint: the output: No space left on device\n"


def test_closed_streams(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml")
    line = f"{shlex.quote(sys.executable)} -m moelint a.yaml >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], cwd=tmp_path, check=False).returncode == 1


def test_an_absent_setting_that_changes_nothing_is_no_assumption(moelint: Run, tmp_path: Path) -> None:
    """EP 8 cannot fit 4 GPUs whatever the context-parallel size, which the file leaves out."""
    write(tmp_path / "a.yaml", GOOD.replace("gpus=8", "gpus=4").replace("add_bias", "tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 1\n  expert_tensor_parallel_size: 1\n  add_bias"))
    found = [f for f in json.loads(moelint("--format", "json", "a.yaml").out)["findings"] if f["rule"] == "PAR002"]
    assert [(f["severity"], f["certainty"]) for f in found] == [("error", "certain")]


@pytest.mark.parametrize(
    ("conf", "said"),
    [
        ("severity:\n  OVLX: note\n", ".moelint.yaml:2:3: severity: no rule is called 'OVLX'"),
        ("ignore: {NOPE: no such thing}\n", ".moelint.yaml:1:10: ignore: no rule is called 'NOPE'"),
        ("target:\n  gpu: h1000\n", ".moelint.yaml:2:3: target gpu=h1000: no profile of a GPU 'h1000': did you mean H100?"),
        ("paths:\n- match: '*'\n  severity: {OVLX: off}\n", ".moelint.yaml:3:14: severity: no rule"),
    ],
)
def test_a_mistake_in_the_configuration_has_its_place(moelint: Run, tmp_path: Path, conf: str, said: str) -> None:
    write(tmp_path / "a.yaml")
    write(tmp_path / ".moelint.yaml", conf)
    result = moelint("a.yaml")
    assert result.code == 2 and not result.out and said in result.err and result.err.count("\n") == 1
