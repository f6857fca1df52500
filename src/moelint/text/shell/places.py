"""The lines of a script around its flags: where a word stands, and how a flag comes in or goes out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from moelint.text.document import EditError, Setting
from moelint.text.edits import Edit
from moelint.text.shell.pieces import Piece, Word
from moelint.text.shell.script import Script
from moelint.text.source import Source
from moelint.typed import Any

_QUOTES = "\"'"


def near(pieces: Sequence[Piece], source: Source, after: int | None) -> tuple[int, int]:
    """Where a word stands in a text: of the places that it came by, the one closest behind ``after``; without it, the
    innermost."""
    places = []
    for piece in pieces:
        spans = [span[1:] for span in piece.spans if span[0] is source]
        if not spans:
            continue
        if after is None:
            places.append(spans[0])
        else:
            behind = [span for span in spans if span[0] >= after]
            places.append(min(behind, key=lambda span: span[0]) if behind else spans[0])
    return hull(places, after or 0)


def hull(places: Sequence[tuple[int, int]], default: int) -> tuple[int, int]:
    """From the first place to the last, as far as they follow each other."""
    if not places:
        return default, default
    start, end = places[0]
    for a, b in places[1:]:
        if a < start or a - end > 400:
            break
        end = max(end, b)
    return start, end


def with_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    """The place with the quotes that stand directly around it."""
    while start > 0 and end < len(text) and text[start - 1] in _QUOTES and text[end] == text[start - 1]:
        start, end = start - 1, end + 1
    return start, end


class Layout:
    """What edits need to know of one text: its lines, where quotes and arrays are, who uses which piece."""

    def __init__(self, source: Source, script: Script, root: Any) -> None:
        self.source = source
        self.comments: list[tuple[int, int]] = []
        self.quoted: list[tuple[int, int]] = []
        self.arrays: list[tuple[int, int]] = []
        self.statements: list[tuple[int, int]] = []
        self.errors: list[tuple[int, int]] = []
        self._users: dict[tuple[int, int], list[Setting]] = {}
        self._walk(script, root)
        for spans in (self.comments, self.quoted, self.arrays, self.statements):
            spans.sort()

    def _walk(self, script: Script, root: Any) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            kind = node.type
            into = {
                "comment": self.comments,
                "string": self.quoted,
                "raw_string": self.quoted,
                "heredoc_body": self.quoted,
                "array": self.arrays,
                "command": self.statements,
                "variable_assignment": self.statements,
                "declaration_command": self.statements,
                "ERROR": self.errors,
            }.get(kind)
            if into is not None:
                start, end = script.offset(node.start_byte), script.offset(node.end_byte)
                into.append((start - 1 if kind == "heredoc_body" else start, end))
            if node.child_count:
                waiting += node.children

    # ---- users of texts
    def use(self, word: Word, setting: Setting) -> None:
        """Remember that a setting takes its value, or a part of it, from these places."""
        for piece in word.pieces:
            if piece.literal and piece.spans and piece.spans[0][0] is self.source:
                self._users.setdefault(piece.spans[0][1:], []).append(setting)

    def is_only_user(self, piece: Piece, setting: Setting) -> bool:
        start, end = piece.spans[0][1:]
        for (a, b), users in self._users.items():
            if a < end and start < b and any(user.path != setting.path for user in users):
                return False
        return True

    # ---- where things are
    def is_quoted(self, at: int) -> bool:
        """Whether a place lies inside of quotes."""
        return _inside(self.quoted, at)

    def is_comment(self, at: int) -> bool:
        return _inside(self.comments, at)

    def in_array(self, at: int) -> bool:
        return _inside(self.arrays, at)

    def region(self, at: int) -> tuple[int, int] | None:
        """The statement that holds a place: the largest assignment or command around it."""
        best = None
        for start, end in self.statements:
            if start > at:
                break
            if start <= at < end and (best is None or end - start > best[1] - best[0]):
                best = (start, end)
        return best

    def line(self, at: int) -> tuple[int, int]:
        """Start and end (without the line break) of the line of a place."""
        text = self.source.text
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        return start, end - 1 if end > start and text[end - 1] == "\r" else end

    def assignment(self, name: str, word: Word) -> tuple[int, int, int] | None:
        """(start of the name, start and end of the value) of ``NAME=value`` behind a word."""
        text = self.source.text
        for piece in word.pieces[:1]:
            for source, start, _ in piece.spans:
                if source is not self.source:
                    continue
                first = start - 1 if text[start - 1 : start] in ('"', "'") else start
                if text[max(0, first - len(name) - 1) : first] == f"{name}=":
                    end = near(word.pieces, self.source, start)[1]
                    return first - len(name) - 1, start, max(end, start)
        found = list(re.finditer(rf"(?<![\w$.-]){re.escape(name)}=", text))
        if not found:
            return None
        start, end = found[-1].span()
        return start, end, max((b for a, b in self.statements if a <= start < b), default=end)

    # ---- changes
    def insert_after(self, setting: Setting, text: str, command: tuple[int, int]) -> list[Edit]:
        """A flag behind another one, in the way in which the others stand."""
        whole = self.source.text
        end = self._end_of(setting)
        stop = self.line(end)[1]
        first, _ = self.line(setting.key_start)
        before = whole[first : setting.key_start]
        rest = whole[end:stop]
        alone = not before.strip() and rest.strip(" \t") in ("", "\\")
        if alone and rest.strip(" \t") == "\\":
            at = stop + len(self._break(stop))
            return [Edit(at, at, before + text + rest + self.source.newline)]
        if alone and self.in_array(setting.key_start) and not self.is_quoted(setting.key_start):
            return [Edit(stop, stop, self.source.newline + before + text)]
        if not before.strip() and rest.lstrip().startswith("#") and self.in_array(setting.key_start):
            return [Edit(stop, stop, self.source.newline + before + text)]
        continued = first > 0 and whole[:first].rstrip("\r\n").endswith("\\")
        if alone and continued and not self.is_quoted(setting.key_start):
            return [Edit(end, end, " \\" + self.source.newline + before + text)]
        return [Edit(end, end, " " + text)]

    def _end_of(self, setting: Setting) -> int:
        end = max(setting.key_end, setting.value_end)
        if setting.value_end > setting.value_start >= setting.key_end:
            end = with_quotes(self.source.text, setting.value_start, setting.value_end)[1]
        return end

    def _break(self, stop: int) -> str:
        text = self.source.text
        return "\r\n" if text.startswith("\r\n", stop) else "\n" if text.startswith("\n", stop) else ""

    def remove(self, start: int, end: int) -> list[Edit]:
        """A flag with its values; with its line, where it is alone on it."""
        text = self.source.text
        first, _ = self.line(start)
        _, stop = self.line(end)
        before, rest = text[first:start], text[end:stop]
        follows = rest.strip(" \t")
        if before.strip():
            while start > first and text[start - 1] in " \t":
                start -= 1
            return [Edit(start, end, "")]
        if follows == "\\" or (self.in_array(start) and (not follows or follows.startswith("#"))):
            return [Edit(first, stop + len(self._break(stop)), "")]
        if not follows and self.is_quoted(start):
            return [Edit(start, end, "")]
        if not follows and text[:first].rstrip("\r\n").endswith("\\"):
            head = text[:first].rstrip("\r\n")[:-1].rstrip(" \t")
            return [Edit(len(head), end, "")]
        after = end
        while after < stop and text[after] in " \t":
            after += 1
        return [Edit(start, after, "")]

    def insert_variable(self, name: str, text: str, beside: Setting | None, command: int) -> list[Edit]:
        """``export NAME=value`` behind another one, or before the command."""
        whole, newline = self.source.text, self.source.newline
        if beside is not None and not self.is_quoted(beside.key_start):
            start, stop = self.line(beside.key_start)
            head = whole[start : beside.key_start]
            if head.strip() in ("export", "declare -x", "") and stop >= beside.value_end:
                rest = whole[self._end_of(beside) : stop]
                if head.strip() == "" and rest.strip() == "\\":
                    return [Edit(start, start, f"{head}{name}={text} \\{newline}")]
                if head.strip() and not rest.strip().startswith("\\"):
                    return [Edit(stop, stop, f"{newline}{head}{name}={text}")]
        start, _ = self.line(command)
        indent = whole[start:command]
        if indent.strip() or whole[:start].rstrip("\r\n").endswith("\\") or self.is_quoted(command):
            raise EditError("there is no line of its own for an export before this command")
        return [Edit(start, start, f"{indent}export {name}={text}{newline}")]

    def remove_variable(self, setting: Setting) -> list[Edit]:
        text = self.source.text
        start, stop = self.line(setting.key_start)
        end = self._end_of(setting)
        if setting.value_end == setting.value_start and text[end : end + 1] == "=":
            end += 1
        head, rest = text[start : setting.key_start], text[end:stop]
        if head.strip() == "export" and not rest.strip(" \t;"):
            return [Edit(start, stop + len(self._break(stop)), "")]
        if not head.strip() and rest.strip() == "\\":
            return [Edit(start, stop + len(self._break(stop)), "")]
        if rest[:1] in (" ", "\t") and not rest.strip().startswith(("#", "\\")):
            return [Edit(setting.key_start, end + 1, "")]
        if head.strip().startswith("export "):
            return [Edit(setting.key_start - 1, end, "")]
        raise EditError(f"{setting.path[-1]} is exported apart from its value: take it out by hand")


def _inside(spans: list[tuple[int, int]], at: int) -> bool:
    number = bisect_right(spans, (at, len(spans) and 1 << 60)) - 1
    while number >= 0 and number > bisect_right(spans, (at, 1 << 60)) - 8:
        start, end = spans[number]
        if start < at < end:
            return True
        number -= 1
    return False
