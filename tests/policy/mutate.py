"""Rules with something wrong somewhere."""

from __future__ import annotations

import random
from typing import Any


def change(value: Any, rng: random.Random) -> None:
    """Change one thing somewhere in a rule."""
    odd = [None, True, 7, 1.5, "", "x", "Bad Name", [], ["x"], {}, {"x": 1}, [[1]]]
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys or rng.random() < 0.1:
            break
        key = rng.choice(keys)
        inner = value[key]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.6:
            value = inner
            continue
        if rng.random() < 0.3:
            del value[key]
        else:
            value[key] = rng.choice(odd)
        return
    if isinstance(value, dict):
        value["stray"] = rng.choice(odd)
    else:
        value.append(rng.choice(odd))
