"""Where a canonical key is, or would be, written in a config, and how its value is spelled there."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.read import flags
from moelint.read.config import Config
from moelint.read.tables import Table, tables
from moelint.read.values import IMPOSSIBLE, WRITTEN
from moelint.text.document import Document, Path, Setting
from moelint.typed import Any


class _Removed:
    """Type of REMOVED."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "REMOVED"


REMOVED: Any = _Removed()
"""``text_value`` gives this where a value is written by leaving the setting out: a flag that only switches on."""

_NEAR = 4  # shared first characters that make two settings neighbours


def place(config: Config, key: str, value: Any = None) -> tuple[Document, Path, Path | None] | None:
    """(document, path, path of the setting to insert after) for a canonical key; None if the dialect cannot say it.

    A key that the file writes is where it is: then the third is None. ``value`` chooses between flags that say
    opposites.
    """
    found = config.written.get(key)
    if found is not None and found.origin == "file" and found.setting is not None and found.document is not None:
        if found.derived or (value is not None and _converted(tables()[config.dialect], key, value) is IMPOSSIBLE):
            return None
        return found.document, found.setting.path, None
    table = tables()[config.dialect]
    if value is not None and _converted(table, key, value) is IMPOSSIBLE:
        return None
    spelled = _spelled(config, table, key, value)
    if spelled is None:
        return None
    path = spelled
    if path in config.document.settings:
        return config.document, path, None
    return config.document, path, neighbour(config.document, path)


def text_value(config: Config, key: str, value: Any) -> Any:
    """The value to hand to ``Document.set`` or ``insert`` so that ``key`` becomes ``value``; REMOVED: take it out."""
    table = tables()[config.dialect]
    if table["values"] in ("flags", "words"):
        return _flag_value(config, key, value, table["values"])
    found = config.written.get(key)
    # Some arguments say the opposite of their key, under another name: the table of flags is read only for such a one.
    own_name = found is not None and found.spelling == key.rpartition(".")[2]
    if isinstance(value, bool) and not own_name:
        name = flags.argument_of(key)
        if name is not None and (found is None or found.spelling == name) and _is_opposite(name):
            spelled = place(config, key)
            if spelled is not None and spelled[1][-1] == name:
                return not value
    return _converted(table, key, value)


def _converted(table: Table, key: str, value: Any) -> Any:
    turned = WRITTEN.get(table["convert"].get(key, ""))
    return value if turned is None else turned(value)


def _is_opposite(name: str) -> bool:
    found = flags.argument(name)
    return found is not None and found[3]


def neighbour(document: Document, path: Path) -> Path | None:
    """The setting after which a new one reads best: the last sibling whose name begins alike, else the last sibling."""
    parent, name = path[:-1], str(path[-1])
    best: Path | None = None
    shared = _NEAR - 1
    last: Path | None = None
    for other in document.settings:
        if len(other) != len(path) or other[:-1] != parent:
            continue
        last = other
        same = _common(name, str(other[-1]))
        if same >= shared:
            best, shared = other, max(same, shared)
    return best or last


def _common(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a.lstrip("-"), b.lstrip("-"), strict=False):
        if x != y:
            break
        n += 1
    return n


def _spelled(config: Config, table: Table, key: str, value: Any) -> Path | None:
    if table["values"] in ("flags", "words"):
        spelling = _flag(config, key, value)
        if spelling is not None:
            return (*config.root, spelling)
    return _by_table(config, table, key) or next(
        (
            path
            for stem, other in table["instead"]
            if key.startswith(stem)
            and (path := _spelled(config, {**table, "instead": ()}, other + key[len(stem) :], value))
        ),
        None,
    )


def _by_table(config: Config, table: Table, key: str) -> Path | None:
    """The path of a key by the table turned round; where several spellings fit, the one whose section the file has."""
    fits: list[Path] = []
    argument = flags.argument_of(key)
    if argument is None and table["rest"] is not None and key.startswith(table["rest"]):
        argument = key[len(table["rest"]) :]
    for exact, stem, path, scope in table["write"]:
        root = config.root if scope == "block" else ()
        if stem == "args." and not exact:
            if argument is not None:
                fits.append((*root, *path, argument))
        elif exact:
            if stem == key:
                fits.append((*root, *path))
        elif key.startswith(stem) and len(key) > len(stem):
            rest = key[len(stem) :]
            fits.append((*root, *path, *(rest.split(".") if not stem.startswith("env_vars") else [rest])))
    if any(None in path for path in fits):
        fits = [path for path in fits if None not in path]
    if not fits:
        return None
    exact_first = fits[0]
    parents = _parents(config.document.settings)
    return next((path for path in fits if path[:-1] in parents), exact_first)


def _parents(settings: Mapping[Path, Setting]) -> set[Path]:
    return {path[:-1] for path in settings}


def _flag(config: Config, key: str, value: Any) -> str | None:
    known = flags.spellings(key)
    for flag, alone, constant in known:
        if value is None or not alone or constant == value or not isinstance(constant, bool):
            return flag
    # an opposite that is only written by leaving the flag out
    for flag, _, _ in known:
        if (*config.root, flag) in config.document.settings:
            return flag
    return None


def _flag_value(config: Config, key: str, value: Any, style: str) -> Any:
    found = config.written.get(key)
    spelling = found.spelling if found is not None and found.origin == "file" else _flag(config, key, value)
    entry = flags.entry(spelling) if spelling else None
    if entry is None:
        return value
    _, _, many, alone, constant = entry
    if alone:
        return True if constant == value else REMOVED
    if value is None:
        return REMOVED
    if isinstance(value, list):
        if "list" in entry[1]:
            return f"({value})"  # a Python expression; in brackets alone it would be taken for several words
        if style == "words":
            return value
        words = " ".join(str(item) for item in value)
        return f"[{words}]" if many != "one" else words
    return value
