"""Packs that load, packs that do not, and what is said of those."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from moelint.policy.errors import PolicyError
from moelint.policy.load import load

from .packs import HEAD, fired, load_only, rule, write_pack

GOOD = rule("TST001", "model.num_layers", when="model.num_layers == 3")
EP = "model.expert_model_parallel_size"


def faults(folder: Path) -> str:
    with pytest.raises(PolicyError) as caught:
        load_only(folder)
    return str(caught.value).replace(str(folder.parent) + "/", "")


FAULTY = {
    "misspelt field": GOOD + "  requires: model.num_layers\n",
    "misspelt key": rule("TST001", "model.num_layers", when="model.num_leyers == 3"),
    "misspelt key in about": rule("TST001", "model.num_layer", when="model.num_layers == 3"),
    "misspelt effect": GOOD.replace("refuses", "refuse"),
    "missing fields": "- {id: TST001, name: x, effect: slow, when: model.num_layers == 3}\n",
    "bad id": GOOD.replace("TST001", "tst1"),
    "two of an id": GOOD + GOOD,
    "neither when nor require": rule("TST001", "model.num_layers"),
    "no about, no message": GOOD.replace("  about: [model.num_layers]\n", "").replace('  message: "no"\n', ""),
    "two of a key": GOOD + "  effect: slow\n",
    "two of a case": rule("TST001", "model.num_layers", when="model.num_layers == 3", cases="[{case: a}, {case: a}]"),
    "quoted expression": rule("TST001", "model.num_layers", when=f"\"{EP} > 'a'\""),
    "folded expression": rule("TST001", "model.num_layers", when=f">-\n    {EP} > 1\n    and nope"),
    "list cut by a comma": rule("TST001", "model.num_layers", when="[max(model.num_layers, 3) == 3]"),
    "message": rule("TST001", "model.num_layers", "at {model.nope}", when="model.num_layers == 3"),
    "message format": rule("TST001", "model.num_layers", "at {model.num_layers:>9}", when="model.num_layers == 3"),
    "fix of an unknown key": rule(
        "TST001", "model.num_layers", when="model.num_layers == 3", fix="[{set: {model.num_layer: 4}, safety: safe}]"
    ),
    "fix without safety": rule(
        "TST001", "model.num_layers", when="model.num_layers == 3", fix="[{unset: [model.num_layers]}]"
    ),
    "fix expression": rule(
        "TST001",
        "model.num_layers",
        when="model.num_layers == 3",
        fix="[{set: {model.num_layers: {expr: nope + 1}}, safety: safe}]",
    ),
    "applies to no trainer": rule(
        "TST001", "model.num_layers", when="model.num_layers == 3", applies="{trainer: nemo}"
    ),
    "applies to no version": rule(
        "TST001", "model.num_layers", when="model.num_layers == 3", applies="{megatron-core: '>=zero'}"
    ),
    "applies to a misspelt package": rule(
        "TST001", "model.num_layers", when="model.num_layers == 3", applies="{transformer-engin: '>=2.7'}"
    ),
    "applies to a misspelt gpu": rule(
        "TST001", "model.num_layers", when="model.num_layers == 3", applies="[{trainer: core}, {gpu: [h100, hoper]}]"
    ),
    "unguarded None": rule("TST001", "model.num_layers", when="model.num_moe_experts > 3"),
    "not a list": "id: TST001\n",
    "not yaml": "- {id: TST001\n  x: [\n",
    "a tab": "- id: TST001\n\tname: x\n",
}


@pytest.mark.parametrize("name", list(FAULTY))
def test_faults(name: str, tmp_path: Path, snapshot: object) -> None:
    said = faults(write_pack(tmp_path / "p", FAULTY[name]))
    if name in ("not yaml", "a tab") and not yaml.__with_libyaml__:  # PyYAML's own parser puts it in other words
        assert "p/rules/a.yaml:2:" in said and "is not YAML" in said
    else:
        assert said == snapshot


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("version: '1'\n", "has a name"),
        (HEAD + "extend: x\n", "did you mean extends"),
        (HEAD.replace('2026.1"\n', '2999.1"\n', 2), "needs moelint>=2999.1"),
        ("- a\n", "has a name"),
    ],
)
def test_faulty_heads(head: str, said: str, tmp_path: Path) -> None:
    assert said in faults(write_pack(tmp_path / "p", GOOD, head))


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("a: b\nb: a\n", "facts.yaml:1:4: facts in a circle: "),
        ("a: {is: nope + 1, what: x}\n", "facts.yaml:1:9: unknown name"),
    ],
)
def test_faulty_facts(facts: str, said: str, tmp_path: Path) -> None:
    assert said in faults(write_pack(tmp_path / "p", GOOD, facts=facts))


def test_every_fault_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "p", rule("TST001", "model.nope", when="model.nope == 1"))
    (folder / "rules" / "b.yaml").write_text(rule("TST002", "model.num_layers", when="nope", require="nope2"))
    (folder / "rules" / "c.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyError) as caught:
        load_only(folder)
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize("policy", ["nowhere", "./nowhere", "megatronn"])
def test_a_pack_that_is_not_there(policy: str) -> None:
    with pytest.raises(PolicyError, match="no such policy pack"):
        load([policy])


def test_a_folder_without_pack_yaml(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"no pack\.yaml"):
        load([str(tmp_path)])


def test_extends_and_override(tmp_path: Path) -> None:
    base = write_pack(tmp_path / "base", GOOD, HEAD.replace("team", "base"))
    head = HEAD + "extends: ../base\n"
    twice = write_pack(tmp_path / "twice", GOOD, head)
    assert "stands already in" in faults(twice)
    again = write_pack(
        tmp_path / "again", rule("TST001", "model.num_layers", when="model.num_layers == 4", override="true"), head
    )
    packs = load_only(again)
    assert packs.versions == {"base": "2026.1", "team": "2026.1"}
    assert packs.ids == {"TST001": ("a-name", "team")}
    assert fired(packs, {"model.num_layers": 3}) == [] and fired(packs, {"model.num_layers": 4}) == ["TST001 certain"]
    (base / "pack.yaml").write_text(HEAD + "extends: [../again]\n")
    with pytest.raises(PolicyError, match="extends itself"):
        load_only(again)


def test_redirects_and_texts(tmp_path: Path) -> None:
    text = GOOD + rule(
        "TST002",
        "model.num_layers",
        when="model.num_layers == 9",
        deprecated='"2026.2"',
        replaced_by="[TST001]",
        covers="[MCE001]",
        log='["some words"]',
    )
    packs = load_only(write_pack(tmp_path / "p", text))
    assert packs.redirects == {"TST002": "TST001"}
    assert packs.texts["TST002"]["covers"] == ["MCE001"] and packs.texts["TST002"]["log"] == ["some words"]
    assert packs.texts["TST001"]["sources"] == [("a source", "")]


def test_groups_of_a_pack(tmp_path: Path) -> None:
    text = rule("TST001", "model.num_layers", when="written('group:mine')")
    packs = load_only(
        write_pack(tmp_path / "p", text, HEAD + "groups: {mine: [model.num_layers, model.hidden_size]}\n")
    )
    assert fired(packs, {"model.num_layers": 1}) == ["TST001 certain"]
    assert fired(packs, {"model.ffn_hidden_size": 1}) == []


def test_packs_come_from_the_store_and_follow_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from moelint.policy import load as module

    monkeypatch.setenv("MOELINT_CACHE", str(tmp_path / "cache"))
    folder = write_pack(tmp_path / "p", GOOD)

    def fresh() -> list[str]:
        module._loaded.clear()
        return list(load([str(folder)], shipped=False).ids)

    assert fresh() == ["TST001"]
    calls: list[int] = []
    from moelint.policy import compile as compiler

    real = compiler.compile_packs
    monkeypatch.setattr(compiler, "compile_packs", lambda *a: calls.append(1) or real(*a))
    assert fresh() == ["TST001"] and calls == []
    (folder / "rules" / "b.yaml").write_text(rule("TST002", "model.num_layers", when="model.num_layers == 3"))
    assert fresh() == ["TST001", "TST002"] and calls == [1]
    (folder / "rules" / "b.yaml").unlink()
    assert fresh() == ["TST001"]


def test_readers_of_a_key(tmp_path: Path) -> None:
    text = "\n".join(
        [
            rule("TST001", "model.num_layers", when="tall"),
            rule("TST002", "model.hidden_size", when="model.hidden_size == 3"),
            rule("TST003", "model.hidden_size", when="given.model.num_layers == 3"),
        ]
    )
    packs = load_only(write_pack(tmp_path / "p", text, facts="tall: model.ffn_hidden_size == 9\n"))
    assert packs.readers("model.ffn_hidden_size") == ["TST001"]
    assert packs.readers("model.num_layers") == ["TST001", "TST003"]
    assert packs.readers("model.hidden_size") == ["TST002", "TST003"]
