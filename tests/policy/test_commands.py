"""``moelint policy check | test | new``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moelint.errors import UsageError
from moelint.policy import commands

from .packs import rule, write_pack

BASE = rule(
    "TST001",
    "model.num_layers",
    when="model.num_layers == 3",
    fix="[{set: {model.num_layers: 4}, safety: safe}]",
    examples="""
    - bad: {model: {num_layers: 3}}
      fixed: {model: {num_layers: 4}}
    - good: {model: {num_layers: 5}}
""",
)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No shipped packs under the one that is tested: they take a second to compile."""
    monkeypatch.setattr("moelint.policy.load.SHIPPED", ())


def run(tmp_path: Path, text: str) -> tuple[int, str]:
    code, lines = commands.test([str(write_pack(tmp_path / "p", text))])
    return code, "\n".join(lines)


def test_shipped_packs_have_no_faults() -> None:
    code, lines = commands.check()
    assert (code, lines[:-1]) == (0, [])


def test_a_started_pack_is_right_and_its_examples_pass(tmp_path: Path) -> None:
    folder = str(tmp_path / "mine")
    written = commands.new(folder)
    assert [os.path.relpath(p, folder) for p in written] == ["pack.yaml", os.path.join("rules", "team.yaml")]
    assert commands.check([folder])[0] == 0
    code, lines = commands.test([folder])
    assert (code, lines) == (0, ["2 examples of 1 rule: all pass"])
    with pytest.raises(UsageError, match="not empty"):
        commands.new(folder)


@pytest.mark.usefixtures("alone")
def test_a_pack_with_a_fault(tmp_path: Path) -> None:
    folder = str(write_pack(tmp_path / "p", BASE.replace("== 3", "== '3'")))
    for code, lines in (commands.check([folder]), commands.test([folder])):
        assert code == 2
        assert "never equal to '3'" in lines[0] and lines[-1] == "1 fault"


@pytest.mark.usefixtures("alone")
def test_good_examples(tmp_path: Path) -> None:
    assert run(tmp_path, BASE) == (0, "2 examples of 1 rule: all pass")


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("bad: {model: {num_layers: 3}}", "bad: {model: {num_layers: 5}}", "example 1, bad: does not fire"),
        ("good: {model: {num_layers: 5}}", "good: {model: {num_layers: 3}}", "example 2, good: fires"),
        (
            "fixed: {model: {num_layers: 4}}",
            "fixed: {model: {num_layers: 7}}",
            "the fix gives model.num_layers=4, not 7",
        ),
        (
            "fixed: {model: {num_layers: 4}}",
            "fixed: {model: {hidden_size: 4}}",
            "the fix does not write model.hidden_size",
        ),
        ("set: {model.num_layers: 4}", "set: {model.hidden_size: 4}", "the fix also leaves model.hidden_size=4"),
        ("num_layers: 3}}", "num_layers: 3}}\n      completeness: fragment\n      case: other", "not other"),
        ("bad: {model", "good: {model", "no bad example fires the rule"),
        (
            "when: model.num_layers == 3",
            "when: model.num_layers == 3 and target.torch < version('2.6')",
            "waits for target.torch",
        ),
        ("about: [model.num_layers]", "about: [model.hidden_size]", "writes none of the keys"),
        (
            "when: model.num_layers == 3",
            "when: model.num_layers == 3 and default(model.num_layers, 1) * value('a') == 3",
            "some value has a type",
        ),
    ],
)
def test_failing_examples(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in BASE
    code, text = run(tmp_path, BASE.replace(old, new, 1))
    assert code == 1 and said in text


@pytest.mark.usefixtures("alone")
def test_another_error_in_an_example_has_to_be_named(tmp_path: Path) -> None:
    other = rule(
        "TST002",
        "model.num_layers",
        when="model.num_layers == 3",
        examples="""
    - bad: {model: {num_layers: 3}}
      also: [TST001]
""",
    )
    code, text = run(tmp_path, BASE + other)
    assert code == 1 and text.count("also fires TST002") == 1 and "also fires TST001" not in text


@pytest.mark.usefixtures("alone")
def test_fixes_with_lists_renames_and_conditions(tmp_path: Path) -> None:
    text = rule(
        "TST001",
        "model.recompute_modules",
        when="\"'moe' in model.recompute_modules\"",
        fix="""
    - {when: "model.num_layers == 9", set: {model.num_layers: 1}, safety: safe}
    - remove: {model.recompute_modules: [moe]}
      add: {model.recompute_modules: [moe_act]}
      rename: {model.moe_deepep_num_sms: model.moe_flex_dispatcher_num_sms}
      set: {model.num_layers: {expr: "default(model.num_layers, 0) * 2"}}
      unset: [model.recompute_method]
      safety: unsafe""",
        examples="""
    - bad: {model: {recompute_modules: [moe, mlp], num_layers: 4, recompute_method: block, moe_deepep_num_sms: 20}}
      fixed: {model: {recompute_modules: [mlp, moe_act], num_layers: 8, moe_flex_dispatcher_num_sms: 20}}
""",
    )
    assert run(tmp_path, text) == (0, "1 example of 1 rule: all pass")


@pytest.mark.usefixtures("alone")
def test_unknown_rule(tmp_path: Path) -> None:
    folder = str(write_pack(tmp_path / "p", BASE))
    with pytest.raises(UsageError, match="did you mean TST001"):
        commands.test([folder], ["TST01"])


def test_every_shipped_example_does_what_it_says() -> None:
    code, lines = commands.test()
    assert (code, [line for line in lines[:-1] if "no bad example" not in line]) == (0, [])
