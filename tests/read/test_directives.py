"""Directives: words, scope, suppressions, misspellings."""

from __future__ import annotations

import pytest

TWO = """\
# moelint: gpu=h100 gpus=16
MODEL_ARGS:
  # moelint: ignore[OVL004, CGR@--cuda-graph-impl] because measured on our cluster
  --num-layers: 4
# moelint: gpus=32
MODEL_ARGS_2:
  --num-layers: 8
"""


def test_scope(read):
    found = read(TWO)
    first, second = found.configs
    assert first.stated == {"gpu": ("h100", "directive"), "gpus": (16, "directive")}
    assert second.stated == {"gpu": ("h100", "directive"), "gpus": (32, "directive")}
    (ignore,) = first.ignores
    assert ignore.rules == [("OVL004", None), ("CGR", "--cuda-graph-impl")]
    assert ignore.reason == "measured on our cluster"
    assert not ignore.whole_file and not second.ignores and not found.ignores and not found.problems


def test_ignore_above_the_first_config_holds_for_the_file(read):
    found = read("# moelint: ignore[MEM] because tried\ncomm_overlap:\n  delay_wgrad_compute: true\n")
    assert [ignore.rules for ignore in found.ignores] == [[("MEM", None)]]
    inside = read("comm_overlap:\n  delay_wgrad_compute: true # moelint: ignore-file[MEM] because tried\n")
    assert inside.ignores[0].whole_file


def test_ignore_without_reason_is_said(read):
    found = read("# moelint: ignore[OVL004]\nddp:\n  x: 1\n")
    assert [problem.kind for problem in found.problems] == ["ignore-without-reason"]
    assert found.ignores[0].reason == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("gppus=16", "unknown directive key gppus: did you mean gpus?"),
        ("gpus=many", "gpus is a whole number above 0, not many"),
        ("complet", "unknown directive complet: did you mean complete?"),
        ("ignroe[OVL004] because x", "unknown directive ignroe[OVL004]: did you mean ignore?"),
        ("ignore[ovl] because x", "not a rule or a family of rules: ovl"),
        ("dialect=megatron-cor", "unknown dialect megatron-cor: did you mean megatron-core?"),
        ("transformer-engine=", "transformer-engine= has no value"),
        ("transfomer-engine=2.9", "unknown directive key transfomer-engine: did you mean transformer-engine?"),
    ],
)
def test_misspelt(read, words, message):
    found = read(f"# moelint: {words}\nddp:\n  x: 1\n")
    assert message in [problem.message for problem in found.problems]
    assert all(problem.kind == "directive" for problem in found.problems)


def test_any_package_may_be_stated(read):
    (config,) = read("# moelint: my-plugin=1.2 torch=none\nddp:\n  x: 1\n").configs
    assert config.stated == {"my-plugin": ("1.2", "directive"), "torch": ("none", "directive")}


def test_mark_inside_text_is_no_directive(read):
    (config,) = read("ddp:\n  x: '# moelint: gpus=8'\n").configs
    assert config.stated == {}


def test_misspelt_mark(read):
    found = read("# moelnt: gpus=8\nddp:\n  x: 1\n")
    assert "write “# moelint:”" in found.problems[0].message
