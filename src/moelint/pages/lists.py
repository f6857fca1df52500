"""Generated pages that are lists: packs, dialects, hardware profiles, symptoms of logs, features of the matrix."""

from __future__ import annotations

from moelint.pages.rule import escaped
from moelint.typed import Any

_MEANS = {
    "fatal": "The job dies",
    "hang": "The job hangs",
    "memory": "Out of memory",
    "changed": "It runs, but not as configured",
    "slow": "It is slow",
    "note": "Worth knowing",
    "consequence": "Something else failed first",
}


def symptoms_page(packs: Any) -> str:
    """What `moelint diagnose` knows beside the fragments of rules."""
    from moelint.diagnose.knowledge import symptoms

    out = ["# Symptoms in logs", "", "What `moelint diagnose` recognises beside the messages that rules quote.", ""]
    every = symptoms()
    for means, title in _MEANS.items():
        out += [f"## {title}", ""]
        for item in [symptom for symptom in every if symptom.means == means]:
            out += [f"### {item.title}", ""]
            out += [item.seen, ""] if item.seen else []
            out += ["Known by " + ", ".join(f"`{text}`" for text in item.log) + ".", ""] if item.log else []
            out += [item.cause, ""] + ([f"**Fix**: {item.fix}", ""] if item.fix else [])
            read = [f"[{rule}](../rules/{rule}.md)" for rule in item.rules if rule in packs.ids]
            out += ["Rules: " + ", ".join(read) + ".", ""] if read else []
    return "\n".join(out)


def packs_page(packs: Any) -> str:
    """The shipped packs."""
    out = ["# Policy packs", "", "Shipped with moelint and always on; a team's own packs go over them.", ""]
    out += ["| pack | version | rules |", "|---|---|---|"]
    for name, version in packs.versions.items():
        count = sum(pack == name for _, pack in packs.ids.values())
        out.append(f"| `{name}` | {version} | {count} |")
    return "\n".join([*out, ""])


def dialects() -> str:
    """What can be read."""
    from moelint.read.tables import tables

    judge = {"bridge": "Megatron Bridge", "core": "Megatron Core", "lm": "Megatron-LM"}
    out = ["# Dialects", "", "What moelint reads, and whose validation judges it.", ""]
    out += ["| dialect | | judged as |", "|---|---|---|"]
    for id, table in sorted(tables().items()):
        out.append(f"| `{id}` | {escaped(str(table['title']))} | {judge[table['trainer']]} |")
    return "\n".join([*out, ""])


def profiles() -> str:
    """The hardware profiles."""
    from moelint.trainer.hardware import facts, names

    wanted = {
        "hbm_gb": "memory, GB", "hbm_tbs": "memory, TB/s", "bf16_tflops": "BF16, TFLOPS", "fp8_tflops": "FP8, TFLOPS",
        "fp4_tflops": "FP4, TFLOPS", "nvlink_domain": "GPUs in an NVLink domain", "nvlink_gbs_unidir": "NVLink, GB/s",
        "nic_gbs": "network, GB/s a GPU", "host_link_gbs": "host link, GB/s",
    }  # fmt: skip
    rows = [(name, facts(name) or {}) for name in names()]
    columns = [key for key in wanted if any(key in values for _, values in rows)]
    out = ["# Hardware profiles", "", "Named by `--gpu NAME`; a profile of your own is a YAML file.", ""]
    out += ["| GPU | " + " | ".join(wanted[key] for key in columns) + " |", "|---|" + "---|" * len(columns)]
    for name, values in rows:
        cells = " | ".join("" if values.get(key) is None else str(values[key]) for key in columns)
        out.append(f"| {name} | {cells} |")
    return "\n".join([*out, ""])


def features(targets: tuple[tuple[str, str, dict[str, str]], ...]) -> str:
    """The features of the matrix, and where its pages are."""
    from moelint.matrix.features import Table
    from moelint.matrix.show import MEANS, SIGN, settings_text

    out = ["# Compatibility matrix", ""]
    out += [
        "Features × features: each cell is a complete job that has both, judged by the rules. `moelint matrix` prints"
    ]
    out += ["it for any release and GPU; these pages have it for some, and a cell opens its rules:", ""]
    out += [f"- [{title}]({name}.html)" for name, title, _ in targets] + [""]
    out += ["| | |", "|---|---|"]
    out += [f"| {SIGN[state]} | {text} |" for state, text in MEANS.items() if state != "absent"]
    out += ["", "## Features", "", "| feature | | sets |", "|---|---|---|"]
    for feature in Table("bridge").features:
        out.append(f"| `{feature.id}` | {feature.title} | `{settings_text(feature.sets[0])}` |")
    return "\n".join([*out, ""])
