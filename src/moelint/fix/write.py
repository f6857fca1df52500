"""Changes of canonical keys → edits of the text in which a config stands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from moelint.fix.changes import ADD, KEEP, REMOVE, RENAME, UNSET, Change, elements, same
from moelint.read.config import Config
from moelint.text.document import Document, EditError, Path
from moelint.text.edits import Edit, apply, overlap
from moelint.text.yaml_document import YamlDocument
from moelint.typed import Any

_Step = Callable[[Document], list[Edit]]


def write(config: Config, changes: list[Change]) -> tuple[list[Edit], str | None]:
    """(edits, None), or ([], reason) where the text cannot take all of the changes: a fix is whole or not at all."""
    try:
        steps = [step for change in changes for step in _steps(config, change)]
        return _together(config.document, steps), None
    except EditError as error:
        return [], str(error)


def _steps(config: Config, change: Change) -> list[_Step]:
    if change.kind == RENAME:
        return _rename(config, change)
    if change.kind == UNSET:
        return [_removal(_written_path(config, change.key))]
    if change.kind in (ADD, REMOVE):
        return _element(config, change)
    return [_assignment(config, change.key, change.value)]


def _written_path(config: Config, key: str) -> Path:
    """Path of a key that this text itself writes."""
    written = config.written.get(key)
    if written is None:
        raise EditError(f"{key} is not written")
    if written.origin != "file" or written.setting is None or written.document is not config.document:
        raise EditError(f"{written.spelling} is not written in this file, which takes it from elsewhere")
    return written.setting.path


def _removal(path: Path) -> _Step:
    return lambda document: document.remove(path)


def _assignment(config: Config, key: str, value: Any) -> _Step:
    from moelint.read.place import REMOVED, place, text_value

    where = place(config, key, value)
    if where is None:
        raise EditError(f"this kind of file has no setting for {key}")
    document, path, after = where
    if document is not config.document:
        raise EditError(f"{key} is written in another file")
    text = text_value(config, key, value)
    there = document.settings.get(path)
    if key.startswith("env_vars.") and type(text) is int and (there is None or isinstance(there.value, str)):
        text = str(text)  # a variable's value is text, and its author may have quoted it

    def step(now: Document) -> list[Edit]:
        if text is REMOVED:
            return now.remove(path) if path in now.settings else []
        if path not in now.settings:
            return now.insert(path, text, after if after is None or after in now.settings else None)
        return now.set(path, text)

    return step


def _element(config: Config, change: Change) -> list[_Step]:
    """A list keeps its layout where the document can change single elements; else it is written whole."""
    key, value = change.key, change.value
    written = config.written.get(key)
    now = elements(written.value) if written is not None else []
    if written is not None and written.setting is not None and isinstance(written.setting.value, list):
        path = _written_path(config, key)
        if isinstance(config.document, YamlDocument):
            return [lambda document: _one_element(document, change.kind == ADD, path, value)]
    wanted = [*now, value] if change.kind == ADD else [old for old in now if not same(old, value)]
    return [_assignment(config, key, wanted)]


def _one_element(document: Document, add: bool, path: Path, value: Any) -> list[Edit]:
    assert isinstance(document, YamlDocument)
    return document.add(path, value) if add else document.discard(path, value)


def _rename(config: Config, change: Change) -> list[_Step]:
    from moelint.read.place import REMOVED, place, text_value

    path = _written_path(config, change.key)
    written = config.written[change.key]
    value = written.value if change.then is KEEP else change.then
    where = place(config, change.value, value)
    if where is None:
        raise EditError(f"this kind of file has no setting for {change.value}")
    new = where[1]
    if new[:-1] == path[:-1] and new not in config.document.settings:
        if change.then is KEEP:
            return [lambda document: document.rename(path, str(new[-1]))]
        text = text_value(config, change.value, value)
        if text is not REMOVED and isinstance(config.document, YamlDocument):
            return [lambda document: [*document.rename(path, str(new[-1])), *document.set(path, text)]]
    return [_assignment(config, change.value, value), _removal(path)]


def _together(document: Document, steps: list[_Step]) -> list[Edit]:
    """All steps as edits of one text: side by side where they do not touch, else one after the other."""
    if len(steps) == 1:
        return steps[0](document)
    try:
        found = [step(document) for step in steps]
    except EditError:
        if isinstance(document, YamlDocument):  # it may need what a step before it writes
            return _in_turn(document, steps)
        raise
    edits = list(dict.fromkeys(edit for part in found for edit in part))
    edits.sort(key=lambda edit: (edit.start, edit.end))
    if any(overlap(a, b) for a, b in pairwise(edits)):
        return _in_turn(document, steps) if isinstance(document, YamlDocument) else _stacked(edits)
    return edits


def _stacked(edits: list[Edit]) -> list[Edit]:
    """New lines at the same place stand below each other. Raises EditError if it is not only new lines that meet."""
    out: list[Edit] = []
    for edit in edits:
        if out and overlap(out[-1], edit):
            if not out[-1].start == out[-1].end == edit.start == edit.end:
                raise EditError("two changes touch the same place")
            edit = Edit(edit.start, edit.end, out.pop().text + edit.text)
        out.append(edit)
    return out


def _in_turn(document: YamlDocument, steps: list[_Step]) -> list[Edit]:
    from moelint.text.source import Source
    from moelint.text.yaml_reader import read_yaml

    now = document
    for step in steps:
        edits = step(now)
        if edits:
            source = now.source
            text = apply(source.text, edits)
            now = read_yaml(Source(source.path, text, source.encoding, source.bom))[now.index]
    return difference(document.source.text, now.source.text)


def difference(old: str, new: str) -> list[Edit]:
    """Edits that turn one text into another, line by line, each cut to the characters that differ."""
    from difflib import SequenceMatcher

    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    offsets = [0]
    for line in a:
        offsets.append(offsets[-1] + len(line))
    edits = []
    for tag, i, j, k, n in SequenceMatcher(None, a, b, False).get_opcodes():
        if tag != "equal":
            edits.append(_cut(offsets[i], "".join(a[i:j]), "".join(b[k:n])))
    return edits


def _cut(start: int, old: str, new: str) -> Edit:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])
