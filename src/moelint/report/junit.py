"""JUnit XML: a suite a run, a case a file; errors and warnings fail the case, notes are its output."""

from __future__ import annotations

from xml.sax.saxutils import escape as xml
from xml.sax.saxutils import quoteattr

from moelint.report import Options, escape
from moelint.results import Report
from moelint.typed import IO


def _attribute(text: str) -> str:
    return quoteattr(escape.line(text))


def write(report: Report, stream: IO[str], options: Options) -> None:
    files = [(file, [f for f in file.findings if f.new is not False]) for file in report.files]
    files = [(file, found) for file, found in files if not file.skipped or found]
    failed = sum(any(f.severity != "note" for f in found) for _, found in files)
    stream.write('<?xml version="1.0" encoding="utf-8"?>\n')
    stream.write(
        f'<testsuites><testsuite name="moelint" tests="{len(files)}" failures="{failed}" errors="0" skipped="0">\n'
    )
    for file, found in files:
        stream.write(f'  <testcase classname="moelint" name={_attribute(file.path)}>\n')
        bad = [item for item in found if item.severity != "note"]
        notes = [item for item in found if item.severity == "note"]
        if bad:  # readers take one failure a case
            lines = [f"{f.place.path}:{f.place.line}:{f.place.column}: {f.severity} {f.rule} {f.message}" for f in bad]
            message = lines[0] if len(lines) == 1 else f"{len(lines)} findings"
            text = xml("\n".join(escape.line(line) for line in lines))
            stream.write(
                f"    <failure type={_attribute(bad[0].severity)} message={_attribute(message)}>{text}</failure>\n"
            )
        if notes:
            text = xml(
                "\n".join(escape.line(f"{f.place.path}:{f.place.line}: note {f.rule} {f.message}") for f in notes)
            )
            stream.write(f"    <system-out>{text}</system-out>\n")
        stream.write("  </testcase>\n")
    stream.write("</testsuite></testsuites>\n")
