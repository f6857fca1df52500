"""Which cases a config can trigger: the watch index."""

from __future__ import annotations

from typing import Any

from moelint.policy.load import Packs


def candidates(packs: Packs, effective: Any) -> Any:
    """Numbers of the cases to try, ascending."""
    return range(len(packs.cases))
