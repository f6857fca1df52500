"""One command of a script as a document: its flags and overrides with their places, and how to change them."""

from __future__ import annotations

import re

from moelint.text.document import Document, EditError, Path, Setting
from moelint.text.edits import Edit
from moelint.text.scalars import Opaque
from moelint.text.shell.pieces import Word
from moelint.text.shell.places import Layout, hull, near, with_quotes
from moelint.typed import Any

ENV = "ENV"  # first part of the path of an environment variable
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./^~-]+\Z")


class ShellSetting(Setting):
    """A flag, override or variable. ``words``: the values as the script puts them together; ``assumed``, ``waits``: as
    of ``read.config.Written``; ``maybe``: it is there on some paths only."""

    __slots__ = ("assumed", "maybe", "waits", "words")

    assumed: str | None
    waits: tuple[str, ...]
    maybe: bool
    words: list[Word]


class ShellDocument(Document):
    """``layout`` is shared by all documents of one text. ``start``, ``end``: the command itself; ``regions``: all that
    belongs to it; ``style`` of paths that are no flags: ``words`` (``--name value``) or ``hydra`` (``a.b=value``)."""

    def __init__(self, layout: Layout, start: int, end: int, style: str) -> None:
        self.layout, self.source, self.style = layout, layout.source, style
        self.start, self.end = start, end
        self.settings: dict[Path, Setting] = {}
        self.sections: dict[Path, tuple[int, int]] = {}
        self.problems = []
        self.comments = layout.comments
        self.regions: list[tuple[int, int]] = [(start, end)]

    # ---- filling
    def add(self, path: Path, key: Word, values: list[Word], joined: bool = False) -> ShellSetting:
        """Adds what the words say. ``joined``: name and value are one word, ``--a=1`` or ``a=1``, and ``values`` has
        the part behind the sign."""
        start, end = near(key.pieces, self.source, None)
        if joined:
            text = self.source.text
            sign = text.find("=", start, end)
            key_end = sign if sign > 0 else end
        else:
            key_end = end
        places = [near(word.pieces, self.source, key_end) for word in values if word.pieces]
        first, last = hull(places, key_end)
        raw = self.source.text[first:last]
        maybe = key.maybe
        value: Any = True
        style = "bare"
        assumed = key.assumed
        waits = key.waits
        if values:
            style = "plain"
            texts = [word.text if not maybe else word.certain_text for word in values]
            assumed = next((word.assumed for word in values if word.assumed), assumed)
            waits = tuple(dict.fromkeys((*waits, *(name for word in values for name in word.waits))))
            value = (
                Opaque("shell")
                if any(text is None for text in texts)
                else _typed(" ".join(text for text in texts if text is not None))
            )
        if maybe:
            value = Opaque("shell")
        setting = ShellSetting(path, value, raw, style, start, key_end, first, last)
        setting.words, setting.maybe, setting.assumed = values, maybe, assumed
        setting.waits = waits if isinstance(value, Opaque) else ()
        self.settings.pop(path, None)
        self.settings[path] = setting
        for word in values:
            self.layout.use(word, setting)
        return setting

    def add_variable(self, name: str, word: Word) -> ShellSetting:
        """An environment variable that the command sees; its value is always text."""
        source = self.source
        found = self.layout.assignment(name, word)
        key_start, start, end = found if found is not None else (self.start, self.start, self.start)
        text = word.text
        value = Opaque("shell") if text is None else text
        key_end = key_start + len(name) if found is not None else key_start
        setting = ShellSetting((ENV, name), value, source.text[start:end], "plain", key_start, key_end, start, end)
        setting.words, setting.maybe, setting.assumed = [word], word.maybe, word.assumed
        setting.waits = word.waits if text is None else ()
        self.settings[setting.path] = setting
        return setting

    # ---- edits
    def set(self, path: Path, value: Any) -> list[Edit]:
        setting = self._found(path)
        if setting.style == "bare":
            if value is True:
                return []
            raise EditError(f"{path[-1]} is a flag without a value")
        words = self._rendered(path, value)
        text = " ".join(words)
        origin = self._origin(setting) if len(words) == 1 and len(setting.words) == 1 else None
        start, end = origin or (setting.value_start, setting.value_end)
        if start >= end:
            raise EditError(f"the value of {path[-1]} does not stand in this text")
        if not self.layout.is_quoted(start) and not _PLAIN.match(text.replace(" ", "")):
            text = " ".join(_quoted(word) for word in words)
        elif self.layout.is_quoted(start) and not _PLAIN.match(text.replace(" ", "")):
            start, end = with_quotes(self.source.text, start, end)
            if self.layout.is_quoted(start):
                raise EditError("the value needs quotes, and stands inside of quotes")
            text = " ".join(_quoted(word) for word in words)
        elif len(words) > 1:
            start, end = with_quotes(self.source.text, start, end)
        if len(words) > 1 and self.source.text[setting.key_end : start] == "=":  # --flag=value takes one word only
            start, text = setting.key_end, " " + text
        return [Edit(start, end, text)]

    def insert(self, path: Path, value: Any, after: Path | None = None) -> list[Edit]:
        if path[0] == ENV:
            return self._insert_variable(str(path[1]), self._rendered(path, value)[0], after)
        text = self._spelled(path, value)
        anchor = self._anchor(after)
        if anchor is None:
            raise EditError("there is no flag to put a new one beside")
        return self.layout.insert_after(anchor, text, (self.start, self.end))

    def remove(self, path: Path) -> list[Edit]:
        setting = self._found(path)
        if path[0] == ENV:
            return self.layout.remove_variable(setting)
        start = setting.key_start
        end = max(setting.key_end, setting.value_end)
        if setting.value_end > setting.value_start:
            end = max(end, with_quotes(self.source.text, setting.value_start, setting.value_end)[1])
        between = self.source.text[setting.key_end : max(setting.key_end, setting.value_start)]
        if setting.words and (setting.value_start < setting.key_end or between.strip(" \t\r\n\\\"'=")):
            raise EditError(f"{path[-1]} and its value stand apart")
        return self.layout.remove(start, end)

    def rename(self, path: Path, name: str) -> list[Edit]:
        setting = self._found(path)
        if str(path[0]).startswith("-"):
            return [Edit(setting.key_start, setting.key_end, name)]
        old = self.source.text[setting.key_start : setting.key_end]
        leaf = str(path[-1])
        if not old.endswith(leaf):
            raise EditError(f"{leaf} is put together from parts here")
        return [Edit(setting.key_end - len(leaf), setting.key_end, name)]

    # ---- help
    def _found(self, path: Path) -> ShellSetting:
        setting = self.settings.get(path)
        if setting is None:
            raise EditError(f"{'.'.join(map(str, path))} is not written here")
        assert isinstance(setting, ShellSetting)
        if setting.key_end <= setting.key_start:
            raise EditError(f"{path[-1]} is put together elsewhere")
        return setting

    def _origin(self, setting: ShellSetting) -> tuple[int, int] | None:
        """Where the value's text itself stands, if nothing else uses it: an assignment, or a default."""
        pieces = [piece for piece in setting.words[0].pieces if piece.text]
        if len(pieces) != 1 or not pieces[0].literal or pieces[0].spans[0][0] is not self.source:
            return None
        if not self.layout.is_only_user(pieces[0], setting):
            return None
        return pieces[0].spans[0][1:]

    def _anchor(self, after: Path | None) -> ShellSetting | None:
        found = self.settings.get(after) if after is not None else None
        if isinstance(found, ShellSetting) and found.key_end > found.key_start and found.path[0] != ENV:
            return found
        placed = [
            setting
            for setting in self.settings.values()
            if isinstance(setting, ShellSetting) and setting.key_end > setting.key_start and setting.path[0] != ENV
        ]
        return max(placed, key=lambda setting: setting.key_start, default=None)

    def _insert_variable(self, name: str, text: str, after: Path | None) -> list[Edit]:
        text = text if _PLAIN.match(text) else _quoted(text)
        variables = [s for p, s in self.settings.items() if p[0] == ENV and s.key_end > s.key_start]
        beside = self.settings.get(after) if after is not None and after[0] == ENV else None
        if beside is None and variables:
            beside = max(variables, key=lambda setting: setting.key_start)
        return self.layout.insert_variable(name, text, beside, self.start)

    def _rendered(self, path: Path, value: Any) -> list[str]:
        if isinstance(value, (list, tuple)):
            if self.style == "hydra" and not str(path[0]).startswith("-"):
                return ["[" + ",".join(self._word(item) for item in value) + "]"]
            return [self._word(item) for item in value]
        return [self._word(value)]

    def _word(self, value: Any) -> str:
        if isinstance(value, bool):
            capital = any(setting.raw in ("True", "False") for setting in self.settings.values())
            return str(value) if capital else str(value).lower()
        if value is None:
            return "null" if self.style == "hydra" else "none"
        return str(value)

    def _spelled(self, path: Path, value: Any) -> str:
        name = str(path[0]) if str(path[0]).startswith("-") else ""
        if not name and self.style == "hydra":
            words = [_shell_word(word) for word in self._rendered(path, value)]
            plus = self._plus(path)
            return f"{plus}{'.'.join(str(part) for part in path)}={words[0]}"
        name = name or f"--{path[0]}"
        if value is True and str(path[0]).startswith("-"):
            return name
        return " ".join([name, *(_shell_word(word) for word in self._rendered(path, value))])

    def _plus(self, path: Path) -> str:
        """The sign that new keys of the same section carry here."""
        text = self.source.text
        for other, setting in self.settings.items():
            if other[:-1] == path[:-1] and setting.key_end > setting.key_start:
                mark = text[setting.key_start : setting.key_start + 2]
                return "++" if mark == "++" else "+" if mark[:1] == "+" else ""
        return "+" if any(str(part).startswith("override_") for part in path) else ""


def _typed(text: str) -> Any:
    """A whole number as one; any other text as it is."""
    body = text[1:] if text[:1] == "-" else text
    if body.isdigit() and body.isascii() and len(body) < 18 and (body == "0" or body[0] != "0"):
        return int(text)
    return text


def _shell_word(text: str) -> str:
    return text if _PLAIN.match(text) else _quoted(text)


def _quoted(text: str) -> str:
    if _PLAIN.match(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"
