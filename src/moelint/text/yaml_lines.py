"""Reads a YAML document line by line, where every line means the same whatever the others say.

That is block mappings of scalars and of one-line lists, block lists of scalars, and comments; see ``yaml_line`` for what
a line may hold. Anything else, and whatever does not fit its indentation, is left to libyaml as a whole.

Files of a repository repeat their lines, so each is understood once. A *state* is where the reader stands: in a mapping
at a path, behind a ``key:`` whose value comes next, or in a list. It remembers, by the text of a line, what that line
means there: the setting it makes with its path, and the state that follows.
"""

from __future__ import annotations

from moelint.text.document import Path, Setting
from moelint.text.source import Source
from moelint.text.yaml_document import YamlDocument
from moelint.text.yaml_line import BLANK, COMMENT, ITEM, KEY, LIST, MAP, OPEN, START, take_apart
from moelint.typed import Any

MAX_CHARACTERS = 100_000
"""Of one text: longer ones are lists of many different lines, for which libyaml is as fast."""
MAX_LINES = 10_000
"""Lines that are remembered before all are forgotten; one text adds to them no more than it has itself."""
MAX_REMEMBERED = 1_000_000
"""The same for their characters."""
MAX_NEW, LONG, MOST_UNLIKE = 600, 8_000, 3
"""New lines, if most of a text's are new, from which on libyaml reads it faster; after so many such texts, those longer than
``LONG`` characters are left to it at once."""
MAX_DEPTH = 20
"""Levels of nesting; deeper texts go to libyaml."""

_MAPPING, _VALUE, _LIST = range(3)  # kinds of states
_NOTHING, _SECTION, _NULL, _CLOSE = range(4)  # what a line says of the key before it: its value is a section, null, done

Entry = tuple[int, int, "State", int, Path, Any, str, str, int, int, int, int]
"""Kind of the line, what it settles, the state behind it, place of a comment or -1; then what its setting has, with
places that count from the start of the line: path, value, raw, style, key_start, key_end, start, end."""


class State:
    """Where the reader stands. ``indent`` of the mapping; of the key whose value comes next; of a list's dashes.
    ``up``: the mapping around it. ``lines``: what each line seen here means; ``below``: the states that follow."""

    __slots__ = ("below", "depth", "indent", "kind", "lines", "path", "up")

    def __init__(self, kind: int, indent: int, path: Path, up: State | None, depth: int) -> None:
        self.kind, self.indent, self.path, self.up, self.depth = kind, indent, path, up, depth
        self.lines: dict[str, Entry] = {}
        self.below: dict[Any, State] = {}


class _Memory:
    """The states that can be reached from the beginning of a text, and how much they remember."""

    def __init__(self) -> None:
        self.begin, self.root = State(_MAPPING, 0, (), None, 0), State(_MAPPING, 0, (), None, 0)
        self.states = [self.begin, self.root]
        self.lines = self.characters = 0
        self.unlike = 0  # long texts whose lines hardly anybody had seen

    def follow(self, state: State, key: Any, kind: int, indent: int, path: Path, up: State) -> State:
        """The state that a line with a key leads to."""
        found = state.below.get(key)
        if found is None:
            found = state.below[key] = State(kind, indent, path, up, up.depth + 1)
            self.states.append(found)
        return found


_memory = _Memory()


def _fresh() -> _Memory:
    """The memory, emptied if it holds too much."""
    global _memory
    if _memory.lines > MAX_LINES or _memory.characters > MAX_REMEMBERED:
        for state in _memory.states:  # they know each other: cut, so that no collector has to find them
            state.lines.clear()
            state.below.clear()
        _memory = _Memory()
    return _memory


def read_lines(source: Source) -> YamlDocument | None:
    """The one document of a text, or None if it takes more than looking at its lines one by one."""
    text = source.text
    if len(text) > MAX_CHARACTERS:
        return None
    memory = _fresh()
    if memory.unlike >= MOST_UNLIKE and len(text) > LONG:
        return None
    known_lines = memory.lines
    state = memory.begin
    settings: dict[Path, Setting] = {}
    sections: dict[Path, tuple[int, int]] = {}
    comments: list[tuple[int, int]] = []
    starts: list[int] = []
    items: list[Setting] = []  # of the list at hand
    open_path: Path = ()  # the key whose value comes next, or whose list is read, and its place
    open_start = open_end = 0
    at = leaves = mappings = empty = 0
    for line in text.split("\n"):
        starts.append(at)
        known = state.lines.get(line)
        if known is None:
            known = _learn(memory, state, line)
            if known is None:
                return None
            if memory.lines - known_lines > MAX_NEW and 2 * (memory.lines - known_lines) > len(starts):
                memory.unlike += 1
                return None
        kind, settles, state, comment, path, value, raw, style, key_start, key_end, start, end = known
        if settles:
            if settles == _SECTION:
                sections[open_path] = (open_start, open_end)
                mappings += 1
            else:
                leaves += 1
                if settles == _NULL:
                    settings[open_path] = _null(open_path, open_start, open_end)
                else:
                    settings[open_path] = _list(open_path, open_start, open_end, items, text)
                    items = []
        if kind == KEY:
            settings[path] = Setting(path, value, raw, style, at + key_start, at + key_end, at + start, at + end)
            leaves += 1
        elif kind == OPEN:
            open_path, open_start, open_end = path, at + key_start, at + key_end
        elif kind == ITEM:
            first = at + start
            items.append(Setting((*path, len(items)), value, raw, style, first, first, first, at + end))
        elif kind == LIST:
            parts = [
                Setting((*path, n), one, shown, kind_of, at + first, at + first, at + first, at + last)
                for n, (one, shown, kind_of, first, last) in enumerate(value)
            ]
            value = [part.value for part in parts]
            settings[path] = Setting(path, value, raw, style, at + key_start, at + key_end, at + start, at + end, parts)
            leaves += 1
        elif kind == MAP:
            sections[path] = (at + key_start, at + key_end)
            settings[path] = Setting(path, {}, raw, style, at + key_start, at + key_end, at + start, at + end)
            leaves, mappings, empty = leaves + 1, mappings + 1, empty + 1
        if comment >= 0:
            comments.append((at + comment, at + len(line)))
        at += len(line) + 1
    if state.kind == _VALUE:
        settings[open_path] = _null(open_path, open_start, open_end)
        leaves += 1
    elif state.kind == _LIST:
        settings[open_path] = _list(open_path, open_start, open_end, items, text)
        leaves += 1
    if not leaves or len(settings) != leaves or len(sections) != mappings:
        return None  # no content, or a key that is written twice
    if len(settings.keys() & sections.keys()) != empty:
        return None  # once as a value and once as a section
    source.keep_line_starts(starts)
    document = YamlDocument(source, settings, sections, [], 0, 0, len(text))
    document.comments, document.in_order = comments, True
    return document


def _null(path: Path, start: int, end: int) -> Setting:
    """``key:`` and no more: the value is where it would begin, behind the colon."""
    return Setting(path, None, "", "plain", start, end, end + 1, end + 1)


def _list(path: Path, start: int, end: int, items: list[Setting], text: str) -> Setting:
    """A block list; it begins at its first dash."""
    first, last = text.rindex("-", end, items[0].value_start), items[-1].value_end
    return Setting(path, [item.value for item in items], text[first:last], "block", start, end, first, last, items)


def _learn(memory: _Memory, state: State, line: str) -> Entry | None:
    """What a line means in a state, remembered; None if that takes more than this reader knows."""
    found = take_apart(line)
    if found is None:
        return None
    kind, indent, comment, name, value, raw, style, start, end = found
    settles, after = _NOTHING, state
    path: Path = ()
    if kind == START:
        if state is not memory.begin:
            return None
        after = memory.root
    elif kind == ITEM:
        if state.kind == _VALUE and indent >= state.indent:
            assert state.up is not None
            after = memory.follow(state, -1 - indent, _LIST, indent, state.path, state.up)
        elif state.kind != _LIST or indent != state.indent:
            return None
        path = state.path
    elif kind not in (BLANK, COMMENT):
        mapping, settles = _mapping(memory, state, indent)
        if mapping is None or mapping.depth > MAX_DEPTH:
            return None
        after, path = mapping, (*mapping.path, name)
        if kind == OPEN:
            after = memory.follow(mapping, name, _VALUE, indent, path, mapping)
    entry = kind, settles, after, comment, path, value, raw, style, indent, indent + len(name), start, end
    state.lines[line] = entry
    memory.lines += 1
    memory.characters += len(line)
    return entry


def _mapping(memory: _Memory, state: State, indent: int) -> tuple[State | None, int]:
    """The mapping that a key at an indentation belongs to, or None; and what it settles of the key before it."""
    settles = _NOTHING
    found: State | None = state
    if state is memory.begin:
        found = memory.root
    elif state.kind == _VALUE:
        assert state.up is not None
        if indent > state.indent:
            return memory.follow(state, indent, _MAPPING, indent, state.path, state.up), _SECTION
        found, settles = state.up, _NULL
    elif state.kind == _LIST:
        found, settles = state.up, _CLOSE
    while found is not None and found.indent > indent:
        found = found.up
    return (found if found is not None and found.indent == indent else None), settles
