"""In a checkout, compiled data does not outlive the code that made it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import moelint

PACKAGE = Path(moelint.__file__).parent


def _mark(folder: Path) -> bytes:
    command = [sys.executable, "-c", "import sys; from moelint import cache; sys.stdout.buffer.write(cache._MAGIC)"]
    return subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, check=True).stdout


def test_an_edited_compiler_starts_anew(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "moelint", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    before = _mark(tmp_path)
    assert _mark(tmp_path) == before
    with (tmp_path / "moelint" / "policy" / "watch.py").open("a", encoding="utf-8") as stream:
        stream.write("# edited\n")
    assert _mark(tmp_path) != before


def test_a_wheel_pays_nothing_for_it(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "moelint", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    (tmp_path / "moelint" / "_data").mkdir()
    assert len(_mark(tmp_path)) < len(_mark_of_checkout(tmp_path))


def _mark_of_checkout(folder: Path) -> bytes:
    (folder / "moelint" / "_data").rmdir()
    return _mark(folder)
