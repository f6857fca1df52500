"""Patches that other tools apply."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from moelint.fix.diff import unified
from moelint.fix.write import difference
from moelint.text.edits import apply

PAIRS = [
    ("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 4\nc: 3\n"),
    ("a: 1\nb: 2", "a: 1\nb: 3"),
    ("a: 1", "a: 1\nb: 2\n"),
    ("a: 1\r\nb: 2\r\n", "a: 1\r\nb: 3\r\n"),
    ("a: x\x0cy\n", "a: x\x0cz\n"),
    ("a: 1\n", ""),
    ("", "a: 1\n"),
    ("größe: 1\u2028\n", "größe: 2\u2028\n"),
]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_git_applies_it(tmp_path: Path, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "dir" / "a.yaml"
    path.parent.mkdir()
    path.write_bytes(old.encode())
    patch = unified(str(path), old, new)
    assert patch.startswith("--- a/dir/a.yaml\n+++ b/dir/a.yaml\n")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "--unidiff-zero", "-"], input=patch.encode(), check=True)
    assert path.read_bytes() == new.encode()


def test_no_change_is_no_patch() -> None:
    assert unified("a.yaml", "a: 1\n", "a: 1\n") == ""


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_differences_are_edits(old: str, new: str) -> None:
    assert apply(old, difference(old, new)) == new


def test_differences_are_small() -> None:
    (edit,) = difference("a: 1\nb: true  # c\n", "a: 1\nb: false  # c\n")
    assert (edit.start, edit.end, edit.text) == (8, 11, "fals")
