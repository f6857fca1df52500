"""The page of ``moelint walls`` as text, as wide as the terminal. Sees the page's plain data only."""

from __future__ import annotations

from collections.abc import Iterable

from moelint.report.paint import Paint
from moelint.report.walls_compare import compared
from moelint.report.walls_mesh import drawing
from moelint.report.width import wrap
from moelint.typed import Any
from moelint.words import plural

Page = dict[str, Any]
WIDTH = 100  # where the output is no terminal
_NARROWEST, _WIDEST = 72, 140
_LINKS = (("nvlink_mb", "NVLink"), ("nic_mb", "network"))
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


class Look:
    """How a page is drawn: colour, and columns of the terminal."""

    __slots__ = ("paint", "width")

    def __init__(self, color: bool, width: int) -> None:
        self.paint = Paint(color)
        self.width = max(_NARROWEST, min(_WIDEST, width))

    def lines(self, text: str, indent: str = "  ") -> list[str]:
        """An indented text in lines that fit."""
        return (indent + wrap(text, self.width, indent)).split("\n")


def text(pages: list[Page], beside: bool, color: bool, unicode: bool, width: int = WIDTH) -> str:
    """All pages one after the other; with ``beside`` and two of them also a table that compares them."""
    look = Look(color, width)
    blocks = [_page(page, look) for page in pages]
    if beside and len(pages) == 2:
        blocks.insert(0, _beside(pages[0], pages[1], look))
    out = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    if not unicode:
        for sign, plain in _PLAIN.items():
            out = out.replace(sign, plain)
        out = out.encode("ascii", "replace").decode()
    return out


def _page(page: Page, look: Look) -> list[str]:
    paint = look.paint
    lines = [paint.bold(f"{page['config']}") + f"  {page['path']}:{page['line']}", *look.lines(_target(page), "")]
    if page["problem"]:
        return [*lines, "", *look.lines(f"These sizes fit no machine: {page['problem']}.", "")]
    if "memory" not in page:
        return [*lines, "", *_missing(page, look)]
    lines += [*(line for part in _model(page["model"]) for line in look.lines(part, "")), ""]
    if page["walls"]:
        lines += [*_first(page["walls"], look), ""]
    for part in (_mesh, _memory, _communication, _compute, _host, _knobs):
        lines += [*part(page, look), ""]
    if page["missing"]:
        lines += [*_missing(page, look), ""]
    if page["assumptions"]:
        lines += [paint.bold("ASSUMED"), *(line for a in page["assumptions"] for line in look.lines(a)), ""]
    said = "Estimates, not measurements: docs/walls.md has the formulas, the bands and what they were checked on."
    lines += [paint.dim(line) for line in look.lines(said, "")]
    return lines


def _first(walls: list[Page], look: Look) -> list[str]:
    first, *others = walls
    word = f", the job {first['verdict']}" if first["blocks"] else ""
    head, *rest = look.lines(f"The {first['wall']} wall stands first{word}: {first['why']}.", "")
    title, colon, why = head.partition(":")
    out = [look.paint.severity("error" if first["blocks"] else "warning", title) + colon + why, *rest]
    for wall in others:
        out += look.lines(f"{wall['wall']}: {wall['why']}")
    return out


def _target(page: Page) -> str:
    shown = [f"{key} {entry['value']}" for key, entry in page["target"].items()]
    return "for " + ", ".join(shown) if shown else "for no stated machine"


def _model(model: Page) -> list[str]:
    kinds = " + ".join(f"{n} {_kind(m, k)}" for m, k, n in model["kinds"])
    head = f"{model['params_b']:.1f} B parameters, {model['active_params_b']:.1f} B active · {kinds}"
    if model["experts"]:
        head += f" · {model['experts']} experts, top-{model['topk']}"
    batch = f"global batch {model['global_batch']:,}" if model["global_batch"] else "global batch not stated"
    return [
        head,
        f"{model['precision'].upper()} · sequence {model['seq']:,} tokens · micro batch {model['micro_batch']} · "
        f"{batch}, {model['microbatches']} microbatches a step",
    ]


def _kind(mixer: str, kind: str) -> str:
    names = {"gqa": "attention", "mla": "latent attention", "gdn": "delta net", "mamba": "Mamba", "": ""}
    return "/".join(part for part in (names[mixer], {"moe": "MoE", "dense": "dense", "": ""}[kind]) if part)


def _mesh(page: Page, look: Look) -> list[str]:
    mesh = page["mesh"]
    a, x = mesh["attention"], mesh["experts"]
    title = f"{plural(mesh['gpus'], 'GPU')}, PP {a['pp']} × {plural(mesh['stage_gpus'], 'GPU')} a stage"
    virtual = f", {mesh['vpp']} virtual stages" if mesh["vpp"] > 1 else ""
    return [
        f"{look.paint.bold('MESHES')}  {title}{virtual}",
        f"  attention  TP {a['tp']} × CP {a['cp']} × DP {a['dp']}",
        *look.lines(f"experts    ETP {x['etp']} × EP {x['ep']} × EDP {x['edp']}{_spans(mesh)}"),
        *(line for row in drawing(mesh, look.width) for line in look.lines(row.strip(), "    ")),
    ]


def _spans(mesh: Page) -> str:
    domains = mesh["expert_domains"]
    if domains is None:
        return ""
    return (
        "   one expert group inside an NVLink domain"
        if domains == 1
        else f"   one expert group spans {domains} NVLink domains of {mesh['nvlink_domain']}"
    )


def _memory(page: Page, look: Look) -> list[str]:
    memory, paint = page["memory"], look.paint
    hbm = memory["hbm_gib"]
    top = max([s["high_gib"] for s in memory["stages"]] + ([hbm] if hbm else []))
    limit = f" of {hbm:.1f} GiB" if hbm else " GiB (GPU not stated)"
    worst = next(s for s in memory["stages"] if s["rank"] == memory["worst_stage"])
    recompute = memory["recompute"]
    if recompute == "selective":
        recompute += f" ({', '.join(memory['recompute_modules']) or 'no modules'})"
    size = f"{worst['total_gib']:.1f} to {worst['high_gib']:.1f}{limit}"
    head, *rest = look.lines(f"MEMORY  fullest stage {worst['rank']}: {size} · recompute: {recompute}", "")
    out = [paint.bold("MEMORY") + head[len("MEMORY") :], *rest]
    shown, hidden = _pick(memory["stages"], memory["worst_stage"])
    held = [_held(stage) for stage in shown]
    cells = look.width - 11 - 19 - max(map(len, held))
    for stage, what in zip(shown, held, strict=True):
        bar = _bar(stage, top, hbm, max(20, min(60, cells)))
        mark = paint.severity("error", "!") if hbm and stage["high_gib"] > hbm else " "
        out.append(f"  stage {stage['rank']:<3}{bar}{mark}{stage['total_gib']:6.1f} – {stage['high_gib']:<7.1f}{what}")
    if hidden:
        out.append(f"  … {hidden} more stages between these")
    parts = ", ".join(f"{label} {size:.1f}" for label, size in sorted(worst["parts_gib"], key=lambda p: -p[1]))
    factor, extra = memory["reserve"]["factor"], memory["reserve"]["gib"]
    out += look.lines(f"stage {worst['rank']}, GiB: {parts}")
    key = f"█ weights ▓ gradients ▒ optimizer ░ activations · reserve of {factor - 1:.0%} and {extra:.0f} GiB"
    return [*out, *look.lines(key + ("  │ the GPU's memory" if hbm else ""))]


def _held(stage: Page) -> str:
    held = f"{stage['layers']} layers" + (" +emb" if stage["embedding"] else "") + (" +head" if stage["head"] else "")
    return held + (f" +{stage['mtp']} MTP" if stage["mtp"] else "")


def _pick(stages: list[Page], worst: int, limit: int = 8) -> tuple[list[Page], int]:
    if len(stages) <= limit:
        return stages, 0
    keep = {0, 1, 2, worst, len(stages) - 2, len(stages) - 1}
    shown = [s for s in stages if s["rank"] in keep]
    return shown, len(stages) - len(shown)


def _bar(stage: Page, top: float, hbm: float | None, wide: int) -> str:
    cells = [" "] * (wide + 1)
    at = 0.0
    for label, size in stage["parts_gib"]:
        for n in range(round(at / top * wide), round((at + size) / top * wide)):
            cells[n] = _MARKS[label]
        at += size
    for n in range(round(at / top * wide), round(stage["high_gib"] / top * wide)):
        cells[n] = "·"
    if hbm:
        cells[round(hbm / top * wide)] = "│"
    return "".join(cells)


def _communication(page: Page, look: Look) -> list[str]:
    comm = page["communication"]
    overlap = "on" if comm["ep_overlap"] else "off"
    out = [look.paint.bold("COMMUNICATION") + f"  dispatcher {comm['dispatcher']}, EP overlap {overlap}"]
    rows = comm.get("layer_forward", ())
    if rows:
        out.append("  of one layer's forward, a microbatch, before overlap:")
    for row in rows:
        sent = [f"{row[key]:.0f} MB {where}" for key, where in _LINKS if row[key] >= 0.5]
        out.append(f"    {row['name']:<30}{row['ms']:7.2f} ms {row['share']:4.0%}  {' + '.join(sent)}")
    if rows:
        rest = 1 - sum(row["share"] for row in rows)
        name = f"compute at {comm['layer_share_of_peak']:.0%} of the peak"
        out.append(f"    {name:<30}{comm['layer_ms']:7.2f} ms {rest:4.0%}")
    elif comm["ep_ranks"] > 1 and "nvlink_gb" in comm:
        whole = f"{comm['nvlink_gb'] * 1e3:.0f} MB over NVLink, {comm['nic_gb'] * 1e3:.0f} MB over the network"
        out += look.lines(f"dispatch or combine, a layer and microbatch: {whole} a GPU")
    elif "collectives" not in comm:
        out.append("  where it runs and how long it takes hangs on the GPU, which is not stated")
    if comm.get("collectives"):
        out.append("  of a step, before overlap:")
    for row in comm.get("collectives", ()):
        where = "NVLink" if row["link"] == "nvlink" else "network"
        out.append(f"    {row['name']:<30}{row['seconds']:7.2f} s   {row['calls']:,.0f} × {_size(row['gb'])}, {where}")
    return out


def _size(gb: float) -> str:
    return f"{gb:.1f} GB" if gb >= 1 else f"{gb * 1e3:.0f} MB"


def _compute(page: Page, look: Look) -> list[str]:
    part = page["compute"]
    out = [look.paint.bold("COMPUTE") + f"  {part['gflop_per_token']:.2f} GFLOP a token"]
    ridge = part["ridge_rows"]
    if "rows_per_expert" in part:
        at = f", ridge at {ridge:.0f} rows" if ridge else ""
        out.append(f"  {part['local_experts']:.0f} experts a GPU, each with two GEMMs (rows × K × N{at}):")
        for gemm in part["expert_gemms"]:
            verdict = ""
            if ridge:
                word = "above" if gemm["rows"] >= ridge else look.paint.severity("warning", "BELOW")
                verdict = f"  {_rows(gemm['rows'], ridge)} {word} the ridge"
            shape = f"{gemm['rows']:,.0f} × {gemm['k']:,} × {gemm['n']:,}"
            out.append(f"    {shape:<24}{gemm['flop_per_byte']:5,.0f} FLOP/byte{verdict}")
    if part["bubble"]:
        out.append(f"  pipeline bubble: {part['bubble']:.1%} of the ideal time")
    if "step" in part:
        step = part["step"]
        out += look.lines(
            f"step {step['low_s']:.2f} to {step['high_s']:.2f} s · "
            f"{step['tflops_low']:.0f} to {step['tflops_high']:.0f} "
            f"TFLOPS a GPU ({step['tflops'] / step['peak_tflops']:.0%} of peak at the middle) · "
            f"{step['tokens_per_gpu_s']:,.0f} tokens/s a GPU at the middle"
        )
        total = step["seconds"]
        out += [
            f"    {label:<30}{seconds:7.2f} s  {_meter(seconds / total)}"
            for label, seconds in step["parts_s"].items()
            if seconds > 0.002 * total
        ]
    return out


def _rows(rows: float, ridge: float) -> str:
    """A ruler of 16 cells to four times the ridge: filled up to the rows, the ridge marked."""
    filled = min(16, round(4 * rows / ridge))
    return "".join("│" if n == 4 else "█" if n < filled else "·" for n in range(16))


def _meter(share: float) -> str:
    return "█" * round(share * 24) + f" {share:.0%}"


def _host(page: Page, look: Look) -> list[str]:
    part = page["host"]
    line = f"about {part['kernels']:,.0f} kernels a step; launches alone take {part['launch_s']:.2f} s "
    line += f"at {part['launch_us']:.0f} µs each"
    if part["launch_ratio"] is not None:
        line += f", {part['launch_ratio']:.0%} of the GPU's time"
    line += "."
    if "step" in page["compute"]:
        line += f" The step above counts {part['host_us']:.0f} µs: Python, the framework and waits for token counts."
    return [f"{look.paint.bold('HOST')}  CUDA graphs: {part['graphs'].replace('_', ' ')}", *look.lines(line)]


def _knobs(page: Page, look: Look) -> list[str]:
    out = [look.paint.bold("TRY NEXT") + "  each computed by changing the config and asking again"]
    for number, knob in enumerate(page["knobs"], 1):
        said = ", ".join(_change(key, knob["before"][key], value) for key, value in changes(knob))
        first, *rest = look.lines(said, "     ")
        out += [f"  {number}. {first[5:]}", *rest, *look.lines(f"{knob['why']}: {outcome(knob)}", "     ")]
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
    said = "memory unchanged"
    if abs(high[1] - high[0]) >= 0.05:
        said = f"memory up to {high[0]:.1f} → {high[1]:.1f} GiB"
    if "step_s" not in knob:
        return said
    before, after = knob["step_s"]
    gain = before / after - 1
    if abs(gain) < 0.005:
        return f"step about {after:.2f} s as before, {said}"
    return f"step {before:.2f} → {after:.2f} s ({gain:+.0%} tokens/s), {said}"


def _missing(page: Page, look: Look) -> list[str]:
    out = [look.paint.bold("NOT STATED")]
    for entry in page["missing"]:
        out += look.lines(f"{entry['key']} would decide {entry['changes']}: {how(entry['key'])}")
    return out


def how(key: str) -> str:
    """How to give an input."""
    if key.startswith("target."):
        name = key[len("target.") :].replace("_", "-")
        return f'--target {name}=…, or "# moelint: {name}=…"'
    return f"write {key}, name the model, or --base RECIPE"


def _end(text: str, room: int) -> str:
    """The end of a text that is too long: what tells two paths apart."""
    return text if len(text) <= room else "…" + text[-(room - 1) :]


def _beside(left: Page, right: Page, look: Look) -> list[str]:
    rows = compared(left, right)
    wide = max(len(row[0]) for row in rows) + 2
    column = min((look.width - wide - 2) // 2, max(len(row[1]) for row in rows) + 3)
    out = [look.paint.bold("SIDE BY SIDE")]
    for label, a, b in rows:
        line = f"  {label:<{wide}}{_end(a, column - 2):<{column}}{_end(b, look.width - wide - column - 2)}"
        out.append(line if a == b or label in ("file", "config") else look.paint.note(line))
    return out
