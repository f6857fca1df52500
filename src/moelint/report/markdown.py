"""The job summary as Markdown: a table of findings, then the reasons of each rule folded away."""

from __future__ import annotations

from moelint.report import Options, escape
from moelint.results import Report
from moelint.typed import IO
from moelint.words import plural

_ROWS = 200  # GitHub takes 1 MiB a step; the rest is counted
_MARK = {"error": "🔴", "warning": "🟡", "note": "🔵"}


def cell(text: str) -> str:
    """Text inside a table cell: no markup of its own, no line breaks."""
    return "".join(f"&#{ord(char)};" if char in "\\`*_{}[]<>#|~@&" else char for char in escape.line(text))


def write(report: Report, stream: IO[str], options: Options) -> None:
    findings, summary = report.findings(), report.summary()
    read = f"{plural(summary['configs'], 'config')} in {plural(summary['files'], 'file')}"
    if not findings:
        stream.write(f"### moelint: no findings in {read}\n")
        return
    counts = ", ".join(plural(summary[f"{word}s"], word) for word in ("error", "warning", "note"))
    stream.write(
        f"### moelint: {counts} in {read}\n\n"
        "| | Where | What | Rule |\n|-|-|-|-|\n"
    )
    order = {"error": 0, "warning": 1, "note": 2}
    findings.sort(key=lambda f: (order[f.severity], f.place.path, f.place.line))
    for item in findings[:_ROWS]:
        rule = f"[{item.rule}]({item.url})" if item.url else item.rule
        assumed = " (assumed)" if item.certainty == "assumed" else ""
        stream.write(
            f"| {_MARK[item.severity]} {item.severity} | {cell(f'{item.place.path}:{item.place.line}')} "
            f"| {cell(item.message)}{assumed} | {rule} |\n"
        )
    if len(findings) > _ROWS:
        stream.write(f"\n{len(findings) - _ROWS} more findings are not shown.\n")
    for id in dict.fromkeys(item.rule for item in findings):
        info = report.rules.get(id)
        if info is not None and info.help:
            stream.write(f"\n<details><summary>{id} {cell(info.name)}</summary>\n\n{info.help.strip()}\n\n</details>\n")
