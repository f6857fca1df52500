"""The line fingerprint by which GitHub code scanning matches alerts between commits (``primaryLocationLineHash``).

A rolling hash over the 100 UTF-16 units that follow a line's start, blanks and tabs left out, CR and CRLF read as LF;
then ``:n`` for the n-th line with the same hash. Source: github/codeql-action, src/fingerprints.ts (the algorithm).
"""

from __future__ import annotations

_BLOCK = 100
_FACTOR = 37
_MASK = (1 << 64) - 1
_OUT = pow(_FACTOR, _BLOCK, 1 << 64)
_END = 65535  # the unit that closes a file


def _units(text: str) -> list[int]:
    """UTF-16 units of a text without blanks and tabs, every line end as one LF, and the closing unit."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    data = text.encode("utf-16-le", "surrogatepass")
    return [*memoryview(data).cast("H"), _END] if data else [_END]


def line_hashes(text: str) -> list[str]:
    """The hash of each line, first line first. The last one stands for what follows the last line end."""
    units = _units(text)
    starts = [0, *(i + 1 for i, unit in enumerate(units) if unit == 10)]
    padded = units + [0] * _BLOCK
    wanted = set(starts)
    value = 0
    for unit in padded[:_BLOCK]:
        value = (value * _FACTOR + unit) & _MASK
    raw: dict[int, int] = {}
    for at in range(len(units)):
        if at in wanted:
            raw[at] = value
        after = padded[at + _BLOCK] if at + _BLOCK < len(padded) else 0
        value = (value * _FACTOR + after - _OUT * padded[at]) & _MASK
    counts: dict[int, int] = {}
    out = []
    for start in starts:
        counts[raw[start]] = counts.get(raw[start], 0) + 1
        out.append(f"{raw[start]:x}:{counts[raw[start]]}")
    return out
