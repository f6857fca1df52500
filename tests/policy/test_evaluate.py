"""What fires, how surely, and what stays undecided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moelint.lang.template import render
from moelint.policy.evaluate import evaluate

from .packs import effective, fired, load_only, rule, write_pack

OVERLAP = {"comm_overlap": {"overlap_moe_expert_parallel_comm": True}}


def test_when_without_require_and_the_other_way_round(tmp_path: Path) -> None:
    packs = load_only(
        write_pack(
            tmp_path / "p",
            "\n".join(
                [
                    rule("TST001", "model.num_layers", when="model.num_layers == 3"),
                    rule("TST002", "model.num_layers", require="model.num_layers != 3"),
                    rule("TST003", "model.num_layers", when="model.num_layers == 3", require="model.hidden_size == 5"),
                    rule("TST004", "model.num_layers", when="[model.num_layers == 3, model.hidden_size == 5]"),
                    rule("TST005", "model.num_layers", require="[model.num_layers == 3, model.hidden_size == 5]"),
                ]
            ),
        )
    )
    both = {"model": {"num_layers": 3, "hidden_size": 5}}
    assert fired(packs, both) == ["TST001 certain", "TST002 certain", "TST004 certain"]
    one = {"model": {"num_layers": 3, "hidden_size": 6}}
    assert fired(packs, one) == ["TST001 certain", "TST002 certain", "TST003 certain", "TST005 certain"]


def test_cases_share_when_and_have_their_own_of_everything(tmp_path: Path) -> None:
    text = rule(
        "TST001",
        "model.num_layers",
        "outer {model.num_layers}",
        when="default(model.num_layers, 0) > 2",
        cases="""
    - {case: one, require: model.num_layers != 10, message: "one {model.num_layers}", about: [model.hidden_size]}
    - {case: two, when: model.num_layers == 10, effect: slow}
    - {case: three, when: model.num_layers == 10, severity: note, at: core}""",
    )
    packs = load_only(write_pack(tmp_path / "p", text))
    assert fired(packs, {"model.num_layers": 3}) == []
    found, _ = evaluate(packs, effective({"model.num_layers": 10}))
    assert [(v.case, v.rule.severity, v.rule.effect, v.rule.about, v.rule.at) for v in found] == [
        ("one", "error", "refuses", ("model.hidden_size",), "last"),
        ("two", "warning", "slow", ("model.num_layers",), "last"),
        ("three", "note", "refuses", ("model.num_layers",), "core"),
    ]
    assert [render(v.message, v.scope) for v in found] == ["one num_layers=10", *["outer num_layers=10"] * 2]


@pytest.mark.parametrize(
    ("applies", "target", "trainer", "wanted"),
    [
        ("{trainer: bridge}", {}, "bridge", True),
        ("{trainer: [core, lm]}", {}, "bridge", False),
        ("{trainer: [core, lm]}", {}, "core", True),
        ("{megatron-core: '>=0.16'}", {"megatron-core": "0.16.1"}, "core", True),
        ("{megatron-core: '>=0.16'}", {"megatron-core": "0.15.0"}, "core", False),
        ("{megatron-core: '>=0.14,<0.16'}", {"megatron-core": "0.15.3"}, "core", True),
        ("{megatron-core: main}", {"megatron-core": "main"}, "core", True),
        ("{megatron-core: main}", {"megatron-core": "0.19.0"}, "core", False),
        ("[{trainer: lm}, {megatron-core: '<0.17'}]", {"megatron-core": "0.16.0"}, "core", True),
        ("{transformer-engine: '<2.10'}", {"transformer-engine": "2.9.0a0"}, "core", True),
        ("{apex: none}", {"apex": "none"}, "core", True),
        ("{gpu: h100}", {"gpu": "h100"}, "core", True),
        ("{gpu: [gb200, b200]}", {"gpu": "h100"}, "core", False),
        ("{gpu: hopper}", {"gpu": "h100"}, "core", True),
        ("{gpu: sm90}", {"gpu": "H100-SXM"}, "core", True),
        ("{gpu: blackwell}", {"gpu": "h100"}, "core", False),
    ],
)
def test_applies(tmp_path: Path, applies: str, target: dict[str, str], trainer: str, wanted: bool) -> None:
    text = rule("TST001", "model.num_layers", when="model.num_layers == 3", applies=applies)
    packs = load_only(write_pack(tmp_path / "p", text))
    assert fired(packs, {"model.num_layers": 3, "target": target}, trainer) == (["TST001 certain"] if wanted else [])


def test_a_gate_on_an_unstated_package_waits_for_it(tmp_path: Path) -> None:
    text = rule("TST001", "model.num_layers", when="model.num_layers == 3", applies="{transformer-engine: '<2.10'}")
    packs = load_only(write_pack(tmp_path / "p", text))
    verdicts, undecided = evaluate(packs, effective({"model.num_layers": 3}))
    assert verdicts == []
    assert undecided == [("TST001", "error", ["target.transformer_engine"])]


def test_stages_see_the_config_before_and_after_rewrites(tmp_path: Path) -> None:
    text = "\n".join(
        rule(
            f"TST00{n}",
            "comm_overlap.overlap_moe_expert_parallel_comm",
            at=stage,
            when="model.overlap_moe_expert_parallel_comm",
        )
        for n, stage in enumerate(("given", "core", "last"), 1)
    )
    packs = load_only(write_pack(tmp_path / "p", text))
    values: dict[str, Any] = {"model": {"num_moe_experts": 8, "expert_model_parallel_size": 2, "bf16": True}, **OVERLAP}
    assert fired(packs, values) == ["TST002 certain", "TST003 certain"]


def test_certainty_of_complete_standing_and_fragment(tmp_path: Path) -> None:
    text = "\n".join(
        [
            rule("TST001", "model.num_layers", when="model.num_layers == 3", require="model.moe_grouped_gemm"),
            rule(
                "TST002",
                "model.num_layers",
                when="model.num_layers == 3",
                require="model.moe_grouped_gemm or model.moe_router_topk > 9",
            ),
            rule("TST003", "model.num_layers", when="model.num_layers == 3"),
        ]
    )
    packs = load_only(write_pack(tmp_path / "p", text))
    values = {"model.num_layers": 3}
    assert fired(packs, values) == ["TST001 certain", "TST002 certain", "TST003 certain"]
    # one absent setting decides TST001, two would have to be assumed for TST002
    assert fired(packs, values, completeness="standing") == ["TST001 assumed", "TST003 certain"]
    assert fired(packs, values, completeness="fragment") == ["TST003 certain"]
    found, undecided = evaluate(packs, effective(values, completeness="standing"))
    assert found[0].assumed == "model.moe_grouped_gemm"
    assert [u[0] for u in undecided] == ["TST002"]
    assert set(undecided[0][2]) == {"model.moe_grouped_gemm", "model.moe_router_topk"}
    _, undecided = evaluate(packs, effective(values, completeness="fragment"))
    assert undecided[0] == ("TST001", "error", ["model.moe_grouped_gemm"])


def test_spellings_of_one_thing_are_one_assumption(tmp_path: Path) -> None:
    text = rule("TST001", "model.num_layers", when="not model.bf16 and not model.fp16")
    packs = load_only(write_pack(tmp_path / "p", text))
    assert fired(packs, {"model.num_layers": 3}, "core", "standing") == ["TST001 assumed"]


def test_nothing_written_of_what_a_rule_is_about_is_not_undecided(tmp_path: Path) -> None:
    text = rule("TST001", "model.hidden_size", when="model.num_layers == 3 and model.hidden_size == 1")
    packs = load_only(write_pack(tmp_path / "p", text))
    assert evaluate(packs, effective({"model.num_layers": 3}, completeness="fragment")) == ([], [])
    _, undecided = evaluate(packs, effective({"model.num_layers": 3}, completeness="fragment"), show_undecided=True)
    assert undecided == [("TST001", "error", ["model.hidden_size"])]


def test_reads_are_the_settings_under_facts(tmp_path: Path) -> None:
    text = rule("TST001", "model.num_layers", when="big and wide and given.model.num_layers != 1 and target.gpus == 16")
    facts = "big: default(model.num_layers, 0) > 2\nwide: {is: big and model.hidden_size == 5, what: wide}\n"
    packs = load_only(write_pack(tmp_path / "p", text, facts=facts))
    found, _ = evaluate(packs, effective({"model": {"num_layers": 3, "hidden_size": 5}, "target": {"gpus": 16}}))
    assert found[0].reads == ["model.num_layers", "model.hidden_size", "target.gpus"]


def test_only_wanted_rules_come_back(tmp_path: Path) -> None:
    text = rule("TST001", "model.num_layers", when="model.num_layers == 3", cases="[{case: a}, {case: b}]")
    packs = load_only(write_pack(tmp_path / "p", text))
    found, _ = evaluate(packs, effective({"model.num_layers": 3}), lambda id_, case: case == "b")
    assert [v.case for v in found] == ["b"]


def test_changes_between_two_revisions(tmp_path: Path) -> None:
    text = "\n".join(
        [
            rule("TST001", "model.num_layers", when="changed(model.num_layers)"),
            rule("TST002", "model.num_layers", when="changed('group:parallelism')"),
            rule("TST003", "model.num_layers", "{before.model.num_layers}", when="before.model.num_layers == 2"),
            rule("TST004", "model.num_layers", when="saved.model.num_layers == 2"),
        ]
    )
    packs = load_only(write_pack(tmp_path / "p", text))
    new = effective({"model.num_layers": 3})
    new.before = effective({"model.num_layers": 2})
    found, _ = evaluate(packs, new)
    assert [v.rule.id for v in found] == ["TST001", "TST003"]
    assert render(found[1].message, found[1].scope) == "2"
    assert fired(packs, {"model.num_layers": 3}) == []
