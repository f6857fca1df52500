"""``[tool.moelint]`` of a pyproject.toml as plain data. The TOML reader keeps no places: only top keys have a line."""

from __future__ import annotations

import re
import sys

from moelint.conf.model import ConfError
from moelint.typed import Any

_TABLE = re.compile(r"^[ \t]*\[\[?[ \t]*tool\.moelint(?:\.([\w-]+))?[^\]]*\]", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=", re.MULTILINE)


def tree(path: str, text: str) -> tuple[Any, dict[tuple[Any, ...], tuple[int, int]]]:
    """(data, key path → (line, column)). Raises ConfError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        raise ConfError(f"not valid TOML: {str(error).split(' (at')[0]}", path, line, column) from None
    found: dict[tuple[Any, ...], tuple[int, int]] = {}
    tables = list(_TABLE.finditer(text))
    for number, table in enumerate(tables):
        at: tuple[Any, ...] = (table[1],) if table[1] else ()
        line = text.count("\n", 0, table.end()) + 1
        found.setdefault(at, (line, 1))
        end = text.find("\n[", table.end())
        end = min(len(text) if end < 0 else end, tables[number + 1].start() if number + 1 < len(tables) else len(text))
        for key in _KEY.finditer(text, table.end(), end):
            start = key.start(1)
            found.setdefault((*at, key[1]), (text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)))
    tool = data.get("tool", {})
    return (tool.get("moelint", {}) if isinstance(tool, dict) else {}), found
