"""Which dialect a document is written in, from its content alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from moelint.read.structure import Structure, structure_of
from moelint.read.tables import tables
from moelint.text.document import Document, Path, Setting
from moelint.typed import Any

_Matches = tuple[tuple[tuple[Path, ...], str], ...]  # at one of the paths stands what the expression finds itself in
_Candidate = tuple[str, tuple[str, ...], _Matches]
"""A dialect whose description the paths fit, the words one of which the text must have (none: any text will do), and
what values must match."""


def recognise(document: Document, structure: Structure | None = None) -> str | None:
    """The id of the first dialect whose description the document fits; None if it fits none. ``structure`` of the
    document, if the caller has it."""
    structure = structure or structure_of(document.settings)
    candidates: tuple[_Candidate, ...] | None = structure.found.get("dialects")
    if candidates is None:
        candidates = structure.found["dialects"] = tuple(_candidates(document.settings))
    for name, words, matches in candidates:
        if words and not any(word in document.source.text for word in words):
            continue
        if all(_matches(document.settings, paths, regex) for paths, regex in matches):
            return name
    return None


def _candidates(settings: Mapping[Path, Setting]) -> Iterator[_Candidate]:
    """The dialects that values decide between, up to the first that is sure."""
    look = Look(settings)
    tops = {path[0] for path in settings if path}
    for name, table in tables().items():
        needed = table["tops"]
        if needed is not None and tops.isdisjoint(needed):
            continue
        words = table["hints"] if needed is None else ()
        if needed is None and not words:
            continue
        for test in table["recognise"]:
            if look.fits(test):
                matches = tuple((look.at(path), regex) for path, regex in test.get("matches", ()))
                if all(paths for paths, _ in matches):
                    yield name, words, matches
                    if not words and not matches:
                        return


def _matches(settings: Mapping[Path, Setting], paths: tuple[Path, ...], regex: str) -> bool:
    """Whether the text or number at one of the paths matches a regular expression somewhere."""
    return any(re.search(regex, str(settings[path].value)) for path in paths)


class Look:
    """Answers what paths a document has, building each index only when asked."""

    __slots__ = ("_inner", "settings")

    def __init__(self, settings: Mapping[Path, Setting]) -> None:
        self.settings = settings
        self._inner: set[Path] | None = None

    def fits(self, test: dict[str, Any]) -> bool:
        """All parts of one description that are about paths hold: has, maps, any, none."""
        return (
            all(self.has(path) for path in test.get("has", ()))
            and all(self.is_map(path) for path in test.get("maps", ()))
            and ("any_path" not in test or self._any(test))
            and not any(self.has(path) for path in test.get("none", ()))
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

    def at(self, path: Path) -> tuple[Path, ...]:
        """The paths of all values at a path, which may have a None for any one key."""
        if None in path:
            return tuple(other for other in self.settings if len(other) == len(path) and _match(path, other))
        return (path,) if path in self.settings else ()

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
