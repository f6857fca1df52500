"""Edits inside flow collections, ``{a: 1, b: 2}`` and ``[a, b]``: their elements are spans between commas."""

from __future__ import annotations

from moelint.text.edits import Edit
from moelint.text.lines import leads, line_break, line_end, line_start, remove_lines
from moelint.text.spans import skip_space
from moelint.text.yaml_tree import Node


def spans(node: Node) -> list[tuple[int, int]]:
    """(start, end) of each element."""
    if node.entries is not None:
        return [(key.start, max(key.end, value.end)) for key, value in node.entries]
    return [(item.start, item.end) for item in node.items or ()]


def put(text: str, node: Node, position: int, new: str, newline: str) -> list[Edit]:
    """Writes a new element at a position (0: first) among the elements of a flow collection."""
    elements = spans(node)
    if not elements:
        return [Edit(node.inner, node.end, text[node.inner] + new + text[node.end - 1])]
    if position == 0:
        return [Edit(elements[0][0], elements[0][0], f"{new}, ")]
    start, end = elements[position - 1]
    at = skip_space(text, end)
    comma = text[at : at + 1] == ","
    closes = skip_space(text, at + 1 if comma else at, comments=True)
    alone = leads(text, start) and "\n" in text[end:closes]
    if not alone:
        return [Edit(end, end, f", {new}")]
    indent = text[line_start(text, start) : start]
    stop = line_end(text, end)
    line = line_break(text, end, newline) + indent + new
    if comma and at < stop:
        return [Edit(stop, stop, line + ",")]
    return [Edit(end, end, ","), Edit(stop, stop, line)] if stop > end else [Edit(end, end, "," + line)]


def take(text: str, node: Node, position: int) -> list[Edit]:
    """Takes an element out, with the comma that it no longer needs."""
    elements = spans(node)
    start, end = elements[position]
    if len(elements) == 1:
        inside = text[node.inner + 1 : node.end - 1]
        if "#" in inside:  # a comment stays where it is
            at = skip_space(text, end)
            return [Edit(start, at + 1 if text[at : at + 1] == "," else end, "")]
        return [Edit(node.inner + 1, node.end - 1, "")]
    at = skip_space(text, end, lines=True)
    comma = text[at : at + 1] == ","
    after = at + 1 if comma else end
    stop = line_end(text, after)
    rest = text[after:stop].strip()
    if leads(text, start) and (not rest or rest.startswith("#")):
        edits = [remove_lines(text, start, after)]
        if not comma:  # the element before it is the last now
            edits += _drop_comma(text, elements[position - 1][1], start) if position else []
        return edits
    if comma and position + 1 < len(elements):
        follows = elements[position + 1][0]
        return [Edit(start, follows if "\n" not in text[after:follows] else after, "")]
    if position and not comma:
        before = elements[position - 1][1]
        if "#" not in text[before:start]:
            return [Edit(before, end, "")]
    return [Edit(start, after, "")]


def _drop_comma(text: str, end: int, limit: int) -> list[Edit]:
    at = skip_space(text, end, lines=True)
    return [Edit(at, at + 1, "")] if at < limit and text[at : at + 1] == "," else []
