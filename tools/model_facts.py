"""Makes trainers/models.json: what Megatron Bridge's providers hold for each Hugging Face model id.

Input: a JSON object {model id: {"_provider": class name, field: value, …}}, dumped in a Bridge checkout from
``AutoBridge.from_hf_pretrained(id).to_megatron_provider(load_weights=False)``. Output: the commonest value of each
field once, and for each model only the fields where it differs, so that the table stays small.

    python tools/model_facts.py base_models.json > trainers/models.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any


def compact(models: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """{"fields": {field: commonest value}, "models": {id: {field: differing value}}}; a field that a model's provider
    does not have is listed under "_absent"."""
    counts: dict[str, Counter[str]] = {}
    for fields in models.values():
        for name, value in fields.items():
            counts.setdefault(name, Counter())[json.dumps(value, sort_keys=True)] += 1
    common = {name: json.loads(counter.most_common(1)[0][0]) for name, counter in sorted(counts.items())}
    out: dict[str, Any] = {}
    for model, fields in sorted(models.items()):
        own = {
            name: value
            for name, value in sorted(fields.items())
            if value != common[name] or type(value) is not type(common[name])
        }
        absent = sorted(name for name in common if name not in fields)
        out[model] = own | ({"_absent": absent} if absent else {})
    return {"fields": common, "models": out}


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as stream:
        table = compact(json.load(stream))
    rows = ",\n".join(f"  {json.dumps(model)}: {json.dumps(own)}" for model, own in table["models"].items())
    print(f'{{"fields": {json.dumps(table["fields"])},\n"models": {{\n{rows}\n}}}}')


if __name__ == "__main__":
    main()
