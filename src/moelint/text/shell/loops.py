"""``for``, ``while`` and ``for ((…))``: followed turn by turn where the turns are known, else once for all."""

from __future__ import annotations

from moelint.text.shell.conditions import Outcome
from moelint.text.shell.pieces import Piece, Word, text_of, unknown, waits_of
from moelint.text.shell.script import Script
from moelint.text.shell.state import State, meet
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.text.shell.interpreter import Interpreter
    from moelint.text.shell.statements import Flow

_TURNS = 2_000


class Loops:
    """The loops of one interpreter."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def over_words(self, script: Script, node: Any, state: State) -> Flow:
        """``for NAME in …; do …; done``"""
        owner = self.interpreter
        name_node = next((child for child in node.children if child.type == "variable_name"), None)
        group = _body(node)
        if name_node is None or group is None:
            return None
        start, end = owner.bounds(script, name_node)
        name = script.text[start:end]
        items = [c for c in node.children if c.is_named and c not in (name_node, group) and c.type != "comment"]
        written = any(child.type == "in" for child in node.children)
        words = owner.words(script, items, state) if written else state.arguments
        site = script.span(start, end)
        if name in owner.expander.define:
            words = [Word([Piece(owner.expander.define[name], (site,))])]
        if words is None or any(word.free or word.maybe for word in words):
            waits = waits_of(piece for word in words or () for piece in word.pieces) or ("$@",)

            def turn(branch: State) -> Flow:
                branch.variables[name] = (unknown(waits, site),)
                return owner.block(script, group.children, branch)

            return self._some(turn, state, waits)
        for word in words[:_TURNS]:
            state.variables[name] = word.pieces
            flow = owner.block(script, group.children, state)
            if flow == "break":
                break
            if flow in ("exit", "return"):
                return flow
        return None

    def conditional(self, script: Script, node: Any, state: State) -> Flow:
        """``while …; do …; done`` and ``until``"""
        owner = self.interpreter
        group = _body(node)
        if group is None:
            return None
        wanted = not (node.children and node.children[0].type == "until")
        tests = [child for child in node.children if child.is_named and child is not group]
        for _ in range(_TURNS):
            owner.block(script, tests, state)
            found = owner.status
            if found.truth is None:

                def turn(branch: State) -> Flow:
                    return owner.block(script, group.children, branch)

                return self._some(turn, state, found.waits)
            if found.truth is not wanted:
                return None
            before = len(owner.commands)
            flow = owner.block(script, group.children, state)
            if flow == "break":
                return None
            if flow in ("exit", "return"):
                return flow
            if _endless(tests) and before == len(owner.commands):
                return None  # it waits for something
        return None

    def counting(self, script: Script, node: Any, state: State) -> Flow:
        """``for ((…; …; …)); do …; done``"""
        owner = self.interpreter
        group = next((c for c in node.children if c.type in ("do_group", "compound_statement")), None)
        if group is None:
            return None
        start = script.offset(node.start_byte)
        first = script.text.find("((", start) + 2
        last = script.text.find("))", first, script.offset(group.start_byte))
        parts = script.text[first:last].split(";")
        if last < 0 or len(parts) != 3:
            return None
        site = script.span(start, last + 2)

        def number(text: str) -> tuple[int | None, tuple[str, ...]]:
            from moelint.text.shell.script import Script as Text

            piece = Text(script.source, text, [(0, len(text), (site,), False)])
            inner = owner.expander.value(piece, 0, len(text), state, True)
            known = text_of(inner)
            if known is None:
                return None, waits_of(inner)
            value, _, waits = owner.expander.number(known, state, site)
            return value, waits

        number(parts[0])
        for _ in range(_TURNS):
            value, waits = number(parts[1]) if parts[1].strip() else (1, ())
            if value is None:

                def turn(branch: State) -> Flow:
                    return owner.block(script, group.children, branch)

                return self._some(turn, state, waits)
            if not value:
                return None
            flow = owner.block(script, group.children, state)
            if flow == "break":
                return None
            if flow in ("exit", "return"):
                return flow
            number(parts[2])
        return None

    def _some(self, turn: Any, state: State, waits: tuple[str, ...]) -> Flow:
        """A loop with a number of turns that is not known, perhaps none. Two turns show what changes from one to the
        next."""
        owner = self.interpreter
        owner.conditional += 1
        try:
            for _ in range(2):
                branch = state.copy()
                if turn(branch) not in ("exit", "return"):
                    state.take(meet([state, branch], waits))
        finally:
            owner.conditional -= 1
        owner.status = Outcome(None)
        return None


def _body(node: Any) -> Any:
    return next((child for child in node.children if child.type in ("do_group", "compound_statement")), None)


def _endless(tests: list[Any]) -> bool:
    return len(tests) == 1 and tests[0].text in (b"true", b":", b"[ 1 ]", b"[ true ]")
