"""One YAML document: its settings, and the text edits that change one of them and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from moelint.text.document import Document, EditError, Path, Problem, Setting
from moelint.text.edits import Edit, apply
from moelint.text.lines import joined
from moelint.text.scalars import plain
from moelint.text.source import Source, TextError
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.text.yaml_edits import Editor

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DOUBTFUL = frozenset(("y", "n", "yes", "no", "on", "off", "null", "true", "false"))  # words that readers disagree on
_Change = Callable[[dict[Path, Any]], None]


def _is_bare(text: str) -> bool:
    """Whether a text is one word or one decimal number, which means the same wherever in YAML it stands."""
    if not text or not _BARE.issuperset(text):
        return False
    if text[0].isdigit():
        return text.isdigit() and (text[0] != "0" or text == "0")
    return text[0] != "_" and (text in ("true", "false") or text.lower() not in _DOUBTFUL)


MAX_TRIED = 1_000_000
"""Characters that are read to prove the edits of one text: each edit takes the whole text once."""


class YamlDocument(Document):
    """Part [start, end) of a file. ``sections``: span of the key of each mapping, and of each list of mappings.

    Every edit is tried before it is given out: the changed text is read again, and all that differs must be what was
    asked for. What cannot be done that way raises EditError.
    """

    def __init__(
        self, source: Source, settings: dict[Path, Setting], sections: dict[Path, tuple[int, int]],
        problems: list[Problem], index: int, start: int, end: int,
    ) -> None:
        self.source, self.settings, self.sections, self.problems = source, settings, sections, problems
        self.index, self.start, self.end = index, start, end
        self.comments: list[tuple[int, int]] = []
        self.in_order = False  # whether settings and sections are known to come in the order of the text
        self.siblings: list[YamlDocument] = []  # all documents of the file, where there are several
        self._editor: Editor | None = None

    def set(self, path: Path, value: Any) -> list[Edit]:
        setting = self.settings.get(path)
        if setting is None:
            raise EditError(f"{'.'.join(map(str, path))} is not written here")
        if (edit := self._word_for_word(setting, value)) is not None:
            return [edit]

        def change(values: dict[Path, Any]) -> None:
            values[path] = value

        return self._tried(self.editor.set(path, value), change)

    def _word_for_word(self, setting: Setting, value: Any) -> Edit | None:
        """The edit where one bare word or number takes the place of another: it cannot do anything else, as long as no
        anchor carries the value elsewhere."""
        shown = "true" if value is True else "false" if value is False else str(value)
        if type(value) not in (bool, int, str) or setting.style != "plain" or "&" in self.source.text:
            return None
        if not _is_bare(shown):
            return None
        raw = self.source.text[setting.value_start : setting.value_end]
        if raw != setting.raw or not _is_bare(raw) or (type(value) is bool and raw not in ("true", "false")):
            return None
        before = self.source.text[setting.key_start : setting.value_start]
        if not setting.path or before.partition(":")[0] != setting.path[-1] or before.partition(":")[2].strip(" "):
            return None  # a tag, a line break, another way to write a key
        if type(plain(shown)) is not type(value) or plain(shown) != value:
            return None
        return Edit(setting.value_start, setting.value_end, shown)

    def insert(self, path: Path, value: Any, after: Path | None = None) -> list[Edit]:
        if path in self.settings or path in self.sections:
            what = "written already" if path in self.settings else "a section here, not one value"
            raise EditError(f"{'.'.join(map(str, path))} is {what}")

        def change(values: dict[Path, Any]) -> None:
            for n in range(len(path)):
                if values.get(path[:n], 0) in (None, {}):
                    del values[path[:n]]
            values[path] = value

        return self._tried(self.editor.insert(path, value, after), change)

    def remove(self, path: Path) -> list[Edit]:
        def change(values: dict[Path, Any]) -> None:
            n = len(path)
            if path and isinstance(path[-1], int):
                raise EditError("elements of a list are taken out by value")
            for old in [old for old in values if old[:n] == path]:
                del values[old]
            if not any(old[: n - 1] == path[:-1] for old in values):
                values[path[:-1]] = {}

        return self._tried(self.editor.remove(path), change)

    def rename(self, path: Path, name: str) -> list[Edit]:
        def change(values: dict[Path, Any]) -> None:
            n = len(path)
            for old in [old for old in values if old[:n] == path]:
                values[(*path[:-1], name, *old[n:])] = values.pop(old)

        return self._tried(self.editor.rename(path, name), change)

    def add(self, path: Path, value: Any) -> list[Edit]:
        """Append an element to a list; no edit if the list has it."""

        def change(values: dict[Path, Any]) -> None:
            values[path] = [*(values.get(path) or []), value]

        edits = self.editor.add(path, value)
        return self._tried(edits, change) if edits else []

    def discard(self, path: Path, value: Any) -> list[Edit]:
        """Take an element out of a list, wherever it stands in it; no edit if the list does not have it."""
        from moelint.text.yaml_values import same

        def change(values: dict[Path, Any]) -> None:
            values[path] = [item for item in values.get(path) or [] if not same(item, value)]

        edits = self.editor.discard(path, value)
        return self._tried(edits, change) if edits else []

    @property
    def editor(self) -> Editor:
        """The tree of nodes behind the edits, built when the first is asked for."""
        if self._editor is None:
            from moelint.text.yaml_edits import Editor
            from moelint.text.yaml_tree import build

            root = build(self.source.text, self.index)
            self._editor = Editor(self.source.text, self.source.newline, root, self.start, self.end)
        return self._editor

    def _tried(self, edits: list[Edit], change: _Change) -> list[Edit]:
        """The edits in order, or EditError if they do anything but ``change``."""
        text = self.source.text
        if not text.endswith("\n"):
            try:
                return self._proved(joined(text, edits, True), change)
            except EditError:  # a block scalar that becomes the last needs its line break
                pass
        return self._proved(joined(text, edits, False), change)

    def _proved(self, edits: list[Edit], change: _Change) -> list[Edit]:
        from moelint.text.yaml_reader import read_yaml
        from moelint.text.yaml_values import same

        if self.source.tried > MAX_TRIED:
            raise EditError("the file is so long that no more changes of it are tried at once")
        self.source.tried += len(self.source.text)
        before = self.siblings or [self]
        wanted = [{path: s.value for path, s in document.settings.items()} for document in before]
        change(wanted[self.index])
        try:
            text = apply(self.source.text, edits)
            after = read_yaml(Source(self.source.path, text, self.source.encoding, self.source.bom), by_line=False)
        except (TextError, ValueError) as error:
            raise EditError(f"the text cannot take this change ({error})") from None
        if len(after) != len(before):
            raise EditError("the text cannot take this change without falling apart")
        for document, old, values in zip(after, before, wanted, strict=True):
            found = document.settings
            for path in values.keys() | found.keys():
                if path not in found or path not in values or not same(found[path].value, values[path]):
                    raise EditError(f"this would also change {'.'.join(map(str, path)) or 'the document'}")
            if len(document.problems) > len(old.problems):
                raise EditError(document.problems[-1].message)
        return edits
