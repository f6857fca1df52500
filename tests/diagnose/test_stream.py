"""Logs of all packings and of no packing, whole and broken, in blocks of any size."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path

import pytest

from moelint.diagnose import scan as scanning
from moelint.diagnose import stream
from moelint.diagnose.knowledge import Knowledge
from moelint.diagnose.scan import Scan
from moelint.diagnose.stream import Log, LogError
from moelint.policy.load import load

KNOWLEDGE = Knowledge(load())
TEXT = "\n".join(f" iteration {n}/ 100000 | lm loss: {n / 7:.6E} |" for n in range(60_000)).encode()


def whole(path: str) -> tuple[bytes, str]:
    log = Log(path)
    data = b"".join(log.blocks())
    log.close()
    return data, log.broken


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_packed_or_not(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "log"
    path.write_bytes(pack(TEXT))  # type: ignore[operator]
    assert whole(str(path)) == (TEXT, "")


def test_several_members_in_one_gzip(tmp_path: Path) -> None:
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert whole(str(path)) == (b"one\ntwo\n", "")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_cut_file_gives_what_it_has(tmp_path: Path, pack: object) -> None:
    packed = pack(TEXT)  # type: ignore[operator]
    path = tmp_path / "log"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    data, broken = whole(str(path))
    assert (TEXT.startswith(data) and len(data) > 0) or pack is not gzip.compress
    assert "ends in the middle" in broken and "\n" not in broken


def test_a_damaged_file_gives_what_stands_before(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[len(packed) // 2 : len(packed) // 2 + 64] = bytes(64)
    path = tmp_path / "log.gz"
    path.write_bytes(packed)
    data, broken = whole(str(path))
    assert broken and "\n" not in broken and TEXT[:10_000] == data[:10_000]


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BufferedReader(io.BytesIO(TEXT))  # type: ignore[arg-type]

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert whole("-") == (TEXT, "")


def test_no_log_at_all(tmp_path: Path) -> None:
    for path, said in ((str(tmp_path), "is a folder"), (str(tmp_path / "nothing"), "No such file")):
        with pytest.raises(LogError, match=said):
            Log(path)
    zstd = tmp_path / "log.zst"
    zstd.write_bytes(b"\x28\xb5\x2f\xfdxxxx")
    with pytest.raises(LogError, match="zstdcat"):
        Log(str(zstd))


LOG = b"""\
0: ------------------------ arguments ------------------------
0:   expert_model_parallel_size ...................... 8
0: -------------------- end of arguments ---------------------
[rank3]: Traceback (most recent call last):
[rank3]:   File "/opt/a.py", line 3, in finalize
[rank3]:     raise ValueError(
[rank3]: ValueError: disable moe_shared_expert_overlap when enabling overlap_moe_expert_parallel_comm
 iteration 7/ 10 |
[rank4]: ValueError: disable moe_shared_expert_overlap when enabling overlap_moe_expert_parallel_comm
Traceback (most recent call last):
  File "/opt/data.py", line 33, in load
KeyError: 'k'
"""


def told(scan: Scan) -> list[object]:
    events = [(e.owners, e.line, e.count, sorted(e.ranks), e.text, e.where) for e in scan.events.values()]
    return [sorted(events), [(d.kind, d.line, d.lines) for d in scan.dumps], scan.lines, scan.bytes]


def scanned(*blocks: bytes) -> Scan:
    scan = Scan(KNOWLEDGE)
    for block in blocks:
        scan.feed(block)
    scan.finish()
    return scan


def test_blocks_may_end_anywhere_between_lines() -> None:
    lines = LOG.splitlines(keepends=True)
    once = scanned(LOG)
    assert len(once.events) == 2 and once.lines == len(lines) and once.dumps[0].line == 1
    for cut in range(1, len(lines)):
        assert told(scanned(b"".join(lines[:cut]), b"".join(lines[cut:]))) == told(once)
    assert told(scanned(*lines)) == told(once)


def test_a_last_line_without_its_end_counts() -> None:
    assert told(scanned(LOG.rstrip(b"\n")))[0] == told(scanned(LOG))[0]
    assert scanned(LOG.rstrip(b"\n")).lines == LOG.count(b"\n")


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines without end, tracebacks and configs without end, shapes without end: nothing grows with the log."""
    monkeypatch.setattr(scanning, "NOISE", 100)
    monkeypatch.setattr(scanning, "CARRY", 10_000)
    monkeypatch.setattr(scanning, "EVENTS", 50)
    scan = Scan(KNOWLEDGE)
    scan.feed(b"Traceback (most recent call last):\n")
    for number in range(300):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        scan.feed(b"  " + name.encode() * 40 + b"\n")
        scan.feed(f"Traceback (most recent call last):\n{name}Error: {name}\n".encode())
        assert len(scan._rest) <= 10_000 and len(scan._noise) <= 101 and len(scan.events) <= 52
    assert len(scan.dumps) <= 8


def test_lines_longer_than_a_block_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BLOCK", 1000)
    path = tmp_path / "log"
    path.write_bytes(b"x" * 10_000 + b"\nend\n")
    log = Log(str(path))
    pieces = list(log.blocks())
    log.close()
    assert b"".join(pieces) == b"x" * 10_000 + b"\nend\n" and max(map(len, pieces)) <= 2000
