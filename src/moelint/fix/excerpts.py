"""What is enough for a second reader of a changed YAML text: the entries that changed, below the keys that lead to them.

Reading a text with ruamel.yaml costs a hundred times what a check of it costs, and a fix changes a line or two. So where it
can be shown that nothing else can have changed its meaning, only excerpts of both texts are read; everything else is
read whole. It is shown so:

1. Every line of both texts is *plain*: blank, a comment, or `key: value`, `- key: value` or `- value`, whose value is whole
   on that line (words, a quoted text, a flow list of words), or after a key missing. After `key: |` or `key: >` all deeper
   lines are text. There are no anchors, aliases, tags, merge keys, directives and no second document, and no quotes or
   brackets that reach over a line. So no token begins on one line and ends on another, but for two: such blocks of text,
   which end before the next line that is not deeper than their key, and words that go on in a deeper line without a
   key, which is plain only as `- value`. Both belong to the entry above them (see 3).
2. At a line with a key and no dash, indented by m, below its parents (each the nearest line above that is indented less,
   a key without a value), a YAML parser has closed all that is deeper and expects a key of the mapping at column m: its
   state does not hang on what stands above, but for the parents. If it is in another state, the text is broken there, before
   the change as after it.
3. An excerpt begins at such a line, at or above the change, and ends before the next line indented by m or less (a dash at m
   goes with its key): the changed entries and all that could run on from them. The lines above and below are the same in
   both texts. So what is above and below reads the same in both, and the excerpt reads in its place as it does below its
   parents alone.
4. One thing is known only from afar: a key written twice. So no key may stand twice in the mapping of the change, nor in
   those that lead to it.

Then ruamel reads a changed text if it reads the one before and the excerpts, and finds changed what is changed in the
excerpts. Where several places change, the same goes for one after the other, as long as no setting is in two of them.
"""

from __future__ import annotations

import re

MAX_LINE = 1000
"""Characters of a line that is looked into."""
_DEEP = 1 << 30  # more than any indentation
_MAX_SHAPES = 20_000  # lines that are remembered: files of a project repeat theirs

Pair = tuple[str, str]
_Shape = tuple[int, bool, "str | None", int]  # indentation, dash (or a line of text), key, kind of value
_Hunk = tuple[int, int, int, int]  # lines [a, b) became lines [c, d)

_REST = r"(?:[^\s:#]|:(?=\S))"
_WORDS = rf"(?:[\w./~+$(<=^]|[-:?](?=[\w./$?])){_REST}*(?: +{_REST}+)*"
_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'"""
_ITEM = rf"(?:(?:[A-Za-z0-9_./~+]|-(?=[A-Za-z0-9_.]))[A-Za-z0-9_./~+-]*|{_QUOTED})"
_VALUE = rf"(?:{_WORDS}|{_QUOTED}|\[(?: *{_ITEM}(?: *, *{_ITEM})*)? *\]|\{{ *\}})"
_KEY = r"(?:--?|\.{0,2}/)?[A-Za-z_][A-Za-z0-9_.@/-]*(?: [A-Za-z0-9_.@/-]+)*"
_LINE = rf"( *)(- +)?(?:({_KEY}):(?: +(?:({_VALUE})|([|>][+-]?)))?|({_VALUE}))?(?: *| +#.*)"
_NO_KEYS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))  # readers differ on what they are

_NONE, _WHOLE, _BLOCK = 0, 1, 2
_BLANK: _Shape = (-1, False, None, _NONE)
_shapes: dict[str, _Shape | None] = {}


def excerpts(before: str, after: str) -> list[Pair] | None:
    """Excerpts of two texts that hold all that may read differently in them, pair by pair; None if that cannot be
    shown."""
    a, b = before.split("\n"), after.split("\n")
    shapes_a, shapes_b = _all_shapes(a), _all_shapes(b)
    if shapes_a is None or shapes_b is None:
        return None
    old, new = _Text(a, shapes_a), _Text(b, shapes_a if shapes_a == shapes_b else shapes_b)
    hunks = _hunks(a, b)
    found = [_pair(old, new, hunk) for hunk in hunks]
    if None in found and len(hunks) > 1:  # perhaps since one lies within the reach of another
        found = [_pair(old, new, (hunks[0][0], hunks[-1][1], hunks[0][2], hunks[-1][3]))]
    return None if None in found else [pair for pair in found if pair is not None]


# ---- lines


def _all_shapes(lines: list[str]) -> list[_Shape] | None:
    """Shapes of all lines; None if one is not plain."""
    out: list[_Shape] = []
    known = _shapes
    block = -1  # indentation of the key whose block of text goes on
    for line in lines:
        if block >= 0:
            text = _text(line, block)
            if text is not None:
                out.append(text)
                continue
            block = -1
        shape = known[line] if line in known else _learn(line)
        if shape is not None:
            if shape[3] == _BLOCK:
                block = shape[0]
        else:
            if line.rstrip() != "---" or any(above is not _BLANK for above in out):
                return None
            shape = _BLANK  # the one document begins
        out.append(shape)
    return out


def _text(line: str, block: int) -> _Shape | None:
    """The shape of a line in a block of text; None if it does not belong to it, or is not plain text."""
    bare = line.removesuffix("\r")
    indent = len(bare) - len(bare.lstrip(" "))
    if indent == len(bare):
        return _BLANK
    return (indent, True, None, _WHOLE) if indent > block and bare.replace("\t", " ").isprintable() else None


def _learn(line: str) -> _Shape | None:
    shape = _shape(line)
    if len(line) <= MAX_LINE:
        if len(_shapes) >= _MAX_SHAPES:
            _shapes.clear()
        _shapes[line] = shape
    return shape


def _shape(line: str) -> _Shape | None:
    bare = line.removesuffix("\r")
    if len(bare) > MAX_LINE or not bare.isprintable():  # a tab, a control character, a line break of another script
        return None
    if not bare.strip(" ") or bare.lstrip(" ").startswith("#"):
        return _BLANK
    match = re.fullmatch(_LINE, bare)
    if match is None:
        return None
    indent, dash, key, value, block, alone = match.groups()
    if key is None and (dash is None or alone is None):  # words that may go on from the line above; a dash alone
        return None
    if (key is not None and key.lower() in _NO_KEYS) or (block is not None and dash is not None):
        return None
    kind = _BLOCK if block is not None else _NONE if value is None and alone is None else _WHOLE
    return len(indent), dash is not None, key, kind


class _Text:
    """Lines and their shapes."""

    __slots__ = ("lines", "shapes")

    def __init__(self, lines: list[str], shapes: list[_Shape]) -> None:
        self.lines, self.shapes = lines, shapes

    def entry_above(self, at: int, most: int) -> int | None:
        """The nearest line above ``at`` with a key that is indented by ``most`` at most; of a list, the key that holds it."""
        while at > 0:
            at -= 1
            indent, dash, _, _ = self.shapes[at]
            if 0 <= indent <= most:
                if not dash:
                    return at
                most = indent
        return None

    def parents(self, start: int) -> tuple[int, list[int]] | None:
        """(an entry that can be read alone: ``start`` or one above it, lines of the keys that lead to it)."""
        above: list[int] = []
        at, indent = start, self.shapes[start][0]
        while indent > 0 and at > 0:
            at -= 1
            there, dash, _, value = self.shapes[at]
            if there < 0 or there >= indent:
                continue
            if dash:  # within an element of a list: the whole list
                entry = self.entry_above(at, there)
                if entry is None:
                    return None
                start, above = entry, []
                at, indent = start, self.shapes[start][0]
                continue
            if value != _NONE:
                return None  # a value with keys below it: broken
            above.insert(0, at)
            indent = there
        return start, above

    def end(self, at: int, indent: int) -> int | None:
        """The first line from ``at`` that no longer belongs to an entry indented by ``indent``."""
        while at < len(self.shapes):
            there, dash, _, _ = self.shapes[at]
            if 0 <= there <= indent:
                if not dash:
                    break
                if there < indent:
                    return None
            at += 1
        return at

    def excerpt(self, above: list[int], start: int, end: int) -> str:
        """Lines of parents and the lines [start, end), with the line break at the end if there is one."""
        last = [] if end == len(self.lines) else [""]
        return "\n".join([*(self.lines[at] for at in above), *self.lines[start:end], *last])

    def repeats(self, at: int) -> bool:
        """Whether the mapping in which the key of a line stands has a key twice."""
        shapes, indent = self.shapes, self.shapes[at][0]
        first, last = (at, at) if indent else (0, len(shapes))
        while first > 0 and not 0 <= shapes[first - 1][0] < indent:
            first -= 1
        while last < len(shapes) and not 0 <= shapes[last][0] < indent:
            last += 1
        keys = [key for there, dash, key, _ in shapes[first:last] if there == indent and not dash]
        return len(set(keys)) < len(keys)


# ---- what changed


def _hunks(a: list[str], b: list[str]) -> list[_Hunk]:
    if len(a) == len(b):
        out: list[_Hunk] = []
        for n, (old, new) in enumerate(zip(a, b, strict=True)):
            if old != new:
                if out and out[-1][1] == n:
                    first = out.pop()[0]
                    out.append((first, n + 1, first, n + 1))
                else:
                    out.append((n, n + 1, n, n + 1))
        return out
    head, least = 0, min(len(a), len(b))
    while head < least and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < least - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    i, j, k, n = head, len(a) - tail, head, len(b) - tail
    if min(j - i, n - k) < 2:
        return [(i, j, k, n)]
    from difflib import SequenceMatcher

    found = SequenceMatcher(None, a[i:j], b[k:n], False).get_opcodes()
    return [(i + p, i + q, k + r, k + s) for tag, p, q, r, s in found if tag != "equal"]


def _pair(old: _Text, new: _Text, hunk: _Hunk) -> Pair | None:
    """The excerpts for one change."""
    i, j, k, n = hunk
    changed = [*old.shapes[i:j], *new.shapes[k:n]]
    most = min((shape[0] for shape in changed if shape[0] >= 0), default=_DEEP)
    first = [text.shapes[at] for text, at, stop in ((old, i, j), (new, k, n)) if at < stop]
    alone = len(first) == 2 and all(indent == most and not dash for indent, dash, _, _ in first)
    cut = _cut(old, i, j, most, alone)
    cut2 = cut if new.shapes is old.shapes and (i, j) == (k, n) else _cut(new, k, n, most, alone)
    if cut is None or cut2 is None:
        return None
    (start, end, above), (start2, end2, above2) = cut, cut2
    if [old.lines[at] for at in above] != [new.lines[at] for at in above2]:
        return None
    if old.lines[start:i] != new.lines[start2:k] or old.lines[j:end] != new.lines[n:end2]:
        return None
    return old.excerpt(above, start, end), new.excerpt(above2, start2, end2)


def _cut(text: _Text, first: int, last: int, most: int, alone: bool) -> tuple[int, int, list[int]] | None:
    """(start, end, parents) of the entries that hold the lines [first, last) of a text."""
    entry = first if alone else text.entry_above(first, most)
    if entry is None:
        return None
    found = text.parents(entry)
    if found is None:
        return None
    start, above = found
    end = text.end(last, text.shapes[start][0])
    if end is None or any(text.repeats(at) for at in (*above, start)):
        return None
    return start, end, above
