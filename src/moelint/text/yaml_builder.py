"""Settings of a YAML document as its events come in: keys, leaves, collections, aliases and merge keys."""

from __future__ import annotations

from itertools import islice

from moelint.text.document import Path, Problem, Setting
from moelint.text.scalars import Opaque
from moelint.text.source import Source, TextError
from moelint.text.spans import comments
from moelint.text.yaml_document import YamlDocument
from moelint.typed import Any

MAX_DEPTH = 100
"""Levels of nesting that a config may have."""
MAX_ALIASED = 10_000
"""Settings and list elements that a file may repeat through aliases."""
MAX_FORGOTTEN = 100
"""Sections that a file may write twice; each costs a walk over what has been read."""

MAX_TWICE = 100
"""Keys written twice that are told one by one."""

Key = tuple[str, int, int]  # name, start, end


class Frame:
    """A collection that is being read. ``keys`` of a mapping; ``items`` of a sequence, until a mapping inside it makes
    each element a setting of its own; ``key`` that of a mapping whose value is being read."""

    __slots__ = (
        "anchor", "at", "count", "flow", "items", "key", "keys", "merge_at", "merged", "path", "start", "weight",
    )

    def __init__(self, path: Path, mapping: bool, flow: bool, start: int) -> None:
        self.path, self.flow, self.start, self.count = path, flow, start, 0
        self.keys: dict[str, int] | None = {} if mapping else None
        self.items: list[Setting] | None = None if mapping else []
        self.key: Key | None = None
        self.anchor: str | None = None
        self.at = self.weight = 0  # settings and events that came before, if it has an anchor
        self.merged: dict[Any, list[Setting]] | None = None
        self.merge_at: tuple[int, int] | None = None  # settings and sections that came before an open `<<`


class Anchor:
    """``setting`` of a scalar or a list of scalars, else the ``settings`` below ``path``; neither while it is open."""

    __slots__ = ("path", "setting", "settings", "weight")

    def __init__(self, path: Path, setting: Setting | None, settings: list[Setting] | None, weight: int) -> None:
        self.path, self.setting, self.settings, self.weight = path, setting, settings, weight


class Builder:
    """What has been read so far of a file (``documents``) and of the document at hand."""

    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self.documents: list[YamlDocument] = []
        self.guarded: list[tuple[int, int]] = []  # quoted and block scalars with a '#' inside
        self.aliased = self.forgotten = 0
        self.limited, self.twice = False, 0
        self.stack: list[Frame] = []
        self._begin(0)

    def _begin(self, start: int) -> None:
        self.settings: dict[Path, Setting] = {}
        self.sections: dict[Path, tuple[int, int]] = {}
        self.problems: list[Problem] = []
        self.doubles: list[tuple[Problem, Setting]] = []  # keys written twice, with what the first of them held
        self.anchors: dict[str, Anchor] = {}
        self.start = start

    # ---- keys and leaves

    def _key(self, frame: Frame, name: str, start: int, end: int, bare: bool) -> Key:
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
            self.twice += 1
            if self.twice <= MAX_TWICE:
                problem = Problem("duplicate-key", message, start, end, path)
                self.problems.append(problem)
                lost = self.settings.get(path)
                if lost is not None:
                    self.doubles.append((problem, lost))
            else:
                self._limit(f"more than {MAX_TWICE} keys are written twice", start, end)
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

    def _path(self, frame: Frame | None, key: Key | None) -> Path:
        if frame is None:
            return ()
        if key is not None:
            return (*frame.path, key[0])
        frame.count += 1
        return (*frame.path, frame.count - 1)

    def _leaf(
        self, frame: Frame | None, key: Key | None, value: Any, style: str, start: int, end: int,
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

    def _end(self, done: Frame, frame: Frame | None, last: int, count: int) -> None:
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
            self.anchors[done.anchor] = Anchor(done.path, setting, below, weight)

    # ---- aliases and merge keys

    def _anchor(self, name: str, at: int) -> Anchor:
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

    def _alias(self, frame: Frame | None, key: Key | None, anchor: Anchor, start: int, end: int) -> None:
        self.aliased += anchor.weight
        if anchor.setting is None and anchor.settings is None:
            self._limit("an alias inside its own anchor: its value is not followed", start, end)
            self._leaf(frame, key, Opaque("*"), "alias", start, end)
            return
        if self.aliased > MAX_ALIASED:
            self._limit(f"aliases repeat more than {MAX_ALIASED:,} values: this one is not followed", start, end)
            self.aliased -= anchor.weight
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
                self._limit("aliases nested too deep: this one is not followed", start, end)
                break
            self.settings[there] = Setting(there, known.value, raw, "alias", k_start, k_end, start, end)

    def _limit(self, message: str, start: int, end: int) -> None:
        if not self.limited:  # once is enough
            self.problems.append(Problem("limit", message, start, end))
            self.limited = True

    def _gather(self, frame: Frame) -> None:
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
                whole = not isinstance(setting.value, Opaque) and not self.limited
                if whole and setting.value not in ({}, []):
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

    def _merge(self, frame: Frame) -> None:
        """Makes merged settings visible beside the keys that the mapping writes itself, which win."""
        self._gather(frame)
        assert frame.keys is not None
        for first, below in (frame.merged or {}).items():
            if first not in frame.keys:
                for setting in below:
                    self.settings[setting.path] = setting

    # ---- documents

    def _finish(self) -> None:
        if self.doubles:
            from moelint.text.yaml_doubles import mend

            mend(self.source, self.settings, self.doubles)
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
