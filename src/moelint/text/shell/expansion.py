"""Words as the shell expands them: quotes, variables, arithmetic, and splitting at blanks outside of quotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moelint.text.shell.arithmetic import Arithmetic, Unreadable
from moelint.text.shell.brackets import closing, closing_quote
from moelint.text.shell.parameters import parameter
from moelint.text.shell.pieces import (
    ARGUMENT,
    ENVIRONMENT,
    FUEL,
    Piece,
    Span,
    Word,
    assumed_of,
    made,
    text_of,
    unknown,
    waits_of,
)
from moelint.text.shell.script import Script
from moelint.text.shell.state import MAX_TEXT, MAX_WORDS, State, Value

_BLANKS = " \t\n\r"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
MAX_DEPTH = 40  # expansions inside expansions

Substitute = Callable[[Script, State, Span], "tuple[Piece, ...]"]


class Builder:
    """Collects the fields of one word. ``split``: blanks in unquoted expansions separate fields."""

    def __init__(self, split: bool) -> None:
        self.split = split
        self.words: list[list[Piece]] = []
        self.current: list[Piece] | None = None

    def text(self, pieces: Sequence[Piece]) -> None:
        """Literal or quoted text."""
        FUEL.use(len(pieces))
        if self.current is None:
            self.current = []
        self.current += pieces

    def exists(self) -> None:
        """There is a word, if only an empty one."""
        if self.current is None:
            self.current = []

    def unquoted(self, pieces: Sequence[Piece]) -> None:
        """The outcome of an expansion outside of quotes."""
        if not self.split:
            self.text(pieces)
            return
        FUEL.use(len(pieces))
        for piece in pieces:
            if piece.text is None:
                self.text([piece.changed(free=True)])
                continue
            self._blanks(piece)

    def _blanks(self, piece: Piece) -> None:
        text = piece.text or ""
        at = 0
        while at < len(text):
            if text[at] in _BLANKS:
                self.close()
                at += 1
                continue
            stop = at
            while stop < len(text) and text[stop] not in _BLANKS:
                stop += 1
            self.text([piece.cut(at, stop)])
            at = stop

    def array(self, words: list[Word], quoted: bool, star: bool, separator: str = " ") -> None:
        """``"${A[@]}"``: every element is a word; without quotes, or with ``*``, as their text says."""
        if quoted and star:
            for number, word in enumerate(words):
                if number:
                    self.text([Piece(separator, word.pieces[0].spans if word.pieces else ())])
                self.text(word.pieces)
            self.exists()
            return
        for number, word in enumerate(words):
            if number:
                self.close()
            if quoted:
                self.text(word.pieces)
            else:
                self.unquoted(word.pieces)

    def close(self) -> None:
        if self.current is not None and len(self.words) < MAX_WORDS:
            self.words.append(self.current)
        self.current = None


class Expander:
    """``substitute`` answers command substitutions, ``define`` what the environment holds."""

    def __init__(self, define: dict[str, str], held: dict[str, tuple[Piece, ...]], substitute: Substitute) -> None:
        self.define, self.held, self.substitute = define, held, substitute
        self.depth = 0

    # ---- what callers ask for
    def fields(self, script: Script, start: int, end: int, state: State) -> list[Word]:
        """The words that a stretch of text, one word as written, becomes."""
        builder = Builder(True)
        self._walk(script, start, end, state, builder, False)
        builder.close()
        return [Word(pieces) for pieces in builder.words]

    def value(self, script: Script, start: int, end: int, state: State, quoted: bool = False) -> tuple[Piece, ...]:
        """The text of a word where nothing is split: an assignment, a here-string; ``quoted``: a heredoc's body."""
        builder = Builder(False)
        self._walk(script, start, end, state, builder, quoted)
        if not builder.words:
            pieces = builder.current or []
        else:  # an array in a text: its elements, with blanks between
            builder.close()
            pieces = []
            for number, word in enumerate(builder.words):
                pieces += ([Piece(" ", ())] if number else []) + word
        if len(pieces) > MAX_WORDS or sum(len(piece.text or "") for piece in pieces) > MAX_TEXT:
            return (unknown(("a text without end",), script.span(start, end)),)
        return tuple(pieces)

    def lookup(self, name: str, state: State, site: Span) -> Value | None:
        """What a variable holds; None if neither the script nor a definition sets it."""
        if name in state.variables:
            return state.variables[name]
        if name in self.held:
            return self.held[name]
        if name in self.define:
            return (made(self.define[name], site),)
        return None

    def number(self, text: str, state: State, site: Span) -> tuple[int | None, str | None, tuple[str, ...]]:
        """(value of an arithmetic text, why assumed, what it waits for)."""
        assumed: list[str] = []
        waits: list[str] = []

        def look(name: str, depth: int = 0) -> int | None:
            held = self.lookup(name, state, site)
            if isinstance(held, list):
                held = held[0].pieces if held else ()
            if held is None:
                waits.append(name)
                return None
            known = text_of(held)
            if (why := assumed_of(held)) is not None:
                assumed.append(why)
            if known is None:
                waits.extend(waits_of(held) or (name,))
                return None
            try:
                return int(known.strip() or 0)
            except ValueError:
                if depth < 8 and known.strip().isidentifier():
                    return look(known.strip(), depth + 1)
                try:
                    deeper = depth + 1
                    return Arithmetic(known, lambda n: look(n, deeper) if deeper < 9 else None, assign).value()
                except Unreadable:
                    waits.append(name)
                    return None

        def assign(name: str, value: int | None) -> None:
            state.variables[name] = (made(str(value), site),) if value is not None else (unknown((name,), site),)

        try:
            value = Arithmetic(text, look, assign).value()
        except Unreadable:
            value = None
        return value, assumed[0] if assumed else None, tuple(dict.fromkeys(waits))

    # ---- walking over the text of a word
    def _walk(self, script: Script, at: int, end: int, state: State, out: Builder, quoted: bool) -> None:
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                out.text([unknown(("a nesting too deep",), script.span(at, end))])
                return
            text = script.text
            while at < end:
                stop = at
                while stop < end and text[stop] not in ('\\"$`' if quoted else "\\\"'$`<>"):
                    stop += 1
                if stop > at:
                    out.text(script.pieces(at, stop))
                    at = stop
                    continue
                at = self._special(script, at, end, state, out, quoted)
        finally:
            self.depth -= 1

    def _special(self, script: Script, at: int, end: int, state: State, out: Builder, quoted: bool) -> int:
        text, sign = script.text, script.text[at]
        if sign == "\\":
            return self._backslash(script, at, end, out, quoted)
        if sign == "$":
            return self._dollar(script, at, end, state, out, quoted)
        if sign == "`":
            stop = text.find("`", at + 1, end)
            stop = end if stop < 0 else stop
            found = self.substitute(script.part(at + 1, stop), state, script.span(at, stop + 1))
            (out.text if quoted else out.unquoted)(found)
            return min(stop + 1, end)
        if sign == '"' and not quoted:
            stop = min(closing_quote(text, at + 1, end), end)
            inner = Builder(True)
            self._walk(script, at + 1, stop, state, inner, True)
            if stop == at + 1 or inner.current is not None or inner.words:
                self._append(inner, out)
            return min(stop + 1, end)
        if sign == "'" and not quoted:
            stop = text.find("'", at + 1, end)
            stop = end if stop < 0 else stop
            out.exists()
            out.text(script.pieces(at + 1, stop))
            return min(stop + 1, end)
        if sign in "<>" and text[at + 1 : at + 2] == "(":
            stop = closing(text, at + 1, end)
            out.text([unknown(("a process",), script.span(at, stop))])
            return stop
        out.text(script.pieces(at, at + 1))
        return at + 1

    def _append(self, inner: Builder, out: Builder) -> None:
        words = [*inner.words, inner.current if inner.current is not None else []]
        out.exists()
        for number, word in enumerate(words):
            if number:
                out.close()
                out.exists()
            out.text(word)

    def _backslash(self, script: Script, at: int, end: int, out: Builder, quoted: bool) -> int:
        follows = script.text[at + 1 : at + 2]
        if at + 1 >= end:
            out.text(script.pieces(at, at + 1))
            return at + 1
        if follows == "\n" or (follows == "\r" and script.text[at + 2 : at + 3] == "\n"):
            return min(at + (2 if follows == "\n" else 3), end)
        if quoted and follows not in '$`"\\':
            out.text(script.pieces(at, at + 2))
        else:
            out.text([Piece(follows, (script.span(at, at + 2),))])
        return at + 2

    def _dollar(self, script: Script, at: int, end: int, state: State, out: Builder, quoted: bool) -> int:
        text = script.text
        follows = text[at + 1 : at + 2]
        put = out.text if quoted else out.unquoted
        if text.startswith("$((", at):
            stop = closing(text, at + 1, end)
            if text[stop - 2 : stop] == "))":
                put([self.arithmetic(script, at + 3, stop - 2, state, script.span(at, stop))])
                return stop
        if follows in ("(", "["):
            stop = closing(text, at + 1, end)
            site = script.span(at, stop)
            if follows == "[":
                put([self.arithmetic(script, at + 2, stop - 1, state, site)])
            else:
                put(self.substitute(script.part(at + 2, max(at + 2, stop - 1)), state, site))
            return stop
        if follows == "{":
            stop = closing(text, at + 1, end)
            parameter(self, script, at + 2, max(at + 2, stop - 1), state, out, quoted, script.span(at, stop))
            return stop
        if follows == "'" and not quoted:
            return self._ansi(script, at, end, out)
        if follows == '"' and not quoted:
            return at + 1
        stop = at + 1
        while stop < end and (text[stop].isalnum() or text[stop] == "_") and text[stop].isascii():
            stop += 1
        if stop > at + 1 and text[at + 1].isdigit():
            stop = at + 2
        if stop == at + 1 and follows and follows in "@*#?$!-0":
            stop = at + 2
        if stop == at + 1:
            out.text(script.pieces(at, at + 1))
            return at + 1
        self.variable(text[at + 1 : stop], state, out, quoted, script.span(at, stop))
        return stop

    def _ansi(self, script: Script, at: int, end: int, out: Builder) -> int:
        text, stop, parts = script.text, at + 2, []
        while stop < end and text[stop] != "'":
            if text[stop] == "\\" and stop + 1 < end:
                parts.append(_ESCAPES.get(text[stop + 1], text[stop + 1]))
                stop += 2
            else:
                parts.append(text[stop])
                stop += 1
        out.text([Piece("".join(parts), (script.span(at, min(stop + 1, end)),))])
        return min(stop + 1, end)

    def arithmetic(self, script: Script, start: int, end: int, state: State, site: Span) -> Piece:
        """The outcome of ``$((…))``."""
        inner = self.value(script, start, end, state, True)
        text = text_of(inner)
        if text is None:
            return unknown(waits_of(inner), site)
        value, assumed, waits = self.number(text, state, site)
        if value is None:
            return unknown(waits or (text.strip(),), site)
        return made(str(value), site, assumed or assumed_of(inner))

    def variable(self, name: str, state: State, out: Builder, quoted: bool, site: Span) -> None:
        """``$name``: its value, each element of it for ``$@``."""
        put = out.text if quoted else out.unquoted
        if name in ("@", "*"):
            if state.arguments is None:
                out.text([unknown((f"${name}",), site, ARGUMENT).changed(free=True)])
            else:
                out.array([word.at(site) for word in state.arguments], quoted, name == "*", separator(state))
            return
        held = self.plain(name, state, site)
        FUEL.use(len(held))
        if isinstance(held, list):
            held = held[0].pieces if held else ()
        put([piece.at(site) for piece in held])
        if quoted:
            out.exists()

    def plain(self, name: str, state: State, site: Span) -> Value:
        """The value of a variable or a positional argument, with a piece that is not known where it is not set."""
        if name.isdigit() and name != "0":
            if state.arguments is None:
                if name in self.define:
                    return (made(self.define[name], site),)
                return (unknown((f"${name}",), site, ARGUMENT),)
            number = int(name) - 1
            return state.arguments[number].pieces if number < len(state.arguments) else ()
        if name == "#":
            if state.arguments is None:
                return (unknown(("$#",), site, ARGUMENT),)
            return (made(str(len(state.arguments)), site),)
        if name == "0":
            return (made(site[0].path, site),)
        if not name.isidentifier():
            return (unknown((f"${name}",), site),)
        held = self.lookup(name, state, site)
        return (unknown((name,), site, ENVIRONMENT),) if held is None else held


def separator(state: State) -> str:
    """What stands between the elements of ``"${A[*]}"``: the first character of IFS."""
    held = state.variables.get("IFS")
    text = text_of(held) if held is not None and not isinstance(held, list) else None
    return " " if text is None else text[:1]
