"""Whatever a file holds: a report and no exception, fixes that come to rest, and files that are never half written."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from moelint.api import Options, check
from moelint.engine import Engine
from moelint.fixing import fix_file
from moelint.results import FileReport
from moelint.text.files import decode
from moelint.text.source import Source, TextError

ROOT = Path(__file__).resolve().parents[2]
SEEDS = sorted((ROOT / "examples").rglob("*.yaml"))
WORDS = [
    b"true", b"null", b"[]", b"{}", b"-1", b"0", b"1e400", b".nan", b".inf", b'"8"', b"abc", b"[1, 2]", b"{a: b}", b"*x", b"&a 1",
    b"!!int x", b"${X}", b"${a.b}", b"${X:-8}", b"???", b"|\n  x", b"9" * 40, b"# moelint: ", b"\t", b"\r\n", b"\xef\xbb\xbf", b"\x00",
    b"<<: *a", b"- ", b"? x", b"---\n", b"2020-01-01", b"0x10", b"1_000", b"~", b"''", b"\x1b[31m", "é漢".encode(), b"\xff",
]


def bad() -> bytes:
    """The example with one mistake and one fix."""
    return next(data for data in (seed.read_bytes() for seed in SEEDS) if b"moe_shared_expert_overlap: true" in data)


def mutated(chance: random.Random) -> bytes:
    data = chance.choice(SEEDS).read_bytes()
    for _ in range(chance.randint(1, 6)):
        lines = data.split(b"\n")
        at, kind = chance.randrange(len(lines)), chance.random()
        if kind < 0.6:
            key, colon, _ = lines[at].partition(b":")
            lines[at] = key + colon + b" " + chance.choice(WORDS) if colon else chance.choice(WORDS)
        elif kind < 0.75:
            lines.insert(at, chance.choice(lines))
        elif kind < 0.85:
            del lines[at:]
        else:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)] + chance.choice(WORDS)
        data = b"\n".join(lines)
    return data


@pytest.mark.parametrize("seed", range(4))
def test_mutated_configs(seed: int) -> None:
    chance = random.Random(seed)
    options = Options()
    options.no_config = options.fix = options.unsafe_fixes = True
    options.write = False
    engine = Engine(options)
    engine.prepare(".")
    for _ in range(60):
        try:
            source = decode("f.yaml", mutated(chance))
        except TextError as error:
            assert error.message
            continue
        report = fix_file(engine, source, True)
        assert isinstance(report, FileReport)
        for finding in report.findings:
            place = finding.place
            assert 1 <= place.line <= len(source.line_starts()) + 50 and place.column >= 1
            assert finding.message and finding.fingerprint
        assert len({finding.fingerprint for finding in report.findings}) == len(report.findings)


def test_bombs_are_bounded(tmp_path: Path) -> None:
    levels = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 60))
    bombs = {
        "aliases.yaml": f"model:\n  num_moe_experts: 8\na0: &a0 [x]\n{levels}\n",
        "deep.yaml": "model:\n  num_moe_experts: " + "[" * 20_000 + "\n",
        "maps.yaml": "model:\n  num_moe_experts: 8\nx: " + "{a: " * 5_000 + "1" + "}" * 5_000 + "\n",
        "long.yaml": "model:\n  num_moe_experts: 8\n  # " + "x" * 3_000_000 + "\n",
        "many.yaml": "model:\n  num_moe_experts: 8\n" + "".join(f"  k{i}: {i}\n" for i in range(20_000)),
    }
    for name, text in bombs.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = Options()
    options.no_config = True
    report = check([str(tmp_path)], options)
    assert not report.problems and len(report.files) == len(bombs)


def test_a_file_that_cannot_be_replaced_is_left_as_it_is(tmp_path: Path) -> None:
    text = bad()
    path = tmp_path / "a.yaml"
    path.write_bytes(text)
    os.link(path, tmp_path / "b.yaml")
    options = Options()
    options.no_config = options.fix = True
    (report,) = check([str(path)], options).files
    assert path.read_bytes() == text and report.fixed == 0
    assert any("hard link" in reason for reason in report.refused)
    assert [finding.rule for finding in report.findings if finding.severity == "error"] == ["OVL004"]


def test_a_fix_that_is_interrupted_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = bad()
    path = tmp_path / "a.yaml"
    path.write_bytes(text)

    def interrupted(*words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    options = Options()
    options.no_config = options.fix = True
    with pytest.raises(KeyboardInterrupt):
        check([str(path)], options)
    assert path.read_bytes() == text and os.listdir(tmp_path) == ["a.yaml"]


def test_sources_of_every_newline_kind_keep_it() -> None:
    text = bad()
    data = b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n").rstrip()
    source = decode("a.yaml", data)
    options = Options()
    options.no_config = options.fix = True
    options.write = False
    engine = Engine(options)
    report = fix_file(engine, source, True)
    assert isinstance(source, Source) and report.fixed == 1
    changed = [line for line in report.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 2 and "overlap: true" in changed[0] and "overlap: false" in changed[1]
