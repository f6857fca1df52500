"""The published performance rows with their layouts, and the machines that they ran on."""

from __future__ import annotations

import glob
import json
import os
from typing import Any, NamedTuple

import yaml

from moelint.data import folder
from moelint.walls.model import Layout, Machine, Shape

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "walls")


class Row(NamedTuple):
    """One published row: ``tokens_s_gpu`` and ``tflops`` per GPU as measured."""

    container: str
    model: str
    gpu: str
    precision: str
    tokens_s_gpu: float
    tflops: float
    gflop_per_token: float | None
    shape: Shape
    layout: Layout

    @property
    def old(self) -> bool:
        """Of a container up to 26.04: the rows that the constants were fitted on."""
        return self.container.split(" ")[0] <= "26.04.01"


def read(name: str) -> Any:
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return json.load(file)


def shape_of(data: dict[str, Any]) -> Shape:
    """A shape from run-length layers and the fields that differ from the defaults."""
    layers = tuple((mixer, kind) for mixer, kind, count in data["layers"] for _ in range(count))
    return Shape(**{**data, "layers": layers})


def layout_of(data: dict[str, Any]) -> Layout:
    known = dict(data)
    for name in ("recompute_modules", "offload_modules"):
        if name in known:
            known[name] = frozenset(known[name])
    for name in ("chunks", "mtp_ranks"):
        if known.get(name) is not None:
            known[name] = tuple(tuple(c) if isinstance(c, list) else c for c in known[name])
    return Layout(**known)


def rows() -> list[Row]:
    data = read("published.json")
    shapes = {name: shape_of(shape) for name, shape in data["shapes"].items()}
    return [
        Row(
            r["container"],
            r["model"],
            r["gpu"],
            r["precision"],
            r["tokens_s_gpu"],
            r["tflops"],
            r.get("gflop_per_token"),
            shapes[r["model"]],
            layout_of(r["layout"]),
        )
        for r in data["rows"]
    ]


def measured() -> list[Row]:
    """Profiled jobs whose every setting is known; tokens/s from their step times."""
    shape = shape_of(read("published.json")["shapes"]["Qwen3_30B_a3B"])
    found = []
    for row in read("measured.json")["rows"]:
        layout = Layout(
            world=16, ep=16, global_batch=1024, grad_bytes=2.0, dispatcher=row["dispatcher"], ep_overlap=row["ep_overlap"],
            graphs=row["graphs"],
        )
        tokens = 1024 * 4096 / 16 / row["step_s"]
        found.append(Row("measured", "Qwen3_30B_a3B", "H100", "BF16", tokens, 0.0, None, shape, layout))
    return found


def machines() -> dict[str, Machine]:
    """Machines of the shipped profiles, by name."""
    found: dict[str, Machine] = {}
    for path in sorted(glob.glob(os.path.join(folder("policies"), "hardware", "profiles", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            profile = yaml.safe_load(file)
        facts = profile["facts"]
        number = {name: facts.get(name) or 0 for name in facts}
        found[profile["name"]] = Machine(
            name=profile["name"],
            sm_arch=number.get("sm_arch", 0),
            hbm_usable_gib=number.get("hbm_usable_gib", 0),
            hbm_tbs=number.get("hbm_tbs", 0),
            bf16_tflops=number.get("bf16_tflops", 0),
            fp8_tflops=number.get("fp8_tflops", 0),
            fp4_tflops=number.get("fp4_tflops", 0),
            nvlink_gbs=number.get("nvlink_gbs_unidir", 0),
            nvlink_domain=number.get("nvlink_domain", 0),
            nic_gbs=number.get("nic_gbs", 0),
        )
    return found
