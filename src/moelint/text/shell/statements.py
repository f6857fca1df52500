"""The kinds of statements of a script, each with what following it means."""

from __future__ import annotations

from collections.abc import Callable

from moelint.text.shell import builtins
from moelint.text.shell.conditions import Condition, Outcome
from moelint.text.shell.patterns import fits
from moelint.text.shell.pieces import Pieces, text_of, waits_of
from moelint.text.shell.script import Script
from moelint.text.shell.state import State, Value
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.text.shell.interpreter import Interpreter

Flow = str | None  # exit | return | break | continue


def _assignment(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    found = self.assign(script, node, state)
    if found is not None:
        self.store(*found, state)
    self.status = Outcome(True)
    return None


def _group(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    if node.children and node.children[0].type == "((":
        start, end = self.bounds(script, node)
        text = script.text[start + 2 : end - 2]
        inner = text_of(self.expander.value(script, start + 2, end - 2, state, True))
        site = script.span(start, end)
        value, assumed, waits = self.expander.number(inner if inner is not None else text, state, site)
        self.status = Outcome(None if value is None else bool(value), assumed, waits)
        return None
    return self.block(script, node.children, state)


def _subshell(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    self.block(script, node.children, state.copy())
    self.status = Outcome(None)
    return None


def _declaration(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    return builtins.declare(self, script, node, state)


def _unset(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    for word in self.words(script, [child for child in node.children[1:] if child.is_named], state):
        if word.text is not None:
            state.variables.pop(word.text, None)
            state.exported.pop(word.text, None)
    return None


def _test(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    start, end = self.bounds(script, node)
    text = script.text[start:end]
    size = 2 if text.startswith("[[") else 1
    if text.startswith("(("):
        return _group(self, script, node, state)
    self.status = Condition(self.expander, script, start + size, end - size, state).outcome()
    return None


def _negated(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    flow = self.block(script, node.children, state)
    found = self.status
    self.status = Outcome(None if found.truth is None else not found.truth, found.assumed, found.waits)
    return flow


def _list(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    """``a && b || c``. A command's own outcome is not known: it is taken to succeed."""
    parts: list[tuple[str, Any]] = []
    at = node
    while at.type == "list" and len(at.children) >= 3:
        parts.append((at.children[1].type, at.children[2]))
        at = at.children[0]
    parts.append(("", at))
    parts.reverse()
    for sign, part in parts:
        if sign:
            found = self.status
            if found.truth is None and not found.waits and not _is_test(self, part, parts):
                if sign == "||":
                    continue
                found = Outcome(True)

            def run(branch: State, part: Any = part) -> Flow:
                return self.statement(script, part, branch)

            truth = (
                found
                if sign == "&&"
                else Outcome(None if found.truth is None else not found.truth, found.assumed, found.waits)
            )
            flow = self.choose(truth, run, lambda _: None, state)
            if truth.truth is not True:
                self.status = found if truth.truth is False else Outcome(None)
        else:
            flow = self.statement(script, part, state)
        if flow is not None:
            return flow
    return None


def _is_test(self: Interpreter, part: Any, parts: list[tuple[str, Any]]) -> bool:
    """Whether a list begins with a test whose outcome is not known: then neither way is likelier."""
    return any(before.type in ("test_command", "negated_command") for _, before in parts[:-1])


def _pipeline(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    for child in node.children:
        if child.is_named:
            self.statement(script, child, state.copy())
    self.status = Outcome(None)
    return None


def _redirected(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    body = node.children[0] if node.children else None
    heredoc = next((child for child in node.children if child.type == "heredoc_redirect"), None)
    here = next((child for child in node.children if child.type == "herestring_redirect"), None)
    if body is None or not body.is_named:
        return None
    if here is not None and body.type == "command":
        return _fed(self, script, body, here, state)
    flow = self.statement(script, body, state)
    if heredoc is not None and flow is None:
        _heredoc(self, script, heredoc, state)
    return flow


def _fed(self: Interpreter, script: Script, body: Any, here: Any, state: State) -> Flow:
    given = self.given(script, here, state)
    set_here: dict[str, Value] = {}
    for child in body.children:
        if child.type == "variable_assignment" and (found := self.assign(script, child, state)) is not None:
            set_here[found[0]] = found[1]
    arguments = [c for c in body.children if c.is_named and c.type not in ("variable_assignment", "comment")]
    words = self.words(script, arguments, state)
    if not words:
        return None
    return self.call(words, set_here, script.span(*self.bounds(script, body)), state, given)


def _heredoc(self: Interpreter, script: Script, node: Any, state: State) -> None:
    """A text for another program: if it reads as a script, its commands are followed."""
    start_node = next((child for child in node.children if child.type == "heredoc_start"), None)
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    for child in node.children:  # the statements behind << on its line
        if child.type in ("pipeline", "command", "list"):
            self.statement(script, child, state)
    if body is None or start_node is None:
        return
    start, end = self.bounds(script, body)
    a, b = self.bounds(script, start_node)
    if script.text[a:b][:1] in "'\"\\":
        pieces: Pieces = tuple(script.pieces(start, end))
    else:
        pieces = self.expander.value(script, start, end, state, True)
    if any(piece.text and ("--" in piece.text or "=" in piece.text) for piece in pieces):
        self.run_text(pieces, state)


def _if(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    clauses: list[tuple[list[Any], list[Any]]] = []  # (condition, body)
    condition: list[Any] = []
    body: list[Any] = []
    waiting = True
    otherwise: list[Any] = []
    for child in node.children:
        if child.type == "then":
            waiting = False
        elif child.type == "elif_clause":
            clauses.append(_clause(child))
        elif child.type == "else_clause":
            otherwise = [part for part in child.children if part.is_named]
        elif child.is_named:
            (condition if waiting else body).append(child)
    return _choice(self, script, [(condition, body), *clauses], otherwise, state)


def _clause(node: Any) -> tuple[list[Any], list[Any]]:
    condition: list[Any] = []
    body: list[Any] = []
    waiting = True
    for child in node.children:
        if child.type == "then":
            waiting = False
        elif child.is_named:
            (condition if waiting else body).append(child)
    return condition, body


def _choice(
    self: Interpreter, script: Script, clauses: list[tuple[list[Any], list[Any]]], otherwise: list[Any], state: State
) -> Flow:
    if not clauses:
        return self.block(script, otherwise, state)
    condition, body = clauses[0]
    flow = self.block(script, condition, state)
    if flow is not None:
        return flow
    found = self.status
    return self.choose(
        found,
        lambda branch: self.block(script, body, branch),
        lambda branch: _choice(self, script, clauses[1:], otherwise, branch),
        state,
    )


def _case(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    subject = next((child for child in node.children[1:] if child.is_named), None)
    if subject is None:
        return None
    value = self.expander.value(script, *self.bounds(script, subject), state)
    text = text_of(value)
    ways: list[Callable[[State], Flow]] = []
    certain = False
    for item in (child for child in node.children if child.type == "case_item"):
        patterns: list[Any] = []
        body: list[Any] = []
        waiting = True
        for child in item.children:
            if child.type == ")" and waiting:
                waiting = False
            elif child.is_named:
                (patterns if waiting else body).append(child)
        found: list[bool | None] = []
        for pattern in patterns:
            shape = text_of(self.expander.value(script, *self.bounds(script, pattern), state))
            found.append(True if shape == "*" else None if shape is None or text is None else fits(text, shape))

        def run(branch: State, body: list[Any] = body) -> Flow:
            return self.block(script, body, branch)

        if True in found:
            ways.append(run)
            certain = True
            break
        if None in found:
            ways.append(run)
    if not certain:
        ways.append(lambda _: None)
    if len(ways) == 1:
        assumed = next((piece.assumed for piece in value if piece.assumed), None)
        return self.choose(Outcome(True, assumed), ways[0], lambda _: None, state)
    return self.either(ways, state, waits_of(value))


def _define(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    name = next((child for child in node.children if child.type == "word"), None)
    body = next((child for child in node.children if child.type in ("compound_statement", "subshell")), None)
    if name is not None and body is not None:
        start, end = self.bounds(script, name)
        state.functions[script.text[start:end]] = (script, body.children)
    return None


def _for(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    return self.loops.over_words(script, node, state)


def _while(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    return self.loops.conditional(script, node, state)


def _c_for(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    return self.loops.counting(script, node, state)


STATEMENTS: dict[str, Callable[[Interpreter, Script, Any, State], Flow]] = {
    "variable_assignment": _assignment,
    "variable_assignments": lambda self, script, node, state: self.block(script, node.children, state),
    "command": lambda self, script, node, state: self.command(script, node, state),
    "declaration_command": _declaration,
    "unset_command": _unset,
    "list": _list,
    "pipeline": _pipeline,
    "redirected_statement": _redirected,
    "if_statement": _if,
    "case_statement": _case,
    "for_statement": _for,
    "while_statement": _while,
    "c_style_for_statement": _c_for,
    "function_definition": _define,
    "compound_statement": _group,
    "subshell": _subshell,
    "test_command": _test,
    "negated_command": _negated,
    "do_group": lambda self, script, node, state: self.block(script, node.children, state),
    "ERROR": lambda self, script, node, state: self.block(script, node.children, state),
}
