"""From a rule's compiled fixes to the alternatives that one verdict offers, best first, with their text edits.

An alternative is offered if its ``when`` holds, all its values are known and it changes something. Whether its text
edits exist is another matter: one that the text cannot take is offered with the reason, so that a lesser one does not
slip into its place. A fix of an assumed verdict is never safe.
"""

from __future__ import annotations

from collections.abc import Iterable

from moelint.fix.changes import ADD, REMOVE, RENAME, SET, UNSET, Change, elements, same, same_setting
from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.results import Fix
from moelint.typed import Any

SAFE, UNSAFE = "safe", "unsafe"


def fixes_for(compiled: Iterable[tuple[Any, ...]], scope: Any, config: Config, certainty: str) -> list[Fix]:
    """The alternatives of one verdict. ``compiled``: the tuples that ``policy.compile`` makes of a rule's ``fix``;
    ``scope``: the verdict's, in which its expressions are read."""
    from moelint.fix.write import write
    from moelint.lang.template import render

    fixes: list[Fix] = []
    for safety, whens, sets, add, remove, rename, unset, why in compiled:
        if not all(_holds(tree, scope) for tree in whens):
            continue
        changes = _changes(sets, add, remove, rename, unset, scope, config)
        if not changes:
            continue
        if certainty != "certain":
            safety = UNSAFE
        fix = Fix(len(fixes) + 1, safety, *_outcome(changes, scope, config), render(why, scope))
        fix.edits, fix.reason = write(config, changes)
        fixes.append(fix)
    return fixes


def outcomes(compiled: Iterable[tuple[Any, ...]], scope: Any, config: Config) -> list[tuple[dict[str, Any], list[str]]]:
    """What the alternatives of one verdict come to, (set, unset) each, where no text is at hand to edit."""
    out = []
    for _, whens, sets, add, remove, rename, unset, _ in compiled:
        if all(_holds(tree, scope) for tree in whens):
            changes = _changes(sets, add, remove, rename, unset, scope, config)
            if changes:
                out.append(_outcome(changes, scope, config))
    return out


def _holds(tree: Any, scope: Any) -> bool:
    from moelint.lang.closures import kept

    return kept(tree, True)(scope) is True


def _changes(
    sets: dict[str, Any], add: dict[str, Any], remove: dict[str, Any], rename: dict[str, str], unset: Iterable[str],
    scope: Any, config: Config,
) -> list[Change]:
    """What is left to do; nothing if one of the values is unknown."""
    from moelint.lang.closures import kept

    out = []
    for key, tree in sets.items():
        value = tree[1] if tree[0] == "const" else kept(tree)(scope)
        if value is UNKNOWN:
            return []
        if not same_setting(key, _given(key, scope, config), value):
            out.append(Change(SET, key, value))
    for kind, wanted in ((ADD, add), (REMOVE, remove)):
        for key, value in wanted.items():
            given = _given(key, scope, config)
            if given is UNKNOWN:
                return []
            for element in elements(value):
                if any(same(element, old) for old in elements(given)) == (kind == REMOVE):
                    out.append(Change(kind, key, element))
    out += [Change(RENAME, old, new) for old, new in rename.items() if old in config.written]
    out += [Change(UNSET, key) for key in unset if key in config.written]
    return out


def _given(key: str, scope: Any, config: Config) -> Any:
    """A key's value before any rewrite."""
    written = config.written.get(key)
    return scope.get(f"given.{key}") if written is None else written.value


def _outcome(changes: list[Change], scope: Any, config: Config) -> tuple[dict[str, Any], list[str]]:
    """(set, unset): what the fix comes to, in the report's terms."""
    sets: dict[str, Any] = {}
    unset: list[str] = []
    for change in changes:
        key, value = change.key, change.value
        if change.kind == SET:
            sets[key] = value
        elif change.kind == UNSET:
            unset.append(key)
        elif change.kind == RENAME:
            sets[value] = config.written[key].value
            unset.append(key)
        else:
            now = elements(sets[key] if key in sets else _given(key, scope, config))
            sets[key] = [*now, value] if change.kind == ADD else [old for old in now if not same(old, value)]
    return sets, unset
