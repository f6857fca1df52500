"""The symptoms and the rules' fragments: what they name exists, and each fragment leads to its owner."""

from __future__ import annotations

import re

import pytest

from moelint.diagnose.knowledge import MEANS, Knowledge, cover, shape, symptoms
from moelint.diagnose.scan import Scan
from moelint.explain.key import find
from moelint.findings.pages import page
from moelint.policy.load import load
from moelint.trainer.compiled import rewrites

PACKS = load()
KNOWLEDGE = Knowledge(PACKS)
ALL = symptoms()


def owners(line: str) -> list[str]:
    scan = Scan(KNOWLEDGE)
    scan.feed(f"RuntimeError: {line}\n".encode())
    scan.finish()
    return [owner for event in scan.events.values() for owner in event.owners]


@pytest.mark.parametrize("symptom", ALL, ids=[symptom.id for symptom in ALL])
def test_symptom(symptom: object) -> None:
    assert symptom.means in MEANS and symptom.title and symptom.cause  # type: ignore[attr-defined]
    assert symptom.log or symptom.seen, "something to recognise it by"  # type: ignore[attr-defined]
    for rule in symptom.rules:  # type: ignore[attr-defined]
        if len(rule) == 6 and not rule.startswith("RW"):
            assert page(rule, [PACKS]).id == rule
        else:
            known = [*PACKS.ids, *(entry.id for name in ("bridge", "lm", "core") for entry in rewrites(name).entries)]
            assert any(id.startswith(rule) for id in [*known, "KEY001"]), rule
    for key in symptom.keys:  # type: ignore[attr-defined]
        assert find(key), f"{key} is no key"
    for pattern in symptom.capture:  # type: ignore[attr-defined]
        assert re.compile(pattern).groupindex
    for fragment in symptom.log:  # type: ignore[attr-defined]
        assert symptom.id in owners(fragment) or PACKS.ids.get(owners(fragment)[0]), fragment  # type: ignore[attr-defined]


def test_ids_are_unique_and_fragments_stand_once() -> None:
    assert len({symptom.id for symptom in ALL}) == len(ALL)
    fragments = [fragment for symptom in ALL for fragment in symptom.log]
    assert len(set(fragments)) == len(fragments)


@pytest.mark.parametrize("rule", sorted(id for id, text in PACKS.texts.items() if text["log"]))
def test_every_fragment_of_a_rule_leads_to_it(rule: str) -> None:
    for fragment in PACKS.texts[rule]["log"]:
        assert rule in owners(fragment), fragment


def test_refusals_have_fragments() -> None:
    """A rule that says what a trainer refuses says in which words."""
    silent = [
        id
        for id, text in PACKS.texts.items()
        if (text["pack"], PACKS.rule(text["first"]).effect, text["evidence"]) == ("megatron", "refuses", "code")
        and not text["log"]
    ]
    assert not silent


def test_values_and_names_of_settings_alone_mean_nothing() -> None:
    """A printed config or environment is no failure."""
    scan = Scan(KNOWLEDGE)
    lines = [f"  {key.rpartition('.')[2]} ........ 1" for text in PACKS.texts.values() for key in text["about"]]
    lines += [f"export {key.rpartition('.')[2]}=1" for text in PACKS.texts.values() for key in text["about"]]
    scan.feed("\n".join(lines).encode())
    scan.finish()
    assert not scan.events


def test_needles_cover_all_fragments() -> None:
    for fragment in KNOWLEDGE.fragments:
        assert any(needle in fragment.shape and fragment in held for needle, held in KNOWLEDGE.by_needle)
    assert cover([b"abcdefgh", b"cdefghij", b"xyz"]) == [b"cdefgh", b"xyz"]
    assert shape(b"TE >= 2.7.0, -1") == b"TE >= , "
