"""The GPUs of one pipeline stage over nodes and NVLink domains, drawn with letters."""

from __future__ import annotations

from moelint.typed import Any

Page = dict[str, Any]


def drawing(mesh: Page, width: int, limit: int = 6) -> list[str]:
    """A cell a GPU with its copy of attention and its expert group, a bar between nodes, a double one between NVLink
    domains; at most ``limit`` rows of at most ``width`` columns."""
    node, stage = mesh["gpus_per_node"], mesh["stage_gpus"]
    a, x = mesh["attention"], mesh["experts"]
    inner, group = a["tp"] * a["cp"], x["ep"] * x["etp"]
    domain = mesh["used_domain"] or node
    letters = 1 if stage // max(1, inner) <= 26 else 2
    cell = letters + 2
    head = len("    node 000")
    nodes_a_row = max(1, min(16 // node or 1, (width - head - 1) // (node * cell + 2)))
    per_row = node * nodes_a_row
    rows = []
    for start in range(0, min(stage, per_row * limit), per_row):
        drawn = []
        for first in range(start, min(start + per_row, stage), node):
            cells = " ".join(
                f"{_letters(r // inner, letters)}{_letters(r // group, 1).upper()}"
                for r in range(first, min(first + node, stage))
            )
            drawn.append(("║" if first % domain == 0 and first else "│") + f" {cells} ")
        rows.append(f"    node {start // node:<3}{''.join(drawn)}│")
    borders = stage > domain
    more = -(-stage // node) - len(rows) * nodes_a_row
    if more > 0:
        rows.append(f"    … {more} more nodes in this stage")
    if a["pp"] > 1:
        rest = "the stage after it" if a["pp"] == 2 else f"each of the {a['pp'] - 1} stages after it"
        rows.append(f"    and so on the next {mesh['stage_gpus']} GPUs for {rest}")
    rows.append("    small: which copy of attention (TP × CP); capital: which copy of all experts (EP × ETP)")
    domains = "  ║ border of an NVLink domain" if borders else ", all in one NVLink domain"
    if borders and mesh["used_domain"] != mesh["nvlink_domain"]:
        domains += f", {mesh['used_domain']} of its {mesh['nvlink_domain']} GPUs used"
    rows.append("    │ border of a node" + (domains if mesh["nvlink_domain"] else ""))
    return rows


def _letters(number: int, count: int) -> str:
    if count == 1:
        return chr(ord("a") + number % 26)
    return chr(ord("a") + number // 26 % 26) + chr(ord("a") + number % 26)
