"""The same input gives the same bytes, whatever the order of files, processes, locale, time zone and hash seed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = [
    (("-j1", "."), {"PYTHONHASHSEED": "0"}),
    (("-j2", "."), {"PYTHONHASHSEED": "1"}),
    (("-j4", "."), {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "TZ": "Asia/Kathmandu"}),
    (("-j1", "."), {"LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "America/St_Johns"}),
]


def check(folder: Path, words: tuple[str, ...], env: dict[str, str], format: str) -> bytes:
    command = [sys.executable, "-m", "moelint", "--format", format, "--show-undecided", "--exit-zero", *words]
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": path, **env})
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("work")
    for number, path in enumerate(sorted((ROOT / "examples").rglob("*.yaml"))):
        for copy in range(4):
            (top / f"d{copy}").mkdir(exist_ok=True)
            shutil.copy(path, top / f"d{copy}" / f"{number}-{path.name}")
    return top


@pytest.mark.parametrize("format", ["text", "json", "sarif", "gitlab", "junit"])
def test_same_bytes(folder: Path, format: str) -> None:
    first, *others = (check(folder, words, env, format) for words, env in SETTINGS)
    assert first
    for other in others:
        assert other == first


def test_order_of_files(folder: Path) -> None:
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.yaml"))
    one = check(folder, tuple(names), {}, "json")
    assert check(folder, tuple(reversed(names)), {}, "json") == one
