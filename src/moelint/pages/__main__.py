"""``python -m moelint.pages OUT GUIDES``: see the package."""

from __future__ import annotations

import sys

from moelint.pages.build import build

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m moelint.pages OUT GUIDES")
    counts = build(sys.argv[1], sys.argv[2])
    print(f"{counts['rules']} rules, {counts['keys']} keys: {sys.argv[1]}")
