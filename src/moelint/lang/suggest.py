"""Did-you-mean: the known names nearest to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap) from ``a`` to ``b``; ``limit + 1`` when more than ``limit``."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    start = 0
    while start < len(a) and start < len(b) and a[start] == b[start]:
        start += 1
    end = 0
    while end < len(a) - start and end < len(b) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a or not b:
        return max(len(a), len(b))
    if len(set(a).difference(b)) > limit or len(set(b).difference(a)) > limit:
        return limit + 1  # each of these letters takes an edit of its own
    far = limit + 1
    before: list[int] = []
    row = [j if j <= limit else far for j in range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        before, row, previous = row, [far] * (len(b) + 1), before
        if i <= limit:
            row[0] = i
        for j in range(max(1, i - limit), min(len(b), i + limit) + 1):  # beyond this band all is too far
            y = b[j - 1]
            cost = before[j - 1] if x == y else 1 + min(before[j - 1], before[j], row[j - 1])
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y and previous[j - 2] < cost:
                cost = previous[j - 2] + 1
            row[j] = cost if cost <= limit else far
        if min(row) > limit:
            return far
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
