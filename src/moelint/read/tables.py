"""Compiled dialect tables, loaded once a process."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

Table = dict[str, Any]  # the compiled form of one dialect; see compile.compile_one

_tables: dict[str, Table] | None = None
_hints: tuple[str, ...] | None = None


def tables() -> dict[str, Table]:
    """Dialect id → table, in the order in which they are tried."""
    global _tables
    if _tables is None:
        folder = os.path.join(data.folder("trainers"), "dialects")
        _tables = cache.load("dialects", [*cache.tree(folder, ".yaml"), _compiler()], lambda: _build(folder))
    return _tables


def hints() -> tuple[str, ...]:
    """Words of which a file must have at least one to be worth parsing."""
    global _hints
    if _hints is None:
        _hints = ("moelint:", *sorted({word for t in tables().values() if t["form"] == "yaml" for word in t["hints"]}))
    return _hints


def defaults(dialect: str) -> dict[str, Any]:
    """What the framework around a dialect sets where its file is silent: canonical key → value."""
    table = tables().get(dialect)
    found: dict[str, Any] = table["defaults"] if table else {}
    return found


def _build(folder: str) -> dict[str, Table]:
    from moelint.read.compile import compile_all

    return compile_all(folder)


def _compiler() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile.py")
