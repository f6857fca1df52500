"""``moelint walls``: the page's data, text, JSON and HTML, bad input, and the knobs that are computed by asking again."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from walls_models import DEEPSEEK_V3, QWEN3_30B
from walls_settings import effective_of, settings

from moelint.cli.walls import command
from moelint.report.walls_html import html
from moelint.report.walls_text import text
from moelint.trainer.walls_adapter import Walls
from moelint.trainer.walls_knobs import with_changes
from moelint.trainer.walls_page import page
from moelint.walls.model import Layout, Shape

QWEN_16 = Layout(16, ep=16, global_batch=1024, grad_bytes=2.0)
DEEPSEEK_256 = Layout(
    256, pp=4, vpp=4, ep=64, global_batch=4096, grad_bytes=2.0, dispatcher="hybridep", ep_overlap=True
)


def page_of(shape: Shape, layout: Layout, gpu: str) -> dict[str, Any]:
    target = {"gpu": {"value": gpu, "from": "directive"}, "gpus": {"value": layout.world, "from": "directive"}}
    return page(effective_of(shape, layout, gpu).scope().get, "a_config", "configs/a.yaml", 3, target)


def written(tmp_path: Path, shape: Shape, layout: Layout, head: str, leave_out: tuple[str, ...] = ()) -> str:
    """A flat config file in YAML."""
    lines = [head, "_target_: megatron.bridge.training.config.ConfigContainer"]
    sections: dict[str, list[str]] = {}
    for key, value in settings(shape, layout).items():
        if key not in leave_out:
            section, _, name = key.partition(".")
            sections.setdefault(section, []).append(f"  {name}: {json.dumps(value)}")
    for section, inner in sections.items():
        lines += [f"{section}:", *inner]
    path = tmp_path / f"{layout.world}-{layout.ep}.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["--no-config", *words])
    return result.exit_code, result.output


def test_text_says_what_a_performance_engineer_asks() -> None:
    said = text([page_of(QWEN3_30B, QWEN_16, "h100")], False, False, True)
    assert "30.5 B parameters, 3.4 B active" in said
    assert "TP 1 × CP 1 × DP 16" in said
    assert "ETP 1 × EP 16 × EDP 1   one expert group spans 2 NVLink domains of 8" in said
    assert re.search(r"MEMORY  fullest stage 0: 55\.5 to 61\.9 of 79\.6 GiB", said)
    assert re.search(r"expert dispatch +1\.84 ms +38%  59 MB NVLink \+ 67 MB network", said)
    assert "ridge at 295 rows" in said
    assert re.search(r"4,096 × 2,048 × 1,536 +723 FLOP/byte .* above the ridge", said)
    assert re.search(r"step [\d.]+ to [\d.]+ s · \d+ to \d+ TFLOPS a GPU", said)
    assert "The communication wall stands first" in said
    assert "expert_model_parallel_size 16 → 8" in said
    assert "moe_token_dispatcher_type alltoall → flex" in said


@pytest.mark.parametrize("width", [80, 100, 120])
def test_text_fits_the_terminal(width: int) -> None:
    pages = [
        page_of(QWEN3_30B, QWEN_16, "h100"),
        page_of(DEEPSEEK_V3, DEEPSEEK_256, "gb200"),
        page_of(QWEN3_30B, Layout(16, tp=2, cp=2, pp=2, ep=4, global_batch=128), "h100"),
    ]
    for one in pages:
        assert max(len(line) for line in text([one], False, False, True, width).split("\n")) <= width
    assert max(len(line) for line in text(pages[:2], True, False, True, width).split("\n")) <= width


def test_every_collective_of_a_layer_is_shown_with_its_share_and_where_it_runs() -> None:
    one = page_of(QWEN3_30B, Layout(16, tp=2, cp=2, pp=2, ep=4, global_batch=128), "h100")
    rows = one["communication"]["layer_forward"]
    assert [row["name"] for row in rows] == [
        "expert dispatch", "expert combine", "tensor-parallel gather/scatter", "context-parallel ring",
    ]  # fmt: skip
    assert all(row["nvlink_mb"] > 0 and row["nic_mb"] == 0 for row in rows)
    compute = one["communication"]["layer_ms"]
    whole = compute + sum(row["ms"] for row in rows)
    for row in rows:
        assert row["share"] == pytest.approx(row["ms"] / whole)
    # four gathers and scatters around attention of half the hidden states (TP 2), none around routed experts
    assert rows[2]["nvlink_mb"] == pytest.approx(2 * 2048 * 2048 * 2 / 2 / 1e6)


def test_the_verdict_of_the_page_is_that_of_the_rule() -> None:
    verdicts = []
    for ep in (16, 8, 4):
        one = page_of(QWEN3_30B, Layout(16, ep=ep, global_batch=1024, seq=6144), "h100")
        memory = next(w for w in one["walls"] if w["wall"] == "memory")
        verdicts.append(memory["verdict"])
        assert (memory["verdict"] == "does not fit") == (one["memory"]["floor_gib"] > one["memory"]["hbm_gib"])
    assert verdicts[-1] == "does not fit"


def test_text_without_unicode_is_ascii() -> None:
    assert text([page_of(DEEPSEEK_V3, DEEPSEEK_256, "gb200")], False, False, False).isascii()


def test_colour_only_where_asked() -> None:
    one = page_of(QWEN3_30B, QWEN_16, "h100")
    assert "\x1b" not in text([one], False, False, True)
    assert "\x1b" in text([one], False, True, True)


class Checker(HTMLParser):
    """Well-formed, self-contained: every tag closes, nothing is fetched, no script."""

    VOID = frozenset(("meta", "rect", "line", "path", "circle", "br"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.svgs = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe")
        for name, value in attrs:
            assert name not in ("src", "href", "onload", "onclick"), (tag, name)
            assert "url(http" not in (value or "")
        self.svgs += tag == "svg"
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("shape", "layout", "gpu"),
    [(QWEN3_30B, QWEN_16, "h100"), (DEEPSEEK_V3, DEEPSEEK_256, "gb200"), (DEEPSEEK_V3, DEEPSEEK_256, "h100")],
)
def test_html_is_one_small_self_contained_page(shape: Shape, layout: Layout, gpu: str) -> None:
    one = page_of(shape, layout, gpu)
    found = html([one], False)
    checker = Checker()
    checker.feed(found)
    assert checker.open == []
    assert checker.svgs == 4
    assert len(found.encode()) < 200_000
    assert len(html([one] * 2, True).encode()) < 200_000
    assert "nan" not in found.lower().replace("finance", "")


def test_html_escapes_what_the_author_wrote() -> None:
    one = page_of(QWEN3_30B, QWEN_16, "h100")
    one["config"] = "<script>alert(1)</script>"
    assert "<script>" not in html([one], False)


def test_each_knob_gives_what_the_page_says_when_the_config_is_changed() -> None:
    get = effective_of(QWEN3_30B, QWEN_16, "h100").scope().get
    one = page_of(QWEN3_30B, QWEN_16, "h100")
    assert len(one["knobs"]) == 2
    for knob in one["knobs"]:
        after = Walls(with_changes(get, knob["change"])).estimate
        assert after is not None and after.step is not None
        assert after.step.step_s == pytest.approx(knob["step_s"][1])
        assert after.worst.high_gib == pytest.approx(knob["high_gib"][1])
        assert knob["step_s"][1] < knob["step_s"][0]


def test_knobs_make_a_config_fit_that_does_not() -> None:
    one = page_of(QWEN3_30B, Layout(16, ep=4, global_batch=1024), "h100")
    assert one["walls"][0]["wall"] == "memory" and one["walls"][0]["blocks"]
    assert one["knobs"]
    for knob in one["knobs"]:
        assert knob["high_gib"][1] < knob["high_gib"][0]


def test_every_wall_of_a_whole_config_adds_up() -> None:
    one = page_of(DEEPSEEK_V3, DEEPSEEK_256, "gb200")
    step = one["compute"]["step"]
    assert sum(step["parts_s"].values()) == pytest.approx(step["seconds"], rel=1e-6)
    for stage in one["memory"]["stages"]:
        assert sum(size for _, size in stage["parts_gib"]) == pytest.approx(stage["total_gib"], abs=0.01)
    assert len(one["memory"]["stages"]) == 4


def test_command_prints_text_json_and_html(tmp_path: Path) -> None:
    path = written(tmp_path, QWEN3_30B, QWEN_16, "# moelint: gpus=16 gpu=h100")
    code, said = run(path)
    assert code == 0
    assert "MEMORY  fullest stage 0" in said
    code, said = run(path, "--format", "json")
    data = json.loads(said)
    assert data["version"] == 1
    assert data["pages"][0]["mesh"]["experts"] == {"etp": 1, "ep": 16, "edp": 1, "pp": 1}
    out = tmp_path / "page.html"
    code, said = run(path, "--format", "html", "--output", str(out))
    assert (code, said) == (0, "")
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_two_files_stand_side_by_side(tmp_path: Path) -> None:
    a = written(tmp_path, QWEN3_30B, QWEN_16, "# moelint: gpus=16 gpu=h100")
    b = written(tmp_path, QWEN3_30B, QWEN_16._replace(ep=8), "# moelint: gpus=16 gpu=h100")
    code, said = run(a, b)
    assert code == 0
    assert re.search(r"^  EP +16 +8$", said, re.M)


def test_what_is_missing_is_named_with_how_to_give_it(tmp_path: Path) -> None:
    path = written(tmp_path, QWEN3_30B, QWEN_16, "# no target")
    code, said = run(path)
    assert code == 0
    assert "target.gpus would decide everything" in said
    assert "--target gpus=" in said
    code, said = run(path, "--gpus", "16")
    assert "target.gpu would decide memory limit, times" in said
    assert "MEMORY" in said


def test_an_unknown_gpu_is_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, QWEN3_30B, QWEN_16, "# moelint: gpus=16")
    code, said = run(path, "--gpu", "h1000")
    assert code == 2
    assert "no hardware profile is called 'h1000'; did you mean H100?" in said


def test_impossible_sizes_are_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, QWEN3_30B, QWEN_16._replace(tp=64), "# moelint: gpus=16 gpu=h100")
    code, said = run(path)
    assert code == 0
    assert "These sizes fit no machine: TP×PP×CP = 64 GPUs, more than the 16 given." in said


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    path = written(tmp_path, QWEN3_30B, QWEN_16, "# moelint: gpus=16")
    own = tmp_path / "lab.yaml"
    own.write_text("name: LAB\nfacts: {hbm_usable_gib: 50, nvlink_domain: 8}\n", encoding="utf-8")
    code, said = run(path, "--gpu", str(own))
    assert code == 0
    assert "The memory wall stands first, the job does not fit" in said
    own.write_text("name: LAB\nfacts: {hbm_gib: 50}\n", encoding="utf-8")
    other = tmp_path / "typo.yaml"
    other.write_text("name: LAB\nfacts: {hbm_usable_gb: 50}\n", encoding="utf-8")
    code, said = run(path, "--gpu", str(other))
    assert code == 2
    assert "facts.hbm_usable_gb is no key of a profile: did you mean hbm_usable_gib?" in said
    other = tmp_path / "wrong.yaml"
    other.write_text("name: LAB\nfacts: {hbm_usable_gib: lots}\n", encoding="utf-8")
    code, said = run(path, "--gpu", str(other))
    assert code == 2
    assert "facts.hbm_usable_gib: 'lots' does not fit" in said


def test_a_file_that_is_no_config(tmp_path: Path) -> None:
    path = tmp_path / "notes.yaml"
    path.write_text("shopping: [milk]\n", encoding="utf-8")
    code, said = run(str(path))
    assert code == 2
    assert "no training config that moelint knows" in said
    code, said = run(str(tmp_path / "absent.yaml"))
    assert code == 2
    assert "No such file" in said
