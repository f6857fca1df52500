"""How git is run: no shell, no hooks of the repository, nothing written, no dead ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from moelint.errors import RevisionError
from moelint.revision.git import Repo as Git
from moelint.revision.git import Snapshot
from moelint.revision.process import Portable, Process
from moelint.text.source import TextError

from .conftest import BASE, BROKEN_PAIR, Repo

NOISY = "import sys; sys.stderr.write('e' * 300000); sys.stdout.write('o' * 300000); sys.exit(3)"
ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"


@pytest.mark.parametrize("kind", [Process, Portable])
def test_processes(kind: type[Process]) -> None:
    assert kind([sys.executable, "-c", NOISY], dict(os.environ)).finish() == (3, b"o" * 300000, b"e" * 300000)
    talk = kind([sys.executable, "-c", ECHO], dict(os.environ), talk=True)
    assert talk.stdin is not None and talk.stdout is not None
    for word in (b"one\n", b"two\n"):
        talk.stdin.write(word)
        talk.stdin.flush()
        assert talk.stdout.readline() == word.upper()
    talk.close()
    open_files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(FileNotFoundError):
        kind(["no-such-program-anywhere"], dict(os.environ))
    if open_files:
        assert len(os.listdir("/proc/self/fd")) == open_files


def test_no_program_of_the_repository_is_run(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.write(".gitattributes", "*.yaml diff=evil filter=evil\n")
    repo.commit()
    trap = repo.write("trap.sh", "#!/bin/sh\ntouch owned\ncat\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "core.pager", "core.sshCommand"):
        repo.git("config", key, str(trap))
    repo.write("a.yaml", BROKEN_PAIR)
    assert repo.moelint("--since", "HEAD").code == 1
    assert not (repo.folder / "owned").exists()


def test_nothing_is_written(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.commit()
    repo.write("a.yaml", BROKEN_PAIR)
    os.utime(repo.folder / "a.yaml", (0, 0))
    before = {p: p.stat().st_mtime_ns for p in (repo.folder / ".git").rglob("*")}
    repo.moelint("--since", "HEAD")
    assert before == {p: p.stat().st_mtime_ns for p in (repo.folder / ".git").rglob("*")}


def test_snapshots(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.yaml", BASE)
    repo.write("new\nline.yaml", "x: 1\n")
    repo.write("bad.yaml", b"\xff\xfe\xff")
    (repo.folder / "link.yaml").symlink_to("a.yaml")
    (repo.folder / "loop.yaml").symlink_to("loop.yaml")
    (repo.folder / "out.yaml").symlink_to("/etc/hostname")
    commit = repo.commit()
    git = Git(str(repo.folder.resolve()))
    snapshot = Snapshot(git, commit)
    full = str(repo.folder / "a.yaml")
    assert snapshot(full).text == BASE and snapshot(str(repo.folder / "link.yaml")).text == BASE
    assert snapshot(str(repo.folder / "new\nline.yaml")).text == "x: 1\n"
    for name in ("loop.yaml", "out.yaml", "none.yaml", ".", "../a.yaml", "a.yaml/b.yaml"):
        assert not snapshot.exists(str(repo.folder / name))
        with pytest.raises(TextError):
            snapshot(str(repo.folder / name))
    with pytest.raises(TextError):
        snapshot(str(repo.folder / "bad.yaml"))
    assert snapshot.names() == ["a.yaml", "bad.yaml", "new\nline.yaml"]
    assert snapshot.stamp(full) != snapshot.stamp(str(repo.folder / "new\nline.yaml"))
    snapshot.close()
    repo.write("a.yaml", "changed: 1\n")
    repo.git("add", "a.yaml")
    index = Snapshot(git, None)
    assert index(full).text == "changed: 1\n" and "a.yaml" in index.names()
    index.close()


def test_a_damaged_repository_is_told(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    commit = repo.commit()
    blob = repo.git("rev-parse", "HEAD:a.yaml")
    object_ = repo.folder / ".git/objects" / blob[:2] / blob[2:]
    object_.chmod(0o644)
    object_.write_bytes(b"junk")
    repo.write("a.yaml", BROKEN_PAIR)
    found = repo.moelint("--since", commit)
    assert found.code in (1, 2) and "Traceback" not in found.err
    with pytest.raises(RevisionError):
        Git(str(repo.folder)).commit("nope")
