"""Every case of every shipped rule has a bad example of its own, and every rule an example that it leaves alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from moelint.policy import examples
from moelint.policy.load import Packs, load

from .packs import load_only, rule, write_pack

DATA = Path(__file__).parents[1] / "data" / "cases_without_example.yaml"
TWO = rule(
    "TST001",
    "model.num_layers",
    cases='[{case: three, when: model.num_layers == 3}, {case: odd, when: "model.num_layers % 2 == 1"}]',
    examples="""
    - bad: {model: {num_layers: 3}}
    - good: {model: {num_layers: 4}}
""",
)
OWN = TWO + "    - bad: {model: {num_layers: 5}}\n      case: odd\n"


def cases(packs: Packs, rule_id: str) -> list[str | None]:
    first = packs.texts[rule_id]["first"]
    return [packs.cases[first + number][1] for number in range(packs.texts[rule_id]["cases"])]


def without_example(packs: Packs, ids: Iterable[str]) -> list[str]:
    """Cases that no bad example fires alone: where another case fires too, nobody sees that this one has stopped."""
    out = []
    for id_ in ids:
        bad = [example for example in packs.texts[id_]["examples"] if "bad" in example]
        fired = [[verdict.case for verdict in examples.findings_of(packs, id_, example)] for example in bad]
        out += [f"{id_}.{case}" if case else id_ for case in cases(packs, id_) if [case] not in fired]
    return out


@pytest.fixture(scope="module")
def shipped() -> Packs:
    return load()


def test_every_case_has_a_bad_example_of_its_own(shipped: Packs) -> None:
    known = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    assert sorted(without_example(shipped, shipped.texts)) == sorted(known)
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in known.values())


def test_every_example_does_what_it_says(shipped: Packs) -> None:
    count, failures, untested = examples.test(shipped)
    assert ([str(f) for f in failures], [str(f) for f in untested]) == ([], [])
    assert count > 1000


def test_every_rule_has_an_example_that_it_leaves_alone(shipped: Packs) -> None:
    without = [
        id_ for id_, text in shipped.texts.items()
        if not any("good" in example or "fixed" in example for example in text["examples"])
    ]  # fmt: skip
    assert without == []


def test_a_case_fired_beside_another_only_has_none_of_its_own(tmp_path: Path) -> None:
    """The pack's own test is content with it; the test above is not."""
    beside, own = load_only(write_pack(tmp_path / "a", TWO)), load_only(write_pack(tmp_path / "b", OWN))
    assert (examples.test(beside)[1:], without_example(beside, beside.ids)) == (
        ([], []),
        ["TST001.three", "TST001.odd"],
    )
    assert without_example(own, own.ids) == ["TST001.three"]
