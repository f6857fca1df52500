"""Did-you-mean: distances by the textbook, and names that people mistype."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moelint.lang.suggest import distance, nearest

WORDS = st.text("abc_", max_size=9)


def textbook(a: str, b: str) -> int:
    """Optimal string alignment, cell by cell."""
    cells = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = a[i - 1] != b[j - 1]
            cells[i, j] = min(cells[i - 1, j] + 1, cells[i, j - 1] + 1, cells[i - 1, j - 1] + cost)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cells[i, j] = min(cells[i, j], cells[i - 2, j - 2] + 1)
    return cells[len(a), len(b)]


@given(WORDS, WORDS, st.integers(0, 6))
def test_as_the_textbook_has_it(a: str, b: str, limit: int) -> None:
    assert distance(a, b, limit) == min(textbook(a, b), limit + 1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("model.num_moe_expert", "model.num_moe_experts"),
        ("model.num_mole_experts", "model.num_moe_experts"),
        ("moe_router_topk", "model.moe_router_topk"),
        ("model.moe-router-topk", "model.moe_router_topk"),
        ("model.moe_rotuer_topk", "model.moe_router_topk"),
        ("model.something_else", None),
    ],
)
def test_what_was_meant(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["model.num_layers", "model.num_moe_experts", "model.moe_router_topk"]) == meant
