"""How much of the commands in a folder of scripts is known: share of flag values, by dialect.

    python benchmarks/shell_values.py FOLDER…       [--list: name the values that are not known]

A value counts as known if moelint has it, or has the default of the script's own variable for it (assumed). Values that
only name files, projects and hosts are counted apart: no script states those.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from typing import Any

from moelint.read.configs import ReadOptions
from moelint.read.files import is_script, read_file
from moelint.text.files import read
from moelint.text.scalars import Opaque
from moelint.text.shell.document import ENV, ShellDocument, ShellSetting
from moelint.text.source import TextError

_PLACE = re.compile(
    r"(^|[-_.])(path|dir|load|save|file|files|data|root|prefix|project|name|exp|group|host|addr|address|port|entity|key"
    r"|checkpoint|ckpt|model|recipe|tokenizer|dataset|cache|blend|mounts|url|tag|rank|workspace|home)s?($|[-_.])"
)


def main(arguments: list[str]) -> int:
    listed = "--list" in arguments
    known: Counter[str] = Counter()
    assumed: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    places: Counter[str] = Counter()
    files: Counter[str] = Counter()
    configs: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    start = time.perf_counter()
    for path in _scripts([a for a in arguments if not a.startswith("--")]):
        try:
            found = read_file(read(path), ReadOptions(named=True, read=read))
        except TextError:
            continue
        if not found.configs:
            passed[found.skipped or ""] += 1
            continue
        files[found.configs[0].dialect] += 1
        dialects = {id(config.document): config.dialect for config in found.configs}
        for config in found.configs:
            configs[config.dialect] += 1
        for document in found.documents:
            dialect = dialects.get(id(document))
            if dialect is None or not isinstance(document, ShellDocument):
                continue
            for setting in document.settings.values():
                _count(setting, dialect, path, known, assumed, missing, places, listed)
    for dialect in sorted(files):
        values = known[dialect] + assumed[dialect] + missing[dialect]
        share = (known[dialect] + assumed[dialect]) / max(values, 1)
        print(
            f"{dialect:18} {files[dialect]:4} files {configs[dialect]:4} commands {values:6} values "
            f"{100 * share:6.2f} % known ({100 * assumed[dialect] / max(values, 1):.1f} % by a default of the script), "
            f"{places[dialect]} names of files and projects not counted as unknown"
        )
    print(f"passed over: {sum(passed.values())} files; {time.perf_counter() - start:.1f} s")
    for reason, number in passed.most_common(6):
        print(f"  {number:4} {reason}")
    return 0


def _count(
    setting: Any,
    dialect: str,
    path: str,
    known: Counter[str],
    assumed: Counter[str],
    missing: Counter[str],
    places: Counter[str],
    listed: bool,
) -> None:
    assert isinstance(setting, ShellSetting)
    if setting.path[0] == ENV or setting.style == "bare":
        return
    if isinstance(setting.value, Opaque):
        name = ".".join(str(part) for part in setting.path)
        if _PLACE.search(str(setting.path[-1])) and "parallel" not in name:
            places[dialect] += 1
            return
        missing[dialect] += 1
        if listed:
            print(f"{path}: {name}: {', '.join(setting.waits)}{' (perhaps)' if setting.maybe else ''}")
    elif setting.assumed:
        assumed[dialect] += 1
    else:
        known[dialect] += 1


def _scripts(folders: list[str]) -> list[str]:
    out = []
    for folder in folders:
        if os.path.isfile(folder):
            out.append(folder)
        for here, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(here, name)
                if os.path.isfile(path) and is_script(path, _head(path)):
                    out.append(path)
    return sorted(out)


def _head(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(200).decode("utf-8", "replace")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
