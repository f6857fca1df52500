"""Suppressions in the text: what they hide, and those that hide nothing."""

from __future__ import annotations

from collections.abc import Callable

from moelint.findings.problems import finding, place
from moelint.findings.select import covers
from moelint.read.config import Ignore
from moelint.results import Finding
from moelint.text.source import Source


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


def _same(wanted: str, key: str, spelling: str) -> bool:
    """``--flag``, ``flag``, ``section.flag`` and the canonical key all name the same setting."""
    plain = wanted.lstrip("-").replace("-", "_")
    names = {key, key.rpartition(".")[2], spelling, spelling.lstrip("-").replace("-", "_"), spelling.rpartition(".")[2]}
    return wanted in names or plain in names
