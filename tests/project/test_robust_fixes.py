"""Fixes lose nothing: killed at any moment, two at once, on a full disk. ``kill_fixes.py`` makes as many runs as one wants."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest
from tests.project.kill_fixes import OLD, command, content, fill, kill, start


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_at_any_moment(jobs: int) -> None:
    found = kill(6, seed=5, jobs=jobs)
    assert found.killed and found.old + found.new


def test_two_at_once(tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    fill(alone)
    assert start(alone).wait() == 0
    folder = tmp_path / "work"
    folder.mkdir()
    fill(folder)
    both = [start(folder), start(folder)]
    for process in both:
        assert process.wait() in (0, 1, 2)  # the second may find a file changed, and says so
    assert content(folder) == content(alone)


def test_a_full_disk(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.yaml").write_text(OLD, encoding="utf-8")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(
        [*(word for word in command() if word != "-q"), "--no-cache"], cwd=folder, capture_output=True, check=False, preexec_fn=limit,
        env={**os.environ, "MOELINT_CACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 1, done
    assert b"cannot be replaced" in done.stdout + done.stderr
    assert content(folder) == {"a.yaml": OLD.encode()}
