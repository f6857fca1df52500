"""The job summary or a comment on a pull request: a table read in ten seconds, fixes and reasons folded away."""

from __future__ import annotations

from moelint.report import Options, escape
from moelint.report.text import changed_lines
from moelint.results import SEVERITIES, FileReport, Finding, Report
from moelint.typed import IO
from moelint.words import plural

_ROWS = 100  # of the table; the rest is counted
_CHARACTERS = 60_000  # a comment on GitHub takes 65,536
_MARK = {"error": "🔴", "warning": "🟡", "note": "🔵"}


def cell(text: str) -> str:
    """Text inside a table cell: no markup of its own, no line breaks."""
    return "".join(f"&#{ord(char)};" if char in "\\`*_{}[]<>#|~@&" else char for char in escape.line(text))


def write(report: Report, stream: IO[str], options: Options) -> None:
    found = [(file, item) for file in report.files for item in file.findings if item.new is not False]
    found.sort(key=lambda fi: (-SEVERITIES.index(fi[1].severity), fi[1].place.path, fi[1].place.line))
    pieces = [_head(report), *(f"> {cell(problem)}\n" for problem in report.problems)]
    if found:
        pieces.append("\n| | Where | What | Rule |\n|-|-|-|-|\n" + "".join(_row(item) for _, item in found[:_ROWS]))
    if len(found) > _ROWS:
        pieces.append(f"\n{len(found) - _ROWS} more findings are not shown.\n")
    fixes = [_fix(file, item) for file, item in found[:_ROWS]]
    pieces += _folded("fix", [text for text in fixes if text])
    pieces += [_reason(id, report) for id in dict.fromkeys(item.rule for _, item in found[:_ROWS])]
    length = 0
    for piece in pieces:
        if length + len(piece) > _CHARACTERS and length:
            stream.write("\nThe rest does not fit: `moelint explain RULE` has the reasons.\n")
            return
        stream.write(piece)
        length += len(piece)


def _head(report: Report) -> str:
    summary, counts = report.summary(), report.counts()
    new = "" if report.since is None else "new "
    what = ", ".join(plural(counts[severity], new + severity) for severity in reversed(SEVERITIES) if counts[severity])
    read = f"{plural(summary['configs'], 'config')} in {plural(summary['files'], 'file')}"
    out = f"### {_light(counts)} moelint: {what or f'no {new}findings'} in {read}\n"
    notes = []
    if report.since is not None:
        notes.append(f"compared with {cell(report.since)}: {report.old()} older, {summary['fixed_by_change']} fixed")
    for word in ("fixed", "suppressed", "baselined"):
        if summary[word]:
            notes.append(f"{summary[word]} {word}")
    return out + (f"\n{'; '.join(notes)}\n" if notes else "")


def _light(counts: dict[str, int]) -> str:
    return next((_MARK[severity] for severity in reversed(SEVERITIES) if counts[severity]), "🟢")


def _row(item: Finding) -> str:
    rule = f"[{item.rule}]({item.url})" if item.url else item.rule
    assumed = " (assumed)" if item.certainty == "assumed" else ""
    where = cell(f"{item.place.path}:{item.place.line}")
    return f"| {_MARK[item.severity]} {item.severity} | {where} | {cell(item.message)}{assumed} | {rule} |\n"


def _fix(file: FileReport, item: Finding) -> str | None:
    """The first fix as a diff; None where there is no edit of the text."""
    if not item.fixes or file.source is None or not item.fixes[0].edits:
        return None
    fix = item.fixes[0]
    lines = [f"@@ line {item.place.line} @@"]
    lines += [f"{sign}{escape.code(text)}" for _, sign, text in changed_lines(file.source.text, fix)]
    text = "\n".join(lines)
    fence = "```"
    while fence in text:
        fence += "`"
    why = f", {cell(fix.why)}" if fix.why else ""
    return f"{cell(item.place.path)}, {item.rule} ({fix.safety}{why})\n\n{fence}diff\n{text}\n{fence}\n"


def _folded(word: str, texts: list[str]) -> list[str]:
    if not texts:
        return []
    title = f"1 {word}" if len(texts) == 1 else f"{len(texts)} {word}es"
    return ["\n<details><summary>" + title + "</summary>\n\n" + "\n".join(texts) + "\n</details>\n"]


def _reason(id: str, report: Report) -> str:
    info = report.rules.get(id)
    if info is None or not info.help:
        return ""
    return f"\n<details><summary>{id} {cell(info.name)}</summary>\n\n{info.help.strip()}\n\n</details>\n"
