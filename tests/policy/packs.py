"""Packs and configs for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from moelint.policy.evaluate import evaluate
from moelint.policy.examples import example_config, flat
from moelint.policy.load import Packs, load
from moelint.trainer.effective import Effective
from moelint.trainer.target import resolve

HEAD = 'name: team\nversion: "2026.1"\nrequires: "moelint>=2026.1"\n'
COMMON = """\
  name: a-name
  effect: refuses
  about: [{about}]
  message: "{message}"
  why: Because.
  sources: [{{what: a source}}]
  evidence: code
  since: "2026.1"
"""


def rule(id_: str, about: str, message: str = "no", **fields: str) -> str:
    """Text of a rule; ``fields`` are YAML texts, underscores of their names kept."""
    lines = [f"- id: {id_}\n" + COMMON.format(about=about, message=message)]
    lines += [f"  {name.rstrip('_')}: {value}\n" for name, value in fields.items()]
    return "".join(lines)


def write_pack(folder: Path, rules: str, head: str = HEAD, facts: str | None = None) -> Path:
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    (folder / "pack.yaml").write_text(head, encoding="utf-8")
    (folder / "rules" / "a.yaml").write_text(rules, encoding="utf-8")
    if facts is not None:
        (folder / "facts.yaml").write_text(facts, encoding="utf-8")
    return folder


def load_only(folder: Path) -> Packs:
    """The pack alone, without the shipped ones and without a cache."""
    return load([str(folder)], cache=False, shipped=False)


def effective(values: dict[str, Any], trainer: str = "bridge", completeness: str = "complete") -> Effective:
    written, target = flat(values)
    dialect = {"bridge": "bridge", "core": "megatron-core", "lm": "megatron-lm-yaml"}[trainer]
    config = example_config(written, target, trainer, dialect, completeness)
    return Effective(config, resolve(config))


def fired(packs: Packs, values: dict[str, Any], trainer: str = "bridge", completeness: str = "complete") -> list[str]:
    """What fires, as ``ID.case certainty``."""
    verdicts, _ = evaluate(packs, effective(values, trainer, completeness))
    return [v.rule.id + (f".{v.case}" if v.case else "") + f" {v.certainty}" for v in verdicts]
