"""Writes every generated page of the documentation as Markdown, beside copies of the guides."""

from __future__ import annotations

import os
import shutil

from moelint.explain.key import what
from moelint.pages import key as keys
from moelint.pages import rule as rules
from moelint.pages.command import markdown as commands
from moelint.pages.lists import dialects, features, packs_page, profiles, symptoms_page
from moelint.typed import Any

MATRIX_TARGETS = (  # file, title, target
    ("bridge-h100", "Megatron Bridge 0.7 on H100", {"megatron-bridge": "0.7.0", "gpu": "h100"}),
    ("bridge-gb200", "Megatron Bridge 0.7 on GB200", {"megatron-bridge": "0.7.0", "gpu": "gb200"}),
    ("core-0.16-h100", "Megatron Core 0.16.1 on H100", {"megatron-core": "0.16.1", "gpu": "h100"}),
)
_PACKAGES = {"transformer-engine": "2.14.0", "torch": "2.9.0"}


def build(out: str, guides: str, matrix: bool = True) -> dict[str, int]:
    """Write all pages to a folder; the number of each kind. ``guides``: the folder of the hand-written pages."""
    from moelint.cli.rules import every
    from moelint.policy.load import load

    packs = load()
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(guides, out)
    rows = every(())
    for row in rows:
        _write(out, f"rules/{row['id']}.md", rules.markdown(row["id"], packs))
    _write(out, "rules/index.md", _rule_index(rows))
    read = keys.readers(packs)
    for key, readers in read.items():
        _write(out, f"keys/{rules.slug(key)}.md", keys.markdown(key, packs, readers))
    _write(out, "keys/index.md", _key_index(list(read)))
    _write(out, "reference/command-line.md", commands())
    _write(out, "reference/symptoms.md", symptoms_page(packs))
    _write(out, "reference/packs.md", packs_page(packs))
    _write(out, "reference/dialects.md", dialects())
    _write(out, "reference/hardware.md", profiles())
    _write(out, "matrix/index.md", features(MATRIX_TARGETS if matrix else ()))
    if matrix:
        _matrices(out, packs)
    return {"rules": len(rows), "keys": len(read)}


def _matrices(out: str, packs: Any) -> None:
    from moelint.matrix.cells import Matrix
    from moelint.matrix.html import page

    for name, _, target in MATRIX_TARGETS:
        table = Matrix(packs, {**_PACKAGES, **target})
        _write(out, f"matrix/{name}.html", page(table, list(table.rows(table.features)), "../rules/{id}/", "./"))


def _write(out: str, name: str, text: str) -> None:
    path = os.path.join(out, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text if text.endswith("\n") else text + "\n")


_TOPICS = {
    "PAR": "Parallel sizes", "LAY": "Pipeline layout", "DSP": "Dispatcher", "OVL": "Overlap", "RCP": "Recompute",
    "CGR": "CUDA graphs", "PRC": "Precision", "OFF": "Offloading", "RTR": "Routing and experts",
    "OPT": "Optimizer and data parallelism", "SEQ": "Sequences, packing, context parallelism", "ENV": "Environment",
    "VER": "Versions", "KEY": "Keys and values", "CKP": "Checkpoints", "MEM": "Memory wall",
    "COM": "Communication wall", "CMP": "Compute wall", "HST": "Host wall", "HWR": "Hardware", "CHG": "Changes",
    "RWB": "What Megatron Bridge rewrites", "RWC": "What Megatron Core rewrites", "RWL": "What Megatron-LM rewrites",
}  # fmt: skip


def _rule_index(rows: list[dict[str, Any]]) -> str:
    out = ["# Rules", "", f"{len(rows)} rules. `moelint explain ID` shows any of them in the terminal.", ""]
    topics: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        topics.setdefault(row["id"][:3], []).append(row)
    for topic in [*_TOPICS, *sorted(set(topics) - set(_TOPICS))]:
        if topic in topics:
            out += [f"## {_TOPICS.get(topic, topic)}", "", "| rule | severity | effect | |", "|---|---|---|---|"]
            for row in topics[topic]:
                cells = (f"[{row['id']}]({row['id']}.md)", row["severity"], row["effect"], rules.words(row["name"]))
                out.append(f"| {' | '.join(cells)} |")
            out.append("")
    return "\n".join(out)


def _key_index(read: list[str]) -> str:
    out = ["# Keys", "", f"{len(read)} settings that rules read or trainers rewrite, by their canonical names.", ""]
    sections: dict[str, list[str]] = {}
    for key in read:
        sections.setdefault(key.partition(".")[0], []).append(key)
    for section, names in sections.items():
        out += [f"## {section}", ""]
        for key in names:
            said = what(key)
            out.append(f"- [`{key}`]({rules.slug(key)}.md)" + (f": {said}" if said else ""))
        out.append("")
    return "\n".join(out)
