"""What a command substitution prints, as far as it follows from the text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from moelint.text.shell.pieces import Piece, Pieces, Span, Word, made, text_of
from moelint.text.shell.script import Script
from moelint.text.shell.state import State
from moelint.text.shell.substitution import calculated, outcome, shown
from moelint.typed import TYPE_CHECKING, Any

_SILENT = ("variable_assignment", "variable_assignments", "declaration_command", "unset_command")
_CALLS = 12  # functions inside functions
_TO_ONE_LINE = (["tr", r"\n", " "],)
_SQUEEZES = (["tr", "-s", " "], ["sed", r"s/  \+/ /g"], ["sed", "s/  */ /g"], ["sed", "-E", "s/ +/ /g"])

if TYPE_CHECKING:
    from moelint.text.shell.interpreter import Interpreter


def printed(owner: Interpreter, script: Script, state: State, site: Span) -> Pieces:
    text = script.text.strip()
    if text.startswith("cd ") and text.endswith("pwd"):
        return _folder(owner, script, state, site)
    return _last(owner, script, script.parse().children, state, site)


def _last(owner: Interpreter, script: Script, children: Iterable[Any], state: State, site: Span) -> Pieces:
    """What the last of some statements prints, if those before it print nothing."""
    nodes = [node for node in children if node.is_named and node.type != "comment"]
    if any(node.type not in _SILENT for node in nodes[:-1]):
        return shown(script.text, site, [])
    for node in nodes[:-1]:
        owner.statement(script, node, state)
    if not nodes:
        return ()
    last = nodes[-1]
    if last.type == "redirected_statement" and last.children:
        last = last.children[0]
    if last.type == "pipeline":
        return _piped(owner, script, last, state, site)
    if last.type != "command":
        return shown(script.text, site, [])
    words = owner.words(script, [c for c in last.children if c.is_named and not c.type.endswith("redirect")], state)
    name = words[0].text if words else None
    if name == "pwd":
        return shown("pwd", site, [])
    body = state.functions.get(name) if name is not None else None
    if body is not None and owner.calls < _CALLS:
        state.arguments = None if any(word.free for word in words) else words[1:]
        owner.calls += 1
        try:
            return _last(owner, body[0], body[1], state, site)
        finally:
            owner.calls -= 1
    return outcome(words, site, owner.top) or shown(script.text, site, words)


def _piped(owner: Interpreter, script: Script, node: Any, state: State, site: Span) -> Pieces:
    parts = [child for child in node.children if child.is_named]
    if len(parts) > 1 and all(part.type == "command" for part in parts):
        first, *filters = (owner.words(script, [c for c in part.children if c.is_named], state) for part in parts)
        said = outcome(first, site, owner.top) if first and first[0].text == "echo" else None
        if said is not None:
            end = () if "-n" in (word.text for word in first) else (made("\n", site),)
            if (line := _blanks((*said, *end), filters)) is not None:
                return line
    if len(parts) == 2 and all(part.type == "command" for part in parts):
        first, second = (owner.words(script, [c for c in part.children if c.is_named], state) for part in parts)
        if first and second and first[0].text == "echo" and second[0].text == "bc":
            said = outcome(first, site, owner.top)
            text = text_of(said or ())
            number = calculated(text.strip()) if text else None
            if number is not None:
                return (Piece(number, (site,), assumed=next((w.assumed for w in first if w.assumed), None)),)
            return shown(script.text, site, first)
    return shown(script.text, site, [])


def _blanks(said: Pieces, filters: list[list[Word]]) -> Pieces | None:
    """A text behind filters that put its words on one line; None if one of them may do anything else."""
    for words in filters:
        texts = [word.text for word in words]
        if texts in _TO_ONE_LINE:
            said = tuple(p if p.text is None else p.changed(text=p.text.replace("\n", " ")) for p in said)
        elif texts not in _SQUEEZES:
            return None
        else:
            said = tuple(part for piece in said for part in _squeezed(piece))
    return said


def _squeezed(piece: Piece) -> Iterable[Piece]:
    """The parts of a text that are left when each run of spaces becomes one."""
    if piece.text is None:
        return [piece]
    runs = [match.span() for match in re.finditer(r"  +", piece.text)]
    starts, ends = [0, *(end for _, end in runs)], [*(start + 1 for start, _ in runs), len(piece.text)]
    return [piece.cut(start, end) for start, end in zip(starts, ends, strict=True)]


def _folder(owner: Interpreter, script: Script, state: State, site: Span) -> Pieces:
    """``$(cd … && pwd)``: the folder that is named."""
    text = script.text
    stop = min((at for sign in ("&&", ";", "&>", ">") if (at := text.find(sign)) > 0), default=-1)
    start = text.index("cd ") + 3
    words = owner.expander.fields(script, start, stop if stop > 0 else len(text), state)
    paths: list[str] = []
    for word in words:
        paths += (word.text or "\0").split()
    paths = [path for path in paths if path != "--" and not path.startswith("2")]
    if len(paths) != 1 or "\0" in paths[0]:
        return shown(text, site, words)
    return (Piece(os.path.normpath(paths[0]), (site,)),)
