"""Which rules a run asks for, by id, by prefix, by case, and by names that rules once had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from moelint.errors import UsageError


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
