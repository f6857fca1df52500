"""``[ … ]``, ``[[ … ]]`` and ``test``: true, false, or not known. The file system is never asked."""

from __future__ import annotations

from moelint.text.shell.brackets import closing, closing_quote
from moelint.text.shell.patterns import fits
from moelint.text.shell.pieces import Pieces, assumed_of, text_of, waits_of
from moelint.text.shell.script import Script
from moelint.text.shell.state import State
from moelint.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from moelint.text.shell.expansion import Expander

_DEPTH = 40
_NUMBERS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_BINARY = _NUMBERS | {"=", "==", "!=", "=~", "<", ">", "-nt", "-ot", "-ef"}
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNOSR")


class Outcome:
    """``truth``: True, False or None; ``assumed``: why only assumed; ``waits``: what it hangs on."""

    __slots__ = ("assumed", "truth", "waits")

    def __init__(self, truth: bool | None, assumed: str | None = None, waits: tuple[str, ...] = ()) -> None:
        self.truth, self.assumed, self.waits = truth, assumed, waits


def raw_words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Words of a stretch of shell text, as (start, end): blanks outside of quotes and expansions separate them."""
    out = []
    at = start
    while at < end:
        if text[at] in " \t\n\r" or (text[at] == "\\" and text[at + 1 : at + 2] == "\n"):
            at += 1 if text[at] != "\\" else 2
            continue
        first = at
        while at < end and text[at] not in " \t\n\r":
            sign = text[at]
            if sign == "\\":
                at += 2
            elif sign == '"':
                at = closing_quote(text, at + 1, end) + 1
            elif sign == "'":
                stop = text.find("'", at + 1, end)
                at = end if stop < 0 else stop + 1
            elif sign == "$" and text[at + 1 : at + 2] in ("(", "{"):
                at = closing(text, at + 1, end)
            else:
                at += 1
        out.append((first, min(at, end)))
    return out


class Condition:
    """One test between brackets."""

    def __init__(self, expander: Expander, script: Script, start: int, end: int, state: State) -> None:
        self.expander, self.script, self.state = expander, script, state
        self.tokens = raw_words(script.text, start, end)
        self.at, self.depth = 0, 0

    def outcome(self) -> Outcome:
        if not self.tokens:
            return Outcome(False)
        return self._or()

    def _raw(self, ahead: int = 0) -> str:
        at = self.at + ahead
        if at >= len(self.tokens):
            return ""
        start, end = self.tokens[at]
        return self.script.text[start:end]

    def _value(self) -> Pieces:
        start, end = self.tokens[self.at]
        self.at += 1
        return self.expander.value(self.script, start, end, self.state)

    def _or(self) -> Outcome:
        left = self._and()
        while self._raw() in ("||", "-o"):
            self.at += 1
            left = _join(left, self._and(), True)
        return left

    def _and(self) -> Outcome:
        left = self._not()
        while self._raw() in ("&&", "-a"):
            self.at += 1
            left = _join(left, self._not(), False)
        return left

    def _not(self) -> Outcome:
        self.depth += 1
        if self.depth > _DEPTH:
            self.at = len(self.tokens)
            return Outcome(None)
        try:
            if self._raw() == "!":
                self.at += 1
                inner = self._not()
                return Outcome(None if inner.truth is None else not inner.truth, inner.assumed, inner.waits)
            if self._raw() == "(":
                self.at += 1
                inner = self._or()
                if self._raw() == ")":
                    self.at += 1
                return inner
            return self._primary()
        finally:
            self.depth -= 1

    def _primary(self) -> Outcome:
        first = self._raw()
        if not first:
            return Outcome(None)
        if first in _UNARY and self._raw(1) and self._raw(1) not in _BINARY and self._raw(1) not in (")", "&&", "||"):
            self.at += 1
            return self._unary(first)
        left = self._value()
        sign = self._raw()
        if sign in _BINARY:
            self.at += 1
            if self.at >= len(self.tokens):
                return Outcome(None)
            return self._binary(left, sign, self._value())
        return _nonempty(left)

    def _unary(self, sign: str) -> Outcome:
        if sign == "-v":
            name = self._raw()
            self.at += 1
            return Outcome(True) if name in self.state.variables else Outcome(None, None, (name,))
        value = self._value()
        if sign in ("-n", "-z"):
            found = _nonempty(value)
            if sign == "-z" and found.truth is not None:
                found.truth = not found.truth
            return found
        return Outcome(None, None, waits_of(value))

    def _binary(self, left: Pieces, sign: str, right: Pieces) -> Outcome:
        a, b = text_of(left), text_of(right)
        assumed = assumed_of(left) or assumed_of(right)
        waits = tuple(dict.fromkeys((*waits_of(left), *waits_of(right))))
        if a is None or b is None:
            return Outcome(None, None, waits)
        if sign in _NUMBERS:
            try:
                x, y = int(a.strip()), int(b.strip())
            except ValueError:
                return Outcome(None, None, waits)
            truth = {"-eq": x == y, "-ne": x != y, "-lt": x < y, "-le": x <= y, "-gt": x > y, "-ge": x >= y}[sign]
            return Outcome(truth, assumed, waits)
        if sign in ("=", "==", "!="):
            same = a == b or fits(a, b)
            return Outcome(None if same is None else same == (sign != "!="), assumed, waits)
        if sign in ("<", ">"):
            return Outcome(a < b if sign == "<" else a > b, assumed, waits)
        return Outcome(None, None, waits)


def _nonempty(value: Pieces) -> Outcome:
    if any(piece.text and not piece.maybe for piece in value):
        return Outcome(True, assumed_of(value), waits_of(value))
    text = text_of(value)
    return Outcome(None if text is None else bool(text), assumed_of(value), waits_of(value))


def _join(a: Outcome, b: Outcome, wanted: bool) -> Outcome:
    """``or`` (wanted is True) or ``and`` (False) of two outcomes; the first that is certain to decide does."""
    for one in (a, b):
        if one.truth is wanted and one.assumed is None:
            return one
    for one in (a, b):
        if one.truth is wanted:
            return one
    waits = tuple(dict.fromkeys((*a.waits, *b.waits)))
    if a.truth is None or b.truth is None:
        return Outcome(None, None, waits)
    return Outcome(not wanted, a.assumed or b.assumed, waits)
