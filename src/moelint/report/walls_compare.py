"""Two pages of ``moelint walls`` side by side, as rows of text. Sees the pages' plain data only."""

from __future__ import annotations

from typing import Any

Page = dict[str, Any]


def compared(left: Page, right: Page) -> list[tuple[str, str, str]]:
    """(what, left, right) of two pages, as text; what neither has is left out."""
    rows = [("file", left["path"], right["path"]), ("config", left["config"], right["config"])]
    rows.append(("memory, fullest stage", _fullest(left), _fullest(right)))
    for label, path, form in _COMPARED:
        rows.append((label, _at(left, path, form), _at(right, path, form)))
    return [row for row in rows if row[1] != "–" or row[2] != "–"]


def _fullest(page: Page) -> str:
    if "memory" not in page:
        return "–"
    memory = page["memory"]
    worst = next(s for s in memory["stages"] if s["rank"] == memory["worst_stage"])
    limit = f" of {memory['hbm_gib']:.0f} GiB" if memory["hbm_gib"] else " GiB"
    return f"{worst['total_gib']:.0f}–{worst['high_gib']:.0f}{limit}"


_COMPARED: tuple[tuple[str, str, str], ...] = (
    ("parameters", "model.params_b", "{:.1f} B"),
    ("GPUs", "mesh.gpus", "{}"),
    ("TP", "mesh.attention.tp", "{}"),
    ("CP", "mesh.attention.cp", "{}"),
    ("DP", "mesh.attention.dp", "{}"),
    ("PP", "mesh.attention.pp", "{}"),
    ("VPP", "mesh.vpp", "{}"),
    ("EP", "mesh.experts.ep", "{}"),
    ("ETP", "mesh.experts.etp", "{}"),
    ("EDP", "mesh.experts.edp", "{}"),
    ("micro batch", "model.micro_batch", "{}"),
    ("global batch", "model.global_batch", "{:,}"),
    ("dispatcher", "communication.dispatcher", "{}"),
    ("EP overlap", "communication.ep_overlap", "{}"),
    ("recompute", "memory.recompute", "{}"),
    ("graphs", "host.graphs", "{}"),
    ("EP share of a layer", "communication.ep_share", "{:.0%}"),
    ("rows an expert", "compute.rows_per_expert", "{:,.0f}"),
    ("bubble", "compute.bubble", "{:.1%}"),
    ("step, middle", "compute.step.seconds", "{:.2f} s"),
    ("TFLOPS, middle", "compute.step.tflops", "{:.0f}"),
    ("tokens/s a GPU, middle", "compute.step.tokens_per_gpu_s", "{:,.0f}"),
    ("launch ratio", "host.launch_ratio", "{:.0%}"),
)


def _at(page: Page, path: str, form: str) -> str:
    value: Any = page
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            return "–"
        value = value[part]
    if isinstance(value, bool):
        return "on" if value else "off"
    return "–" if value is None else form.format(value)
