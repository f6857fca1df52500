"""The commands of a script: what each is given, over all the times that the script comes by."""

from __future__ import annotations

import re

from moelint.text.shell.pieces import Span, Word
from moelint.text.shell.state import words_either

_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")


class Command:
    """``words``: program and arguments; ``environment``: what it sees of the variables that the script exports or sets
    before it; ``span``: where it stands; ``loose``: why there may be more than is known; ``tilted``: what was left out
    because of an assumed condition."""

    __slots__ = ("environment", "loose", "span", "tilted", "words")

    def __init__(
        self, words: list[Word], environment: dict[str, Word], span: Span, loose: tuple[str, ...], tilted: str | None
    ) -> None:
        self.words, self.environment, self.span, self.loose, self.tilted = words, environment, span, loose, tilted

    def merge(self, other: Command) -> None:
        """The same command, come by once more: what is not the same is not known."""
        if self.words is not other.words:
            self.words = [_waiting(word) for word in words_either(self.words, other.words, ())]
        for name in self.environment.keys() | other.environment.keys():
            one, two = self.environment.get(name), other.environment.get(name)
            if one is None or two is None or one.text is None or one.text != two.text:
                found = one or two
                assert found is not None
                self.environment[name] = found.perhaps(())
        self.loose = tuple(dict.fromkeys((*self.loose, *other.loose)))
        self.tilted = self.tilted or other.tilted


def _waiting(word: Word) -> Word:
    """A word that is not the same each time waits for the variables that it was made of."""
    if not word.maybe or word.waits:
        return word
    names: dict[str, None] = {}
    for piece in word.pieces:
        for source, start, end in piece.spans[-2:]:
            found = _VARIABLE.fullmatch(source.text[start:end])
            if found is not None:
                names[found[1]] = None
    return word.perhaps(tuple(names)) if names else word
