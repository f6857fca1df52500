"""Fingerprints survive what does not change a finding: 1,000 random edits of configs full of mistakes."""

from __future__ import annotations

import random
import re

import pytest

from moelint.engine import Engine
from moelint.fix import choose, keys
from moelint.options import Options
from moelint.results import FileReport
from moelint.text.source import Source

from .conftest import BROKEN_PAIR

MESSY = BROKEN_PAIR.replace("  bf16: true", "  bf16: true\n  moe_ruter_topk: 8\n  recompute_granularity: full\n  hidden_sise: 2048").replace(
    "expert_model_parallel_size: 8", "expert_model_parallel_size: 24"
)
LM = """\
# moelint: gpus=64 megatron-core=0.16.1
MODEL_ARGS:
  --num-layers: 32
  --hidden-size: 4096
  --num-attention-heads: 32
  --num-experts: 8
  --moe-router-topk: 2
  --tensor-model-parallel-size: 2
  --expert-model-parallel-size: 16
  --bf16: true
  --micro-batch-size: 1
  --global-batch-size: 250
  --overlap-moe-expert-parallel-comm: true
  --no-such-flag: 3
"""
TEXTS = {"a.yaml": MESSY, "b.yaml": LM, "c.yaml": MESSY + "---\n" + BROKEN_PAIR}
EDITS = 1000


OPTIONS = Options()
OPTIONS.no_config = True
ENGINE = Engine(OPTIONS)


def lint(path: str, text: str) -> FileReport:
    return ENGINE.lint(Source(path, text), True)


def blocks(text: str) -> list[list[str]]:
    """Lines by document."""
    out: list[list[str]] = [[]]
    for line in text.splitlines():
        if line == "---":
            out.append([])
        else:
            out[-1].append(line)
    return out


def insert_lines(text: str, dice: random.Random) -> str:
    lines = text.splitlines()
    for _ in range(dice.randint(1, 5)):
        at = dice.randint(1, len(lines))
        lines.insert(at, dice.choice(["", "  # a comment", "# another one", "   "]))
    return "\n".join(lines) + "\n"


def reorder_keys(text: str, dice: random.Random) -> str:
    """Keys of one section in another order, and sections in another order."""
    out = []
    for block in blocks(text):
        head = [line for line in block if line.startswith("#")]
        sections: list[list[str]] = []
        for line in block:
            if line.lstrip().startswith("#") or not line.strip():
                continue
            if not line.startswith(" "):
                sections.append([line])
            else:
                sections[-1].append(line)
        for section in sections:
            body = section[1:]
            dice.shuffle(body)
            section[1:] = body
        dice.shuffle(sections)
        out.append("\n".join([*head, *(line for section in sections for line in section)]))
    return "\n---\n".join(out) + "\n"


def reindent(text: str, dice: random.Random) -> str:
    return re.sub("(?m)^  ", " " * dice.choice([1, 3, 4, 8]), text)


def respace(text: str, dice: random.Random) -> str:
    text = re.sub("(?m)^( +[^#:]+):  *", lambda m: f"{m[1]}:{' ' * dice.randint(1, 6)}", text)
    return text.replace("\n", "\r\n") if dice.random() < 0.3 else text


def comment(text: str, dice: random.Random) -> str:
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith(" ") and "#" not in line and dice.random() < 0.2:
            lines[at] = f"{line}  # {dice.choice(['why', 'kept from the old run', 'größer'])}"
    return "\n".join(lines) + "\n"


def flow(text: str, dice: random.Random) -> str:
    """The train section on one line."""
    return re.sub(r"(?m)^train:\n  (micro_batch_size: \d+)\n  (global_batch_size: \d+)$", r"train: {\1, \2}", text)


CHANGES = (insert_lines, reorder_keys, reindent, respace, comment, flow)


@pytest.fixture(autouse=True)
def _no_fixes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixes are worked out by trying them, and have no part in a fingerprint."""
    monkeypatch.setattr(choose, "fixes_for", lambda *_: [])
    monkeypatch.setattr(keys, "fix_of", lambda *_: [])


def test_the_same_findings_after_a_thousand_edits() -> None:
    before = {path: lint(path, text) for path, text in TEXTS.items()}
    assert all(len(report.findings) >= 5 for report in before.values())
    dice = random.Random(20261130)
    found = kept = 0
    for number in range(EDITS):
        path = dice.choice(list(TEXTS))
        text = TEXTS[path]
        for change in dice.sample(CHANGES, dice.randint(1, 3)):
            text = change(text, dice)
        after = lint(f"moved/{number}.yaml" if dice.random() < 0.5 else path, text)
        prints = [item.fingerprint for item in after.findings]
        assert len(prints) == len(set(prints)), "two findings of one file share a fingerprint"
        old = {item.fingerprint for item in before[path].findings}
        found += len(old)
        kept += len(old & set(prints))
    print(f"{kept} of {found} findings matched in {EDITS} edits")
    assert kept / found >= 0.99, f"{kept} of {found} findings matched"


def test_what_tells_findings_apart() -> None:
    report = lint("c.yaml", TEXTS["c.yaml"])
    by_print = {item.fingerprint: item for item in report.findings}
    assert len(by_print) == len(report.findings)
    overlap = [item for item in report.findings if item.rule == "OVL004"]
    assert len({item.config for item in overlap}) == len(overlap) == 2, "one a config"
