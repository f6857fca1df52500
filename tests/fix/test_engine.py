"""Fixing to a fixed point: what goes in, what is refused, and that nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest
from toy import Rule, configs, fix, linter

from moelint.fix import engine
from moelint.fix.engine import Outcome, fix_source
from moelint.fix.second import contradicts
from moelint.fix.verify import unintended
from moelint.results import Fix
from moelint.text.source import Source

TEXT = """\
# a config
model:
  tensor_model_parallel_size: 8  # TP
  pipeline_model_parallel_size: 3
  expert_model_parallel_size: 4
"""
TP, PP, EP, CP = (
    f"model.{kind}_parallel_size" for kind in ("tensor_model", "pipeline_model", "expert_model", "context")
)


def fixed(*rules: Rule, text: str = TEXT, unsafe: bool = False) -> Outcome:
    return fix_source(Source("train.yaml", text), linter(*rules), unsafe)


def test_all_that_do_not_touch_go_in_at_once() -> None:
    out = fixed(
        Rule("A", TP, lambda v: v[TP] > 4, fix(set={TP: 4})),
        Rule("B", EP, lambda v: v[EP] < 8, fix(set={EP: 8})),
    )
    assert out.source.text == TEXT.replace("8  # TP", "4  # TP").replace(
        "expert_model_parallel_size: 4", "expert_model_parallel_size: 8"
    )
    assert out.fixed == 2 and out.report.findings == [] and out.refused == []
    assert out.changes == [
        "line 3: tensor_model_parallel_size → 4 (A)",
        "line 5: expert_model_parallel_size → 8 (B)",
    ]


def test_one_fix_may_call_for_another() -> None:
    out = fixed(
        Rule("A", TP, lambda v: v[TP] == 8, fix(set={TP: 4})),
        Rule("B", TP, lambda v: v[TP] == 4, fix(set={TP: 2}), severity="warning"),
    )
    assert out.source.text == TEXT.replace("8  # TP", "2  # TP") and out.fixed == 2


def test_an_unsafe_fix_waits_and_no_lesser_one_takes_its_place() -> None:
    rule = Rule("A", TP, lambda v: v[TP] > 4, fix("unsafe", set={TP: 4}), fix(set={TP: 2}))
    assert fixed(rule).source.text == TEXT
    assert fixed(rule).refused == []
    assert fixed(rule, unsafe=True).source.text == TEXT.replace("8  # TP", "4  # TP")


def test_two_rules_that_want_the_same_share_one_edit() -> None:
    rules = [Rule(name, TP, lambda v: v[TP] > 4, fix(set={TP: 4})) for name in "AB"]
    assert fixed(*rules).fixed == 2


def test_of_two_that_contradict_the_error_goes_first() -> None:
    out = fixed(
        Rule("A", TP, lambda v: v[TP] == 8, fix(set={TP: 4}), severity="note"),
        Rule("B", TP, lambda v: v[TP] == 8, fix(set={TP: 2})),
    )
    assert out.source.text == TEXT.replace("8  # TP", "2  # TP") and out.fixed == 1


def test_a_fix_that_brings_a_new_error_is_refused_and_the_others_go_in() -> None:
    out = fixed(
        Rule("A", TP, lambda v: v[TP] > 4, fix(set={TP: 4})),
        Rule("B", EP, lambda v: v[EP] < 8, fix(set={EP: 8})),
        Rule("C", TP, lambda v: v[TP] == 4),
    )
    assert out.source.text == TEXT.replace("expert_model_parallel_size: 4", "expert_model_parallel_size: 8")
    assert out.fixed == 1
    assert out.refused == ["A in line 3: it would bring a new error, C in line 3: C fires"]


def test_fixes_that_undo_each_other_leave_the_text_alone() -> None:
    rules = [
        Rule("A", TP, lambda v: v[TP] == 8, fix(set={TP: 4}), severity="warning"),
        Rule("B", TP, lambda v: v[TP] == 4, fix(set={TP: 8}), severity="warning"),
    ]
    out = fixed(*rules)
    assert out.source.text == TEXT and out.fixed == 0
    assert out.refused == ["A in line 3: fixes undo each other: A, B"]
    text = TEXT.replace("8  # TP", "4  # TP")
    assert fixed(*rules, text=text).source.text == text


def test_rounds_are_bounded() -> None:
    out = fixed(Rule("A", TP, lambda v: True, fix(set={TP: ("bin", "+", ("name", TP), ("const", 1))}), severity="note"))
    assert out.fixed == engine.MAX_ROUNDS
    assert configs(out.source.text)[0].written[TP].value == 8 + engine.MAX_ROUNDS


def test_what_the_text_cannot_take_is_said_once() -> None:
    text = TEXT.replace("8  # TP", "&n 8").replace("expert_model_parallel_size: 4", "expert_model_parallel_size: *n")
    out = fixed(Rule("A", EP, lambda v: v[EP] == 8, fix(set={EP: 4})), text=text)
    assert out.source.text == text
    assert len(out.refused) == 1 and "alias" in out.refused[0]


@pytest.mark.parametrize(
    "text", [TEXT.replace("\n", "\r\n"), TEXT.rstrip("\n"), TEXT.replace("# a config", "# größe 😀")]
)
def test_line_breaks_and_the_end_stay(text: str) -> None:
    out = fixed(Rule("A", TP, lambda v: CP not in v, fix(set={CP: 2})), text=text)
    added = [line for line in out.source.text.splitlines(keepends=True) if "context" in line]
    assert len(added) == 1
    rest = out.source.text.replace(added[0], "")
    assert rest == text or rest.rstrip("\r\n") == text.rstrip("\r\n")
    assert out.source.text.endswith("\n") == text.endswith("\n")


# ---- verification


def changed(text: str, **sets: Any) -> str | None:
    wanted = Fix(1, "safe", {key.replace("__", "."): value for key, value in sets.items()}, [], "")
    return unintended(configs(TEXT), configs(text), [("config", wanted)])


def test_a_change_elsewhere_is_seen() -> None:
    assert changed(TEXT.replace(": 8", ": 4"), model__tensor_model_parallel_size=4) is None
    assert "expert_model_parallel_size would change too" in str(
        changed(
            TEXT.replace(": 8", ": 4").replace("expert_model_parallel_size: 4", "expert_model_parallel_size: 2"),
            model__tensor_model_parallel_size=4,
        )
    )
    assert "would read back as '4'" in str(changed(TEXT.replace(": 8", ": '4'"), model__tensor_model_parallel_size=4))
    assert "other configs" in str(changed("other: 1\n"))
    assert "would still be there" in str(
        unintended(configs(TEXT), configs(TEXT), [("config", Fix(1, "safe", {}, [TP], ""))])
    )


def test_the_second_reader_agrees_on_what_changed() -> None:
    new = TEXT.replace(": 8", ": 4")
    assert contradicts(Source("a", TEXT), Source("a", new)) is None
    assert "cannot read" in str(contradicts(Source("a", "a: 1\n"), Source("a", "a: [\n")))


def test_the_second_reader_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    from moelint.fix import second

    monkeypatch.setattr(second, "_settings", lambda document: {})
    assert "at model.tensor_model_parallel_size" in str(
        contradicts(Source("a", TEXT), Source("a", TEXT.replace(": 8", ": 4")))
    )
    out = fixed(Rule("A", TP, lambda v: v[TP] == 8, fix(set={TP: 4})))
    assert out.source.text == TEXT and out.fixed == 0
    assert out.refused[0].startswith("all fixes: ruamel.yaml")


def test_a_text_that_the_second_reader_cannot_read_is_not_held_against_us() -> None:
    text = TEXT + "other: !Env x\n"
    assert contradicts(Source("a", text), Source("a", text.replace(": 8", ": 4"))) is None
