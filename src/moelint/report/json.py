"""The JSON report, version 1: ``schemas/report.schema.json`` is its contract."""

from __future__ import annotations

from moelint.report import Options, encode
from moelint.report.encode import Shared
from moelint.results import FileReport, Finding, Fix, Place, Report
from moelint.text.source import Source
from moelint.typed import IO, Any
from moelint.version import __version__


def plain(value: Any) -> Any:
    """A value as JSON holds it: tuples are lists, what JSON has no word for (unknown, infinity, dates) is its text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)


def region(place: Place) -> dict[str, int]:
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def edits(fix: Fix, source: Source | None) -> list[dict[str, Any]]:
    """The text edits of a fix with lines and columns. Empty if the text cannot take it."""
    if source is None:
        return []
    out = []
    for edit in sorted(fix.edits, key=lambda e: (e.start, e.end)):
        (line, column), (end_line, end_column) = source.position(edit.start), source.position(edit.end)
        out.append({"line": line, "column": column, "end_line": end_line, "end_column": end_column, "text": edit.text})
    return out


def _fix(fix: Fix, source: Source | None) -> dict[str, Any]:
    out = {
        "rank": fix.rank,
        "safety": fix.safety,
        "set": plain(fix.set),
        "unset": list(fix.unset),
        "why": fix.why,
        "edits": edits(fix, source),
    }
    if fix.reason is not None:
        out["reason"] = fix.reason
    return out


def finding(item: Finding, source: Source | None) -> dict[str, Any]:
    """One finding, with the field names of the schema."""
    return {
        "rule": item.rule,
        "case": item.case,
        "name": item.name,
        "effect": item.effect,
        "severity": item.severity,
        "certainty": item.certainty,
        "wall": item.wall,
        "message": item.message,
        "path": item.place.path,
        "config": item.config,
        "key": item.key,
        **region(item.place),
        "related": [
            {"key": r.key, "message": r.message, "path": r.place.path, **region(r.place)} for r in item.related
        ],
        "facts": plain(item.facts),
        "fixes": [_fix(f, source) for f in item.fixes],
        "fingerprint": item.fingerprint,
        "new": item.new,
        "url": item.url,
    }


def _file(file: FileReport, shared: dict[int, Shared]) -> dict[str, Any]:
    return {
        "path": file.path,
        "skipped": file.skipped,
        "configs": [
            {
                "name": c.name,
                "line": c.line,
                "dialect": c.dialect,
                "trainer": c.trainer,
                "completeness": c.completeness,
                "target": _shared(c.target, shared),
                "undecided": _shared(c.undecided, shared),
            }
            for c in file.configs
        ],
    }


def _shared(value: dict[str, Any], shared: dict[int, Shared]) -> Shared:
    """A plain copy of what many configs have in common, one for all of them."""
    found = shared.get(id(value))
    if found is None:
        found = shared[id(value)] = Shared({key: plain(item) for key, item in value.items()})
    return found


def document(report: Report) -> dict[str, Any]:
    """The whole report as plain data; what configs share in the report, they share here."""
    shared: dict[int, Shared] = {}
    return {
        "version": 1,
        "tool": {"name": "moelint", "version": __version__, "packs": dict(report.packs)},
        "files": [_file(file, shared) for file in report.files],
        "findings": [finding(item, file.source) for file in report.files for item in file.findings],
        "summary": report.summary(),
    }


def write(report: Report, stream: IO[str], options: Options) -> None:
    encode.write(document(report), stream)
    stream.write("\n")
