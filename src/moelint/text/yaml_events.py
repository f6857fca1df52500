"""YAML text → documents of settings with exact spans, in one pass over the parser's events.

Nothing is ever built from tags, and an alias is never unfolded beyond a bound: settings seen through an alias or a
merge key are copies that share their values, at most ``yaml_builder.MAX_ALIASED`` of them a file.
"""

from __future__ import annotations

import re

from moelint.text import libyaml
from moelint.text.document import Problem, Setting
from moelint.text.scalars import Opaque, plain, tagged
from moelint.text.source import Source, TextError, TooLarge
from moelint.text.spans import back, block_end, past_properties
from moelint.text.yaml_builder import MAX_DEPTH, Anchor, Builder, Frame, Key
from moelint.text.yaml_document import YamlDocument
from moelint.typed import Any

from yaml.error import YAMLError  # isort: skip  # after libyaml, which decides how `yaml` is loaded
from yaml.events import (  # isort: skip
    AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentEndEvent, DocumentStartEvent, MappingEndEvent,
    MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent, StreamEndEvent,
)

_LIBYAML_DEPTH = 1000  # its own bound; PyYAML's Python parser has none
MAX_EVENTS = 200_000
"""What libyaml may tell of one text: about two for each setting or list element."""

_STYLES = {"": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}
_COLLECTION_TAGS = {None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_NOT_YAML_ASCII = "[^\t\n\r\x20-\x7e]"
_NOT_YAML = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # 5 ms to compile: only if needed


def _named_key(value: str, raw: str, start: int, end: int) -> Anchor:
    style, meant = ("plain", plain(value)) if raw == value else ("double", value)
    return Anchor((), Setting((), meant, raw, style, start, end, start, end), None, 1)


def read_events(source: Source) -> list[YamlDocument]:
    """The YAML documents of a file, in order. Raises TextError, with line and column, on text that is not YAML."""
    try:
        return _Reader(source).read()
    except YAMLError as error:
        raise _text_error(source, error) from None
    except UnicodeEncodeError as error:
        raise TextError("not text: half of a surrogate pair", source.path, *source.position(error.start)) from None


def _text_error(source: Source, error: Any) -> TextError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        bad = re.search(_NOT_YAML_ASCII if source.text.isascii() else _NOT_YAML, source.text)
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


class _Reader(Builder):
    def read(self) -> list[YamlDocument]:
        text, stack, guarded = self.text, self.stack, self.guarded
        self.event_of = event_of = libyaml.parser(text).get_event
        frame: Frame | None = None
        key: Key | None = None  # the key whose value comes next, if the collection at hand is a mapping
        last = count = 0  # end of the last leaf; events so far
        while True:
            event = event_of()
            kind = type(event)
            count += 1
            if count > MAX_EVENTS:
                where = self.source.position(event.start_mark.index)
                message = f"more than {MAX_EVENTS // 2:,} values: no training config is so large"
                raise TooLarge(message, self.source.path, *where)
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
                    self.anchors[event.anchor] = Anchor(setting.path, setting, None, 1)
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
                            self.anchors[event.anchor] = Anchor(setting.path, setting, None, 1)
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
                frame = Frame(path, mapping, bool(event.flow_style), start)
                stack.append(frame)
                key = None
                if event.anchor:
                    frame.anchor, frame.at, frame.weight = event.anchor, len(self.settings), count + self.aliased
                    self.anchors[event.anchor] = Anchor(path, None, None, 0)
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

    def _skip(self, start: int) -> int:
        """Reads past a collection that is not looked into. Returns the end of its last leaf. Raises TextError."""
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
                self.anchors[event.anchor] = Anchor((), Setting((), Opaque("?"), "", "flow", 0, 0, 0, 0), None, 1)
            if issubclass(kind, CollectionStartEvent):
                depth += 1
                if depth > _LIBYAML_DEPTH:
                    where = self.source.position(start)
                    raise TextError(f"nested deeper than {_LIBYAML_DEPTH} levels", self.source.path, *where)
            else:
                last = event.end_mark.index
                if kind is ScalarEvent and event.style:
                    self.guarded.append((event.start_mark.index, last))
        return last
