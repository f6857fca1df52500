"""Work in several processes gives what one process gives."""

from __future__ import annotations

import os

import pytest

from moelint.parallel import run


def test_order_and_results() -> None:
    assert run(list(range(100)), lambda n: n * n, 3, None) == [n * n for n in range(100)]
    assert run([1], lambda n: n, 4, None) == [1]


def test_more_batches_than_a_pipe_holds() -> None:
    count = 16 * 40_000
    assert sum(run(list(range(count)), lambda n: 1, 2, None)) == count


def test_exceptions_come_back() -> None:
    parent = os.getpid()

    def job(n: int) -> int:
        if os.getpid() != parent or n == 99:
            raise ValueError("broken")
        return n

    with pytest.raises(ValueError, match="broken"):
        run(list(range(100)), job, 2, None)


def test_a_killed_child_loses_nothing() -> None:
    parent = os.getpid()

    def job(n: int) -> int:
        if os.getpid() != parent:
            os._exit(9)
        return n

    assert run(list(range(200)), job, 3, None) == list(range(200))
