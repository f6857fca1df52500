"""One pass over a log: lines that say something, tracebacks, and the config that a trainer printed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from moelint.diagnose.knowledge import Fragment, Knowledge, shape

CARRY = 1 << 20  # a traceback or a config longer than this is taken as far as it goes
EVENTS = 2_000  # different things that are told apart
NOISE = 50_000  # shapes of lines that say nothing, remembered
_TRACEBACK = b"Traceback (most recent call last)"
_ERROR = re.compile(rb"Error|Exception|[Aa]ssert|\braise\b|\berror:|WARN|[Ww]arning")
_RAISED = re.compile(
    rb"(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout|Failure)\b|[A-Za-z_][\w.]*: "
)
_FRAME = re.compile(rb'\s*File "([^"]+)", line (\d+), in (\S+)')
_RANK = re.compile(rb"\[(?:rank|default|Rank )(\d+)\]|^\s*(\d+): ")
_NUMBER = re.compile(r"\d+")
_STARTS = (
    (b"------ arguments ------", "megatron-lm"),
    (b"Configuration Summary (Non-Default Values", "bridge-summary"),
    (b"_target_: megatron.bridge.training.config.ConfigContainer", "bridge-yaml"),
)


class Event:
    """One thing that a log says, however often. ``owners``: rule and symptom ids, the likeliest first; none for an
    error that nothing is known of. ``where``: the frame that raised it (file, line, function)."""

    __slots__ = ("context", "count", "line", "owners", "raised", "ranks", "text", "where")

    def __init__(self, owners: tuple[str, ...], line: int, text: str) -> None:
        self.owners, self.line, self.text = owners, line, text
        self.count = 0
        self.ranks: set[int] = set()
        self.where: tuple[str, int, str] | None = None
        self.raised = False  # the text is the exception's own line
        self.context = ""  # the following line


class Dump:
    """A config that a trainer printed. ``lines``: (line number, text without the launcher's prefix)."""

    __slots__ = ("kind", "line", "lines")

    def __init__(self, kind: str, line: int, lines: list[tuple[int, str]]) -> None:
        self.kind, self.line, self.lines = kind, line, lines


class Scan:
    """Feed it blocks of whole lines; then read ``events`` and ``dumps``."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.events: dict[tuple[str, ...], Event] = {}
        self.dumps: list[Dump] = []
        self.lines = self.bytes = 0
        self.text_like = True
        self._needles = knowledge.by_needle
        self._noise: set[bytes] = set()
        self._rest = b""
        self._ended = True

    def feed(self, block: bytes, last: bool = False) -> None:
        if not self.bytes and b"\x00" in block[:4096]:
            self.text_like = False
        self.bytes += len(block)
        block = self._rest + block
        done = self._block(block, last)
        self.lines += block.count(b"\n", 0, done)
        if done:
            self._ended = block[done - 1 : done] == b"\n"
        if last and not self._ended:  # a last line without its end
            self.lines += 1
        self._rest = block[done:]

    def finish(self) -> None:
        self.feed(b"", True)

    # ---- one block ------------------------------------------------------------------------------------

    def _block(self, block: bytes, last: bool) -> int:
        """Handle a block; how much of it is done. What stands in the middle of a traceback or of a config at its end
        comes again with the next block."""
        done = len(block)
        regions: list[tuple[int, int, str]] = []  # start, end, kind
        for marker, kind in ((_TRACEBACK, "traceback"), *_STARTS):
            at = block.find(marker)
            while at >= 0:
                start = block.rfind(b"\n", 0, at) + 1
                end = self._end(block, start, at, kind)
                if end < 0 and not last and len(block) - start < CARRY:
                    done = min(done, start)
                    break
                end = len(block) if end < 0 else end
                regions.append((start, end, kind))
                at = block.find(marker, max(end, at + 1))
        lines = _Lines(block)
        hits = self._hits(lines, done)
        inside: set[int] = set()
        for start, end, kind in sorted(region for region in regions if region[0] < done):
            first, last_line = lines.number(start), lines.number(max(start, end - 1))
            within = [number for number in hits if first <= number <= last_line]
            inside.update(within)
            if kind == "traceback":
                self._traceback(lines, start, end, {number: hits[number] for number in within})
            elif len(self.dumps) < 8:
                self.dumps.append(self._dump(lines, start, end, kind))
        for number in sorted(hits):
            if number in inside:
                continue
            line, found = lines.text(number), hits[number]
            if all(fragment.weak for fragment in found) and _ERROR.search(line) is None:
                continue
            strong = [fragment for fragment in found if not fragment.weak] or found
            event = self._event(_owners(strong, line), self.lines + number + 1, line)
            if not event.context:
                event.context = _text(lines.text(number + 1))
        return done

    def _hits(self, lines: _Lines, done: int) -> dict[int, list[Fragment]]:
        """Number of a line in the block → the fragments that it holds.

        Nearly all lines of a log are equal but for their numbers. What is left without them, a line's shape, is looked
        at once: if no fragment's shape is in it, no line of that shape needs another look."""
        shapes = shape(lines.block[:done]).split(b"\n")
        noise = self._noise
        fresh = [number for number, text in enumerate(shapes) if text not in noise]
        if not fresh:
            return {}
        starts = list(accumulate([0, *(len(shapes[number]) + 1 for number in fresh)]))
        joined = b"\n".join([shapes[number] for number in fresh])
        found: dict[int, set[Fragment]] = {}
        for needle, fragments in self._needles:
            at = joined.find(needle)
            while at >= 0:
                position = bisect_right(starts, at) - 1
                text = shapes[fresh[position]]
                held = [fragment for fragment in fragments if fragment.shape in text]
                if held:
                    found.setdefault(fresh[position], set()).update(held)
                at = joined.find(needle, starts[position + 1])
        if len(noise) > NOISE:
            noise.clear()
        noise.update(shapes[number] for number in fresh if number not in found and len(shapes[number]) < 500)
        hits = {}
        for number, likely in found.items():
            line = lines.text(number)
            sure = [fragment for fragment in likely if fragment.text in line]
            if sure:
                hits[number] = sure
        return hits

    def _event(self, owners: tuple[str, ...], number: int, line: bytes) -> Event:
        event = self.events.get(owners)
        if event is None and len(self.events) >= EVENTS:
            owners = ("", "")
            event = self.events.get(owners)
        if event is None:
            event = self.events[owners] = Event(owners, number, _text(line))
        event.count += 1
        rank = _RANK.search(line[:80])
        if rank is not None and len(event.ranks) < 65536:
            event.ranks.add(int(rank[1] or rank[2]))
        return event

    # ---- tracebacks -----------------------------------------------------------------------------------

    def _end(self, block: bytes, start: int, at: int, kind: str) -> int:
        """Where a region ends; -1: not in this block."""
        if kind == "traceback":
            found = _raised(block, start, at)
            return -1 if found is None else found[1]
        if kind == "megatron-lm":
            end = block.find(b"end of arguments", at)
            return -1 if end < 0 else _end_of_line(block, end)
        rule = b"=" * 70
        if kind == "bridge-summary":
            end = block.find(rule, block.find(rule, at) + 70) if rule in block[at:] else -1
            return -1 if end < 0 else _end_of_line(block, end)
        prefix = block[start:at]
        for begin, end in _following(block, start):
            line = block[begin:end]
            stripped = line[len(prefix) :] if line.startswith(prefix) else line
            if stripped.strip() and _YAML.match(stripped) is None:
                return begin
        return -1

    def _traceback(self, lines: _Lines, start: int, end: int, hits: dict[int, list[Fragment]]) -> None:
        block = lines.block
        at = block.find(_TRACEBACK, start)
        raised = _raised(block, start, at)
        number = lines.number(raised[0] if raised is not None else start)
        line, prefix = lines.text(number), block[start:at]
        said = _text(line[len(prefix) :] if line.startswith(prefix) else line)
        where = None
        for match in _FRAME.finditer(block[start:end]):
            where = (_text(match[1]), int(match[2]), _text(match[3]))
        if hits:
            # what the exception itself says counts before what source lines of the frames say
            best = hits.get(number) or hits[max(hits)]
            owners = _owners([fragment for fragment in best if not fragment.weak] or best, line)
        else:
            owners = ("", _NUMBER.sub("#", said[:120]))
        event = self._event(owners, self.lines + number + 1, line)
        if not event.raised:
            event.raised, event.text, event.where = True, said, where
            event.line = min(event.line, self.lines + number + 1)

    # ---- configs --------------------------------------------------------------------------------------

    def _dump(self, lines: _Lines, start: int, end: int, kind: str) -> Dump:
        first, last = lines.number(start), lines.number(max(start, end - 1))
        word = {"megatron-lm": b"---", "bridge-summary": b"Configuration", "bridge-yaml": b"_target_"}[kind]
        prefix = lines.text(first)[: max(0, lines.text(first).find(word))]
        out: list[tuple[int, str]] = []
        for number in range(first, last + 1):
            line = lines.text(number)
            if line.startswith(prefix):
                out.append((self.lines + number + 1, line[len(prefix) :].decode("utf-8", "replace")))
        return Dump(kind, self.lines + first + 1, out)


_YAML = re.compile(rb"\s+\S|[A-Za-z_][\w.]*:(?:\s|$)|- ")


class _Lines:
    """The lines of a block by number, from 0; found when they are asked for."""

    def __init__(self, block: bytes) -> None:
        self.block = block
        self._ends: list[int] = []

    def _found(self) -> list[int]:
        if not self._ends:
            sizes = [len(line) + 1 for line in self.block.split(b"\n")]
            self._ends = list(accumulate(sizes))
        return self._ends

    def text(self, number: int) -> bytes:
        ends = self._found()
        if number >= len(ends):
            return b""
        return self.block[ends[number - 1] if number else 0 : ends[number] - 1]

    def number(self, at: int) -> int:
        return bisect_right(self._found(), at)


def _owners(found: list[Fragment], line: bytes) -> tuple[str, ...]:
    """The owners of the longest fragments, rules before symptoms, of equals those whose settings the line names; then
    those of shorter ones that are no part of it."""
    ranked = sorted(found, key=lambda f: (-len(f.text), not f.rule, -sum(n in line for n in f.names), f.owner))
    out: dict[str, None] = {}
    for number, fragment in enumerate(ranked):
        if any(fragment.text in longer.text and fragment.text != longer.text for longer in ranked[:number]):
            continue
        out.setdefault(fragment.owner)
    return tuple(out)


def _raised(block: bytes, start: int, at: int) -> tuple[int, int] | None:
    """The line of a traceback that names the exception: (start, end)."""
    prefix = block[start:at]
    for count, (begin, end) in enumerate(_following(block, start)):
        if count > 2000:
            return None
        line = block[begin:end]
        if prefix and not line.startswith(prefix):
            continue
        said = line[len(prefix) :]
        if said[:1] not in (b" ", b"\t", b"", b"\r") and _RAISED.match(said) is not None:
            return begin, end
    return None


def _following(block: bytes, start: int) -> Iterator[tuple[int, int]]:
    """(start, end) of the whole lines after the one at ``start``."""
    begin = block.find(b"\n", start) + 1
    while begin:
        end = block.find(b"\n", begin)
        if end < 0:
            if begin < len(block):
                yield begin, len(block)
            return
        yield begin, end
        begin = end + 1


def _end_of_line(block: bytes, at: int) -> int:
    end = block.find(b"\n", at)
    return len(block) if end < 0 else end


def _text(line: bytes) -> str:
    return line[:2000].decode("utf-8", "replace").strip()
