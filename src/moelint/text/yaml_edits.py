"""How to change one setting in YAML text: which characters to replace, in the style that stands there.

Each function returns edits for the text as it is; ``YamlDocument`` reads the outcome again before it lets them out.
"""

from __future__ import annotations

from moelint.text import yaml_flow
from moelint.text.document import EditError, Path
from moelint.text.edits import Edit
from moelint.text.lines import column, leads, line_break, line_end, next_line, remove_lines
from moelint.text.spans import back
from moelint.text.yaml_render import render
from moelint.text.yaml_render import text as string
from moelint.text.yaml_tree import Node, find
from moelint.typed import Any

_SCALAR_TAGS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null"))
_COLLECTION_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_STYLES = {"'": "single", '"': "double"}


class Editor:
    """Edits of one document, whose tree is ``root``; ``start`` and ``end`` bound it in the text."""

    def __init__(self, text: str, newline: str, root: Node | None, start: int, end: int) -> None:
        self.text, self.newline, self.root, self.start, self.end = text, newline, root, start, end

    # ---- set

    def set(self, path: Path, value: Any) -> list[Edit]:
        parent, key, node = find(self.root, path)
        if node is None:
            return self._override(path, value)
        self._editable(node, path)
        flow = node.flow or (parent is not None and parent.flow)
        if node.entries:
            raise EditError(f"{_name(path)} is a section, not one value")
        if isinstance(value, (list, tuple)) and node.items is not None and node.items:
            return self._set_list(path, node, key, list(value))
        shown = render(value, self.text[node.inner : node.end], _STYLES.get(node.style, "plain"), flow)
        if node.items is not None and not node.flow and node.items:
            return [*self._drop_block(node, key), self._after_key(node, key, shown)]
        if node.empty:
            return [self._fill(node, key, shown)]
        if node.style in ("|", ">") and "#" in self.text[node.inner : line_end(self.text, node.inner)]:
            raise EditError(f"{_name(path)} is a block of text whose first line has a comment")
        start = node.inner
        if node.tag is not None and node.tag != "!" and not _fits(node.tag, value):  # `!!str 8` cannot hold a number
            if node.anchor is not None:
                raise EditError(f"{_name(path)} has a tag that the new value does not fit")
            start = node.start
        return [Edit(start, node.end, shown)]

    def _override(self, path: Path, value: Any) -> list[Edit]:
        """A value that comes in through a merge key is overridden by a key of the mapping's own."""
        parent, _, _ = find(self.root, path)
        if parent is not None and parent.entries is not None and parent.entry("<<") is not None:
            return self.insert(path, value, None)
        raise EditError(f"{_name(path)} comes from an anchor: change it there")

    def _set_list(self, path: Path, node: Node, key: Node | None, new: list[Any]) -> list[Edit]:
        """Keeps the elements at both ends that stay, and rewrites what is between."""
        from moelint.text.yaml_values import same, value_of

        assert node.items is not None
        old = [value_of(item) for item in node.items]
        head = 0
        while head < min(len(old), len(new)) and same(old[head], new[head]):
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and same(old[-1 - tail], new[-1 - tail]):
            tail += 1
        gone, come = node.items[head : len(old) - tail], new[head : len(new) - tail]
        if not new and node.flow:
            return [Edit(node.inner, node.end, "[]")]
        if not new:
            return [*self._drop_block(node, key), self._after_key(node, key, "[]")]
        edits: list[Edit] = []
        for item, value in zip(gone, come, strict=False):
            block = not item.flow and (item.items is not None or item.entries is not None)
            if block or item.style in ("alias", "|", ">") or item.empty:
                raise EditError(f"{_name(path)} has an element that is not a plain value")
            shown = render(value, self.text[item.inner : item.end], _STYLES.get(item.style, "plain"), node.flow)
            edits.append(Edit(item.inner, item.end, shown))
        if len(gone) > len(come):
            left = list(range(head + len(come), head + len(gone)))
            edits += self._take(node, left)
        elif come[len(gone) :]:
            position = head + len(gone)
            edits += self._put(node, position, [self._like(node, value) for value in come[len(gone) :]])
        return edits

    def _take(self, node: Node, positions: list[int]) -> list[Edit]:
        assert node.items is not None
        if node.flow:
            first, last = positions[0], positions[-1]
            if first == last:
                return yaml_flow.take(self.text, node, first)
            elements = yaml_flow.spans(node)
            if last + 1 < len(elements):
                edit = Edit(elements[first][0], elements[last + 1][0], "")
            else:
                edit = Edit(elements[first - 1][1], elements[last][1], "")
            if "#" in self.text[edit.start : edit.end]:
                raise EditError("a comment stands between the elements of the list")
            return [edit]
        edits = []
        for position in positions:
            item = node.items[position]
            dash = self._dash(item)
            edits.append(remove_lines(self.text, dash, item.end))
        return edits

    def _put(self, node: Node, position: int, shown: list[str]) -> list[Edit]:
        assert node.items is not None
        if node.flow:
            return yaml_flow.put(self.text, node, position, ", ".join(shown), self.newline)
        before = node.items[max(position - 1, 0)]
        dash = self._dash(before)
        indent = " " * column(self.text, dash)
        newline = line_break(self.text, before.end, self.newline)
        if position == 0:
            at = dash - column(self.text, dash)
            return [Edit(at, at, "".join(f"{indent}- {one}{newline}" for one in shown))]
        at = line_end(self.text, before.end)
        return [Edit(at, at, "".join(f"{newline}{indent}- {one}" for one in shown))]

    def _dash(self, item: Node) -> int:
        """Place of the dash before an element of a block list; it must begin its line."""
        at = item.start
        while at > 0 and self.text[at - 1] in " \t":
            at -= 1
        if self.text[at - 1 : at] != "-" or not leads(self.text, at - 1):
            raise EditError("the list shares its line with something else")
        return at - 1

    def _like(self, node: Node, value: Any) -> str:
        """A new element, quoted like the last string of the list."""
        styles = [item.style for item in node.items or () if item.items is None and item.entries is None]
        return render(value, "", _STYLES.get(styles[-1] if styles else "", "plain"), node.flow)

    # ---- elements of lists

    def add(self, path: Path, value: Any) -> list[Edit]:
        from moelint.text.yaml_values import same, value_of

        _, _, node = find(self.root, path)
        if node is None:
            raise EditError(f"{_name(path)} is not written here")
        self._editable(node, path)
        if node.items is None:
            if node.style == "" and node.entries is None and value_of(node) is None:
                return self.set(path, [value])
            raise EditError(f"{_name(path)} is not a list")
        if any(same(value_of(item), value) for item in node.items):
            return []
        return self._put(node, len(node.items), [self._like(node, value)])

    def discard(self, path: Path, value: Any) -> list[Edit]:
        from moelint.text.yaml_values import same, value_of

        _, key, node = find(self.root, path)
        if node is None or node.items is None:
            raise EditError(f"{_name(path)} is not a list that is written here")
        self._editable(node, path)
        found = [i for i, item in enumerate(node.items) if same(value_of(item), value)]
        if not found:
            return []
        if len(found) == len(node.items):
            return self._set_list(path, node, key, [])
        edits: list[Edit] = []
        for position in found:
            edits += self._take(node, [position])
        return edits

    # ---- insert

    def insert(self, path: Path, value: Any, after: Path | None) -> list[Edit]:
        if not path or not all(isinstance(part, str) for part in path[-1:]):
            raise EditError("only a key can be written anew")
        depth = len(path) - 1  # the deepest mapping that is there takes the rest
        while depth > 0:
            _, _, node = find(self.root, path[:depth])
            if node is not None:
                break
            depth -= 1
        parent, key, node = find(self.root, path[:depth])
        rest = path[depth:]
        if not all(isinstance(part, str) for part in rest):
            raise EditError(f"{_name(path)}: there is no such element in the list")
        if node is None or (depth == 0 and node.empty):
            return self._first(rest, value)
        if node.style == "alias":
            raise EditError(f"{_name(path[:depth])} is an alias: change the anchor *{node.value} stands for")
        if depth < len(path) - 1 and node.entries is not None and node.entry("<<") is not None:
            raise EditError(f"{_name(path[: depth + 1])} may come from a merge key, which a new section would hide")
        self._editable(node, path[:depth])
        if node.entries:
            return self._beside(node, rest, value, after, depth)
        if node.items is not None:
            raise EditError(f"{_name(path[:depth])} is a list, not a section")
        return self._into_empty(parent, key, node, rest, value)

    def _beside(self, node: Node, rest: Path, value: Any, after: Path | None, depth: int) -> list[Edit]:
        assert node.entries
        position = len(node.entries)
        if after is not None and len(after) > depth:
            names = [key.value for key, _ in node.entries]
            if after[depth] in names:
                position = len(names) - names[::-1].index(after[depth])
        key, last = node.entries[position - 1]
        quotes = _STYLES.get(key.style, "plain")
        if node.flow:
            if self.text[node.inner] != "{":
                raise EditError("the mapping stands in a list without braces of its own")
            strings = "double" if quotes == "double" else "plain"
            return yaml_flow.put(self.text, node, position, _flow_pair(rest, value, quotes, strings), self.newline)
        first = node.entries[0][0]
        indent = column(self.text, first.start)
        if self.text[first.start - indent : first.start].strip(" -"):
            raise EditError("the mapping shares its line with something else")
        at = self._after(last, key, indent)
        return [Edit(at, at, self._lines(rest, value, indent, quotes, at))]

    def _after(self, value: Node, key: Node, indent: int) -> int:
        """End of the line after which a sibling's new neighbour goes: its own, or that of the comments in its block."""
        at = max(value.full_end, key.end)
        at = line_end(self.text, at - 1 if at > value.end and self.text[at - 1 : at] == "\n" else at)
        if value.flow or (value.entries is None and value.items is None):
            return at
        while (start := next_line(self.text, at)) < len(self.text):
            stop = line_end(self.text, start)
            line = self.text[start:stop]
            stripped = line.lstrip(" ")
            if not stripped.startswith("#") or len(line) - len(stripped) <= indent:
                break
            at = stop
        return at

    def _lines(self, rest: Path, value: Any, indent: int, quotes: str, at: int) -> str:
        newline = line_break(self.text, max(at - 1, 0), self.newline)
        step = self._step()
        out = []
        for i, part in enumerate(rest):
            tail = f" {render(value)}" if i == len(rest) - 1 else ""
            out.append(f"{newline}{' ' * (indent + i * step)}{string(part, quotes)}:{tail}")
        return "".join(out)

    def _step(self) -> int:
        """How far this document indents its sections."""
        nodes = [self.root] if self.root is not None else []
        for node in nodes:  # grows
            for key, value in node.entries or ():
                if value.entries and not value.flow:
                    step = column(self.text, value.entries[0][0].start) - column(self.text, key.start)
                    if step > 0:
                        return step
            nodes += [*(node.items or ()), *(value for _, value in node.entries or ())]
            if len(nodes) > 10_000:
                break
        return 2

    def _into_empty(self, parent: Node | None, key: Node | None, node: Node, rest: Path, value: Any) -> list[Edit]:
        from moelint.text.yaml_values import value_of

        text = self.text
        if node.entries is None and value_of(node) is not None:
            raise EditError("there is a value where a section should be")
        flow = parent is not None and parent.flow
        if node.entries is not None or flow:
            shown = "{" + _flow_pair(rest, value, "plain", "plain") + "}"
            return [self._fill(node, key, shown)] if node.empty else [Edit(node.inner, node.end, shown)]
        if parent is None or key is None or parent.entries is None:
            raise EditError("there is no section to write into")
        indent = column(text, key.start) + self._step()
        if text[key.start - column(text, key.start) : key.start].strip(" -"):
            raise EditError("the section shares its line with something else")
        edits = []
        if not node.empty:
            start = back(text, node.inner)
            edits.append(Edit(start, node.end, ""))
        at = line_end(text, node.end)
        new = self._lines(rest, value, indent, "plain", at)
        if edits and edits[0].end == at:
            return [Edit(edits[0].start, at, new)]
        return [*edits, Edit(at, at, new)]

    def _first(self, rest: Path, value: Any) -> list[Edit]:
        """The first key of a document without content."""
        text = self.text
        at = line_end(text, self.end) if self.end >= len(text) else self.start
        if self.end < len(text) or (self.root is not None and not self.root.empty):
            raise EditError("the document has no mapping to write into")
        lines = self._lines(rest, value, 0, "plain", at)
        newline = line_break(text, max(at - 1, 0), self.newline)
        if not text or text.endswith("\n"):
            return [Edit(at, at, lines[len(newline) :] + newline)]
        return [Edit(at, at, lines)]

    # ---- remove, rename

    def remove(self, path: Path) -> list[Edit]:
        parent, key, node = find(self.root, path)
        if node is None or parent is None:
            raise EditError(f"{_name(path)} comes from an anchor or is not written: it cannot be removed here")
        text = self.text
        if parent.items is not None:
            return self._take(parent, [int(path[-1])])
        assert parent.entries is not None and key is not None
        position = next(i for i, pair in enumerate(parent.entries) if pair[0] is key)
        if parent.flow:
            return yaml_flow.take(text, parent, position)
        if len(parent.entries) == 1:
            return self._empty(path, parent, key, node)
        end = max(node.end, key.end)
        if leads(text, key.start):
            return [remove_lines(text, key.start, end)]
        dashes = text[key.start - column(text, key.start) : key.start]
        if position + 1 < len(parent.entries) and position == 0 and not dashes.strip(" -"):  # `- a: 1`, then other keys
            follows = parent.entries[1][0].start
            stop = line_end(text, end)
            if not text[stop:follows].strip():
                return [Edit(key.start, follows, "")]
            return [Edit(back(text, key.start), stop, "")]  # comments of the next key stay above it
        raise EditError(f"{_name(path)} shares its line with something else")

    def _empty(self, path: Path, parent: Node, key: Node, node: Node) -> list[Edit]:
        """The only key of a mapping goes: ``{}`` is what is left."""
        text, end = self.text, max(node.end, key.end)
        if not leads(text, key.start) or parent is self.root:
            return [Edit(key.start, end, "{}")]
        _, above, _ = find(self.root, path[:-1])
        if above is None:  # an element of a list, below its dash
            return [Edit(key.start, end, "{}")]
        return [self._after_key(parent, above, "{}"), remove_lines(text, key.start, end)]

    def rename(self, path: Path, name: str) -> list[Edit]:
        parent, key, _ = find(self.root, path)
        if parent is None or key is None or parent.entries is None:
            raise EditError(f"{_name(path)} is not written here")
        if parent.entry(name) is not None:
            raise EditError(f"{name} is already written beside it")
        if key.style in ("|", ">"):
            raise EditError(f"{_name(path)} is a key in a block of text")
        return [Edit(key.inner, key.end, string(name, _STYLES.get(key.style, "plain"), parent.flow))]

    # ---- helpers

    def _editable(self, node: Node, path: Path) -> None:
        if node.style == "alias":
            raise EditError(f"{_name(path)} is an alias: its value is that of the anchor '{node.value}'")
        scalar = node.items is None and node.entries is None
        if node.tag is not None and node.tag != "!" and node.tag not in (_SCALAR_TAGS if scalar else _COLLECTION_TAGS):
            raise EditError(f"{_name(path)} has a tag of its own, {node.tag}")

    def _fill(self, node: Node, key: Node | None, shown: str) -> Edit:
        """Writes a value where none is."""
        at = node.inner
        if key is not None and ":" not in self.text[key.end : at]:
            return Edit(at, at, f": {shown}")
        return Edit(at, at, f" {shown}")

    def _after_key(self, node: Node, key: Node | None, shown: str) -> Edit:
        """Writes a one-line value right after a key, and after the anchor or tag of the value that stood there."""
        if key is None:
            raise EditError("the list is the whole document, or an element of a list")
        at = self.text.find(":", key.end) + 1
        if node.inner > node.start:
            at = back(self.text, node.inner)
            if "#" in self.text[node.start : at]:
                raise EditError("a comment stands between the key and its value")
        return Edit(at, at, f" {shown}")

    def _drop_block(self, node: Node, key: Node | None) -> list[Edit]:
        """Takes out all elements of a block list, line by line, so that comments between them stay."""
        assert node.items is not None
        return [remove_lines(self.text, self._dash(item), item.end) for item in node.items]


def _fits(tag: str, value: Any) -> bool:
    kinds = {"str": str, "int": int, "float": float, "bool": bool, "null": type(None)}
    return type(value) is kinds.get(tag.rpartition(":")[2])


def _flow_pair(rest: Path, value: Any, quotes: str, strings: str) -> str:
    shown = render(value, "", strings, True)
    for part in reversed(rest[1:]):
        shown = "{" + f"{string(part, quotes, True)}: {shown}" + "}"
    return f"{string(rest[0], quotes, True)}: {shown}"


def _name(path: Path) -> str:
    return ".".join(map(str, path)) or "the document"
