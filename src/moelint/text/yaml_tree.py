"""The nodes of one YAML document with their places, built only when a text is to be edited."""

from __future__ import annotations

from moelint.text import libyaml
from moelint.text.document import Path
from moelint.text.spans import back, block_end, past_properties

from yaml.events import (  # isort: skip  # after libyaml, which decides how `yaml` is loaded
    AliasEvent, CollectionEndEvent, DocumentStartEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent,
    StreamEndEvent,
)


class Node:
    """``start`` with anchor and tag, ``inner`` without; ``end`` that of its last leaf, ``full_end`` with the blank
    lines that a block scalar keeps. ``entries`` of a mapping, ``items`` of a sequence, else both None."""

    __slots__ = ("anchor", "end", "entries", "flow", "full_end", "inner", "items", "start", "style", "tag", "value")

    def __init__(self, start: int, inner: int, end: int, style: str, value: str = "") -> None:
        self.start, self.inner, self.end, self.full_end, self.style, self.value = start, inner, end, end, style, value
        self.entries: list[tuple[Node, Node]] | None = None
        self.items: list[Node] | None = None
        self.flow = False
        self.anchor: str | None = None
        self.tag: str | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is written here: ``key:`` and no more."""
        return self.entries is None and self.items is None and self.style == "" and self.inner == self.end

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """The last entry of a mapping under a key."""
        for pair in reversed(self.entries or ()):
            if pair[0].value == name and pair[0].style != "alias":
                return pair
        return None


def build(text: str, index: int) -> Node | None:
    """The root of the ``index``-th document of a text that has been read before; None for one without content."""
    event_of = libyaml.parser(text).get_event
    root: Node | None = None
    stack: list[Node] = []
    keys: list[Node | None] = []  # beside the stack: the key whose value comes next
    last, full, number = 0, 0, -1  # ends of the last leaf
    while True:
        event = event_of()
        kind = type(event)
        if kind is StreamEndEvent or (kind is DocumentStartEvent and number == index):
            return root
        if kind is DocumentStartEvent:
            number += 1
        elif issubclass(kind, CollectionEndEvent):
            done = stack.pop()
            keys.pop()
            if done.flow:
                last = full = event.end_mark.index
            done.end, done.full_end = last, full
        elif number == index and (kind in (ScalarEvent, AliasEvent, MappingStartEvent, SequenceStartEvent)):
            start, end = event.start_mark.index, event.end_mark.index
            node = Node(start, start, end, "")
            if kind is AliasEvent:
                node.style, node.value = "alias", event.anchor
            else:
                node.anchor, node.tag = event.anchor, event.tag
                if node.anchor is not None or node.tag is not None:
                    node.inner = past_properties(text, start, end if kind is ScalarEvent else len(text))
            if kind is ScalarEvent:
                node.style, node.value = event.style or "", event.value
                if node.inner >= end:
                    node.inner = node.end = back(text, end)
                    node.start, node.full_end = min(node.start, node.inner), node.end
                elif node.style in ("|", ">"):
                    node.end = block_end(text, node.inner, end)
                    keeps = "+" in text[node.inner : node.inner + 3]
                    node.full_end = end if keeps else node.end
            last, full = node.end, node.full_end
            root = node if root is None else root
            if stack:
                parent = stack[-1]
                if parent.items is not None:
                    parent.items.append(node)
                elif keys[-1] is None:
                    keys[-1] = node
                else:
                    assert parent.entries is not None
                    parent.entries.append((keys[-1], node))
                    keys[-1] = None
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                node.flow = bool(event.flow_style)
                node.entries, node.items = ([], None) if kind is MappingStartEvent else (None, [])
                stack.append(node)
                keys.append(None)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:  # in another document: keep the stack straight
            stack.append(Node(0, 0, 0, ""))
            stack[-1].items = []
            keys.append(None)


def find(root: Node | None, path: Path) -> tuple[Node | None, Node | None, Node | None]:
    """(parent, key, node) at a path that is written out; node None where it is not, parent None where that is not."""
    parent: Node | None = None
    key: Node | None = None
    node = root
    for part in path:
        if node is None:
            return None, None, None
        parent, key = node, None
        if node.entries is not None and isinstance(part, str):
            pair = node.entry(part)
            key, node = pair if pair is not None else (None, None)
        elif node.items is not None and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
        else:
            node = None
    return parent, key, node
