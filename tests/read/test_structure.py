"""What is remembered of a document's paths says nothing of its values, and is bounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moelint.read import directives, structure
from moelint.read.files import FileRead

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[!.]*/**/*.yaml"))
ROLL = """\
actor_train:
  strategy_args:
    strategy_name: {}
    strategy_config:
      tensor_model_parallel_size: 2
      expert_model_parallel_size: 8
reference:
  strategy_args:
    strategy_name: {}
    strategy_config:
      tensor_model_parallel_size: 2
rollout_batch_size: 8
"""


def said(found: FileRead) -> Any:
    configs = [
        (
            config.name, config.dialect, config.start, config.end, config.root, config.completeness, config.stated, config.base, config.model,
            [(key, repr(w.value), w.spelling, w.origin, w.assumed, w.waits, w.setting and w.setting.path) for key, w in config.written.items()],
            [setting.path for setting in config.unread], [problem.message for problem in config.problems],
        )
        for config in found.configs
    ]  # fmt: skip
    return configs, found.skipped, [(p.kind, p.message, p.start, p.end) for p in found.problems]


def forget() -> None:
    structure._known.clear()
    directives._remembered.clear()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_remembered_changes_nothing(read, path):
    text = path.read_text(encoding="utf-8")
    forget()
    first = said(read(text))
    assert said(read(text)) == first
    moved = read("# one line more\n\n" + text)  # the same paths, all of it further on
    forget()
    assert said(moved) == said(read("# one line more\n\n" + text))


@pytest.mark.parametrize(
    ("texts", "dialects"),
    [
        (("mixed_precision: {}\nx: 1\n", ["bf16_mixed", "bf16", "bf16-mixed"]), ["bridge", None, "bridge"]),
        (("recipe:\n  _target_: {}\n", ["megatron.bridge.x", "nemo.x", "megatron.bridge.y"]), ["bridge", None, "bridge"]),
    ],
)  # fmt: skip
def test_dialects_that_hang_on_values(read, texts, dialects):
    shape, values = texts
    found = [read(shape.format(value), named=True) for value in values]
    assert [one.configs[0].dialect if one.configs else None for one in found] == dialects


def test_blocks_that_hang_on_values(read):
    names = [
        [config.name for config in read(ROLL.format(*pair)).configs]
        for pair in (("megatron_train", "hf"), ("hf", "megatron_infer"), ("megatron_train", "megatron_infer"))
    ]
    assert names == [["actor_train"], ["reference"], ["actor_train", "reference"]]


def test_a_block_ends_with_its_last_value(read):
    first, second = read(ROLL.format("megatron_train", "megatron_infer")).configs
    text = ROLL.format("megatron_train", "megatron_infer")
    assert text[: first.start].endswith("strategy_args:\n    ") and text[first.end :].startswith("\nreference:")
    assert first.end < second.start and text[second.end :] == "\nrollout_batch_size: 8\n"


def test_structures_are_bounded(read, monkeypatch):
    monkeypatch.setattr(structure, "MAX_PATHS", 300)
    forget()
    for number in range(100):
        assert read(f"ddp:\n  key{number}: 1\n" + "".join(f"  k{n}: 1\n" for n in range(40))).configs
        assert sum(map(len, structure._known)) <= 300 + 41
    long = "ddp:\n" + "".join(f"  key{n}: 1\n" for n in range(structure.MAX_OWN + 1))
    before = len(structure._known)
    assert read(long).configs and len(structure._known) == before


def test_comments_are_bounded_and_shared_with_nobody(read, monkeypatch):
    monkeypatch.setattr(directives, "MAX_REMEMBERED", 20)
    forget()
    for number in range(100):
        assert read(f"# moelint: gpus={number + 1}\nddp:\n  x: 1\n").configs[0].stated["gpus"] == (
            number + 1,
            "directive",
        )
        assert len(directives._remembered) <= 20
    text = "# moelint: ignore[MEM] because tried\nddp:\n  x: 1\n"
    one, two = read(text), read("\n" + text)
    assert one.ignores[0] is not two.ignores[0] and two.ignores[0].start == one.ignores[0].start + 1
    one.ignores[0].rules.clear()
    assert read(text).ignores[0].rules == [("MEM", None)]
    wrong = [read(" " * n + "#moelint gpus=8\nddp:\n  x: 1\n").problems[0] for n in (0, 3)]
    assert [problem.start for problem in wrong] == [0, 3] and len({problem.end for problem in wrong}) == 2
