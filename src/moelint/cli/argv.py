"""The command line read without click, which would cost more than the whole check.

What this reader is not sure of (help, a mistake, an abbreviation) it leaves to the click command, which is made of the
same table: so there is one place that explains and complains. A test keeps the two in step.
"""

from __future__ import annotations

from moelint.cli.options import OPTIONS, defaults, output, pair, rules

_BY_NAME = {name: option for option in OPTIONS for name in option[0]}


def parse(words: list[str]) -> tuple[list[str], dict[str, object]] | None:
    """(paths, options by name); None: let click do it."""
    given = defaults()
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            paths += rest
            break
        if not word.startswith("-") or word == "-":
            paths.append(word)
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = _BY_NAME.get(name)
        if option is None:
            return None
        _, key, kind, _, _ = option
        if kind in ("flag", "count"):
            if equals:
                return None
            given[key] = True if kind == "flag" else given[key] + 1  # type: ignore[operator]
            continue
        if not equals:
            following = next(rest, None)
            if following is None:
                return None
            value = following
        if not _take(given, key, kind, value):
            return None
    return paths, given


def _take(given: dict[str, object], key: str, kind: str | tuple[str, ...], value: str) -> bool:
    """Store one value; False if it is not of its kind."""
    held = given[key]
    if isinstance(kind, tuple):
        if value not in kind:
            return False
        given[key] = value
    elif kind == "text":
        given[key] = value
    elif kind == "number":
        if not (value.isascii() and value.isdigit() and int(value) > 0):
            return False
        given[key] = int(value)
    elif kind == "pairs":
        found = pair(value)
        if found is None:
            return False
        held[found[0]] = found[1]  # type: ignore[index]
    elif kind == "outputs":
        chosen = output(value)
        if chosen is None:
            return False
        held.append(chosen)  # type: ignore[attr-defined]
    elif kind == "rules":
        held.extend(rules(value))  # type: ignore[attr-defined]
    else:
        held.append(value)  # type: ignore[attr-defined]
    return True
