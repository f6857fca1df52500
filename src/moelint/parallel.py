"""Many files in several processes: the engine is loaded once, then forked; the parent works too.

Batches are numbers in a pipe, from which every process takes the next. A child sends what a batch came to as soon as it
is done, so that both have work to the end, and nobody waits for a last great answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from moelint.typed import Any

_BATCH = 16  # files taken at once
_AHEAD = 4  # batches at most that are done before the first fork: what they teach (see policy.remembered) is then shared
_SHARE = 64  # one batch ahead for so many of a run
_HEAD = 8  # bytes of a message that give its length
_CHUNK = 1 << 20  # bytes read at once

Job = Callable[[Any], Any]


def run(work: list[Any], job: Job, jobs: int, progress: Callable[[int, int], None] | None) -> list[Any]:
    """``[job(item) for item in work]`` by several processes. A batch that a child cannot do or send, for whatever reason,
    is done here, so that an exception is raised as if there were one process. POSIX only: it forks."""
    import pickle  # noqa: F401  (loaded before the fork, once for all)

    batches = [range(at, min(at + _BATCH, len(work))) for at in range(0, len(work), _BATCH)]
    results: dict[int, list[Any]] = {}

    def do(number: int) -> None:
        results[number] = [job(work[i]) for i in batches[number]]
        if progress is not None:
            progress(min(len(work), (number + 1) * _BATCH), len(work))

    ahead = min(_AHEAD, len(batches) // _SHARE)
    for number in range(ahead):
        do(number)
    jobs = min(jobs, len(batches) - ahead)
    queue_out, queue_in = os.pipe()
    # Two bytes a batch number, written before the first fork; a pipe holds far more than any run needs.
    _fill(queue_in, b"".join(number.to_bytes(2, "big") for number in range(ahead, min(len(batches), 1 << 15))))
    children: list[_Child] = []
    try:
        for _ in range(jobs - 1):
            result_out, result_in = os.pipe()
            try:
                process = os.fork()
            except OSError:  # no more processes for this user: those that there are do it all
                os.close(result_out)
                os.close(result_in)
                break
            if not process:
                _work(queue_out, result_in, [result_out, *[child.stream for child in children]], batches, work, job)
            os.close(result_in)
            children.append(_Child(process, result_out))
        for number in _take(queue_out):
            do(number)
            for child in children:
                child.read(results)
        for child in children:
            child.finish(results)
    finally:
        while os.read(queue_out, _CHUNK):  # after an exception: what is left is done by nobody
            pass
        os.close(queue_out)
        for child in children:
            child.close()
    for number in range(len(batches)):
        if number not in results:  # beyond what the pipe took, or lost with a child that failed or was killed
            do(number)
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


def _take(queue_out: int) -> Iterator[int]:
    while len(word := os.read(queue_out, 2)) == 2:
        yield int.from_bytes(word, "big")


# ---- a child --------------------------------------------------------------------------------------------


def _work(queue_out: int, result_in: int, others: list[int], batches: list[range], work: list[Any], job: Job) -> None:
    """Work through batches and send each, up to one that fails; leaves the process without running the parent's exit
    handlers. ``others``: streams that are the parent's alone."""
    code = 1
    try:
        import gc
        import pickle

        for stream in others:
            os.close(stream)
        gc.freeze()  # the parent's objects: looking through them would copy their pages
        outbox = _Outbox(result_in)
        try:
            for number in _take(queue_out):
                outbox.put(pickle.dumps((number, [job(work[i]) for i in batches[number]]), pickle.HIGHEST_PROTOCOL))
            code = 0
        finally:
            outbox.finish()
    finally:
        os._exit(code)


class _Outbox:
    """Sends messages without waiting for the reader; what the pipe does not take yet is kept."""

    __slots__ = ("_kept", "_stream")

    def __init__(self, stream: int) -> None:
        self._stream, self._kept = stream, bytearray()
        os.set_blocking(stream, False)

    def put(self, message: bytes) -> None:
        self._kept += len(message).to_bytes(_HEAD, "big") + message
        try:
            while self._kept:
                self._send()
        except BlockingIOError:
            pass

    def finish(self) -> None:
        os.set_blocking(self._stream, True)
        while self._kept:
            self._send()

    def _send(self) -> None:
        del self._kept[: os.write(self._stream, self._kept)]


# ---- the parent's view of one ---------------------------------------------------------------------------


class _Child:
    __slots__ = ("_kept", "process", "stream")

    def __init__(self, process: int, stream: int) -> None:
        self.process, self.stream = process, stream
        self._kept = bytearray()
        os.set_blocking(stream, False)

    def read(self, results: dict[int, list[Any]]) -> bool:
        """Take what has come so far; whether more may come."""
        try:
            while data := os.read(self.stream, _CHUNK):
                self._kept += data
                self._unpack(results)
        except BlockingIOError:
            return True
        return False

    def finish(self, results: dict[int, list[Any]]) -> None:
        """Take all that is still to come."""
        os.set_blocking(self.stream, True)
        self.read(results)

    def _unpack(self, results: dict[int, list[Any]]) -> None:
        import pickle

        kept, at = self._kept, 0
        while len(kept) >= (start := at + _HEAD):
            end = start + int.from_bytes(kept[at:start], "big")
            if len(kept) < end:
                break
            number, results[number] = pickle.loads(bytes(kept[start:end]))
            at = end
        del kept[:at]

    def close(self) -> None:
        """Wait for its end; one that still sends something has nobody to send it to."""
        os.close(self.stream)
        os.waitpid(self.process, 0)
