"""Two configs after defaults and rewrites: what differs, what is under test, what breaks comparability."""

from __future__ import annotations

from moelint.comparing.contract import Contract
from moelint.comparing.sides import Side
from moelint.findings.anchor import plain
from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN
from moelint.trainer.change import changed
from moelint.typed import Any

# figure → (what it is, unit, digits)
WALLS: dict[str, tuple[str, str, int]] = {
    "memory.total_gib": ("memory, fullest stage", "GiB", 1),
    "memory.high_gib": ("memory, upper end", "GiB", 1),
    "memory.static_gib": ("weights, gradients, optimizer", "GiB", 1),
    "memory.activation_gib": ("activations", "GiB", 1),
    "memory.hbm_gib": ("memory of the GPU", "GiB", 1),
    "communication.ep_ranks": ("GPUs of an expert group", "", 0),
    "communication.ep_ms_per_layer": ("dispatch and combine a layer", "ms", 2),
    "communication.ep_share": ("share of the layer's forward", "", 2),
    "communication.dp_s": ("gradients and parameters a step", "s", 3),
    "compute.rows_per_expert": ("rows of an expert's GEMM", "", 0),
    "compute.bubble": ("pipeline bubble", "", 3),
    "host.launch_ratio": ("launch time over GPU time", "", 2),
}


def compare(a: Side, b: Side) -> dict[str, Any]:
    """The comparison as plain data; see schemas/compare.schema.json."""
    contract = Contract()
    rows = [*_targets(a, b), *_settings(a, b)]
    for row in rows:
        row["section"], row["kind"] = contract.section(row["key"]), contract.kind(row["key"])
    causes = [row for row in rows if row["cause"]]
    breaks = _breaks(rows, contract, a, b)
    variables: list[str] = []
    for section in contract.sections:
        if any(row["section"] == section and row["kind"] == "variable" for row in causes):
            variables.append(section)
    order = {section: at for at, section in enumerate(contract.sections)}
    rows.sort(key=lambda row: (order[row["section"]], not row["cause"], row["key"]))
    comparable = not breaks and len(variables) <= 1
    return {
        "version": 1,
        "a": _about(a),
        "b": _about(b),
        "comparable": comparable,
        "variable": variables[0] if comparable and variables else None,
        "variables": variables,
        "breaks": breaks,
        "notes": _notes(a, b, causes, variables),
        "differences": rows,
        "walls": _walls(a, b),
    }


def _about(side: Side) -> dict[str, Any]:
    config = side.config
    stated = side.effective.target.stated()
    return {
        "name": side.label,
        "config": config.name,
        "dialect": config.dialect,
        "trainer": config.trainer,
        "completeness": config.completeness,
        "target": plain_target(stated),
    }


def plain_target(stated: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {name: {"value": plain(entry["value"]), "from": entry["from"]} for name, entry in stated.items()}


def _targets(a: Side, b: Side) -> list[dict[str, Any]]:
    """What the two are judged for: machine and software. What is only assumed on one side is no difference."""
    out = []
    one, two = a.effective.target.values, b.effective.target.values
    for name in sorted({*one, *two}):
        left, right = one.get(name), two.get(name)
        values = [UNKNOWN if held is None else held.value for held in (left, right)]
        if equal(*values) is True:
            continue
        stated = [held is not None and held.origin != "assumed" for held in (left, right)]
        if not any(stated):
            continue
        shown = [None if held is None else held.shown() for held in (left, right)]
        origins = ["unknown" if held is None else held.origin for held in (left, right)]
        out.append(_row(f"target.{name}", shown, origins, all(stated), UNKNOWN in values))
    if a.config.trainer != b.config.trainer:
        out.append(_row("target.trainer", [a.config.trainer, b.config.trainer], ["file", "file"], True, False))
    return out


def _settings(a: Side, b: Side) -> list[dict[str, Any]]:
    one, two = a.effective.scope(), b.effective.scope()
    out = []
    for key in sorted(_keys(a, b)):
        left, right = one.get(key), two.get(key)
        same = equal(left, right)
        cause = changed(b.effective, a.effective, key)
        if same is True or (same is UNKNOWN and cause is False):
            continue
        unknown = left is UNKNOWN or right is UNKNOWN
        if unknown and cause is not True and not (key in a.config.written and key in b.config.written):
            continue  # nobody states it on either side
        origins = [side.effective.scope().origin(key)[0] for side in (a, b)]
        out.append(_row(key, [plain(left), plain(right)], origins, cause is not False, unknown))
    return out


def _row(key: str, values: list[Any], origins: list[str], cause: bool, unknown: bool) -> dict[str, Any]:
    return {
        "key": key,
        "a": {"value": values[0], "origin": origins[0]},
        "b": {"value": values[1], "origin": origins[1]},
        "cause": cause,
        "unknown": unknown,
    }


def _keys(a: Side, b: Side) -> set[str]:
    """Every setting in which the two can differ: written, rewritten, or of a default that differs by release."""
    found: set[str] = set()
    for side in (a, b):
        found |= side.config.written.keys() | side.effective.rewrites.by_key.keys()
    if a.effective.table is not b.effective.table:
        one, two = a.effective.table.defaults, b.effective.table.defaults
        found |= {key for key in one.keys() & two.keys() if equal(one[key], two[key]) is not True}
    return {key for key in found if not key.endswith(("._target_", "._recipe"))}


def _breaks(rows: list[dict[str, Any]], contract: Contract, a: Side, b: Side) -> list[str]:
    """Why figures of the two may not be compared at all."""
    out = []
    for section in contract.sections:
        keys = [
            row["key"]
            for row in rows
            if row["section"] == section
            and row["kind"] == "fixed"
            and not (row["unknown"] and not row["cause"])
            and (row["cause"] or contract.explicit(row["key"]))  # what follows counts where the contract names it
        ]
        if keys:
            out.append(f"{section}: {_some(keys)}")
    for letter, side in (("A", a), ("B", b)):
        for rule, message in side.errors[:3]:
            out.append(f"{letter} does not run: {rule} {message}")
    return out


def _some(keys: list[str]) -> str:
    shown = ", ".join(keys[:5])
    return shown if len(keys) <= 5 else f"{shown} and {len(keys) - 5} more"


def _notes(a: Side, b: Side, causes: list[dict[str, Any]], variables: list[str]) -> list[str]:
    out = []
    if len(variables) > 1:
        out.append(f"{len(variables)} sections differ: measure {' → '.join(variables)} one step at a time")
    overlap = [row["key"].rpartition(".")[2] for row in causes if row["section"] == "overlap"]
    if "delay_wgrad_compute" in overlap and "overlap_moe_expert_parallel_comm" in overlap:
        out.append("plain EP overlap and delayed wgrad differ together: measure plain overlap in between")
    for letter, side in (("A", a), ("B", b)):
        if side.config.completeness == "fragment":
            out.append(f"{letter} is a fragment: what it leaves to others is not compared")
        if "gpus" not in side.effective.target.values:
            out.append(f"{letter} does not say how many GPUs it runs on (--gpus, or # moelint: gpus=…)")
    return out


def _walls(a: Side, b: Side) -> list[dict[str, Any]]:
    one, two = a.effective.scope(), b.effective.scope()
    out = []
    for name, (what, unit, digits) in WALLS.items():
        left, right = (scope.get(f"walls.{name}") for scope in (one, two))
        values = [None if value in (UNKNOWN, None) else float(value) for value in (left, right)]
        if values == [None, None]:
            continue
        change = None if None in values else values[1] - values[0]  # type: ignore[operator]
        out.append(
            {
                "figure": name,
                "what": what,
                "unit": unit,
                "digits": digits,
                "a": values[0],
                "b": values[1],
                "change": change,
            }
        )
    return out
