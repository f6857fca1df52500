"""The rows of a ``runtime.conf``: what the MoE ModelZoo's launcher puts for ``${TP}`` and the like in a model's file.

    model_configs/benchmarking/DeepSeek-V3.yaml   ←   runtime_configs/benchmarking/runtime.conf:
        # MODEL:        TP PP EP …
        [DeepSeek-V3]=" 1  16 64 …"

The launcher lets the environment win over the row, so the values are assumed. The file is read as text, never run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from moelint.read.inherit import checkout
from moelint.text.files import is_file
from moelint.text.source import Source, TextError

_HEADER = re.compile(r"^[ \t]*#[ \t]*MODEL:[ \t]*(.+)$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\[([^\]\s]+)\]=\"([^\"\n]*)\"", re.MULTILINE)
_NAMES = {
    "LAYERS": "NUM_LAYERS",
    "DISPATCHER": "MOE_TOKEN_DISPATCHER",
    "GROUPED_GEMM": "MOE_GROUPED_GEMM",
    "SLEN": "SEQ_LEN",
}


def variables(path: str, read: Callable[[str], Source] | None) -> dict[str, tuple[str, str]]:
    """Variable → (value, why it is only assumed) for a model's file; empty if no such row is in the checkout."""
    parts = os.path.realpath(path).split(os.sep)
    if read is None or "model_configs" not in parts:
        return {}
    at = len(parts) - 1 - parts[::-1].index("model_configs")
    conf = os.sep.join([*parts[:at], "runtime_configs", *parts[at + 1 : -1], "runtime.conf"])
    if not conf.startswith(checkout(path) + os.sep) or not is_file(conf, read):
        return {}
    try:
        text = read(conf).text
    except (OSError, TextError):
        return {}
    header = _HEADER.search(text)
    row = dict(_ROW.findall(text)).get(os.path.splitext(parts[-1])[0])
    if header is None or row is None:
        return {}
    names = header[1].replace("[", " ").replace("]", " ").split()
    found = {_NAMES.get(name, name): value for name, value in zip(names, row.split(), strict=False)}
    _derive(found)
    why = f"{parts[-1]} has its row in runtime.conf, which the environment may override"
    return {name: (value, why) for name, value in found.items()}


def _derive(found: dict[str, str]) -> None:
    """What the launcher computes from a row: layers of a virtual stage, uneven first and last stages."""
    try:
        layers, stages, virtual = (int(found[name]) for name in ("NUM_LAYERS", "PP", "VPP"))
    except (KeyError, ValueError):
        return
    found["LAYERS_PER_VP"] = str(layers // stages // virtual) if virtual > 1 and stages else "false"
    if stages and layers % stages == 0:
        found["PP_FIRST"] = found["PP_LAST"] = "false"
