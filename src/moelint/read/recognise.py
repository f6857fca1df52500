"""Which dialect a document is written in, from its content alone."""

from __future__ import annotations

import re

from moelint.read.tables import Table, tables
from moelint.text.document import Document, Path
from moelint.typed import Any


def recognise(document: Document) -> str | None:
    """The id of the first dialect whose description the document fits; None if it fits none."""
    look = Look(document)
    tops = {path[0] for path in document.settings if path}
    for name, table in tables().items():
        needed = table["tops"]
        if needed is None:
            if not any(word in document.source.text for word in table["hints"]):
                continue
        elif tops.isdisjoint(needed):
            continue
        for test in table["recognise"]:
            if look.fits(test):
                return name
    return None


class Look:
    """Answers what paths a document has, building each index only when asked."""

    __slots__ = ("_inner", "settings")

    def __init__(self, document: Document) -> None:
        self.settings = document.settings
        self._inner: set[Path] | None = None

    def fits(self, test: dict[str, Any]) -> bool:
        """All parts of one description hold: has, maps, any, none, matches."""
        return (
            all(self.has(path) for path in test.get("has", ()))
            and all(self.is_map(path) for path in test.get("maps", ()))
            and ("any_path" not in test or self._any(test))
            and not any(self.has(path) for path in test.get("none", ()))
            and all(self.matches(path, regex) for path, regex in test.get("matches", ()))
        )

    def _any(self, test: dict[str, Any]) -> bool:
        paths, maps = test["any_path"], test["any_map"]
        if not paths.isdisjoint(self.settings):
            return True
        known = self._maps()
        return (
            not paths.isdisjoint(known)
            or not maps.isdisjoint(known)
            or any(self.has(path) for path in test["any_wild"])
        )

    def has(self, path: Path) -> bool:
        """Whether something stands at a path: a value or a map. A final None asks for a map."""
        if path[-1] is None:
            return self.is_map(path[:-1])
        if None in path:
            return any(_match(path, other) for other in self.settings)
        return path in self.settings or path in self._maps()

    def is_map(self, path: Path) -> bool:
        """Whether a map with content stands at a path."""
        if None in path:
            return any(len(other) > len(path) and _match(path, other) for other in self.settings)
        return path in self._maps()

    def matches(self, path: Path, regex: str) -> bool:
        """Whether the text or number at a path matches a regular expression somewhere."""
        if None in path:
            found = [s for other, s in self.settings.items() if len(other) == len(path) and _match(path, other)]
        else:
            found = [self.settings[path]] if path in self.settings else []
        return any(re.search(regex, str(setting.value)) for setting in found)

    def _maps(self) -> set[Path]:
        if self._inner is None:
            inner: set[Path] = set()
            for path in self.settings:
                for length in range(len(path) - 1, 0, -1):
                    head = path[:length]
                    if head in inner:
                        break
                    inner.add(head)
            self._inner = inner
        return self._inner


def _match(pattern: Path, path: Path) -> bool:
    return len(path) >= len(pattern) and all(p is None or p == q for p, q in zip(pattern, path, strict=False))


def table_of(name: str) -> Table:
    """The table of a dialect. Raises KeyError."""
    return tables()[name]
