"""The words behind a program as its parser takes them apart: flags with their values, overrides, and what is left."""

from __future__ import annotations

from moelint.read import flags
from moelint.read.shell_launch import HYDRA_WORD
from moelint.text.shell.pieces import Piece, Word


class Item:
    """A flag or an override. ``name``: the flag, or the override's path; ``key``: the word that has the name;
    ``joined``: name and value are one word; ``sign`` of an override: '', '+', '++', '~'."""

    __slots__ = ("joined", "key", "name", "sign", "values")

    def __init__(self, name: str, key: Word, values: list[Word], joined: bool, sign: str = "") -> None:
        self.name, self.key, self.values, self.joined, self.sign = name, key, values, joined, sign


class Arguments:
    """``items`` in order; ``open``: words that may be any flags; ``stray``: words that no flag takes."""

    __slots__ = ("items", "open", "stray")

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.open: list[Word] = []
        self.stray: list[Word] = []


def is_flag(text: str) -> bool:
    """Whether argparse takes a word for a flag: a dash, and no number behind it."""
    if len(text) < 2 or text[0] != "-":
        return False
    try:
        float(text)
    except ValueError:
        return " " not in text
    return False


def split(word: Word) -> tuple[str, Word] | None:
    """(name, rest as a word) of ``name=rest``; None if there is no sign in the known beginning."""
    head: list[str] = []
    for number, piece in enumerate(word.pieces):
        if piece.text is None:
            return None
        at = piece.text.find("=")
        if at >= 0:
            head.append(piece.text[:at])
            rest = [piece.cut(at + 1, len(piece.text))] if at + 1 < len(piece.text) else []
            return "".join(head), Word([*rest, *word.pieces[number + 1 :]])
        head.append(piece.text)
    return None


def megatron(words: list[Word], generic: bool) -> Arguments:
    """As Megatron-LM's parser does; ``generic``: flags that it does not know take all words up to the next flag."""
    out = Arguments()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        text = word.certain_text
        pair = split(word)
        if pair is not None and pair[0].startswith("--"):
            rest = pair[1] if pair[1].pieces else Word([Piece("", word.pieces[0].spans)])
            out.items.append(Item(pair[0], word, [rest], True))
            continue
        if text is None:
            out.open.append(word)
            continue
        if not is_flag(text):
            if text:
                out.stray.append(word)
            continue
        found = flags.entry(text)
        if found is not None and found[3]:
            out.items.append(Item(text, word, [], False))
            continue
        one = found is not None and found[2] == "one"
        values: list[Word] = []
        while at < len(words) and not (one and values) and _is_value(words[at], word, values, found is None):
            values.append(words[at])
            at += 1
        out.items.append(Item(text, word, values, False))
    return out


def _is_value(word: Word, key: Word, values: list[Word], unknown_flag: bool) -> bool:
    text = word.certain_text
    if text is None:
        pair = split(word)
        if pair is not None and pair[0].startswith("--"):
            return False
        return not values or not word.free
    return not is_flag(text)


def overrides(words: list[Word], bare: frozenset[str]) -> Arguments:
    """Options and ``a.b=c``. ``bare``: options without a value."""
    out = Arguments()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        text = word.certain_text
        pair = split(word)
        if pair is not None and pair[0].startswith("--"):
            out.items.append(Item(pair[0], word, [pair[1]], True))
        elif pair is not None and HYDRA_WORD.match(pair[0] + "="):
            name = pair[0].lstrip("+~")
            out.items.append(Item(name, word, [pair[1]], True, pair[0][: len(pair[0]) - len(name)]))
        elif text is None:
            out.open.append(word)
        elif is_flag(text):
            values: list[Word] = []
            if text not in bare and at < len(words):
                following = words[at]
                known = following.certain_text
                override = split(following)
                takes = (
                    text in ("-E", "--env", "-ce", "--custom_env_vars") or override is None or "." not in override[0]
                )
                if takes and (known is None or not is_flag(known)):
                    values.append(following)
                    at += 1
            out.items.append(Item(text, word, values, False))
        elif text and not text.startswith("~"):
            out.stray.append(word)
    return out
