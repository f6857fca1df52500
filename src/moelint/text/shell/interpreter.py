"""Follows a script statement by statement with what is known of its variables. Nothing is run.

Where a choice is not known, all its branches are followed; what is the same on every path stays known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from moelint.text.shell import builtins
from moelint.text.shell.commands import Command
from moelint.text.shell.conditions import Outcome
from moelint.text.shell.expansion import Expander
from moelint.text.shell.loops import Loops
from moelint.text.shell.pieces import (
    FUEL,
    MAX_WORK,
    OutOfBudget,
    Piece,
    Pieces,
    Span,
    Word,
    assume,
    mark,
    text_of,
    unknown,
)
from moelint.text.shell.printed import printed
from moelint.text.shell.script import MAX_SIZE, Script, from_pieces
from moelint.text.shell.state import State, Value, meet
from moelint.text.shell.statements import STATEMENTS, Flow
from moelint.text.shell.substitution import trimmed
from moelint.text.source import Source
from moelint.typed import Any

MAX_STEPS = 20_000  # statements
MAX_NESTING = 45  # statements inside statements, calls and scripts inside scripts included
MAX_COMMANDS = 2_000

Open = Callable[[str, Source], "Source | None"]


class Interpreter:
    """``define``: variables of the environment; ``open_file``: a path as written and the file that names it → a file of
    the checkout, or None; ``top``: the folder of the checkout."""

    def __init__(self, source: Source, define: dict[str, str], open_file: Open, top: str) -> None:
        self.source, self.open_file, self.top = source, open_file, top
        FUEL.left = MAX_WORK
        self.held: dict[str, Pieces] = {}
        self.expander = Expander(define, self.held, self.substitute)
        self.commands: dict[Span, Command] = {}
        self.sourced: list[Source] = []
        self.loops = Loops(self)
        self.steps = self.nesting = self.calls = self.conditional = 0
        self.status: Outcome = Outcome(True)
        self.tilted: str | None = None
        self.locals: list[dict[str, Value | None]] = []
        self.allexport = False

    # ---- scripts
    def run(self, script: Script, state: State) -> Flow:
        """Follow a whole text. Raises OutOfBudget."""
        if len(script.text) > MAX_SIZE:
            raise OutOfBudget
        return self.block(script, script.parse().children, state)

    def run_text(self, pieces: Pieces, state: State) -> None:
        """Follow a text that is handed to another shell: what it sets stays there."""
        if self.nesting < MAX_NESTING:
            self.nesting += 3
            try:
                self.run(from_pieces(self.source, pieces, self.held), state.copy())
            finally:
                self.nesting -= 3

    def block(self, script: Script, nodes: Iterable[Any], state: State) -> Flow:
        for node in nodes:
            if node.is_named and node.type != "comment":
                flow = self.statement(script, node, state)
                if flow is not None:
                    return flow
        return None

    def bounds(self, script: Script, node: Any) -> tuple[int, int]:
        return script.offset(node.start_byte), script.offset(node.end_byte)

    def statement(self, script: Script, node: Any, state: State) -> Flow:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise OutOfBudget
        if self.nesting >= MAX_NESTING:
            state.loose = (*state.loose, "a nesting too deep")
            return None
        handler = STATEMENTS.get(node.type)
        if handler is None:
            return None
        self.nesting += 1
        try:
            return handler(self, script, node, state)
        finally:
            self.nesting -= 1

    # ---- branches
    def either(self, ways: list[Callable[[State], Flow]], state: State, waits: tuple[str, ...]) -> Flow:
        """All the ways that may be taken; those that end the script do not go on."""
        self.conditional += 1
        try:
            ends: list[State] = []
            flows: list[Flow] = []
            for way in ways:
                branch = state.copy()
                flow = way(branch)
                flows.append(flow)
                if flow not in ("exit", "return"):
                    ends.append(branch)
        finally:
            self.conditional -= 1
        if not ends:
            return "exit" if "exit" in flows else "return"
        state.take(meet(ends, waits))
        return None

    def choose(self, found: Outcome, yes: Callable[[State], Flow], no: Callable[[State], Flow], state: State) -> Flow:
        """One of two ways, or both."""
        if found.truth is None:
            return self.either([yes, no], state, found.waits)
        taken, left = (yes, no) if found.truth else (no, yes)
        before, seen = state.copy(), len(self.commands)
        flow = taken(state)
        if flow == "exit" and len(self.commands) == seen and not self.conditional:
            state.take(before)  # the script would stop here: its author means to fill in what is missing
            return left(state)
        if found.assumed is None:
            return flow
        if flow is None:
            kept, tilted = dict(self.commands), self.tilted
            other = before.copy()
            left(other)
            self.commands, self.tilted = kept, tilted
            self._assume(state, before, other, found.assumed)
        return flow

    def _assume(self, state: State, before: State, other: State, why: str) -> None:
        """What the taken way set is assumed, since the condition was."""
        for name, value in state.variables.items():
            old = before.variables.get(name)
            if value is old:
                continue
            known = {mark(piece) for piece in _pieces(old)}
            if isinstance(value, list):
                state.variables[name] = [Word(assume(word.pieces, why, known)) for word in value]
            elif old is None or isinstance(old, list) or text_of(value) != text_of(old):
                state.variables[name] = assume(value, why, known)
        for name, value in other.variables.items():
            if value is not before.variables.get(name) and name not in state.variables:
                state.variables[name] = (Piece("", (), assumed=why),)
            elif isinstance(value, list) and value is not before.variables.get(name):
                self.tilted = self.tilted or why

    # ---- words and values
    def words(self, script: Script, nodes: Iterable[Any], state: State) -> list[Word]:
        """The words that some nodes become. Nodes without a blank between them are one word, as the shell has it."""
        spans: list[tuple[int, int]] = []
        for node in nodes:
            start, end = self.bounds(script, node)
            if spans and not script.text[spans[-1][1] : start].replace("\\\r\n", "").replace("\\\n", ""):
                spans[-1] = spans[-1][0], end
            else:
                spans.append((start, end))
        out: list[Word] = []
        for start, end in spans:
            out += self.expander.fields(script, start, end, state)
        return out

    def assign(self, script: Script, node: Any, state: State) -> tuple[str, Value] | None:
        """(name, new value) of ``NAME=value``, ``NAME+=value``, ``NAME=(…)``, ``NAME[i]=value``."""
        children = node.children
        if not children:
            return None
        target = children[0]
        start, end = self.bounds(script, target)
        name = script.text[start:end]
        adds = any(child.type == "+=" for child in children[1:2])
        value_node = children[-1] if len(children) > 2 else None
        if target.type == "subscript":
            return self._element(script, target, value_node, state)
        if value_node is not None and value_node.type == "array":
            words = [word for word in self.words(script, _elements(value_node), state)]
            if adds:
                held = state.variables.get(name)
                words = [*(held if isinstance(held, list) else [Word(held)] if held else []), *words]
            return name, words
        start, end = self.bounds(script, value_node) if value_node is not None else (end + 1, end + 1)
        value: Value = self.expander.value(script, start, end, state) if value_node is not None else ()
        if adds and not isinstance(value, list):
            held = state.variables.get(name)
            if isinstance(held, list):
                value = [Word([*held[0].pieces, *value]), *held[1:]] if held else [Word(value)]
            else:
                site = script.span(*self.bounds(script, node))
                old = held if held is not None else (unknown((name,), site),) if name not in state.variables else ()
                value = (*old, *value) if held is not None else value
        return name, value if isinstance(value, list) else self.named(name, value)

    def named(self, name: str, value: Pieces) -> Pieces:
        """A value under its name: what is not known waits for the name, where nothing better can be defined."""
        if name in self.expander.define and text_of(value) is None:
            span = value[0].spans[0] if value[0].spans else (self.source, 0, 0)
            return (Piece(self.expander.define[name], (span,)),)
        if any(piece.text is None and not _definable(piece.waits) for piece in value):
            return tuple(
                piece.changed(waits=(name,)) if piece.text is None and not _definable(piece.waits) else piece
                for piece in value
            )
        return value

    def _element(self, script: Script, target: Any, value_node: Any, state: State) -> tuple[str, Value] | None:
        start, end = self.bounds(script, target)
        name, _, index = script.text[start:end].partition("[")
        value = () if value_node is None else self.expander.value(script, *self.bounds(script, value_node), state)
        held = state.variables.get(name)
        words = list(held) if isinstance(held, list) else []
        number = index.rstrip("]")
        if number.isdigit() and int(number) <= len(words):
            words[int(number) :][:1] = []
            words[int(number) : int(number) + 1] = [Word(value)]
        else:
            words.append(Word([*value, unknown((name,), script.span(start, end)).changed(free=True)]))
        return name, words

    def store(self, name: str, value: Value, state: State) -> None:
        state.variables[name] = value
        if self.allexport:
            state.exported[name] = None

    # ---- commands
    def command(self, script: Script, node: Any, state: State) -> Flow:
        assignments, arguments, here = [], [], None
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(child)
            elif child.type == "herestring_redirect":
                here = child
            elif child.type not in ("comment", "file_redirect", "heredoc_redirect") and child.is_named:
                arguments.append(child)
        set_here: dict[str, Value] = {}
        for child in assignments:
            found = self.assign(script, child, state)
            if found is not None:
                set_here[found[0]] = found[1]
        words = self.words(script, arguments, state)
        if not words:
            for name, value in set_here.items():
                self.store(name, value, state)
            self.status = Outcome(True)
            return None
        given = None
        if here is not None:
            given = self.given(script, here, state)
        span = script.span(*self.bounds(script, node))
        return self.call(words, set_here, span, state, given)

    def given(self, script: Script, here: Any, state: State) -> Pieces:
        """The text behind ``<<<``."""
        start, end = self.bounds(script, here)
        start += 3
        while start < end and script.text[start] in " \t":
            start += 1
        return self.expander.value(script, start, end, state)

    def call(
        self, words: list[Word], set_here: dict[str, Value], span: Span, state: State, given: Pieces | None = None
    ) -> Flow:
        """A command whose words are known as far as they are."""
        name = words[0].text
        self.status = Outcome(None)
        if name is not None:
            body = state.functions.get(name)
            if body is not None:
                return self._function(body, words, state)
            builtin = builtins.BUILTINS.get(name)
            if builtin is not None:
                return builtin(self, words, set_here, state, given)
        self.record(words, set_here, span, state)
        return None

    def record(self, words: list[Word], set_here: dict[str, Value], span: Span, state: State) -> None:
        inner = builtins.inner_script(words)
        if inner is not None:
            child = state.copy()
            for name, value in set_here.items():
                child.variables[name] = value
                child.exported[name] = None
            self.run_text(inner, child)
        seen: dict[str, Word] = {}
        for name in state.exported:
            held = state.variables.get(name)
            if held is not None and not isinstance(held, list):
                seen[name] = Word(held)
        for name, value in set_here.items():
            if not isinstance(value, list):
                seen[name] = Word(value)
        command = Command(words, seen, span, state.loose, self.tilted)
        old = self.commands.get(span)
        if old is not None:
            old.merge(command)
        elif len(self.commands) < MAX_COMMANDS:
            self.commands[span] = command

    def _function(self, body: Any, words: list[Word], state: State) -> Flow:
        script, nodes = body
        if self.calls > 12 or self.nesting > MAX_NESTING - 4:
            return None
        before, state.arguments = state.arguments, words[1:] if not any(w.free for w in words) else None
        self.calls += 1
        self.locals.append({})
        try:
            flow = self.block(script, nodes, state)
        finally:
            self.calls -= 1
            for name, value in self.locals.pop().items():
                if value is None:
                    state.variables.pop(name, None)
                else:
                    state.variables[name] = value
            state.arguments = before
        return "exit" if flow == "exit" else None

    def substitute(self, script: Script, state: State, site: Span) -> Pieces:
        """``$(…)``: what is printed, if it follows from the text."""
        if self.nesting >= MAX_NESTING - 2:
            return (unknown((), site),)
        self.nesting += 2
        kept, status = self.commands, self.status
        self.commands = {}
        try:
            said = printed(self, script, state.copy(), site)
        finally:
            self.nesting -= 2
            self.commands, self.status = kept, status
        return tuple(piece.at(site) for piece in trimmed(said))


def _pieces(value: Value | None) -> Iterable[Piece]:
    for part in value or ():
        if isinstance(part, Word):
            yield from part.pieces
        else:
            yield part


def _definable(waits: tuple[str, ...]) -> bool:
    return bool(waits) and all(name.isidentifier() for name in waits)


def _elements(array: Any) -> list[Any]:
    return [child for child in array.children if child.is_named and child.type != "comment"]
