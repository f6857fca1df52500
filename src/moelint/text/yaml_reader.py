"""YAML text → documents of settings with exact spans, in one pass over the parser's events.

Nothing is ever built from tags, and an alias is never unfolded beyond a bound: settings seen through an alias or a
merge key are copies that share their values, at most ``MAX_ALIASED`` of them a file.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from moelint.text import libyaml
from moelint.text.document import Path, Problem, Setting
from moelint.text.scalars import Opaque, plain, tagged
from moelint.text.source import Source, TextError
from moelint.text.spans import back, block_end, comments, past_properties
from moelint.text.yaml_document import YamlDocument

from yaml.error import YAMLError  # isort: skip  # after libyaml, which decides how `yaml` is loaded
from yaml.events import (  # isort: skip
    AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentEndEvent, DocumentStartEvent, MappingEndEvent,
    MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent, StreamEndEvent,
)

MAX_DEPTH = 100
"""Levels of nesting that a config may have."""
MAX_CHARACTERS = 4 << 20
MAX_ALIASED = 10_000
"""Settings and list elements that a file may repeat through aliases."""

MAX_FORGOTTEN = 100
"""Sections that a file may write twice; each costs a walk over what has been read."""

_Key = tuple[str, int, int]  # name, start, end
_STYLES = {"": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}
_COLLECTION_TAGS = {None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_NOT_YAML_ASCII = re.compile("[^\t\n\r\x20-\x7e]")
_NOT_YAML = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # 5 ms to compile: only if needed


class _Frame:
    """A collection that is being read. ``keys`` of a mapping; ``items`` of a sequence, until a mapping inside it makes
    each element a setting of its own; ``key`` that of a mapping whose value is being read."""

    __slots__ = (
        "anchor", "at", "count", "flow", "items", "key", "keys", "merge_at", "merged", "path", "start", "weight",
    )

    def __init__(self, path: Path, mapping: bool, flow: bool, start: int) -> None:
        self.path, self.flow, self.start, self.count = path, flow, start, 0
        self.keys: dict[str, int] | None = {} if mapping else None
        self.items: list[Setting] | None = None if mapping else []
        self.key: _Key | None = None
        self.anchor: str | None = None
        self.at = self.weight = 0  # settings and events that came before, if it has an anchor
        self.merged: dict[Any, list[Setting]] | None = None
        self.merge_at: tuple[int, int] | None = None  # settings and sections that came before an open `<<`


class _Anchor:
    """``setting`` of a scalar or a list of scalars, else the ``settings`` below ``path``; neither while it is open."""

    __slots__ = ("path", "setting", "settings", "weight")

    def __init__(self, path: Path, setting: Setting | None, settings: list[Setting] | None, weight: int) -> None:
        self.path, self.setting, self.settings, self.weight = path, setting, settings, weight


def _named_key(value: str, raw: str, start: int, end: int) -> _Anchor:
    style, meant = ("plain", plain(value)) if raw == value else ("double", value)
    return _Anchor((), Setting((), meant, raw, style, start, end, start, end), None, 1)


def read_yaml(source: Source) -> list[YamlDocument]:
    """The YAML documents of a file, in order. Raises TextError, with line and column, on text that is not YAML."""
    if len(source.text) > MAX_CHARACTERS:
        raise TextError(f"longer than {MAX_CHARACTERS:,} characters", source.path)
    try:
        return _Reader(source).read()
    except YAMLError as error:
        raise _text_error(source, error) from None
    except UnicodeEncodeError as error:
        raise TextError("not text: half of a surrogate pair", source.path, *source.position(error.start)) from None


def _text_error(source: Source, error: Any) -> TextError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        bad = (_NOT_YAML_ASCII if source.text.isascii() else re.compile(_NOT_YAML)).search(source.text)
        if bad is None:
            return TextError(str(error), source.path)
        message = f"YAML does not allow the character U+{ord(bad[0]):04X}"
        return TextError(message, source.path, *source.position(bad.start()))
    message = error.problem or error.context or "not YAML"
    if source.text[mark.index : mark.index + 1] == "\t":
        message += " (YAML is indented with spaces, not tabs)"
    elif error.problem and error.context:
        message = f"{error.context}, {message}"
    return TextError(message, source.path, *source.position(min(mark.index, len(source.text))))


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self.documents: list[YamlDocument] = []
        self.guarded: list[tuple[int, int]] = []  # quoted and block scalars with a '#' inside
        self.aliased = self.forgotten = 0
        self.limited = False
        self.stack: list[_Frame] = []
        self._begin(0)

    def _begin(self, start: int) -> None:
        self.settings: dict[Path, Setting] = {}
        self.sections: dict[Path, tuple[int, int]] = {}
        self.problems: list[Problem] = []
        self.anchors: dict[str, _Anchor] = {}
        self.start = start

    def read(self) -> list[YamlDocument]:
        text, stack, guarded = self.text, self.stack, self.guarded
        self.event_of = event_of = libyaml.parser(text).get_event
        frame: _Frame | None = None
        key: _Key | None = None  # the key whose value comes next, if the collection at hand is a mapping
        last = count = 0  # end of the last leaf; events so far
        while True:
            event = event_of()
            kind = type(event)
            count += 1
            if kind is ScalarEvent:
                start, end = event.start_mark.index, event.end_mark.index
                value, style, tag = event.value, event.style, event.tag
                if tag is not None or event.anchor:
                    start = past_properties(text, start, end)
                if style and "#" in value:
                    guarded.append((start, end))
                last = end
                if key is None and frame is not None and frame.keys is not None:
                    key = self._key(frame, value, start, end, not style and tag is None)
                    if event.anchor:
                        self.anchors[event.anchor] = _named_key(value, text[start:end], start, end)
                    continue
                if not style:
                    if tag is None:
                        value = plain(value)
                    if start >= end:
                        start = end = last = back(text, end)
                elif style == "|" or style == ">":
                    end = last = block_end(text, start, end)
                if tag is not None and tag != "!":
                    value = tagged(value, tag)
                setting = self._leaf(frame, key, value, _STYLES[style or ""], start, end)
                key = None
                if event.anchor:
                    self.anchors[event.anchor] = _Anchor(setting.path, setting, None, 1)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                start = event.start_mark.index
                complex_key = key is None and frame is not None and frame.keys is not None
                if complex_key or event.tag not in _COLLECTION_TAGS:
                    last = self._skip(start)
                    if event.anchor or event.tag:
                        start = past_properties(text, start, last)
                    if complex_key:
                        assert frame is not None
                        raw = text[start:last]
                        self.problems.append(Problem("complex-key", "a list or a mapping cannot be a key", start, last))
                        key = self._key(frame, raw, start, last, False)
                    else:
                        setting = self._leaf(frame, key, Opaque(event.tag), "flow", start, last)
                        key = None
                        if event.anchor:
                            self.anchors[event.anchor] = _Anchor(setting.path, setting, None, 1)
                    continue
                if event.anchor or event.tag:
                    start = past_properties(text, start, len(text))
                if len(stack) >= MAX_DEPTH:
                    where = self.source.position(start)
                    raise TextError(f"nested deeper than {MAX_DEPTH} levels", self.source.path, *where)
                mapping = kind is MappingStartEvent
                if mapping:
                    self._expand()
                path = self._path(frame, key)
                if frame is not None:
                    frame.key = key
                if mapping and key is not None:
                    self.sections[path] = key[1:]
                frame = _Frame(path, mapping, bool(event.flow_style), start)
                stack.append(frame)
                key = None
                if event.anchor:
                    frame.anchor, frame.at, frame.weight = event.anchor, len(self.settings), count + self.aliased
                    self.anchors[event.anchor] = _Anchor(path, None, None, 0)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                done = stack.pop()
                if done.flow:
                    last = event.end_mark.index
                frame = stack[-1] if stack else None
                self._end(done, frame, last, count)
                key = None
            elif kind is AliasEvent:
                start, last = event.start_mark.index, event.end_mark.index
                if key is None and frame is not None and frame.keys is not None:
                    known = self._anchor(event.anchor, start).setting
                    name = text[start:last]
                    if known is not None:
                        name = known.raw if known.style == "plain" else str(known.value)
                    key = self._key(frame, name, start, last, False)
                else:
                    self._alias(frame, key, self._anchor(event.anchor, start), start, last)
                    key = None
            elif kind is DocumentStartEvent:
                self._begin(event.start_mark.index if self.documents else 0)
                frame = key = None
            elif kind is DocumentEndEvent:
                self._finish()
            elif kind is StreamEndEvent:
                break
        self._share_comments()
        return self.documents

    # ---- keys and leaves

    def _key(self, frame: _Frame, name: str, start: int, end: int, bare: bool) -> _Key:
        keys = frame.keys
        assert keys is not None
        if bare and name == "<<":
            if frame.merge_at is not None:
                self._gather(frame)
            frame.merge_at = len(self.settings), len(self.sections)
        elif name in keys:
            path = (*frame.path, name)
            line = self.source.position(keys[name])[0]
            message = f"'{name}' is written twice: line {line} is lost, this one is used"
            self.problems.append(Problem("duplicate-key", message, start, end, path))
            self._forget(path, start)
        keys[name] = start
        return name, start, end

    def _forget(self, path: Path, at: int) -> None:
        """Drops what an earlier key of the same name held."""
        if self.settings.pop(path, None) is not None:
            return
        n = len(path)
        self.forgotten += 1
        if self.forgotten > MAX_FORGOTTEN:
            message = f"more than {MAX_FORGOTTEN} sections are written twice"
            raise TextError(message, self.source.path, *self.source.position(at))
        for old in [old for old in self.settings if old[:n] == path]:
            del self.settings[old]
        for old in [old for old in self.sections if old[:n] == path]:
            del self.sections[old]

    def _path(self, frame: _Frame | None, key: _Key | None) -> Path:
        if frame is None:
            return ()
        if key is not None:
            return (*frame.path, key[0])
        frame.count += 1
        return (*frame.path, frame.count - 1)

    def _leaf(
        self, frame: _Frame | None, key: _Key | None, value: Any, style: str, start: int, end: int,
        items: list[Setting] | None = None,
    ) -> Setting:
        if key is None:
            path, raw = self._path(frame, None), self.text[start:end]
            setting = Setting(path, value, raw, style, start, start, start, end, items)
        else:
            assert frame is not None
            path = (*frame.path, key[0])
            setting = Setting(path, value, self.text[start:end], style, key[1], key[2], start, end, items)
        if frame is not None and frame.items is not None:
            frame.items.append(setting)
        else:
            self.settings[setting.path] = setting
        return setting

    def _expand(self) -> None:
        """A mapping begins: the lists around it are no lists of scalars, so their elements become settings."""
        stack, first = self.stack, len(self.stack)
        while first and stack[first - 1].items is not None:
            first -= 1
        for i in range(first, len(stack)):
            frame = stack[i]
            for item in frame.items or ():
                self.settings[item.path] = item
            frame.items = None
            if i and (key := stack[i - 1].key) is not None:
                self.sections[frame.path] = key[1:]

    def _end(self, done: _Frame, frame: _Frame | None, last: int, count: int) -> None:
        setting = None
        key = None if frame is None else frame.key
        if done.items is not None or (done.keys is not None and not done.keys):
            value: Any = {} if done.items is None else [item.value for item in done.items]
            start = done.start
            k_start, k_end = (start, start) if key is None else key[1:]
            raw, style = self.text[start:last], "flow" if done.flow else "block"
            setting = Setting(done.path, value, raw, style, k_start, k_end, start, last, done.items)
            if frame is not None and frame.items is not None:
                frame.items.append(setting)
            else:
                self.settings[done.path] = setting
        elif done.merge_at is not None:
            self._merge(done)
        if done.anchor:
            below = None if setting is not None else self._below(done.path, len(self.settings) - done.at)
            weight = count + self.aliased - done.weight
            self.anchors[done.anchor] = _Anchor(done.path, setting, below, weight)

    def _skip(self, start: int) -> int:
        """Reads past a collection that is not looked into. Returns the end of its last leaf."""
        depth, last = 1, start
        while depth:
            event = self.event_of()
            kind = type(event)
            if issubclass(kind, CollectionEndEvent):
                depth -= 1
                if self.text[event.start_mark.index : event.end_mark.index] in ("]", "}"):
                    last = event.end_mark.index
                continue
            if event.anchor and kind is not AliasEvent:
                self.anchors[event.anchor] = _Anchor((), Setting((), Opaque("?"), "", "flow", 0, 0, 0, 0), None, 1)
            if issubclass(kind, CollectionStartEvent):
                depth += 1
            else:
                last = event.end_mark.index
                if kind is ScalarEvent and event.style:
                    self.guarded.append((event.start_mark.index, last))
        return last

    # ---- aliases and merge keys

    def _anchor(self, name: str, at: int) -> _Anchor:
        found = self.anchors.get(name)
        if found is None:
            raise TextError(f"alias *{name} has no anchor before it", self.source.path, *self.source.position(at))
        return found

    def _below(self, path: Path, count: int) -> list[Setting]:
        """Settings under a path, among the last ``count``."""
        n = len(path)
        found = [s for s in islice(reversed(self.settings.values()), max(count, 0)) if s.path[:n] == path]
        found.reverse()
        return found

    def _alias(self, frame: _Frame | None, key: _Key | None, anchor: _Anchor, start: int, end: int) -> None:
        self.aliased += anchor.weight
        why = None
        if anchor.setting is None and anchor.settings is None:
            why = "an alias inside its own anchor: its value is not followed"
        elif self.aliased > MAX_ALIASED:
            why = f"aliases repeat more than {MAX_ALIASED:,} values: this one is not followed"
            self.aliased -= anchor.weight
        if why is not None:
            if not self.limited:  # once is enough
                self.problems.append(Problem("limit", why, start, end))
                self.limited = True
            self._leaf(frame, key, Opaque("*"), "alias", start, end)
            return
        if anchor.setting is not None:
            self._leaf(frame, key, anchor.setting.value, "alias", start, end)
            return
        self._expand()
        path, n, raw = self._path(frame, key), len(anchor.path), self.text[start:end]
        k_start, k_end = (start, start) if key is None else key[1:]
        if key is not None:
            self.sections[path] = (k_start, k_end)
        for known in anchor.settings or ():
            there = path + known.path[n:]
            if len(there) > 2 * MAX_DEPTH:  # anchors that hold aliases to anchors that hold …
                self.problems.append(Problem("limit", "aliases nested too deep: this one is not followed", start, end))
                break
            self.settings[there] = Setting(there, known.value, raw, "alias", k_start, k_end, start, end)

    def _gather(self, frame: _Frame) -> None:
        """Takes what stands under a ``<<`` out of the settings and keeps it by its first key."""
        path = (*frame.path, "<<")
        n = len(path)
        found: dict[Any, tuple[int, list[tuple[Path, Setting]]]] = {}
        assert frame.merge_at is not None
        settings_at, sections_at = frame.merge_at
        frame.merge_at = None
        for old in list(islice(reversed(self.sections), len(self.sections) - sections_at)):
            del self.sections[old]
        for setting in self._below(path, len(self.settings) - settings_at):
            del self.settings[setting.path]
            rest = setting.path[n:]
            if rest and isinstance(rest[0], int):  # a list of mappings: the first that has a key wins
                source, rest = rest[0], rest[1:]
            else:
                source = -1
            if not rest:
                if not isinstance(setting.value, Opaque) and setting.value not in ({}, []):
                    message = "'<<' takes a mapping, or a list of mappings"
                    self.problems.append(Problem("merge", message, setting.value_start, setting.value_end, frame.path))
                continue
            if found.setdefault(rest[0], (source, []))[0] == source:
                found[rest[0]][1].append((rest, setting))
        merged = frame.merged = frame.merged or {}
        for first, (_, below) in found.items():
            merged[first] = []
            for rest, setting in below:
                setting.path = frame.path + rest
                merged[first].append(setting)

    def _merge(self, frame: _Frame) -> None:
        """Makes merged settings visible beside the keys that the mapping writes itself, which win."""
        self._gather(frame)
        assert frame.keys is not None
        for first, below in (frame.merged or {}).items():
            if first not in frame.keys:
                for setting in below:
                    self.settings[setting.path] = setting

    # ---- documents

    def _finish(self) -> None:
        index = len(self.documents)
        if self.documents:
            self.documents[-1].end = self.start
        made = YamlDocument(self.source, self.settings, self.sections, self.problems, index, self.start, len(self.text))
        self.documents.append(made)

    def _share_comments(self) -> None:
        if len(self.documents) > 1:
            for document in self.documents:
                document.siblings = self.documents
        if "#" not in self.text or not self.documents:
            return
        found = comments(self.text, self.guarded)
        if len(self.documents) == 1:
            self.documents[0].comments = found
            return
        for document in self.documents:
            document.comments = [c for c in found if document.start <= c[0] < document.end]
