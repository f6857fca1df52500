"""The folder of compiled data stays small, and tidying it takes nothing away from anybody."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from moelint import cache, tidying

DAY = 24 * 3600


def blob(folder: Path, number: int, size: int = 10, age: float = 0.0) -> Path:
    """A file with the name of a blob, last used ``age`` seconds ago."""
    path = folder / f"index-{number:024x}.blob"
    path.write_bytes(b"x" * size)
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("MOELINT_CACHE", str(folder))
    monkeypatch.setattr(tidying, "_stored", {})
    return folder


def source(tmp_path: Path, text: str = "a") -> str:
    """A source that has not changed for long."""
    path = tmp_path / "source"
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1e9, 1e9))
    return str(path)


def test_what_was_not_used_for_a_month_goes_when_something_is_stored(home: Path, tmp_path: Path) -> None:
    old, young = blob(home, 1, age=31 * DAY), blob(home, 2, age=29 * DAY)
    assert cache.load("new", [source(tmp_path)], lambda: [1]) == [1]
    assert not old.exists() and young.exists() and len(names(home)) == 2


def test_a_run_that_stores_nothing_removes_nothing(home: Path, tmp_path: Path) -> None:
    path = source(tmp_path)
    cache.load("new", [path], lambda: [1])
    tidying._stored.clear()
    old = blob(home, 1, age=31 * DAY)
    assert cache.load("new", [path], lambda: [2]) == [1]
    assert old.exists()


def test_a_plain_check_does_not_even_load_the_code(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("model:\n  num_moe_experts: 8\n  expert_model_parallel_size: 3\n", encoding="utf-8")
    code = (
        "import sys\nsys.argv = ['moelint', '--no-config', 'a.yaml']\nfrom moelint.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    print('moelint.tidying' in sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"]
    said: list[str] = []
    while len(said) < 2 or (said[-1] == "True\n" and len(said) < 5):  # sources edited a second ago are stored once more
        said.append(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stderr)
        time.sleep(1)
    assert said[0] == "True\n" and said[-1] == "False\n" and names(home)


def test_the_longest_unused_go_beyond_the_bound(tmp_path: Path) -> None:
    paths = [blob(tmp_path, number, size=40, age=number * DAY) for number in range(6)]
    tidying.tidy(str(tmp_path), time.time(), most=130)
    assert [path.exists() for path in paths] == [True, True, True, False, False, False]


def test_use_counts_to_the_hour(home: Path, tmp_path: Path) -> None:
    path = source(tmp_path)
    cache.load("new", [path], lambda: [1])
    (name,) = home.iterdir()
    for age, renewed in ((20 * 60, False), (20 * DAY, True)):
        then = time.time() - age
        os.utime(name, (then, then))
        assert cache.load("new", [path], lambda: [2]) == [1]
        assert (time.time() - name.stat().st_mtime < 60) is renewed


def test_other_things_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    kept = {"notes.blob", "index-short.blob", "swap-00", "index-" + "g" * 24 + ".blob", ".hidden", f"x-{5:024x}.blob.txt", f".y-{6:024x}.blob"}
    for name in kept:
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (1e9, 1e9))
    (tmp_path / f"folder-{1:024x}.blob").mkdir()
    os.utime(tmp_path / f"folder-{1:024x}.blob", (1e9, 1e9))
    os.symlink("notes.blob", tmp_path / f"link-{2:024x}.blob")
    before = names(tmp_path)
    assert len(before) == len(kept) + 2
    tidying.tidy(str(tmp_path), time.time(), most=0)
    assert names(tmp_path) == before


def test_files_of_somebody_else_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = blob(tmp_path, 1, age=99 * DAY)
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    tidying.tidy(str(tmp_path), time.time())
    assert path.exists()


def test_half_written_blobs_of_killed_runs_go(tmp_path: Path) -> None:
    dead, living = tmp_path / f".index-{1:024x}.blob.77.123", tmp_path / f".index-{1:024x}.blob.78.456"
    for path, age in ((dead, 2 * 3600), (living, 5)):
        path.write_bytes(b"")
        os.utime(path, (time.time() - age, time.time() - age))
    tidying.tidy(str(tmp_path), time.time())
    assert not dead.exists() and living.exists()


def test_the_names_are_those_that_the_cache_gives(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    replace = os.replace

    def watched(old: str, new: str) -> None:
        seen.append(os.path.basename(old))
        replace(old, new)

    monkeypatch.setattr(os, "replace", watched)
    cache.load("fields-core-0.19.0", [source(tmp_path)], lambda: [1])
    cache.Store().keep("closed of x", (1, 2))
    assert len(seen) == 2 and all(tidying._is_half(name) for name in seen)
    assert len(names(home)) == 2 and all(tidying._is_blob(name) for name in names(home))


def test_a_folder_that_can_only_be_read_still_serves(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = source(tmp_path)
    cache.load("new", [path], lambda: [1])
    (name,) = home.iterdir()
    os.utime(name, (1.6e9, 1.6e9))

    def refused(*words: object, **more: object) -> None:
        raise PermissionError

    for call in ("utime", "unlink", "replace", "open"):
        monkeypatch.setattr(os, call, refused)
    assert cache.load("new", [path], lambda: [2]) == [1]
    assert cache.load("another", [path], lambda: [3]) == [3]
    tidying.tidy(str(home), time.time())
    assert name.exists()


def test_a_folder_that_is_gone_or_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    for name in ("missing", "file"):
        tidying.stored(str(tmp_path / name), 5)
    assert names(tmp_path) == {"file"}


def test_one_process_looks_again_after_it_stored_much(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(tidying, "tidy", lambda folder, now: looked.append(folder))
    for _ in range(10):
        tidying.stored("folder", tidying.OFTEN // 4)
    assert looked == ["folder"] * 2


_BUSY = """
import sys
from moelint import cache, tidying
tidying.OFTEN, tidying.tidy.__defaults__ = 0, (600, tidying.MONTH)
for turn in range(150):
    number = turn % 7
    value = [number] * 50
    found = cache.load(f"made-{number}", [sys.argv[1]], lambda: value)
    assert found == value, found
"""


def test_two_at_once_take_nothing_from_each_other(home: Path, tmp_path: Path) -> None:
    path = source(tmp_path)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    both = [subprocess.Popen([sys.executable, "-c", _BUSY, path], env=env, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        _, said = process.communicate()
        assert process.returncode == 0, said
    assert all(tidying._is_blob(name) for name in names(home))
    assert sum(entry.stat().st_size for entry in home.iterdir()) <= 2000
