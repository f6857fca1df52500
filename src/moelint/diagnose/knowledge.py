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
    """A piece of a message. ``weak``: too common to mean anything outside an error or a warning."""

    __slots__ = ("names", "owner", "rule", "text", "weak")

    def __init__(self, text: str, owner: str, rule: bool, weak: bool, names: list[bytes]) -> None:
        self.text, self.owner, self.rule, self.weak = text.encode(), owner, rule, weak
        self.names = names  # of the settings that its owner is about: they tell owners of one fragment apart


class Knowledge:
    """All fragments, with the needles that find them: short byte strings, at least one of which is in each fragment."""

    def __init__(self, packs: Any) -> None:
        self.packs = packs
        self.symptoms = {symptom.id: symptom for symptom in symptoms()}
        self.fragments: list[Fragment] = []
        for id, text in packs.texts.items():
            names = [key.rpartition(".")[2].encode() for key in text["about"]]
            self.fragments += [Fragment(log, id, True, _weak(log), names) for log in text["log"]]
        for symptom in self.symptoms.values():
            self.fragments += [Fragment(log, symptom.id, False, symptom.context, []) for log in symptom.log]
        self.needles = cover([fragment.text for fragment in self.fragments])

    def by_needle(self) -> list[tuple[bytes, list[Fragment]]]:
        """Each needle with the fragments that hold it, longest first."""
        out = []
        for needle in self.needles:
            found = [fragment for fragment in self.fragments if needle in fragment.text]
            out.append((needle, sorted(found, key=lambda f: -len(f.text))))
        return out

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
    return len(text) < 20 or len(_WORD.findall(text)) < 4


def cover(fragments: list[bytes]) -> list[bytes]:
    """Few short strings such that each fragment holds one of them; chosen greedily. A scan pays for each of them, and
    for each line in which one stands, so strings that everyday lines of a training log hold count as dearer."""
    left = set(fragments)
    holders: dict[bytes, set[bytes]] = {}
    for fragment in left:
        sizes = (6, 8, 10) if len(fragment) >= 6 else (len(fragment),)
        for size in sizes:
            for start in range(len(fragment) - size + 1):
                holders.setdefault(fragment[start : start + size], set()).add(fragment)
    price = {needle: 1 + 40 * _EVERYDAY.count(needle) for needle in holders}
    out: list[bytes] = []
    while left:
        best = max(holders, key=lambda n: (len(holders[n] & left) / price[n], len(n), n))
        out.append(best)
        left -= holders[best]
        for needle in [n for n, held in holders.items() if not held & left]:
            del holders[needle]
    return out


# Lines of which a log may hold millions.
_EVERYDAY = b"""\
 [2026-01-01 00:00:00] iteration 1/ 1000 | consumed samples: 256 | elapsed time per iteration (ms): 1.0 | throughput per
 GPU (TFLOP/s/GPU): 1.0 | learning rate: 1E-4 | global batch size: 256 | lm loss: 1.0 | load_balancing_loss: 1.0 | mtp_1
 loss: 1.0 | z_loss: 1.0 | loss scale: 1.0 | grad norm: 1.0 | num zeros: 1 | params norm: 1.0 | number of skipped
 iterations: 0 | number of nan iterations: 0 | Step Time : 1.0s GPU utilization: 1.0MODEL_TFLOP/s/GPU
node1:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA/Shared P2P/CUMEM ncclCommInitRank comm
 rank nranks cudaDev nvmlDev busId commId Init COMPLETE Connected all rings trees NVLS multicast support is available
INFO:megatron.core.distributed.param_and_grad_buffer:Number of buckets for gradient all-reduce / reduce-scatter: 1
Params for bucket 1 (1 elements, 1 padded size): module.decoder.layers.0.mlp.experts.linear_fc1.weight0
 > building train, validation, and test datasets for GPT ... number of parameters on (tensor, pipeline) model parallel
[rank1]: UserWarning: warnings.warn( FutureWarning: DEBUG:megatron.core INFO:nemo WARNING:root: [Gloo] Rank 0 is
connected validation loss at iteration 1 | lm loss value: 1.0 | lm loss PPL: 1.0 | saving checkpoint at iteration
  successfully saved checkpoint from iteration
 theoretical memory footprints: weight and optimizer= MB, activation= MB [Rank 0] (after 1 iterations) memory (MB) |
 allocated: max allocated: reserved: max reserved: alloc retries: save-checkpoint ...: (1.0, 1.0) forward-compute ...:
"""
