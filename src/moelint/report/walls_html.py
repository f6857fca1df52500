"""The page of ``moelint walls`` as one self-contained HTML file that prints well. Sees the page's plain data only."""

from __future__ import annotations

from typing import Any

from moelint.report import walls_svg as svg
from moelint.report.walls_compare import compared
from moelint.report.walls_svg import escape
from moelint.report.walls_text import changes, how, outcome, show

Page = dict[str, Any]

_CSS = """
:root{--ink:#1f2430;--soft:#5a5f6b;--line:#dfe2e8;--bad:#b3261e;--good:#2f7f79;--paper:#fff}
*{box-sizing:border-box}
body{margin:0;background:#eef0f4;color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:960px;margin:24px auto;background:var(--paper);padding:28px 40px 32px;border-radius:10px}
h1{font-size:23px;line-height:1.25;margin:0 0 2px;overflow-wrap:anywhere}
h2{font-size:16px;margin:26px 0 6px;padding-top:12px;border-top:1px solid var(--line)}
h2 small{font-weight:400;color:var(--soft);font-size:14px;margin-left:8px}
p{margin:4px 0 8px}.soft{color:var(--soft);font-size:14px;overflow-wrap:anywhere}
.first{border-left:5px solid #d08a1d;background:#f4f6f9;padding:10px 14px;margin:14px 0}
.first.blocks{border-color:var(--bad);background:#fbeeed}
.cards{display:flex;gap:10px;flex-wrap:wrap;margin:12px 0}
.card{flex:1 1 120px;background:#f4f6f9;border-radius:8px;padding:8px 12px}
.card b{display:block;font-size:19px;line-height:1.3}.card span{font-size:12.5px;color:var(--soft)}
svg{width:100%;height:auto;display:block;margin:6px 0;font-family:inherit}svg text{fill:var(--ink)}
.label{font-size:12px}.small{font-size:11px;fill:var(--soft)!important}.value{font-size:11.5px;paint-order:stroke;stroke:#fff;stroke-width:3px}
.bad{fill:var(--bad)!important;color:var(--bad);font-weight:600}
.cell{font-size:10px}.dim{fill:var(--soft)!important}.inside{font-size:11px;fill:#fff!important;font-weight:600}
.grid{stroke:#e6e8ed}.limit{stroke:var(--bad);stroke-width:1.6;stroke-dasharray:5 3}
.band{stroke:#1d4e89;stroke-width:2}
.key{display:inline-block;font-size:12.5px;color:var(--soft);margin:0 14px 2px 0}
.key i{display:inline-block;width:11px;height:11px;margin-right:5px;border-radius:2px}
table{border-collapse:collapse;width:100%;font-size:14px;margin:6px 0}
th{text-align:left;font-weight:600;color:var(--soft);font-size:12.5px}
td,th{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
code{background:#eef1f6;border-radius:4px;padding:1px 5px;font-size:13px;overflow-wrap:anywhere}
.bar{height:4px;background:#e6e8ed;border-radius:2px;margin-top:2px}
.bar i{display:block;height:4px;background:#5b8fc9;border-radius:2px}
ol{padding-left:22px;margin:6px 0}li{margin:0 0 8px}
footer{margin-top:24px;border-top:1px solid var(--line);padding-top:10px;font-size:12.5px;color:var(--soft)}
@page{size:A4;margin:14mm}
@media print{body{background:#fff;font-size:12px}main{margin:0;padding:0;max-width:none;border-radius:0}
h1{font-size:19px}h2{font-size:13.5px;margin-top:14px;padding-top:8px}h2,.lead{break-after:avoid}
.soft,table,h2 small,code{font-size:11px}th,.card span,.key,footer{font-size:10px}.card b{font-size:15px}
td,th{padding:2px 8px 2px 0}
.chart,table,.cards,.first,li{break-inside:avoid}.page+.page{break-before:page}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
@media screen and (max-width:700px){main{padding:18px;margin:0 auto}.chart{overflow-x:auto}.chart svg{min-width:600px}
table{font-size:12.5px}td,th{padding-right:6px}}
"""
_FOOT = (
    "Estimates, not measurements. The memory band held three measured peaks, the throughput band most published rows. "
    "Formulas, constants and what they were checked on: docs/walls.md."
)


def html(pages: list[Page], beside: bool) -> str:
    """The whole document; with ``beside`` and two pages also a table that compares them."""
    body = "".join(f'<main class="page">{_page(page)}</main>' for page in pages)
    if beside and len(pages) == 2:
        body = f'<main class="page">{_beside(*pages)}</main>{body}'
    title = escape(", ".join(page["config"] for page in pages))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    head += f"<title>Walls: {title}</title><style>{_CSS}</style>"
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _page(page: Page) -> str:
    target = ", ".join(f"{key} {entry['value']}" for key, entry in page["target"].items()) or "no stated machine"
    where = escape(f"{page['path']}:{page['line']} · for {target}")
    head = f'<h1>{escape(page["config"])}</h1><p class="soft">{where}</p>'
    if page["problem"]:
        return head + f'<div class="first blocks">These sizes fit no machine: {escape(page["problem"])}.</div>'
    if "memory" not in page:
        return head + _missing(page)
    parts = [_first(page), _cards(page), _mesh(page), _memory(page), _communication(page), _compute(page), _knobs(page)]
    if page["missing"]:
        parts.append(_missing(page))
    if page["assumptions"]:
        items = "".join(f"<li>{escape(a)}</li>" for a in page["assumptions"])
        parts.append(f"<h2>Assumed</h2><ul>{items}</ul>")
    return "".join([head, *parts, f"<footer>{_FOOT}</footer>"])


def _beside(left: Page, right: Page) -> str:
    rows = []
    for what, a, b in compared(left, right):
        changed = f"<b>{escape(b)}</b>" if a != b else escape(b)
        rows.append(f"<tr><td>{escape(what)}</td><td>{escape(a)}</td><td>{changed}</td></tr>")
    return f"<h1>Side by side</h1><table>{''.join(rows)}</table>"


def _first(page: Page) -> str:
    if not page["walls"]:
        return ""
    first, *rest = page["walls"]
    css = "first blocks" if first["blocks"] else "first"
    word = f", the job {first['verdict']}" if first["blocks"] else ""
    others = "".join(f'<br><span class="soft">{escape(w["wall"])}: {escape(w["why"])}</span>' for w in rest)
    said = f"<b>The {escape(first['wall'])} wall stands first{word}</b>: {escape(first['why'])}."
    return f'<div class="{css}">{said}{others}</div>'


def _cards(page: Page) -> str:
    model, memory, step = page["model"], page["memory"], page["compute"].get("step")
    worst = next(s for s in memory["stages"] if s["rank"] == memory["worst_stage"])
    of = f" of {memory['hbm_gib']:.0f}" if memory["hbm_gib"] else ""
    cards = [
        (f"{model['params_b']:.1f} B", f"parameters, {model['active_params_b']:.1f} B active"),
        (f"{worst['total_gib']:.0f}–{worst['high_gib']:.0f}{of} GiB", f"fullest stage ({worst['rank']})"),
    ]
    if step:
        cards += [
            (f"{step['low_s']:.1f}–{step['high_s']:.1f} s", "a step"),
            (f"{step['tflops_low']:.0f}–{step['tflops_high']:.0f}", "TFLOPS a GPU"),
            (f"{step['tokens_per_gpu_s']:,.0f}", "tokens/s a GPU, middle of the band"),
        ]
    inner = "".join(f'<div class="card"><b>{escape(big)}</b><span>{escape(small)}</span></div>' for big, small in cards)
    return f'<div class="cards">{inner}</div>'


def _mesh(page: Page) -> str:
    mesh = page["mesh"]
    a, x, domains = mesh["attention"], mesh["experts"], mesh["expert_domains"]
    spans, domain_size = "", mesh["nvlink_domain"]
    if domains == 1:
        spans = " One expert group lies inside an NVLink domain."
    elif domains is not None:
        said = f"One expert group spans {domains} NVLink domains of {mesh['nvlink_domain']} GPUs."
        spans = f' <span class="bad">{said}</span>'
    virtual = f", {mesh['vpp']} virtual stages each" if mesh["vpp"] > 1 else ""
    stages = f"{a['pp']} pipeline stage{'s' if a['pp'] > 1 else ''} of {mesh['stage_gpus']}{virtual}"
    sizes = (
        f"Attention TP {a['tp']} × CP {a['cp']} × DP {a['dp']}, experts ETP {x['etp']} × EP {x['ep']} × EDP {x['edp']}."
    )
    note = "A cell is a GPU of one stage: d = copy of attention, e and colour = group that holds all experts once; "
    note += "dashed red = border of an NVLink domain"
    used = mesh["used_domain"] != domain_size
    note += f", {mesh['used_domain']} of its {domain_size} GPUs used." if used else "."
    return (
        f"<h2>Meshes<small>{mesh['gpus']} GPUs, {stages}</small></h2><p>{sizes}{spans}</p>{svg.mesh(mesh)}"
        f'<p class="soft">{note}</p>'
    )


def _memory(page: Page) -> str:
    part = page["memory"]
    labels = list(dict.fromkeys(label for s in part["stages"] for label, _ in s["parts_gib"]))
    recompute = part["recompute"]
    if recompute == "selective":
        recompute += f" ({', '.join(part['recompute_modules']) or 'no modules'})"
    b, reserve = part["bytes_per_param"], part["reserve"]
    spare = f'<span class="key">hatched: reserve {reserve["factor"] - 1:.0%} + {reserve["gib"]:.0f} GiB</span>'
    said = f"Bytes a parameter: {b['weight']:g} weight, {b['gradient']:g} gradient, "
    said += f"({b['master']:g} master + {b['moments']:g} moments) / data-parallel size."
    return (
        f"<h2>Memory<small>recompute: {escape(recompute)}</small></h2>{svg.memory(part)}"
        f'<p>{svg.legend(labels)}{spare}</p><p class="soft">{said}</p>'
    )


def _communication(page: Page) -> str:
    part = page["communication"]
    overlap = "on" if part["ep_overlap"] else "off"
    out = [f"<h2>Communication<small>dispatcher {escape(part['dispatcher'])}, EP overlap {overlap}</small></h2>"]
    layer = part.get("layer_forward") or []
    if layer:
        rest = 1 - sum(r["share"] for r in layer)
        compute = {"name": f"compute at {part['layer_share_of_peak']:.0%} of the peak", "ms": part["layer_ms"]}
        out.append('<p class="lead">One layer\'s forward of a microbatch, before overlap:</p>')
        heads = ["MB over NVLink", "MB over the network", "ms", "share of the layer"]
        rows = [
            (r["name"], [f"{r['nvlink_mb']:.0f}", f"{r['nic_mb']:.0f}", f"{r['ms']:.2f}"], r["share"]) for r in layer
        ]
        rows.append((str(compute["name"]), ["", "", f"{compute['ms']:.2f}"], rest))
        out.append(_table("part", heads, [(name, [*cells, f"{share:.0%}"], share) for name, cells, share in rows]))
    steps = part.get("collectives") or []
    if steps:
        out.append('<p class="lead">A step, before overlap:</p>')
        heads = ["runs on", "MB a call", "calls a step", "seconds a step"]
        found: list[tuple[str, list[str], float | None]] = []
        for r in steps:
            link = "NVLink" if r["link"] == "nvlink" else "network"
            cells = [link, f"{r['gb'] * 1e3:,.0f}", f"{r['calls']:,.0f}", f"{r['seconds']:.2f}"]
            found.append((r["name"], cells, None))
        out.append(_table("collective", heads, found))
    if not layer and not steps:
        out.append("<p>No collective of this layout can be timed: one GPU, or the machine's links are not stated.</p>")
    return "".join(out)


def _table(first: str, heads: list[str], rows: list[tuple[str, list[str], float | None]]) -> str:
    """Numbers right, a bar under the last one where a row has a share."""
    numbers = "".join(f'<th class="n">{head}</th>' for head in heads)
    out = [f"<table><tr><th>{first}</th>{numbers}</tr>"]
    for name, cells, share in rows:
        shown = [f'<td class="n">{escape(cell)}</td>' for cell in cells]
        if share is not None:
            bar = f'<div class="bar"><i style="width:{max(0.0, min(1.0, share)):.1%}"></i></div>'
            shown[-1] = f'<td class="n">{escape(cells[-1])}{bar}</td>'
        out.append(f"<tr><td>{escape(name)}</td>{''.join(shown)}</tr>")
    return "".join(out) + "</table>"


def _compute(page: Page) -> str:
    part, host = page["compute"], page["host"]
    graphs = escape(host["graphs"].replace("_", " "))
    title = f"{part['gflop_per_token']:.2f} GFLOP a token, CUDA graphs: {graphs}"
    out = [f"<h2>Compute and host<small>{title}</small></h2>"]
    if "step" in part:
        step = part["step"]
        labels = [label for label, seconds in step["parts_s"].items() if seconds > 0.002 * step["seconds"]]
        out.append(f"{svg.step(step)}<p>{svg.legend(labels)}</p>")
    if "rows_per_expert" in part:
        rows, ridge, said = part["rows_per_expert"], part["ridge_rows"], ""
        if ridge and rows >= ridge:
            said = f", above the ridge of {ridge:.0f}"
        elif ridge:
            said = f', <span class="bad">below the ridge of {ridge:.0f}: bound by reading the weights</span>'
        out.append(f"<p>{part['local_experts']:.0f} local experts see {rows:,.0f} rows each a microbatch{said}.</p>")
        if part["ridge_flop_per_byte"]:
            out.append(svg.roofline(part, str(page["target"].get("gpu", {}).get("value", ""))))
    facts = [] if not part["bubble"] else [f"pipeline bubble {part['bubble']:.1%} of the ideal time"]
    ratio = f" ({host['launch_ratio']:.0%} of the GPU's time)" if host["launch_ratio"] is not None else ""
    launches = f"{host['launch_s']:.2f} s to launch at {host['launch_us']:.0f} µs{ratio}"
    facts.append(f"about {host['kernels']:,.0f} kernels a step, {launches}")
    note = f"The step counts {host['host_us']:.0f} µs a kernel: Python, the framework and waits for token counts."
    said = "; ".join(facts)
    last = f'<p class="soft">{escape(note)}</p>' if "step" in part else ""
    return "".join(out) + f"<p>{escape(said[0].upper() + said[1:])}.</p>{last}"


def _knobs(page: Page) -> str:
    head = "<h2>Try next<small>each computed by changing the config and asking again</small></h2>"
    if not page["knobs"]:
        return head + "<p>None of the knobs that it knows gives more than 2 %.</p>"
    items = []
    for knob in page["knobs"]:
        said = [f"{key}: {show(knob['before'][key])} → {show(value)}" for key, value in changes(knob)]
        settings = ", ".join(f"<code>{escape(one)}</code>" for one in said)
        items.append(f"<li>{settings}<br>{escape(knob['why'])}: {escape(outcome(knob))}</li>")
    return f"{head}<ol>{''.join(items)}</ol>"


def _missing(page: Page) -> str:
    rows = []
    for entry in page["missing"]:
        cells = (f"<code>{escape(entry['key'])}</code>", escape(entry["changes"]), escape(how(entry["key"])))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "<tr><th>input</th><th>what it would change</th><th>how to give it</th></tr>"
    return f"<h2>Not stated</h2><table>{head}{''.join(rows)}</table>"
