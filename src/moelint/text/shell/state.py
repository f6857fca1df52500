"""What a script's variables hold at one point of it, and what holds where two paths meet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from moelint.text.shell.pieces import ARGUMENT, FUEL, Piece, Pieces, Word, text_of, waits_of
from moelint.typed import Any

Value = Pieces | list[Word]  # a text, or an array (never changed in place)

_OVERRIDE = re.compile(r"[+~]{0,2}[A-Za-z_][\w./@-]*=")

MAX_TEXT = 100_000  # characters of one variable
MAX_WORDS = 20_000  # elements of one array


class State:
    """``variables``: name → value; ``exported``: names that commands see; ``functions``: name → what the interpreter
    keeps of it; ``arguments``: the positional ones, None if they are not known; ``loose``: why more may be set."""

    __slots__ = ("arguments", "exported", "functions", "loose", "variables")

    def __init__(self) -> None:
        self.variables: dict[str, Value] = {}
        self.exported: dict[str, None] = {}
        self.functions: dict[str, Any] = {}
        self.arguments: list[Word] | None = None
        self.loose: tuple[str, ...] = ()

    def copy(self) -> State:
        out = State()
        out.variables, out.exported = dict(self.variables), dict(self.exported)
        out.functions, out.arguments, out.loose = dict(self.functions), self.arguments, self.loose
        return out

    def take(self, other: State) -> None:
        """Become another state."""
        self.variables, self.exported, self.functions = other.variables, other.exported, other.functions
        self.arguments, self.loose = other.arguments, other.loose


def meet(states: Sequence[State], waits: tuple[str, ...]) -> State:
    """What is known where several paths meet. ``waits``: what the choice between them hangs on."""
    first = states[0]
    for other in states[1:]:
        first = _two(first, other, waits)
    return first


def _two(a: State, b: State, waits: tuple[str, ...]) -> State:
    out = a.copy()
    for name in [*a.variables, *(name for name in b.variables if name not in a.variables)]:
        one, two = a.variables.get(name), b.variables.get(name)
        if one is not two:
            held = either(one, two, waits)
            if (one is None) != (two is None) and name in waits:  # if [ -z "$X" ]; then X=8; fi
                known = one if one is not None else two
                held = _by_default(known, f"{name} is not set, so what the script sets holds")
            out.variables[name] = held
    out.exported.update(b.exported)
    out.functions.update(b.functions)
    if a.arguments is not b.arguments:
        out.arguments = None
    out.loose = tuple(dict.fromkeys((*a.loose, *b.loose)))
    return out


def _by_default(value: Value | None, why: str) -> Value:
    if isinstance(value, list):
        return [Word(piece.changed(assumed=piece.assumed or why) for piece in word.pieces) for word in value]
    return tuple(piece.changed(assumed=piece.assumed or why) for piece in value or ())


def either(a: Value | None, b: Value | None, waits: tuple[str, ...]) -> Value:
    """The value that is one of two. None: the variable is not set by the script on that path."""
    if isinstance(a, list) or isinstance(b, list):
        return words_either(_words(a), _words(b), waits)
    a, b = a or (), b or ()
    one, two = text_of(a), text_of(b)
    if one is not None and one == two:
        return a if not any(piece.assumed for piece in a) else b
    for known, other in ((a, b), (b, a)):
        if text_of(known) and other and all(p.text is None and p.why == ARGUMENT for p in other):
            name = waits_of(other)[0] if waits_of(other) else "an argument"
            return tuple(p.changed(assumed=f"{name} is not given, so {text_of(known)} holds") for p in known)
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    left, right = a[head : len(a) - tail], b[head : len(b) - tail]
    return (*a[:head], *_perhaps(left, right, waits), *a[len(a) - tail :])


def words_either(a: list[Word], b: list[Word], waits: tuple[str, ...]) -> list[Word]:
    """The elements that are always there are certain, the others are there perhaps."""
    same = _same(a, b)
    if same:
        return [*a[:same], *words_either(a[same:], b[same:], waits)]
    FUEL.use(len(a) + len(b))
    one, two = groups(a), groups(b)
    keys_a, keys_b = [_key(group) for group in one], [_key(group) for group in two]
    head = 0
    while head < min(len(one), len(two)) and keys_a[head] == keys_b[head]:
        head += 1
    tail = 0
    while tail < min(len(one), len(two)) - head and keys_a[-1 - tail] == keys_b[-1 - tail]:
        tail += 1
    out = [word for group in one[:head] for word in group]
    middle_a, middle_b = one[head : len(one) - tail], two[head : len(two) - tail]
    shared = set(keys_a[head : len(one) - tail]) & set(keys_b[head : len(two) - tail])
    out += _mixed(middle_a, shared, True, waits)
    out += _mixed(middle_b, shared, False, waits)
    out += [word for group in one[len(one) - tail :] for word in group]
    return out


def _same(a: list[Word], b: list[Word]) -> int:
    """How many words at the start are the very same, up to the start of a flag."""
    at = 0
    size = min(len(a), len(b))
    while at < size and a[at] is b[at]:
        at += 1
    while at and not (at == len(a) == len(b)):
        text = a[at - 1].certain_text
        at -= 1
        if text is not None and text.startswith("-"):
            break
    return at


def _mixed(parts: list[list[Word]], shared: set[tuple[object, ...]], first: bool, waits: tuple[str, ...]) -> list[Word]:
    out: list[Word] = []
    for group in parts:
        if _key(group) in shared:
            if first:
                out += group
        else:
            out += [word.perhaps(waits) for word in group]
    return out


def groups(words: Iterable[Word]) -> list[list[Word]]:
    """Words in groups, each a flag with what follows it, or an override. Words before the first flag stand alone."""
    out: list[list[Word]] = []
    flag = False
    for word in words:
        text = word.certain_text
        if text is not None and text.startswith("-") and len(text) > 1 and not text[1].isdigit() and text[1] != ".":
            out.append([word])
            flag = True
        elif word.pieces and (head := word.pieces[0].text) is not None and _OVERRIDE.match(head):
            out.append([word])
            flag = False
        elif flag and not word.free:
            out[-1].append(word)
        else:
            out.append([word])
            flag = False
    return out


def _key(group: list[Word]) -> tuple[object, ...]:
    return tuple((word.certain_text, word.maybe, word.waits if word.certain_text is None else ()) for word in group)


def _words(value: Value | None) -> list[Word]:
    if value is None:
        return []
    return value if isinstance(value, list) else [Word(value)] if value else []


def _common(a: Pieces, b: Pieces) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x is not y and (x.text is None or x.text != y.text or x.maybe != y.maybe):
            break
        n += 1
    return n


def _perhaps(left: Pieces, right: Pieces, waits: tuple[str, ...]) -> Pieces:
    """Two texts of which one is there."""
    found = tuple(piece for part in (left, right) for piece in part)
    if not found:
        return ()
    if left and right and not any(" " in (p.text or "") or "=" in (p.text or "") for p in found):
        spans = next((p.spans for p in found if p.spans), ())
        return (Piece(None, spans, waits=waits_of(found) or waits),)
    return tuple(piece.changed(maybe=True, waits=piece.waits or waits) for piece in found)
