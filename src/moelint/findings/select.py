"""Which rules a run asks for, by id, by prefix, by case, and by names that rules once had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from moelint.errors import UsageError


class Selection:
    """What options and configuration want to hear of the rules, for all files of one section: each rule is looked up
    once. ``select``: patterns, none for all; ``ignore``: patterns; ``severity``: pattern → severity or off."""

    __slots__ = ("_ignore", "_levels", "_select", "_severity", "_wanted")

    def __init__(self, select: Iterable[str], ignore: Iterable[str], severity: Mapping[str, str]) -> None:
        self._select, self._ignore, self._severity = tuple(select), tuple(ignore), severity
        self._wanted: dict[tuple[str, str | None], bool] = {}
        self._levels: dict[tuple[str, str | None], str | None] = {}

    def wanted(self, rule: str, case: str | None = None) -> bool:
        """Whether anybody wants to hear of a rule."""
        found = self._wanted.get((rule, case))
        if found is None:
            found = not self._select or any(covers(pattern, rule, case) for pattern in self._select)
            found = found and not any(covers(pattern, rule, case) for pattern in self._ignore)
            found = self._wanted[rule, case] = found and self.level(rule, case) != "off"
        return found

    def level(self, rule: str, case: str | None = None) -> str | None:
        """The severity that the configuration gives a rule; None if it says nothing."""
        if not self._severity:
            return None
        at = (rule, case)
        if at not in self._levels:
            self._levels[at] = longest(self._severity, rule, case)
        return self._levels[at]


def covers(pattern: str, rule: str, case: str | None = None) -> bool:
    """Whether a pattern (``OVL004``, ``OVL``, ``OVL0``, ``OVL007.layers``, ``*``) means a rule, or a case of it."""
    if pattern == "*":
        return True
    id, dot, wanted = pattern.partition(".")
    if dot:
        return id == rule and wanted == case
    return rule.startswith(id)


def check_patterns(
    patterns: Iterable[str], known: Iterable[str], redirects: Mapping[str, str], where: str
) -> tuple[list[str], list[str]]:
    """(patterns with renamed rules replaced, what to say of those). Raises UsageError on one that means nothing."""
    ids = list(known)
    out, said = [], []
    for pattern in patterns:
        id, dot, case = pattern.partition(".")
        if id in redirects:
            said.append(f"{where}: {id} is now {redirects[id]}")
            out.append(redirects[id] + dot + case)
            continue
        if pattern != "*" and not any(covers(id, rule) for rule in ids):
            from moelint.lang.suggest import nearest

            near = nearest(id, ids)
            raise UsageError(f"{where}: no rule is called '{pattern}'" + (f": did you mean {near}?" if near else ""))
        out.append(pattern)
    return out, said


def longest(table: Mapping[str, str], rule: str, case: str | None) -> str | None:
    """The entry of the longest pattern that covers a rule: what is said of OVL004 wins over what is said of OVL."""
    best, found = -1, None
    for pattern, value in table.items():
        if len(pattern) > best and covers(pattern, rule, case):
            best, found = len(pattern), value
    return found
