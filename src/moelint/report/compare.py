"""A comparison of two configs as text and as Markdown. Sees plain data only."""

from __future__ import annotations

from moelint.report import escape
from moelint.report.markdown import cell
from moelint.report.paint import Paint
from moelint.typed import Any

_KEPT = 60  # characters of one value


def text(found: dict[str, Any], color: bool) -> str:
    paint = Paint(color)
    a, b = found["a"], found["b"]
    out = [f"A  {_side(a)}", f"B  {_side(b)}", ""]
    head = escape.line(verdict(found))
    out.append(paint.ok(head) if found["comparable"] else paint.severity("error", head))
    out += [f"  breaks: {escape.line(line)}" for line in found["breaks"]]
    out += [f"  note: {escape.line(line)}" for line in found["notes"]]
    rows = found["differences"]
    wide = max((len(row["key"]) for row in rows), default=0)
    section = None
    for row in rows:
        if row["section"] != section:
            section = row["section"]
            out += ["", paint.bold(section) + paint.dim(f"  ({row['kind']})")]
        tail = "" if row["cause"] else paint.dim("  follows")
        values = f"{value(row['a'])} → {value(row['b'])}"
        out.append(f"  {escape.line(row['key']):<{wide}}  {escape.line(values)}{tail}")
    if found["walls"]:
        out += ["", f"{paint.bold('walls')} (estimates)"]
        for wall in found["walls"]:
            figures = f"{_number(wall, 'a'):>10} {_number(wall, 'b'):>10} {_change(wall):>11}"
            out.append(f"  {wall['what']:<32} {figures}  {wall['unit']}".rstrip())
    return "\n".join(out) + "\n"


def markdown(found: dict[str, Any]) -> str:
    a, b = found["a"], found["b"]
    mark = "🟢" if found["comparable"] else "🔴"
    out = [f"### {mark} {cell(verdict(found))}", "", f"A: {cell(_side(a))}<br>B: {cell(_side(b))}", ""]
    out += [f"- **breaks** {cell(line)}" for line in found["breaks"]]
    out += [f"- {cell(line)}" for line in found["notes"]]
    causes = [row for row in found["differences"] if row["cause"]]
    follows = [row for row in found["differences"] if not row["cause"]]
    if causes:
        out += ["", *_table(causes)]
    if found["walls"]:
        out += ["", "| Estimate | A | B | Change |", "|-|-:|-:|-:|"]
        for wall in found["walls"]:
            unit = f" {wall['unit']}" if wall["unit"] else ""
            out.append(
                f"| {cell(wall['what'])}{unit} | {_number(wall, 'a')} | {_number(wall, 'b')} | {_change(wall)} |"
            )
    if follows:
        summary = f"<details><summary>{len(follows)} settings follow from these</summary>"
        out += ["", summary, "", *_table(follows), "", "</details>"]
    return "\n".join(out) + "\n"


def verdict(found: dict[str, Any]) -> str:
    """The one sentence that a reviewer reads."""
    if found["variable"]:
        return f"A matched A/B: the one variable is {found['variable']}."
    if found["comparable"]:
        return "The two train the same thing in the same way: nothing is under test."
    if found["breaks"]:
        return "Not a matched A/B: figures of the two cannot be compared."
    return f"Not a matched A/B: {len(found['variables'])} variables differ ({', '.join(found['variables'])})."


def value(side: dict[str, Any]) -> str:
    held = side["value"]
    if side["origin"] == "unknown" and held is None:
        return "unknown"
    shown = _shown(held)
    return shown if len(shown) <= _KEPT else shown[: _KEPT - 1] + "…"


def _shown(held: Any) -> str:
    if isinstance(held, (list, tuple)):
        return f"[{', '.join(_shown(item) for item in held)}]"
    return "null" if held is None else str(held).lower() if isinstance(held, bool) else str(held)


def _side(side: dict[str, Any]) -> str:
    config = "" if side["config"] in ("config", side["name"]) else f" {side['config']}"
    target = {name: entry["value"] for name, entry in side["target"].items()}
    shown = [
        f"{name} {target[name]}" for name in ("gpu", "gpus", "megatron-core", "megatron-bridge") if target.get(name)
    ]
    return escape.line(f"{side['name']}{config} ({', '.join([side['dialect'], side['completeness'], *shown])})")


def _table(rows: list[dict[str, Any]]) -> list[str]:
    out = ["| Section | Setting | A | B |", "|-|-|-|-|"]
    for row in rows:
        out.append(
            f"| {cell(row['section'])} | {cell(row['key'])} | {cell(value(row['a']))} | {cell(value(row['b']))} |"
        )
    return out


def _number(wall: dict[str, Any], side: str) -> str:
    return "unknown" if wall[side] is None else f"{wall[side]:.{wall['digits']}f}"


def _change(wall: dict[str, Any]) -> str:
    return "" if wall["change"] is None else f"{wall['change']:+.{wall['digits']}f}"
