"""From the place of a refusal in a release's sources to the constraint of the catalogue that stands there."""

from __future__ import annotations

import csv
import difflib
import os
import re

PATCHES = 20  # lines by which a patch release may move a statement
NEAR = 8  # lines: a statement that spans lines is named by its first one in the catalogue


class Locator:
    """``sources``: a folder with ``mcore-VERSION``, ``bridge-VERSION`` and ``mcore-forbridge-VERSION``; ``catalogue``: a
    table with the columns id, file_line and kind."""

    def __init__(self, sources: str, catalogue: str) -> None:
        self.sources = sources
        self.lines: dict[tuple[str, str], list[tuple[int, str]]] = {}  # (file, tag of a release or "") → (line, id)
        self.maps: dict[tuple[str, str, str], dict[int, int]] = {}
        with open(catalogue, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found = re.fullmatch(r"(.+):(\d+)(?:@(.+))?", row["file_line"])
                if row["kind"] == "error" and found is not None:
                    name = found[1].removeprefix("src/")
                    self.lines.setdefault((name, found[3] or ""), []).append((int(found[2]), row["id"]))

    def constraint(self, layer: str, version: str, where: str | None, aimed: str | None = None) -> str | None:
        """The id of the constraint at a place such as ``megatron/core/parallel_state.py:787``. ``aimed``: the one that a
        case was made for; it is taken where the refusal is near it, since a patch release moves lines and a long
        statement has many."""
        if not where:
            return None
        name, _, line = where.rpartition(":")
        name = name.removeprefix("src/")
        own = "bridge" if name.startswith("megatron/bridge") else "mcore"
        tree = f"{own}-{version}" if own == layer or layer == "mlm" else f"mcore-forbridge-{version}"
        tags = dict.fromkeys(t for n, t in self.lines if n == name and t)
        for tag in [*tags, *([""] if version == "main" and layer != "bridge" else [])]:
            if any(i == aimed and abs(int(line) - n) <= PATCHES for n, i in self.lines.get((name, tag), ())):
                return aimed
        own_tags = [t for t in tags if tree.endswith("-" + _release(t)) and _release(t) in t]
        for tag in [*own_tags, "", *tags]:
            there = f"{own}-main" if not tag else f"{own}-{_release(tag)}"
            number = int(line) if tree == there else self._map(tree, there, name).get(int(line))
            if number is None:
                continue
            near = [entry for entry in self.lines.get((name, tag), ()) if number - NEAR <= entry[0] <= number]
            if near:
                return max(near)[1]
        return None

    def _map(self, old: str, new: str, name: str) -> dict[int, int]:
        """Lines of a file in one tree → lines of the same statement in another."""
        found = self.maps.get((old, new, name))
        if found is None:
            texts = [self._read(tree, name) for tree in (old, new)]
            matcher = difflib.SequenceMatcher(None, *texts, autojunk=False)
            found = self.maps[old, new, name] = {
                i + k + 1: j + k + 1 for i, j, n in matcher.get_matching_blocks() for k in range(n)
            }
        return found

    def _read(self, tree: str, name: str) -> list[str]:
        for folder in (tree, os.path.join(tree, "src")):
            try:
                with open(os.path.join(self.sources, folder, name), encoding="utf-8") as file:
                    return [line.strip() for line in file]
            except OSError:
                continue
        return []


def _release(tag: str) -> str:
    """The source tree that stands for a tag: the newest patch of its release that is at hand."""
    plain = tag.removeprefix("core_").removeprefix("v")
    return {"0.18.0": "0.18.2", "0.17.0": "0.17.1", "0.16.0": "0.16.1", "0.15.0": "0.15.3", "0.5.0": "0.5.1", "0.4.0": "0.4.2",
            "0.3.0": "0.3.1", "0.2.0": "0.2.2"}.get(plain, plain)  # fmt: skip
