"""The charts of the walls page as SVG text: meshes, memory by stage, roofline, where a step's time goes."""

from __future__ import annotations

import math
from typing import Any

Page = dict[str, Any]

# Static memory in blues and greys, activations warm, waits in reds: readable in grey scale as steps of lightness.
COLORS = {
    "expert weights": "#1d4e89",
    "other weights": "#5b8fc9",
    "expert gradients": "#2f7f79",
    "other gradients": "#86c5bf",
    "expert optimizer": "#5a5f6b",
    "other optimizer": "#a9aeb8",
    "gathered by FSDP": "#8a7cb8",
    "activations": "#e3a548",
    "GEMMs": "#1d4e89",
    "attention core": "#5b8fc9",
    "element-wise": "#e3a548",
    "expert communication, exposed": "#c0392b",
    "tensor and context parallel": "#e07a6b",
    "host": "#8a7cb8",
    "pipeline bubble": "#c9cdd4",
    "gradient exchange, exposed": "#b06a3b",
    "optimizer": "#5a5f6b",
}
_GROUPS = ("#dce8f5", "#f6e7cc", "#d9eeec", "#eadff3", "#f7dcd7", "#e4e6ea", "#e6f0d8", "#f3e3ee")
_HATCH = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" fill="#fff"/><rect width="2" height="6" fill="#c9a66b"/></pattern></defs>'
)


def escape(text: object) -> str:
    """Text for XML content and attributes."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _svg(width: float, height: float, title: str, body: list[str]) -> str:
    head = f'<div class="chart"><svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title)}"'
    return f'{head} xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>{"".join(body)}</svg></div>'


def _text(x: float, y: float, text: object, css: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{css}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(x: float, y: float, w: float, h: float, fill: str, title: str, extra: str = "") -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{max(w, 0):.1f}" height="{h:.1f}"'
    return f'<rect {size} fill="{fill}" {extra}><title>{escape(title)}</title></rect>'


def _line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"/>'


def legend(labels: list[str]) -> str:
    """Coloured words for a chart's parts."""
    return "".join(f'<span class="key"><i style="background:{COLORS[one]}"></i>{escape(one)}</span>' for one in labels)


def memory(part: Page) -> str:
    """A stacked bar a pipeline stage against the GPU's memory, the reserve hatched."""
    hbm, stages = part["hbm_gib"], part["stages"]
    if len(stages) > 16:  # the ends and the fullest say it all
        keep = {0, 1, 2, 3, part["worst_stage"], *(s["rank"] for s in stages[-4:])}
        stages = [s for s in stages if s["rank"] in keep]
    top = max([s["high_gib"] for s in stages] + ([hbm] if hbm else [])) * 1.04
    left, width, row = 176.0, 610.0, 26
    scale = width / top
    floor = row * len(stages) + 8
    body = [_HATCH]
    for tick in _ticks(top):
        x = left + tick * scale
        body += [_line(x, 4, x, floor, "grid"), _text(x, floor + 14, f"{tick:g}", "small", "middle")]
    body.append(_text(left + width + 8, floor + 14, "GiB", "small"))
    for number, stage in enumerate(stages):
        body += _stage(stage, left, 6 + number * row, scale, hbm)
    if hbm:
        x = left + hbm * scale
        body += [_line(x, 0, x, floor, "limit"), _text(x, floor + 27, f"GPU {hbm:.0f}", "small bad", "middle")]
    return _svg(860, floor + 30, "Memory by pipeline stage", body)


def _stage(stage: Page, left: float, y: float, scale: float, hbm: float | None) -> list[str]:
    held = f"{stage['layers']}L" + ("+emb" if stage["embedding"] else "") + ("+head" if stage["head"] else "")
    held += f"+{stage['mtp']}MTP" if stage["mtp"] else ""
    body = [_text(4, y + 13, f"stage {stage['rank']}", "label"), _text(62, y + 13, held, "small")]
    at = 0.0
    for label, size in stage["parts_gib"]:
        body.append(_box(left + at * scale, y, size * scale, 18, COLORS[label], f"{label}: {size:.2f} GiB"))
        at += size
    spare, edge = stage["high_gib"] - at, 'stroke="#c9a66b" stroke-width="0.5"'
    body.append(_box(left + at * scale, y, spare * scale, 18, "url(#hatch)", f"reserve: {spare:.2f} GiB", edge))
    css = "value bad" if hbm and stage["high_gib"] > hbm else "value"
    said = f"{stage['total_gib']:.0f}–{stage['high_gib']:.0f}"
    body.append(_text(left + stage["high_gib"] * scale + 5, y + 13, said, css))
    return body


def _ticks(top: float) -> list[float]:
    step = 10 ** math.floor(math.log10(max(top, 1e-9) / 2))
    for factor in (1, 2, 5, 10):
        if top / (step * factor) <= 8:
            return [step * factor * n for n in range(int(top / (step * factor)) + 1)]
    return [0.0, top]


def mesh(part: Page, limit: int = 64) -> str:
    """The GPUs of one pipeline stage: cells by node, NVLink domains apart, filled by expert group, numbered by copy of
    attention."""
    node, stage = part["gpus_per_node"], part["stage_gpus"]
    inner = part["attention"]["tp"] * part["attention"]["cp"]
    group = part["experts"]["ep"] * part["experts"]["etp"]
    domain = part["used_domain"] or node
    shown = min(stage, limit)
    per_row = max(node, 16 // node * node)
    left, cell, gap, row = 74.0, 40, 10, 44
    right = left + per_row * cell + per_row // node * gap
    body = []
    for rank in range(shown):
        line, column = divmod(rank, per_row)
        x, y = left + column * cell + column // node * gap, 8.0 + line * row
        copy, experts = rank // inner, rank // group
        title = f"GPU {rank}: attention copy {copy}, expert group {experts}"
        fill = _GROUPS[experts % len(_GROUPS)]
        body += [
            _box(x, y, cell - 4, 30, fill, title, 'stroke="#5a5f6b" stroke-width="0.7" rx="3"'),
            _text(x + (cell - 4) / 2, y + 14, f"d{copy}", "cell", "middle"),
            _text(x + (cell - 4) / 2, y + 26, f"e{experts}", "cell dim", "middle"),
        ]
        if column == 0:
            last = (min(rank + per_row, shown) - 1) // node
            several = f"–{last}" if last > rank // node else ""
            body.append(_text(2, y + 20, f"node {rank // node}{several}", "small"))
        if rank and rank % domain == 0:  # the border between two NVLink domains
            edge = x - gap / 2 - 2
            body.append(
                _line(edge, y - 4, edge, y + 34, "limit") if column else _line(70, y - 7, right, y - 7, "limit")
            )
    height = -(-shown // per_row) * row + 10
    if stage > shown:
        body.append(_text(left, height + 8, f"… and {stage - shown} more GPUs of this stage", "small"))
        height += 16
    return _svg(max(right + 8, 780), height, "GPUs of one pipeline stage", body)


def roofline(part: Page, machine: str) -> str:
    """The expert GEMMs under the machine's roof: FLOP per byte against the ridge, both axes logarithmic."""
    gemms, ridge = part["expert_gemms"], part["ridge_flop_per_byte"]
    low, high = 8.0, max(4096.0, 2 * max(g["flop_per_byte"] for g in gemms))
    left, width, bottom, top = 40.0, 760.0, 170.0, 20.0

    def across(value: float) -> float:
        return left + width * math.log(max(value, low) / low) / math.log(high / low)

    def up(share: float) -> float:
        return bottom - (bottom - top) * (1 + math.log10(max(share, 0.02)) / math.log10(50))

    body = []
    for value in (8, 32, 128, 512, 2048):
        body += [_line(across(value), top, across(value), bottom, "grid")]
        body += [_text(across(value), bottom + 14, value, "small", "middle")]
    roof = f"M{left},{up(low / ridge):.1f} L{across(ridge):.1f},{up(1):.1f} L{left + width},{up(1):.1f}"
    body += [
        _text(left + width, bottom + 28, "FLOP per byte", "small", "end"),
        f'<path d="{roof}" fill="none" stroke="#1d4e89" stroke-width="2"/>',
        _text(across(ridge), top - 6, f"ridge {ridge:.0f}", "small", "middle"),
        _text(left + width, top - 6, machine, "small", "end"),
    ]
    for number, gemm in enumerate(gemms, 1):
        share = min(1.0, gemm["flop_per_byte"] / ridge)
        x, y = across(gemm["flop_per_byte"]), up(share)
        color = "#2f7f79" if share >= 1 else "#c0392b"
        said = f"GEMM {number}: {gemm['rows']:,.0f} × {gemm['k']} × {gemm['n']}"
        body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{color}"/>')
        below, anchor = (18, "middle") if share >= 1 else (6, "start")  # right of the slope there is room
        across_by = 0.0 if share >= 1 else 12.0
        body.append(_text(x + across_by, y + below + 13 * (number - 1), said, "small", anchor))
    return _svg(860, bottom + 34, "Expert GEMMs under the roofline", body)


def step(part: Page) -> str:
    """Where the time of a step goes, one bar, with the band of the whole."""
    total = part["seconds"]
    left, width = 4.0, 850.0
    scale = width / part["high_s"]
    body = []
    at = 0.0
    for label, seconds in part["parts_s"].items():
        if seconds <= 0:
            continue
        body.append(_box(left + at * scale, 8, seconds * scale, 30, COLORS[label], f"{label}: {seconds:.2f} s"))
        if seconds * scale > 46:
            body.append(_text(left + (at + seconds / 2) * scale, 27, f"{seconds / total:.0%}", "inside", "middle"))
        at += seconds
    y = 52.0
    low, middle, high = (left + value * scale for value in (part["low_s"], total, part["high_s"]))
    body += [
        _line(low, y, high, y, "band"),
        _line(low, y - 5, low, y + 5, "band"),
        _line(high, y - 5, high, y + 5, "band"),
    ]
    body += [
        f'<circle cx="{middle:.1f}" cy="{y}" r="4" fill="#1d4e89"/>',
        _text(low, y + 18, f"{part['low_s']:.2f} s", "small", "middle" if low > 30 else "start"),
        _text(middle, y + 18, f"{total:.2f} s", "small", "middle"),
        _text(high, y + 18, f"{part['high_s']:.2f} s", "small", "end"),
    ]
    return _svg(860, y + 24, "Where the time of a step goes", body)
