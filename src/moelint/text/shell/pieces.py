"""Text that a script puts together, piece by piece: what is known of it, and where its author wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from moelint.text.source import Source
from moelint.typed import Any

Span = tuple[Source, int, int]  # offsets in a file's text

_SITES = 6  # places remembered for one piece, the innermost first
ARGUMENT, ENVIRONMENT, COMPUTED = "argument", "environment", "computed"  # why a piece is not known


class OutOfBudget(Exception):
    """The script would take more steps, or longer texts, than it is worth."""


class Fuel:
    """What is left of the work that one script may cost, in pieces of text handled."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = 0

    def use(self, amount: int) -> None:
        """Raises OutOfBudget when nothing is left."""
        self.left -= amount
        if self.left < 0:
            raise OutOfBudget


FUEL = Fuel()  # filled by whoever starts to follow a script
MAX_WORK = 200_000


class Piece:
    """A stretch of text. ``text`` is None if it is not known; then ``waits`` names what it waits for and ``why`` is the
    reason (ARGUMENT, ENVIRONMENT, COMPUTED). ``spans``: where it stands, then the expansions that bring it here.
    ``literal``: it stands so, letter by letter, at its first span. ``assumed``: why it is only assumed. ``maybe``: it
    is there on some paths only. ``free``: an unknown text outside of quotes, which may be any number of words."""

    __slots__ = ("assumed", "free", "literal", "maybe", "spans", "text", "waits", "why")

    def __init__(
        self,
        text: str | None,
        spans: tuple[Span, ...],
        literal: bool = False,
        assumed: str | None = None,
        waits: tuple[str, ...] = (),
        maybe: bool = False,
        why: str = COMPUTED,
        free: bool = False,
    ) -> None:
        self.text, self.spans, self.literal, self.assumed = text, spans, literal, assumed
        self.waits, self.maybe, self.why, self.free = waits, maybe, why, free

    def changed(self, **changes: Any) -> Piece:
        """A copy with some attributes changed."""
        out = Piece(self.text, self.spans, self.literal, self.assumed, self.waits, self.maybe, self.why, self.free)
        for name, value in changes.items():
            setattr(out, name, value)
        return out

    def at(self, site: Span | None) -> Piece:
        """The same text, brought to one more place by an expansion."""
        if site is None or site in self.spans:
            return self
        return self.changed(spans=(*self.spans[: _SITES - 1], site))

    def cut(self, start: int, end: int) -> Piece:
        """A part of a known text."""
        assert self.text is not None
        spans = self.spans
        if self.literal and spans:
            source, first, _ = spans[0]
            spans = ((source, first + start, first + end), *spans[1:])
        return self.changed(text=self.text[start:end], spans=spans)

    def __repr__(self) -> str:
        return f"Piece({self.text!r}{', maybe' if self.maybe else ''})"


Pieces = tuple[Piece, ...]


def text_of(pieces: Iterable[Piece]) -> str | None:
    """The whole text; None if a part of it is not known or not always there."""
    out = []
    for piece in pieces:
        if piece.text is None or piece.maybe:
            return None
        out.append(piece.text)
    return "".join(out)


def assumed_of(pieces: Iterable[Piece]) -> str | None:
    """Why a text is only assumed; None if it is certain."""
    return next((piece.assumed for piece in pieces if piece.assumed), None)


def waits_of(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """What the unknown parts wait for, each once."""
    return tuple(dict.fromkeys(name for piece in pieces for name in piece.waits))


class Word:
    """One word of a command, or one element of an array."""

    __slots__ = ("pieces",)

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces: Pieces = tuple(pieces)

    @property
    def text(self) -> str | None:
        return text_of(self.pieces)

    @property
    def certain_text(self) -> str | None:
        """The text that the word has wherever it is there; None if it is not known."""
        out = []
        for piece in self.pieces:
            if piece.text is None:
                return None
            out.append(piece.text)
        return "".join(out)

    @property
    def maybe(self) -> bool:
        """It is there on some paths only."""
        return bool(self.pieces) and all(piece.maybe for piece in self.pieces)

    @property
    def free(self) -> bool:
        """It may be any number of words, with flags among them."""
        return any(piece.text is None and piece.free for piece in self.pieces)

    @property
    def assumed(self) -> str | None:
        return assumed_of(self.pieces)

    @property
    def waits(self) -> tuple[str, ...]:
        return waits_of(self.pieces)

    def at(self, site: Span | None) -> Word:
        return Word(piece.at(site) for piece in self.pieces)

    def perhaps(self, waits: tuple[str, ...]) -> Word:
        """The same word, there on some paths only."""
        pieces = self.pieces or (Piece("", ()),)
        return Word(piece.changed(maybe=True, waits=piece.waits or waits) for piece in pieces)

    def __repr__(self) -> str:
        return f"Word({self.pieces!r})"


def unknown(waits: tuple[str, ...], site: Span, why: str = COMPUTED) -> Piece:
    """A text of which nothing is known."""
    return Piece(None, (site,), waits=waits, why=why)


def made(text: str, site: Span, assumed: str | None = None) -> Piece:
    """A text that stands nowhere as it is: it was computed at a place."""
    return Piece(text, (site,), assumed=assumed)


def assume(pieces: Pieces, why: str, known: set[tuple[object, ...]]) -> Pieces:
    """The pieces, assumed but for those that were there before."""
    return tuple(piece if mark(piece) in known else piece.changed(assumed=piece.assumed or why) for piece in pieces)


def mark(piece: Piece) -> tuple[object, ...]:
    """What makes a piece the same one: its text and where it stands."""
    return piece.text, *((id(source), start) for source, start, _ in piece.spans[:1])
