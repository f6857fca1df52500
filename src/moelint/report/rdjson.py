"""reviewdog's diagnostic format (rdjson), with the first fix as a suggestion. Columns are UTF-8 bytes there."""

from __future__ import annotations

from moelint.report import Options, encode
from moelint.report.json import edits
from moelint.results import FileReport, Finding, Report
from moelint.typed import IO, Any

_LEVEL = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def _position(file: FileReport, line: int, column: int) -> dict[str, int]:
    if file.source is not None:
        column = len(file.source.line(line)[: column - 1].encode("utf-8", "surrogatepass")) + 1
    return {"line": line, "column": column}


def _range(file: FileReport, line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    return {"start": _position(file, line, column), "end": _position(file, end_line, end_column)}


def _diagnostic(file: FileReport, item: Finding) -> dict[str, Any]:
    place = item.place
    code = {"value": item.rule, **({"url": item.url} if item.url else {})}
    out: dict[str, Any] = {
        "message": item.message,
        "severity": _LEVEL[item.severity],
        "code": code,
        "location": {
            "path": place.path,
            "range": _range(file, place.line, place.column, place.end_line, place.end_column),
        },
    }
    if item.fixes and item.certainty == "certain":
        changes = edits(item.fixes[0], file.source)
        if changes:
            out["suggestions"] = [
                {"range": _range(file, e["line"], e["column"], e["end_line"], e["end_column"]), "text": e["text"]}
                for e in changes
            ]
    return out


def write(report: Report, stream: IO[str], options: Options) -> None:
    diagnostics = [_diagnostic(file, item) for file in report.files for item in file.findings if item.new is not False]
    encode.write({"source": {"name": "moelint"}, "diagnostics": diagnostics}, stream)
    stream.write("\n")
