"""Work in several processes gives what one process gives."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from moelint.api import check
from moelint.options import Options
from moelint.parallel import run


def test_order_and_results() -> None:
    assert run(list(range(100)), lambda n: n * n, 3, None) == [n * n for n in range(100)]
    assert run([1], lambda n: n, 4, None) == [1]


def test_more_batches_than_a_pipe_holds() -> None:
    count = 16 * 40_000
    assert sum(run(list(range(count)), lambda n: 1, 2, None)) == count


class Picky(Exception):
    """Pickle cannot make it again from its arguments."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} at {where}")


def test_an_exception_is_the_one_of_a_single_process() -> None:
    parent = os.getpid()

    def job(n: int) -> int:
        if n == 170:
            raise Picky("broken", str(n))
        if os.getpid() == parent:
            time.sleep(0.01)  # so that a child takes the batch first
        return n

    with pytest.raises(Picky, match="broken at 170"):
        run(list(range(200)), job, 2, None)


def test_a_batch_that_a_child_cannot_do_or_send_is_done_here() -> None:
    parent = os.getpid()

    def failing(n: int) -> int:
        if os.getpid() != parent:
            raise MemoryError
        return n

    assert run(list(range(100)), failing, 2, None) == list(range(100))
    unsendable = run(list(range(100)), lambda n: lambda: n, 2, None)
    assert [one() for one in unsendable] == list(range(100))


def test_no_more_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, left = os.fork, [1]

    def few() -> int:
        if not left:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        left.pop()
        return fork()

    monkeypatch.setattr(os, "fork", few)
    before = len(os.listdir("/dev/fd"))
    assert run(list(range(200)), lambda n: n, 4, None) == list(range(200))
    assert run(list(range(200)), lambda n: n, 4, None) == list(range(200))
    assert len(os.listdir("/dev/fd")) == before and not left


def test_a_killed_child_loses_nothing() -> None:
    parent = os.getpid()

    def job(n: int) -> int:
        if os.getpid() != parent:
            os._exit(9)
        return n

    assert run(list(range(200)), job, 3, None) == list(range(200))


def test_answers_larger_than_a_pipe() -> None:
    """Neither waits for the other: a child keeps what the pipe does not take, the parent reads between its own batches."""
    found = run(list(range(160)), lambda n: (n, bytes(100_000)), 3, None)
    assert [n for n, _ in found] == list(range(160)) and {len(data) for _, data in found} == {100_000}


def test_what_is_done_ahead_is_done_once() -> None:
    parent = os.getpid()
    seen: list[int] = []

    def job(n: int) -> int:
        seen.append(n)
        return os.getpid()

    found = run(list(range(16 * 128)), job, 2, None)
    assert set(found[:32]) == {parent}  # before the fork
    assert len(seen) == len(set(seen)) == found.count(parent)


def test_an_exception_here_ends_the_children() -> None:
    parent = os.getpid()

    def job(n: int) -> bytes:
        if os.getpid() == parent:
            raise ValueError("here")
        return bytes(1_000_000)

    with pytest.raises(ValueError, match="here"):
        run(list(range(400)), job, 3, None)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_notes_of_every_process_are_told_in_the_order_of_files(tmp_path: Path) -> None:
    for number in range(160):
        release = f"0.4.{900 - number}" if number % 16 == 15 else "0.4.2"
        text = f"# moelint: megatron-bridge={release}\nmodel:\n  num_layers: 8\n  num_moe_experts: 8\n"
        (tmp_path / f"c{number:03}.yaml").write_text(text, encoding="utf-8")
    told = []
    for jobs in (1, 2, 3):
        options = Options()
        options.jobs = jobs
        told.append(check([str(tmp_path)], options).notes)
    assert told[0] == told[1] == told[2]
    assert [note.split()[1] for note in told[0]] == [f"0.4.{900 - number}" for number in range(15, 160, 16)]
