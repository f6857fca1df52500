"""The page of ``moelint walls`` as text, 100 columns wide. Sees the page's plain data only."""

from __future__ import annotations

from collections.abc import Iterable

from moelint.report.paint import Paint
from moelint.report.walls_compare import compared
from moelint.report.width import wrap
from moelint.typed import Any

Page = dict[str, Any]
_WIDTH = 100
_BAR = 44
# A block for each part of the memory bar, static parts first.
_MARKS = {
    "expert weights": "█",
    "other weights": "█",
    "expert gradients": "▓",
    "other gradients": "▓",
    "expert optimizer": "▒",
    "other optimizer": "▒",
    "gathered by FSDP": "▒",
    "activations": "░",
}
_PLAIN = {
    "█": "#",
    "▓": "=",
    "▒": "+",
    "░": ":",
    "·": ".",
    "×": "x",
    "→": "->",
    "–": "-",
    "…": "...",
    "│": "|",
    "║": "#",
}


def text(pages: list[Page], beside: bool, color: bool, unicode: bool) -> str:
    """All pages one after the other; with ``beside`` and two of them also a table that compares them."""
    paint = Paint(color)
    blocks = [_page(page, paint) for page in pages]
    if beside and len(pages) == 2:
        blocks.insert(0, _beside(pages[0], pages[1], paint))
    out = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    if not unicode:
        for sign, plain in _PLAIN.items():
            out = out.replace(sign, plain)
        out = out.encode("ascii", "replace").decode()
    return out


def _page(page: Page, paint: Paint) -> list[str]:
    lines = [paint.bold(f"{page['config']}") + f"  {page['path']}:{page['line']}", _target(page)]
    if page["problem"]:
        return [*lines, "", f"These sizes fit no machine: {page['problem']}."]
    if "memory" not in page:
        return [*lines, "", *_missing(page, paint)]
    lines += [_model(page["model"]), ""]
    first = page["walls"][0] if page["walls"] else None
    if first is not None:
        word = f", the job {first['verdict']}" if first["blocks"] else ""
        lines += [
            paint.severity("error" if first["blocks"] else "warning", f"The {first['wall']} wall stands first{word}")
            + wrap(f": {first['why']}.", _WIDTH, ""),
            "",
        ]
    for part in (_mesh, _memory, _communication, _compute, _host, _knobs):
        lines += [*part(page, paint), ""]
    if page["missing"]:
        lines += [*_missing(page, paint), ""]
    if page["assumptions"]:
        lines += [paint.bold("ASSUMED"), *(f"  {a}" for a in page["assumptions"]), ""]
    lines.append(
        paint.dim("Estimates, not measurements: see docs/walls.md for formulas, bands and what they were checked on.")
    )
    return lines


def _target(page: Page) -> str:
    shown = [f"{key} {entry['value']}" for key, entry in page["target"].items()]
    return "for " + ", ".join(shown) if shown else "for no stated machine"


def _model(model: Page) -> str:
    kinds = " + ".join(f"{n} {_kind(m, k)}" for m, k, n in model["kinds"])
    head = f"{model['params_b']:.1f} B parameters, {model['active_params_b']:.1f} B active · {kinds}"
    if model["experts"]:
        head += f" · {model['experts']} experts, top-{model['topk']}"
    batch = f"global batch {model['global_batch']:,}" if model["global_batch"] else "global batch not stated"
    return (
        f"{head}\n{model['precision'].upper()} · sequence {model['seq']:,} · micro batch {model['micro_batch']} · "
        f"{batch}, "
        f"{model['microbatches']} microbatches"
    )


def _kind(mixer: str, kind: str) -> str:
    names = {"gqa": "attention", "mla": "latent attention", "gdn": "delta net", "mamba": "Mamba", "": ""}
    return "/".join(part for part in (names[mixer], {"moe": "MoE", "dense": "dense", "": ""}[kind]) if part)


def _mesh(page: Page, paint: Paint) -> list[str]:
    mesh = page["mesh"]
    a, x = mesh["attention"], mesh["experts"]
    out = [
        paint.bold("MESHES")
        + f"  {mesh['gpus']} GPUs, PP {a['pp']} × {mesh['stage_gpus']} GPUs a stage"
        + (f", {mesh['vpp']} virtual stages" if mesh["vpp"] > 1 else ""),
        f"  attention  TP {a['tp']} × CP {a['cp']} × DP {a['dp']}",
        f"  experts    ETP {x['etp']} × EP {x['ep']} × EDP {x['edp']}" + _spans(mesh),
    ]
    return [*out, *drawing(mesh)]


def _spans(mesh: Page) -> str:
    domains = mesh["expert_domains"]
    if domains is None:
        return ""
    return (
        "   one expert group inside an NVLink domain"
        if domains == 1
        else f"   one expert group spans {domains} NVLink domains of {mesh['nvlink_domain']}"
    )


def drawing(mesh: Page, limit: int = 6) -> list[str]:
    """The first pipeline stage over nodes: a cell a GPU with its copy of attention and its expert group, a bar between
    nodes, a double one between NVLink domains."""
    node, stage = mesh["gpus_per_node"], mesh["stage_gpus"]
    a, x = mesh["attention"], mesh["experts"]
    inner = a["tp"] * a["cp"]
    group = x["ep"] * x["etp"]
    domain = mesh["nvlink_domain"] or node
    per_row = max(node, 16 // node * node)
    rows = []
    for start in range(0, min(stage, per_row * limit), per_row):
        nodes = []
        for first in range(start, min(start + per_row, stage), node):
            cells = " ".join(
                f"{_letter(r // inner)}{_letter(r // group).upper()}" for r in range(first, min(first + node, stage))
            )
            nodes.append(("║" if first % domain == 0 and first else "│") + f" {cells} ")
        rows.append(f"    node {start // node:<3}{''.join(nodes)}│")
    more = -(-stage // node) - len(rows) * (per_row // node)
    if more > 0:
        stages = f", {a['pp'] - 1} more stages" if a["pp"] > 1 else ""
        rows.append(f"    … {more} more nodes in this stage{stages}")
    rows.append("    small letter: a copy of attention (TP×CP); capital: a copy of all experts (EP×ETP)")
    rows.append("    ║ border of an NVLink domain")
    return rows


def _letter(number: int) -> str:
    return chr(ord("a") + number % 26)


def _memory(page: Page, paint: Paint) -> list[str]:
    memory = page["memory"]
    hbm = memory["hbm_gib"]
    top = max([s["high_gib"] for s in memory["stages"]] + ([hbm] if hbm else []))
    limit = f" of {hbm:.0f} GiB" if hbm else " GiB (GPU not stated)"
    worst = next(s for s in memory["stages"] if s["rank"] == memory["worst_stage"])
    recompute = memory["recompute"]
    if recompute == "selective":
        recompute += f" ({', '.join(memory['recompute_modules']) or 'no modules'})"
    size = f"{worst['total_gib']:.1f} to {worst['high_gib']:.1f}{limit}"
    out = [paint.bold("MEMORY") + f"  fullest stage {worst['rank']}: {size}   recompute: {recompute}"]
    shown, hidden = _pick(memory["stages"], memory["worst_stage"])
    for stage in shown:
        bar = _bar(stage, top, hbm)
        held = (
            f"{stage['layers']} layers" + (" +emb" if stage["embedding"] else "") + (" +head" if stage["head"] else "")
        )
        held += f" +{stage['mtp']} MTP" if stage["mtp"] else ""
        mark = paint.severity("error", "!") if hbm and stage["high_gib"] > hbm else " "
        out.append(f"  stage {stage['rank']:<3}{bar}{mark}{stage['total_gib']:6.1f} – {stage['high_gib']:.1f}  {held}")
    if hidden:
        out.append(f"  … {hidden} more stages between these")
    parts = ", ".join(f"{label} {size:.1f}" for label, size in sorted(worst["parts_gib"], key=lambda p: -p[1]))
    factor, extra = memory["reserve"]["factor"], memory["reserve"]["gib"]
    out += [
        "  " + wrap(parts, _WIDTH, "  "),
        f"  █ weights ▓ gradients ▒ optimizer ░ activations · reserve ({factor - 1:.0%} + {extra:.0f} GiB)"
        + ("  │ the GPU's memory" if hbm else ""),
    ]
    return out


def _pick(stages: list[Page], worst: int, limit: int = 8) -> tuple[list[Page], int]:
    if len(stages) <= limit:
        return stages, 0
    keep = {0, 1, 2, worst, len(stages) - 2, len(stages) - 1}
    shown = [s for s in stages if s["rank"] in keep]
    return shown, len(stages) - len(shown)


def _bar(stage: Page, top: float, hbm: float | None) -> str:
    cells = [" "] * (_BAR + 1)
    at = 0.0
    for label, size in stage["parts_gib"]:
        for n in range(round(at / top * _BAR), round((at + size) / top * _BAR)):
            cells[n] = _MARKS[label]
        at += size
    for n in range(round(at / top * _BAR), round(stage["high_gib"] / top * _BAR)):
        cells[n] = "·"
    if hbm:
        cells[round(hbm / top * _BAR)] = "│"
    return "".join(cells)


def _communication(page: Page, paint: Paint) -> list[str]:
    comm = page["communication"]
    out = [
        paint.bold("COMMUNICATION")
        + f"  dispatcher {comm['dispatcher']}, EP overlap {'on' if comm['ep_overlap'] else 'off'}"
    ]
    if comm["ep_ranks"] > 1 and "nvlink_gb" in comm:
        out.append(
            f"  dispatch or combine, a layer and microbatch: {comm['nvlink_gb'] * 1e3:.0f} MB over NVLink, "
            f"{comm['nic_gb'] * 1e3:.0f} MB over the network a GPU"
        )
        if "ep_share" in comm:
            out.append(
                f"  both, forward: {comm['ep_ms_per_layer']:.2f} ms beside {comm['layer_ms']:.2f} ms of compute: "
                f"{comm['ep_share']:.0%} of the layer before overlap"
            )
    for row in comm.get("collectives", ()):
        where = "NVLink" if row["link"] == "nvlink" else "network"
        out.append(
            f"  {row['name']:<34}{_size(row['gb']):>9} × {row['calls']:>9,.0f}  {where:<8}"
            f"{row['seconds']:8.2f} s a step"
        )
    return out


def _size(gb: float) -> str:
    return f"{gb:.1f} GB" if gb >= 1 else f"{gb * 1e3:.0f} MB"


def _compute(page: Page, paint: Paint) -> list[str]:
    part = page["compute"]
    out = [paint.bold("COMPUTE") + f"  {part['gflop_per_token']:.2f} GFLOP a token"]
    ridge = part["ridge_rows"]
    if "rows_per_expert" in part:
        shapes = ", ".join(f"{g['rows']:,.0f}×{g['k']}×{g['n']}" for g in part["expert_gemms"])
        verdict = ""
        if ridge:
            above = part["rows_per_expert"] >= ridge
            verdict = f": {'above' if above else 'BELOW'} the ridge of {ridge:.0f} rows"
        out.append(f"  {part['local_experts']:.0f} local experts, GEMMs of {shapes}{verdict}")
    if part["bubble"] is not None:
        out.append(f"  pipeline bubble {part['bubble']:.1%} of the ideal time")
    if "step" in part:
        step = part["step"]
        out.append(
            f"  step {step['low_s']:.2f} to {step['high_s']:.2f} s · "
            f"{step['tflops_low']:.0f} to {step['tflops_high']:.0f} "
            f"TFLOPS a GPU ({step['tflops'] / step['peak_tflops']:.0%} of peak at the middle) · "
            f"{step['tokens_per_gpu_s']:,.0f} tokens/s a GPU at the middle"
        )
        total = step["seconds"]
        out += [
            f"    {label:<32}{seconds:8.2f} s  {_meter(seconds / total)}"
            for label, seconds in step["parts_s"].items()
            if seconds > 0.002 * total
        ]
    return out


def _meter(share: float) -> str:
    return "█" * round(share * 40) + f" {share:.0%}"


def _host(page: Page, paint: Paint) -> list[str]:
    part = page["host"]
    line = f"  about {part['kernels']:,.0f} kernels a step, "
    line += f"{part['launch_s']:.2f} s to launch at {part['launch_us']:.0f} µs"
    if part["launch_ratio"] is not None:
        line += f", {part['launch_ratio']:.0%} of the GPU's time"
    return [paint.bold("HOST") + f"  CUDA graphs: {part['graphs'].replace('_', ' ')}", line]


def _knobs(page: Page, paint: Paint) -> list[str]:
    out = [paint.bold("TRY NEXT") + "  each computed by changing the config and asking again"]
    for number, knob in enumerate(page["knobs"], 1):
        out.append(
            f"  {number}. " + ", ".join(_change(key, knob["before"][key], value) for key, value in changes(knob))
        )
        out.append(f"     {knob['why']}: {outcome(knob)}")
    if not page["knobs"]:
        out.append("  none of the knobs that it knows gives more than 2 %")
    return out


def changes(knob: Page) -> Iterable[tuple[str, Any]]:
    """The settings of a knob that really change."""
    return [(k, v) for k, v in knob["change"].items() if v != knob["before"][k]]


def _change(key: str, before: Any, after: Any) -> str:
    return f"{key.split('.', 1)[1]} {show(before)} → {show(after)}"


def show(value: Any) -> str:
    """A setting's value as YAML would have it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value)


def outcome(knob: Page) -> str:
    """What a knob gives, in one phrase."""
    high = knob["high_gib"]
    said = f"memory up to {high[0]:.1f} → {high[1]:.1f} GiB"
    if "step_s" in knob:
        said = (
            f"step {knob['step_s'][0]:.2f} → {knob['step_s'][1]:.2f} s "
            f"({knob['step_s'][0] / knob['step_s'][1] - 1:+.0%} "
            f"throughput), {said}"
        )
    return said


def _missing(page: Page, paint: Paint) -> list[str]:
    out = [paint.bold("NOT STATED")]
    for entry in page["missing"]:
        out.append(f"  {entry['key']} would decide {entry['changes']}: {how(entry['key'])}")
    return out


def how(key: str) -> str:
    """How to give an input."""
    if key.startswith("target."):
        name = key[len("target.") :].replace("_", "-")
        return f'--target {name}=…, or "# moelint: {name}=…"'
    return f"write {key}, name the model, or --base RECIPE"


def _beside(left: Page, right: Page, paint: Paint) -> list[str]:
    rows = compared(left, right)
    wide = max(len(row[0]) for row in rows) + 2
    column = min(36, max(len(row[1]) for row in rows) + 3)
    out = [paint.bold("SIDE BY SIDE")]
    for label, a, b in rows:
        line = f"  {label:<{wide}}{a:<{column}}{b}"
        out.append(line if a == b or label in ("file", "config") else paint.note(line))
    return out
