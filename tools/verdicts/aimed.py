"""Makes cases that aim at single constraints of the trainers (aims.yaml), each beside a case without the mistake's
settings that the trainer should accept.

    PYTHONPATH=src:tools python -m verdicts.aimed > CASES.jsonl
"""

from __future__ import annotations

import json
import os
from typing import Any

import yaml

from moelint.policy.examples import flat
from verdicts.bases import case


def aims() -> list[dict[str, Any]]:
    with open(os.path.join(os.path.dirname(__file__), "aims.yaml"), encoding="utf-8") as file:
        return list(yaml.safe_load(file))


def main() -> None:
    for number, entry in enumerate(aims(), 1):
        layer, _, version = entry["layer"].partition("@")
        settings = {k: v for k, v in entry.items() if k not in ("aim", "layer", "dense")}
        values, target = flat(settings)
        name = f"aim-{entry['aim']}-{number}"
        made = case(name, layer, version or "main", values, target, moe=not entry.get("dense"))
        if made is None:
            raise SystemExit(f"{name}: the layer {layer} has no words for one of {sorted(values)}")
        print(json.dumps({**made, "aimed": entry["aim"]}))


if __name__ == "__main__":
    main()
