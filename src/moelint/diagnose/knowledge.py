"""What the lines of a log may say: fragments of the rules' ``log:`` and of the symptoms, and how to find them fast."""

from __future__ import annotations

import os
import re

from moelint import cache, data
from moelint.typed import Any

MEANS = ("fatal", "hang", "memory", "changed", "slow", "note", "consequence")
FATAL = ("fatal", "hang", "memory")
_EFFECT = {
    "refuses": "fatal",
    "crashes": "fatal",
    "hangs": "hang",
    "corrupts": "fatal",
    "ignored": "changed",
    "slow": "slow",
    "memory": "memory",
    "advice": "note",
    "deprecated": "note",
}
_WORD = re.compile(r"[A-Za-z]{2,}")


class Symptom:
    """One entry of ``trainers/symptoms.yaml``; see there."""

    __slots__ = ("capture", "cause", "context", "fix", "id", "keys", "log", "means", "rules", "seen", "title")

    def __init__(self, entry: dict[str, Any]) -> None:
        self.id: str = entry["id"]
        self.means: str = entry["means"]
        self.title: str = entry["title"]
        self.log: list[str] = entry["log"]
        self.seen: str | None = entry.get("seen")
        self.cause: str = entry["cause"].strip()
        self.fix: str = entry.get("fix", "").strip()
        self.rules: list[str] = entry.get("rules", [])
        self.keys: list[str] = entry.get("keys", [])
        self.capture: list[str] = entry.get("capture", [])
        self.context: bool = entry.get("context", False)


class Fragment:
    """A piece of a message. ``weak``: too common to mean anything outside an error or a warning; ``shape``: the text
    without digits, see ``shape``; ``names`` are those of the settings that its owner is about."""

    __slots__ = ("names", "owner", "rule", "shape", "text", "weak")

    def __init__(self, text: str, owner: str, rule: bool, weak: bool, names: list[bytes]) -> None:
        self.text, self.owner, self.rule, self.weak, self.names = text.encode(), owner, rule, weak, names
        self.shape = shape(self.text)


def shape(text: bytes) -> bytes:
    """What is left of lines without the characters that numbers are made of: most lines of a log are then equal."""
    return text.translate(None, b"0123456789.+-")


class Knowledge:
    """All fragments, with the needles that find them: short byte strings, at least one of which is in each fragment's
    shape. ``by_needle``: each needle with the fragments in whose shape it is."""

    def __init__(self, packs: Any) -> None:
        self.packs = packs
        self.symptoms = {symptom.id: symptom for symptom in symptoms()}
        self.fragments: list[Fragment] = []
        for id, text in packs.texts.items():
            names = [key.rpartition(".")[2].encode() for key in text["about"]]
            self.fragments += [Fragment(log, id, True, _weak(log), names) for log in text["log"]]
        for symptom in self.symptoms.values():
            self.fragments += [Fragment(log, symptom.id, False, symptom.context, []) for log in symptom.log]
        self.by_needle = [
            (needle, [fragment for fragment in self.fragments if needle in fragment.shape])
            for needle in cover([fragment.shape for fragment in self.fragments])
        ]

    def means(self, owner: str) -> str:
        """What a fragment's owner, a rule or a symptom, does to a job."""
        symptom = self.symptoms.get(owner)
        if symptom is not None:
            return symptom.means
        first = self.packs.rule(self.packs.texts[owner]["first"])
        return _EFFECT[first.effect]


def symptoms() -> list[Symptom]:
    """The shipped symptoms, in their order."""
    path = os.path.join(data.folder("trainers"), "symptoms.yaml")
    return [Symptom(entry) for entry in cache.load("symptoms", [path], lambda: _read(path))]


def _read(path: str) -> list[dict[str, Any]]:
    import yaml

    with open(path, encoding="utf-8") as file:
        entries: list[dict[str, Any]] = yaml.safe_load(file)
    return entries


def _weak(text: str) -> bool:
    """Whether a fragment also stands in lines that report no error: a name alone, or a few everyday words."""
    return len(text) < 20 or " " not in text or len(_WORD.findall(text)) < 4


def cover(fragments: list[bytes]) -> list[bytes]:
    """Few short strings such that each fragment holds one of them; chosen greedily. A scan pays for each of them."""
    left = set(fragments)
    holders: dict[bytes, set[bytes]] = {}
    for fragment in left:
        for size in (6, 8, 10) if len(fragment) >= 6 else (len(fragment),):
            for start in range(len(fragment) - size + 1):
                holders.setdefault(fragment[start : start + size], set()).add(fragment)
    out: list[bytes] = []
    while left:
        best = max(holders, key=lambda needle: (len(holders[needle] & left), len(needle), needle))
        out.append(best)
        left -= holders[best]
        holders = {needle: held for needle, held in holders.items() if held & left}
    return out
