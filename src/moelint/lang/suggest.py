"""Did-you-mean: the known names nearest to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap) from ``a`` to ``b``; ``limit + 1`` when more than ``limit``."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row, previous = row, [i], before
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` most likely means: the same last part, else the least edits, else None."""
    name = name[:200]
    plain = name.lower().replace("-", "_")
    last = plain.rsplit(".", 1)[-1]
    best, best_cost = None, max(1, min(4, len(last) // 4)) + 1
    for candidate in known:
        lower = candidate.lower()
        if lower == plain:
            return candidate
        tail = lower.rsplit(".", 1)[-1]
        if tail == last:
            cost = 0
        else:
            cost = distance(plain, lower, best_cost)
            if len(last) > 3:
                cost = min(cost, distance(last, tail, best_cost))
        if cost < best_cost:
            best, best_cost = candidate, cost
    return best
