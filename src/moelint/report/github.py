"""GitHub Actions workflow commands: one annotation a finding. https://docs.github.com/actions, workflow commands."""

from __future__ import annotations

from moelint.report import Options, escape
from moelint.results import SEVERITIES, Report
from moelint.typed import IO

_LEVEL = {"error": "error", "warning": "warning", "note": "notice"}


def _data(text: str) -> str:
    return escape.line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def write(report: Report, stream: IO[str], options: Options) -> None:
    # The runner keeps the first ten of each level a step: the worst come first.
    for item in sorted(report.shown(), key=lambda f: -SEVERITIES.index(f.severity)):
        place, title = item.place, f"moelint {item.rule} {item.name}"
        column = f",col={place.column},endColumn={place.end_column}" if place.line == place.end_line else ""
        stream.write(
            f"::{_LEVEL[item.severity]} file={_property(place.path)},line={place.line},endLine={place.end_line}{column}"
            f",title={_property(title)}::{_data(item.message)}\n"
        )
