"""``$(…)`` as far as its outcome follows from the text alone: sequences, parts of paths, echoed words."""

from __future__ import annotations

import os
import re

from moelint.text.shell.pieces import Pieces, Span, Word, made, unknown, waits_of

_MAX_SEQUENCE = 2_000


def outcome(words: list[Word], site: Span, top: str) -> Pieces | None:
    """What a command prints; None if that is not known. ``top``: the folder of the checkout."""
    name = words[0].text if words else None
    if name is None:
        return None
    name = name.rpartition("/")[2]
    if name == "echo":
        return _echo(words[1:])
    texts = [word.text for word in words[1:]]
    if any(text is None for text in texts):
        return None
    known = [text for text in texts if text is not None and text != "--"]
    assumed = next((word.assumed for word in words if word.assumed), None)
    text: str | None = None
    if name == "seq":
        text = _sequence(known)
    elif name == "dirname" and len(known) == 1:
        text = os.path.dirname(known[0]) or "."
    elif name == "basename" and known:
        text = known[0].rstrip("/").rpartition("/")[2]
        if len(known) > 1:
            text = text.removesuffix(known[1])
    elif name in ("realpath", "readlink"):
        paths = [item for item in known if not item.startswith("-")]
        text = os.path.normpath(paths[0]) if len(paths) == 1 else None
    elif name == "git" and known[-2:] == ["rev-parse", "--show-toplevel"]:
        text = top
    elif name == "printf" and known:
        text = formatted(known[0], known[1:])
    elif name == "expr":
        text = _expr(known)
    return None if text is None else (made(text, site, assumed),)


def _echo(words: list[Word]) -> Pieces:
    out = []
    for number, word in enumerate(word for word in words if word.text not in ("-n", "-e")):
        if number:
            out.append(made(" ", word.pieces[0].spans[0]) if word.pieces and word.pieces[0].spans else word.pieces[0])
        out += word.pieces
    return tuple(out)


def _sequence(texts: list[str]) -> str | None:
    try:
        numbers = [int(text) for text in texts]
    except ValueError:
        return None
    if not 1 <= len(numbers) <= 3:
        return None
    first, step, last = (
        (1, 1, numbers[0])
        if len(numbers) == 1
        else ((numbers[0], 1, numbers[1]) if len(numbers) == 2 else (numbers[0], numbers[1], numbers[2]))
    )
    if not step or abs((last - first) // step) > _MAX_SEQUENCE:
        return None
    return " ".join(str(n) for n in range(first, last + (1 if step > 0 else -1), step))


def _expr(texts: list[str]) -> str | None:
    from moelint.text.shell.arithmetic import Arithmetic, Unreadable

    try:
        value = Arithmetic(" ".join(texts), lambda _: None, lambda *_: None).value()
    except Unreadable:
        return None
    return None if value is None else str(value)


def calculated(text: str) -> str | None:
    """What ``bc`` says to a calculation in whole numbers."""
    return _expr([text]) if re.fullmatch(r"[0-9+*/() \t%-]{1,200}", text) else None


def formatted(pattern: str, texts: list[str]) -> str | None:
    """What printf makes of a format with %s and %d in it; the format is used again for more arguments."""
    parts = re.findall(r"%(0?\d{0,3})([sdi%])|([^%]+)", pattern)
    if "".join("%" + width + kind if kind else plain for width, kind, plain in parts) != pattern:
        return None
    places = sum(1 for _, kind, _ in parts if kind and kind != "%")
    out: list[str] = []
    waiting = list(texts)
    for _ in range(1000):
        for width, kind, plain in parts:
            if not kind:
                out.append(plain.replace("\\n", "\n").replace("\\t", "\t"))
            elif kind == "%":
                out.append("%")
            else:
                text = waiting.pop(0) if waiting else ("0" if kind != "s" else "")
                size = int(width or 0)
                out.append(text.zfill(size) if width.startswith("0") and size else text.rjust(size))
        if not waiting or not places:
            return "".join(out)
    return None


def trimmed(pieces: Pieces) -> Pieces:
    """Without the line breaks at the end, as a substitution gives it."""
    out = list(pieces)
    while out and out[-1].text is not None and not out[-1].text.rstrip("\n"):
        out.pop()
    if out and (last := out[-1].text) is not None and last.endswith("\n"):
        out[-1] = out[-1].cut(0, len(last.rstrip("\n")))
    return tuple(out)


def shown(text: str, site: Span, words: list[Word]) -> Pieces:
    """A substitution that is not known."""
    waits = tuple(dict.fromkeys(name for word in words for name in waits_of(word.pieces)))
    name = " ".join(text.split())
    return (unknown(waits or (f"$({name[:29]}{'…' if len(name) > 29 else ''})",), site),)
