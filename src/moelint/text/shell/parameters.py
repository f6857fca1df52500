"""``${…}``: a variable with a default, an alternative, a length, a part cut off or replaced."""

from __future__ import annotations

import re

from moelint.text.shell.patterns import cut_off, translate
from moelint.text.shell.pieces import (
    ARGUMENT,
    ENVIRONMENT,
    FUEL,
    Piece,
    Pieces,
    Span,
    Word,
    assumed_of,
    made,
    text_of,
    unknown,
    waits_of,
)
from moelint.text.shell.script import Script
from moelint.text.shell.state import State, Value
from moelint.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from moelint.text.shell.expansion import Builder, Expander

_NAME = re.compile(r"([A-Za-z_]\w*|\d+|[@*#?$!-])(\[)?", re.ASCII)


def parameter(
    expander: Expander, script: Script, start: int, end: int, state: State, out: Builder, quoted: bool, site: Span
) -> None:
    """Expands the inside [start, end) of ``${…}`` into ``out``."""
    text = script.text
    at = start
    count = text[at : at + 1] == "#" and end > at + 1 and text[at + 1] not in ":-=+?#%"
    indirect = text[at : at + 1] == "!" and end > at + 1
    if count or indirect:
        at += 1
    found = _NAME.match(text, at, end)
    if found is None:
        out.text([unknown((text[start:end],), site)])
        return
    name, at = found[1], found.end(1)
    index: str | None = None
    if found[2]:
        stop = text.find("]", at, end)
        stop = end if stop < 0 else stop
        index = text[at + 1 : stop]
        at = min(stop + 1, end)
    put = out.text if quoted else out.unquoted
    rest = text[at:end]
    if indirect:
        put(_indirect(expander, name, index, state, site))
        return
    held = _held(expander, name, index, state, site)
    FUEL.use(len(held or ()))
    if count:
        put([_size(held, site)])
        return
    if name in ("@", "*") or index in ("@", "*"):
        words = held if isinstance(held, list) else None if held is None else [Word(held)] if held else []
        _whole(expander, script, at, end, words, name, index, state, out, quoted, site)
        return
    if isinstance(held, list):
        held = held[0].pieces if held else ()
    value = _modified(expander, script, at, end, rest, name, held, state, site)
    put([piece.at(site) for piece in value])
    if quoted:
        out.exists()


def _held(expander: Expander, name: str, index: str | None, state: State, site: Span) -> Value | None:
    """The value of ``name`` or ``name[index]``; None if nothing sets it."""
    if name in ("@", "*"):
        return state.arguments
    if name.isdigit() or not name.isidentifier():
        value = expander.plain(name, state, site)
        if isinstance(value, list) or not value or value[0].text is not None or value[0].why != ARGUMENT:
            return value
        return None
    if name == "BASH_SOURCE" or (name == "0"):
        return (made(site[0].path, site),)
    held = expander.lookup(name, state, site)
    if index is None or index in ("@", "*") or held is None:
        return held
    number, _, waits = expander.number(index.replace("$", "").replace("{", "").replace("}", "").strip('"'), state, site)
    if number is None:
        return (unknown(waits or (name,), site),)
    words = held if isinstance(held, list) else [Word(held)]
    if any(word.free or word.maybe for word in words):
        return (unknown((name,), site),)
    if number < 0:
        number += len(words)
    return words[number].pieces if 0 <= number < len(words) else ()


def _indirect(expander: Expander, name: str, index: str | None, state: State, site: Span) -> Pieces:
    held = expander.lookup(name, state, site)
    if index in ("@", "*"):
        size = len(held) if isinstance(held, list) else 0
        return (made(" ".join(str(n) for n in range(size)), site),)
    target = text_of(held) if held is not None and not isinstance(held, list) else None
    if target is None or not target.isidentifier():
        return (unknown((name,), site),)
    value = expander.plain(target, state, site)
    return tuple(value[0].pieces) if isinstance(value, list) and value else () if isinstance(value, list) else value


def _size(held: Value | None, site: Span) -> Piece:
    if isinstance(held, list):
        if any(word.free or word.maybe for word in held):
            return unknown((), site)
        return made(str(len(held)), site)
    text = text_of(held) if held is not None else None
    return unknown(waits_of(held or ()), site) if text is None else made(str(len(text)), site)


def _whole(
    expander: Expander,
    script: Script,
    at: int,
    end: int,
    words: list[Word] | None,
    name: str,
    index: str | None,
    state: State,
    out: Builder,
    quoted: bool,
    site: Span,
) -> None:
    """``${A[@]}`` and its like: all elements, a part of them, or a default."""
    rest = script.text[at:end]
    star = "*" in (name, index)
    if words is None:
        why = ARGUMENT if name in ("@", "*") else ENVIRONMENT
        waits = (f"${name}",) if name in ("@", "*") else (name,)
        if rest[:1] in (":", "-", "+") and name not in ("@", "*"):  # an array is never in the environment
            words = []
        else:
            out.text([unknown(waits, site, why).changed(free=True)])
            return
    if rest.startswith((":-", "-")):
        if not words:
            pieces = expander.value(script, at + (2 if rest[0] == ":" else 1), end, state, quoted)
            (out.text if quoted else out.unquoted)([piece.at(site) for piece in pieces])
            return
    elif rest.startswith((":+", "+")):
        if words:
            expander._walk(script, at + (2 if rest[0] == ":" else 1), end, state, out, quoted)
        return
    elif rest.startswith(":"):
        first, _, length = rest[1:].partition(":")
        a, _, _ = expander.number(first, state, site)
        b = expander.number(length, state, site)[0] if length else len(words)
        if a is None or b is None or name in ("@", "*"):
            out.text([unknown((name,), site).changed(free=True)])
            return
        words = words[a:][:b]
    elif rest:
        changed = []
        for word in words:
            changed.append(Word(_modified(expander, script, at, end, rest, name, word.pieces, state, site)))
        words = changed
    from moelint.text.shell.expansion import separator

    out.array([word.at(site) for word in words], quoted, star, separator(state))


def _modified(
    expander: Expander,
    script: Script,
    at: int,
    end: int,
    rest: str,
    name: str,
    held: Pieces | None,
    state: State,
    site: Span,
) -> Pieces:
    """A text after what stands behind the name."""
    argument = name.isdigit() or name == "#"
    missing = (unknown((f"${name}" if argument else name,), site, ARGUMENT if argument else ENVIRONMENT),)
    if not rest:
        return missing if held is None else held
    sign = rest[:2] if rest[0] == ":" and rest[1:2] in "-+=?" and len(rest) > 1 else rest[:1]
    inside = at + len(sign)
    if sign in (":-", "-", ":=", "="):
        value = _default(expander, script, inside, end, name, held, sign, state, site)
        if sign in (":=", "="):
            state.variables[name] = value
        return value
    if sign in (":+", "+"):
        return _alternative(expander, script, inside, end, name, held, state)
    if sign in (":?", "?"):
        return missing if held is None else held
    if held is None:
        return missing
    text = text_of(held)
    if text is None:
        return (unknown(waits_of(held), site),)
    changed = _cut(expander, script, at, end, rest, text, state, site)
    if changed is None:
        return (unknown((name,), site),)
    if changed == text:
        return held
    return (made(changed, site, assumed_of(held)),)


def _default(
    expander: Expander,
    script: Script,
    inside: int,
    end: int,
    name: str,
    held: Pieces | None,
    sign: str,
    state: State,
    site: Span,
) -> Pieces:
    if held is not None:
        text = text_of(held)
        if text or (text is not None and sign in ("-", "=")):
            return held
        if text is None and not all(piece.text is None and piece.why != "computed" for piece in held):
            return (unknown(waits_of(held) or (name,), site),)
    default = expander.value(script, inside, end, state, False)
    if held == ():  # the script itself leaves it empty
        return default
    shown = text_of(default)
    label = f"${name}" if name.isdigit() else name
    why = f"{label} is not set, so its default {shown} holds" if shown else f"{label} is not set"
    out = tuple(piece.changed(assumed=piece.assumed or why) for piece in default)
    return out or (Piece("", (site,), assumed=why),)


def _alternative(
    expander: Expander, script: Script, inside: int, end: int, name: str, held: Pieces | None, state: State
) -> Pieces:
    value = expander.value(script, inside, end, state, False)
    text = text_of(held) if held is not None else None
    if text:
        return value
    if text == "":
        return ()
    waits = (waits_of(held) if held else ()) or (name,)
    return tuple(piece.changed(maybe=True, waits=piece.waits or waits) for piece in value)


def _cut(
    expander: Expander, script: Script, at: int, end: int, rest: str, text: str, state: State, site: Span
) -> str | None:
    """A text with a part of it cut off, replaced or in other letters; None if that is not known."""
    for sign in ("##", "#", "%%", "%"):
        if rest.startswith(sign):
            pattern = text_of(expander.value(script, at + len(sign), end, state, False))
            return None if pattern is None else cut_off(text, pattern, sign)
    if rest in ("^^", ",,", "^", ","):
        changed = text.upper() if rest[0] == "^" else text.lower()
        return changed if len(rest) == 2 else changed[:1] + text[1:]
    if rest.startswith("/"):
        return _replaced(expander, script, at, end, rest, text, state)
    if rest.startswith(":"):
        first, _, length = rest[1:].partition(":")
        a, _, _ = expander.number(first.strip(" ()"), state, site)
        b = expander.number(length, state, site)[0] if length else len(text)
        if a is None or b is None:
            return None
        tail = text[a:]
        return tail[:b]
    return None


def _replaced(expander: Expander, script: Script, at: int, end: int, rest: str, text: str, state: State) -> str | None:
    every = rest.startswith("//")
    start = at + (2 if every else 1)
    middle = start
    while middle < end and script.text[middle] != "/":
        middle += 2 if script.text[middle] == "\\" else 1
    middle = min(middle, end)
    pattern = text_of(expander.value(script, start, middle, state, False))
    new = text_of(expander.value(script, middle + 1, end, state, False)) if middle < end else ""
    if pattern is None or new is None or not pattern:
        return None
    expression = translate(pattern)
    if expression is None or pattern.count("*") * len(text) > 500:
        return None
    return re.sub(expression, lambda _: new, text, count=0 if every else 1)
