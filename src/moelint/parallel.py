"""Many files in several processes: the engine is loaded once, then forked; the parent works too."""

from __future__ import annotations

import os
from collections.abc import Callable

from moelint.typed import Any

_BATCH = 16  # files taken at once


def run(
    work: list[Any], job: Callable[[Any], Any], jobs: int, progress: Callable[[int, int], None] | None
) -> list[Any]:
    """``[job(item) for item in work]`` by several processes. Results must be picklable. An exception in a child is
    raised here. POSIX only: it forks."""
    batches = [range(at, min(at + _BATCH, len(work))) for at in range(0, len(work), _BATCH)]
    jobs = min(jobs, len(batches))
    queue_out, queue_in = os.pipe()
    # Two bytes a batch number, written before the first fork; a pipe holds far more than any run needs.
    numbers = b"".join(number.to_bytes(2, "big") for number in range(min(len(batches), 1 << 15)))
    children = []
    _fill(queue_in, numbers)
    for _ in range(jobs - 1):
        result_out, result_in = os.pipe()
        child = os.fork()
        if not child:
            os.close(result_out)
            _child(queue_out, result_in, batches, work, job)
        os.close(result_in)
        children.append((child, result_out))
    results: dict[int, list[Any]] = {}
    for number in _take(queue_out):
        results[number] = [job(work[i]) for i in batches[number]]
        if progress is not None:
            progress(min(len(work), (number + 1) * _BATCH), len(work))
    os.close(queue_out)
    failure: BaseException | None = None
    for child, result_out in children:
        failure = _collect(result_out, results) or failure
        os.waitpid(child, 0)
    if failure is not None:
        raise failure
    missing = [number for number in range(len(batches)) if number not in results]
    for number in missing:  # beyond what the pipe took, or lost with a child that was killed
        results[number] = [job(work[i]) for i in batches[number]]
    return [result for number in range(len(batches)) for result in results[number]]


def _fill(queue_in: int, numbers: bytes) -> None:
    """As many batch numbers as the pipe takes without blocking; the rest is done by the parent at the end."""
    os.set_blocking(queue_in, False)
    try:
        at = 0
        while at < len(numbers):
            at += os.write(queue_in, numbers[at : at + 2])
    except BlockingIOError:
        pass
    os.close(queue_in)


def _take(queue_out: int) -> Any:
    while len(word := os.read(queue_out, 2)) == 2:
        yield int.from_bytes(word, "big")


def _child(queue_out: int, result_in: int, batches: list[range], work: list[Any], job: Callable[[Any], Any]) -> None:
    """Work through batches and write one pickle; leaves the process without running the parent's exit handlers."""
    import pickle

    code = 1
    try:
        try:
            answer: Any = {number: [job(work[i]) for i in batches[number]] for number in _take(queue_out)}
        except BaseException as error:
            answer = error
        with os.fdopen(result_in, "wb") as stream:
            pickle.dump(answer, stream, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)


def _collect(result_out: int, results: dict[int, list[Any]]) -> BaseException | None:
    import pickle

    with os.fdopen(result_out, "rb") as stream:
        try:
            answer = pickle.load(stream)
        except EOFError:
            return None
    if isinstance(answer, BaseException):
        return answer
    results.update(answer)
    return None
