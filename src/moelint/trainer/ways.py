"""What an answer hangs on, as values: signatures of configs, and answers kept by them.

A signature gives the *token* of a dependency (see ``moelint.trainer.traced``): two configs of one kind have equal tokens
only if nothing that hangs on this dependency can tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import itemgetter

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.view import OTHER_NAMES
from moelint.typed import Any

PLAIN = frozenset((str, int, bool, float, type(None)))
"""Kinds of values that are equal only if they are the same, but for ``-0.0``: see ``exact``."""
MOST_WAYS = 12
"""Sets of dependencies that are kept for an answer."""
MOST_PARTS = 256
"""Parts of a kind of config that are kept."""
MOST_HELD, ANSWER = 2_000_000, 24
"""Words of 8 bytes in all that is kept, about, and what an answer takes beside its tokens."""
MOST_VALUES = 4096
"""Answers that are kept for one of them."""


class Signature(dict[str, Any]):
    """Dependency → its token, for one config; found on demand. ``steady``: tokens that are the same for all configs which
    write the same keys and change the same ones from their defaults; ``stated``: those of the target."""

    __slots__ = ("effective", "stated", "steady")

    def __init__(self, effective: Any, steady: dict[str, Any], stated: dict[str, Any]) -> None:
        super().__init__(steady)
        self.update(stated)
        self.effective, self.steady, self.stated = effective, steady, stated

    def __missing__(self, name: str) -> Any:
        """Tokens of written settings are there from the beginning; of figures, they are the config's own."""
        found = self[name] = token(self.effective, name)
        if name[0] != "#":
            (self.stated if name.startswith("target.") else self.steady)[name] = found
        return found


def token(effective: Any, name: str) -> Any:
    first = name[0]
    if first == "?":
        key = name[1:]
        written = effective.layers.written
        return any(k.startswith(key) for k in written) if key[-1] == "." else key in written
    if first == "~":
        return int(name[1:]) in effective.quiet
    if first == "#":
        position, keep, figure = effective.known.kind.figures[int(name[1:])]
        value = effective.known.view(keep).at(position).figure(figure)
        return value.__class__, value if value is UNKNOWN else exact(value)
    if first == "!":
        return tuple([str(release) for release in effective.view(None).releases(name[1:])])
    if name.startswith("target."):
        stated = effective.target.values.get(OTHER_NAMES.get(name[7:], name[7:]))
        if stated is None:
            return None
        value = stated.value
        return value.__class__, str(value), stated.hangs_on, stated.origin == "assumed"
    found = effective.layers.written.get(name)
    return None if found is None else setting_token(found)


def setting_token(written: Any) -> tuple[Any, ...]:
    """A written setting as far as any value hangs on it."""
    value = written.value
    return value.__class__, exact(value), written.assumed, written.origin


def exact(value: Any) -> Hashable:
    """What no other value of the same class is equal to: messages tell ``-0.0`` from ``0.0``."""
    kind = value.__class__
    found: Hashable = value if kind in PLAIN and (value or kind is not float) else repr(value)
    return found


class Kind:
    """What configs of one kind share below the rules: ``parts`` (the walls' inputs, overrides) by what they hang on,
    ``estimates`` the walls' models, ``figures`` those that rules have asked for."""

    __slots__ = ("_numbers", "estimates", "figures", "parts", "tried")

    def __init__(self) -> None:
        self.tried = 0  # cases that were not known
        self.parts: dict[Any, Ways] = {}
        self.estimates: dict[tuple[int, int, int], Any] = {}
        self.figures: list[tuple[int, frozenset[str] | None, str]] = []
        self._numbers: dict[tuple[int, frozenset[str] | None, str], str] = {}

    def part(self, at: Any) -> Ways:
        found = self.parts.get(at)
        if found is None:
            if len(self.parts) >= MOST_PARTS:
                self.parts.clear()
            found = self.parts[at] = Ways()
        return found

    def figure(self, position: int, keep: frozenset[str] | None, name: str) -> str:
        """The dependency on a figure of the walls, at a place and under a mask."""
        found = self._numbers.get(at := (position, keep, name))
        if found is None:
            found = self._numbers[at] = f"#{len(self.figures)}"
            self.figures.append(at)
        return found


held = 0  # tokens in all that was learnt in this process, with what an answer itself takes
Way = tuple[Callable[[Any], Hashable], dict[Hashable, Any], frozenset[str]]


class Ways:
    """Answers to one question. Each entry of ``all`` is a set of dependencies, led by a function that picks their tokens
    out of a signature, and the answers by these; an answer may hang on another set where another way was taken to it."""

    __slots__ = ("_by_names", "all")

    def __init__(self) -> None:
        self.all: list[Way] = []
        self._by_names: dict[frozenset[str], int] = {}

    def learn(self, names: frozenset[str], signature: Signature, answer: Any, words: int = 0) -> None:
        """``words``: of 8 bytes, what the answer takes beyond the usual."""
        global held
        held += len(names) + ANSWER + words
        way = self._by_names.get(names)
        if way is None:
            if len(self.all) >= MOST_WAYS:
                self.all.clear()
                self._by_names.clear()
            way = self._by_names[names] = len(self.all)
            self.all.append((picker(names), {}, names))
        pick, answers, _ = self.all[way]
        if len(answers) >= MOST_VALUES:
            answers.clear()
        answers[pick(signature)] = answer

    def find(self, signature: Signature) -> Any:
        """The answer for a config; None if it is not known."""
        for pick, answers, _ in self.all:
            found = answers.get(pick(signature))
            if found is not None:
                return found
        return None


def picker(names: frozenset[str]) -> Callable[[Any], Hashable]:
    """A function that picks the tokens of some dependencies out of a signature."""
    return itemgetter(*sorted(names)) if names else _nothing


def _nothing(signature: Any) -> Hashable:
    return None
