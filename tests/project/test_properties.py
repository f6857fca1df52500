"""Whatever the text: a report and no exception, valid JSON and SARIF, places inside the text, fixes that come to rest."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moelint import report as reports
from moelint.engine import Engine
from moelint.fixing import fix_file
from moelint.options import Options
from moelint.results import FileReport, Report
from moelint.text.source import Source

ROOT = Path(__file__).resolve().parents[2]
PROFILE = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
CONFIGS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.yaml"))]
RECIPE = """\
from megatron.bridge.models import GPTModelProvider
from megatron.bridge.training.config import ConfigContainer, TrainingConfig


def small_pretrain_config(gpus: int = 16) -> ConfigContainer:
    cfg = ConfigContainer(model=GPTModelProvider(num_layers=8, num_moe_experts=8), train=TrainingConfig(micro_batch_size=1))
    cfg.model.expert_model_parallel_size = 8
    cfg.model.moe_shared_expert_overlap = True
    for name in ("a", "b"):
        setattr(cfg.model, "moe_router_dtype", "fp32")
    if gpus > 8:
        cfg.comm_overlap.overlap_moe_expert_parallel_comm = True
    return cfg
"""
SCRIPT = """\
#!/bin/bash
TP=${TP:-2}
MOE_ARGS=(
    --num-experts 8
    --expert-model-parallel-size 8
    --moe-token-dispatcher-type alltoall
)
torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --tensor-model-parallel-size $TP ${MOE_ARGS[@]} "$@"
"""
PIECES = st.one_of(
    st.sampled_from([
        "true", "null", "[]", "{}", "-1", "0", "1e400", ".nan", '"8"', "*x", "&a 1", "!!int x", "${X}", "${a.b}", "???", "|\n  x",
        "9" * 40, "# moelint: gpus=8", "# moelint: ignore[PAR] because", "\t", "\r\n", "<<: *a", "- ", "? x", "---\n", "(", ")", "'", "\\\n",
        "$(x)", "`x`", "if x; then", "fi", "def f():", "lambda: 0", "é漢", "\x1b[31m", "\u2028", "model:", "  ", "{{ x }}",
    ]),
    st.text(max_size=12),
)  # fmt: skip


@st.composite
def changed(draw: st.DrawFn, texts: list[str]) -> str:
    """A text with some of its pieces replaced, doubled or cut."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(text)))
        kind = draw(st.sampled_from(["insert", "replace", "cut", "double"]))
        end = min(len(text), at + draw(st.integers(0, 30)))
        piece = draw(PIECES)
        text = {
            "insert": text[:at] + piece + text[at:], "replace": text[:at] + piece + text[end:], "cut": text[:at] + text[end:],
            "double": text[:end] + text[at:],
        }[kind]  # fmt: skip
    return text.replace("\0", "")


ENGINE = Engine(Options())
FIXER = Engine(Options())
FIXER.options.no_config = ENGINE.options.no_config = True
FIXER.options.fix = FIXER.options.unsafe_fixes = True
FIXER.options.write = False


def holds(name: str, text: str) -> None:
    source = Source(name, text)
    file = ENGINE.lint(source, True)
    lines = len(source.line_starts())
    for item in file.findings:
        assert 1 <= item.place.line <= item.place.end_line <= lines and item.place.column >= 1
        assert item.message and item.fingerprint
    assert len({item.fingerprint for item in file.findings}) == len(file.findings)
    report = Report()
    report.files = [file]
    assert json.loads(written("json", report))["version"] == 1
    assert json.loads(written("sarif", report))["version"] == "2.1.0"
    terminal = written("text", report)
    assert not any(ord(c) < 32 and c not in "\n\t" for c in terminal)
    once = fix_file(FIXER, source, True)
    assert isinstance(once, FileReport)
    if once.diff:
        assert fixed_again(name, text) == ""


def fixed_again(name: str, text: str) -> str:
    """The patch of a second run of fixes over what the first one left."""
    from moelint.fix.engine import fix_source

    outcome = fix_source(Source(name, text), lambda source: FIXER.lint_read(source, True), True)
    return fix_file(FIXER, Source(name, outcome.source.text), True).diff


def written(format: str, report: Report) -> str:
    stream = io.StringIO()
    reports.write(format, report, stream, reports.Options())
    return stream.getvalue()


@PROFILE
@given(changed(CONFIGS))
def test_any_config(text: str) -> None:
    holds("a.yaml", text)


@PROFILE
@given(changed([RECIPE]))
def test_any_recipe(text: str) -> None:
    holds("a.py", text)


@PROFILE
@given(changed([SCRIPT]))
def test_any_script(text: str) -> None:
    holds("a.sh", text)
