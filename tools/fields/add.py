"""Takes one release into the field tables, or out of them.

    PYTHONPATH=tools python -m fields.add core   0.20.0 DUMP.json
    PYTHONPATH=tools python -m fields.add bridge 0.7.0  DUMP.json --core CORE_DUMP.json --pin 0.20.0
    PYTHONPATH=tools python -m fields.add lm     0.20.0 ARGUMENTS.json
    PYTHONPATH=tools python -m fields.add core   0.19.0 --remove

DUMP is what ``fields.dump_classes`` prints, ARGUMENTS what ``fields/dump_lm_args.py`` prints. The tables of
``trainers/fields`` are rewritten; a release that they hold already is replaced. Other releases stay as they are.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from fields.build import bridge_table, core_table, version_key, write
from fields.megatron_lm import lm_table
from fields.tables import Fields, ranges

FOLDER = os.path.join(os.path.dirname(__file__), "..", "..", "trainers", "fields")
FILES = {"core": "core.json", "bridge": "bridge.json", "lm": "megatron-lm.json"}


def expand(spans: dict[str, list[list[Any]]], releases: list[str]) -> dict[str, Fields]:
    """``ranges`` turned round: release → its fields."""
    out: dict[str, Fields] = {release: {} for release in releases}
    for key, entries in spans.items():
        for first, last, spec in entries:
            for release in releases[releases.index(first) : releases.index(last) + 1]:
                out[release][key] = spec
    return out


def changed(table: dict[str, Any], release: str, new: dict[str, Any] | None, pin: str | None = None) -> dict[str, Any]:
    """The table with a release that ``new``, a table of this one release, describes; without it if None."""
    old: list[str] = table["releases"]
    releases = sorted({*old, release} if new else {*old} - {release}, key=version_key)

    def merged(spans: dict[str, Any], one: dict[str, Any] | None) -> dict[str, Any]:
        by_release = expand(spans, old)
        by_release.pop(release, None)
        if one is not None:
            by_release[release] = {key: entries[0][2] for key, entries in one.items()}
        return ranges(releases, by_release)

    out = {**table, "releases": releases, "keys": merged(table["keys"], new and new["keys"])}
    if "variants" in table:
        inner = new["variants"] if new else {}
        out["variants"] = {
            name: merged(spans, inner.get(name, {}) if new else None) for name, spans in table["variants"].items()
        }
    if "core" in table:
        pins = {**table["core"], **({release: pin} if new and pin else {})}
        out["core"] = {r: pins[r] for r in releases if r in pins}
    return out


def single(kind: str, release: str, dump: Any, core: Any, pin: str | None, tables: dict[str, Any]) -> dict[str, Any]:
    """The table of one release alone."""
    if kind == "core":
        return core_table({release: dump})[0]
    if kind == "bridge":
        return bridge_table({release: dump}, {str(pin): core}, {release: str(pin)})
    known = {key: spans for key, spans in tables["core"]["keys"].items() if spans[-1][1] == "main"}
    return lm_table({release: dump}, known, tables["bridge"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(FILES))
    parser.add_argument("release")
    parser.add_argument("dump", nargs="?")
    parser.add_argument("--core", help="the dump of the Core that this Bridge pins")
    parser.add_argument("--pin", help="the release of that Core")
    parser.add_argument("--remove", action="store_true")
    parser.add_argument("--folder", default=FOLDER)
    args = parser.parse_args()
    if args.remove == bool(args.dump) or (args.kind == "bridge" and not args.remove and not (args.core and args.pin)):
        parser.error("a dump (with --core and --pin for Bridge), or --remove")
    tables = {kind: _read(os.path.join(args.folder, name)) for kind, name in FILES.items()}
    new = None
    if args.dump:
        core = _read(args.core) if args.core else None
        new = single(args.kind, args.release, _read(args.dump), core, args.pin, tables)
    write(os.path.join(args.folder, FILES[args.kind]), changed(tables[args.kind], args.release, new, args.pin))


def _read(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if __name__ == "__main__":
    main()
