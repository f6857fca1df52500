"""Suppressions in the text: what they hide, and those that hide nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from moelint.findings.problems import finding, place
from moelint.findings.select import covers
from moelint.read.config import Config, Ignore
from moelint.results import Finding
from moelint.text.source import Source
from moelint.typed import Any


class Suppressions:
    """The ignores of one file. ``spelling``: a finding's key → the author's own word for it."""

    __slots__ = ("_entries", "_source", "_used")

    def __init__(self, source: Source, ignores: list[tuple[Ignore, str | None]]) -> None:
        """``ignores``: each with the name of the config that it holds for, None for the whole file."""
        self._source, self._entries = source, ignores
        self._used: set[tuple[int, int]] = set()

    def hides(self, item: Finding, spelling: str) -> bool:
        """Whether an ignore with a reason covers a finding; remembers that it was of use."""
        hidden = False
        for at, (ignore, config) in enumerate(self._entries):
            if not ignore.reason or (config is not None and config != item.config):
                continue
            for number, (pattern, key) in enumerate(ignore.rules):
                if covers(pattern, item.rule, item.case) and (key is None or _same(key, item.key, spelling)):
                    self._used.add((at, number))
                    hidden = True
        return hidden

    def unused(
        self, unknown: Callable[[str], str | None], decided: Callable[[str, str | None], bool]
    ) -> list[Finding]:
        """Findings about ignores of unknown rules, and about those that hid nothing although their rule came to a
        result. ``unknown``: pattern → what to say if there is no such rule; ``decided``: (pattern, config) → all ran
        and were decided."""
        out = []
        for at, (ignore, config) in enumerate(self._entries):
            for number, (pattern, _) in enumerate(ignore.rules):
                where = place(self._source, ignore.start, ignore.end)
                if (said := unknown(pattern)) is not None:
                    out.append(finding("unknown-rule", said, where))
                elif ignore.reason and (at, number) not in self._used and decided(pattern, config):
                    out.append(finding("unused-ignore", f"ignore[{pattern}] suppresses nothing: remove it", where))
                else:
                    continue
                out[-1].config = config
                out[-1].about = (pattern,)
        return out


class Spellings:
    """What authors call the settings of a file's configs."""

    __slots__ = ("_words",)

    def __init__(self, configs: Iterable[Config]) -> None:
        self._words: dict[tuple[str | None, str], str] = {
            (config.name, key): written.spelling for config in configs for key, written in config.written.items()
        }

    def of(self, item: Finding) -> str:
        """The author's word for the key of a finding."""
        return self._words.get((item.config, item.key), item.key)


class Decided:
    """Whether all rules of a pattern ran, were selected and came to a result. ``undecided``: config → (rule, …) each;
    ``wanted``: whether anybody wants to hear of a rule."""

    __slots__ = ("_ids", "_undecided", "_wanted")

    def __init__(
        self, ids: Iterable[str], undecided: Mapping[str | None, Iterable[tuple[Any, ...]]], wanted: Callable[[str], bool]
    ) -> None:
        self._ids, self._wanted = ids, wanted
        self._undecided = {name: {entry[0] for entry in entries} for name, entries in undecided.items()}

    def __call__(self, pattern: str, config: str | None) -> bool:
        waiting = set().union(*(rules for name, rules in self._undecided.items() if config is None or name == config))
        ids = [id for id in self._ids if covers(pattern, id)]
        return bool(self._undecided) and all(self._wanted(id) and id not in waiting for id in ids)


def _same(wanted: str, key: str, spelling: str) -> bool:
    """``--flag``, ``flag``, ``section.flag`` and the canonical key all name the same setting."""
    plain = wanted.lstrip("-").replace("-", "_")
    names = {key, key.rpartition(".")[2], spelling, spelling.lstrip("-").replace("-", "_"), spelling.rpartition(".")[2]}
    return wanted in names or plain in names
