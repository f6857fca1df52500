"""The arrows of docs/architecture.md: which room may import which. A lazy import inside a function counts too."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import moelint

ROOT = Path(moelint.__file__).parent
SHARED = {"data", "cache", "tidying", "version", "errors", "typed", "words"}  # below all rooms: they know nothing of the matter
ROOMS = {
    "text": set(),
    "lang": set(),
    "walls": set(),
    "results": {"text"},
    "read": {"text", "lang"},
    "trainer": {"text", "lang", "read", "walls"},
    "policy": {"text", "lang", "read", "trainer", "walls", "results"},
    "conf": {"lang"},
    "findings": {"text", "lang", "read", "trainer", "policy", "results"},
    "revision": {"text", "lang", "read", "trainer", "policy", "findings", "results"},
    "fix": {"text", "lang", "read", "results", "findings"},
    "report": {"results", "text"},
}
TOP = {"cli", "api", "engine", "parallel", "discover", "options", "explain", "diagnose", "matrix", "objects", "pages", "preflight", "__main__", "__init__", "fixing", "judging", "reviewing", "baselining", "comparing"}  # see everything


def imports(path: Path) -> set[str]:
    """The rooms of ours that a module imports anywhere."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
            if node.module == "moelint":
                names = [f"moelint.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "moelint" and len(parts) > 1:
                found.add(parts[1])
    return found


def test_arrows() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        room = parts[0]
        if room in TOP or room in SHARED or room == "_data":
            continue
        assert room in ROOMS, f"{path}: a room that docs/architecture.md does not know"
        allowed = ROOMS[room] | SHARED | {room}
        wrong += [f"{'/'.join(parts)} imports {name}" for name in sorted(imports(path) - allowed)]
    assert not wrong, "\n".join(wrong)


def test_shared_modules_import_no_room() -> None:
    for name in sorted(SHARED):
        path = ROOT / f"{name}.py"
        if path.exists():
            assert imports(path) <= SHARED, f"{name}.py imports {imports(path) - SHARED}"


def test_modules_stay_small() -> None:
    long = {
        os.path.relpath(path, ROOT): lines
        for path in ROOT.rglob("*.py")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 500
    }
    assert not long, f"modules of more than 500 lines: is each one thing? {long}"


def test_test_modules_have_names_of_their_own() -> None:
    """Two of one name in folders that are no packages, and pytest collects neither."""
    tests = Path(__file__).resolve().parents[1]
    names = [path.name for path in tests.rglob("*.py") if not (path.parent / "__init__.py").exists()]
    assert sorted(name for name in set(names) if names.count(name) > 1 and name != "conftest.py") == []
