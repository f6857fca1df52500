"""SARIF 2.1.0 as GitHub code scanning reads it, clean under Microsoft's multitool with the Sarif and Ghas rules.

No suppressed finding (it would open as an alert), no ``security-severity`` (it would make a lint a vulnerability),
regions as tight as a setting, URIs relative to the repository's root.
"""

from __future__ import annotations

from urllib.parse import quote

from moelint.report import Options, encode
from moelint.report.json import edits
from moelint.report.linehash import line_hashes
from moelint.results import SEVERITIES, FileReport, Finding, Fix, Place, Report, RuleInfo
from moelint.typed import IO, Any
from moelint.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/moelint/moelint"
_LEVEL = {"error": "error", "warning": "warning", "note": "note"}
_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
_PRECISION = {"code": "very-high", "measured": "high", "documented": "high", "inferred": "medium"}
_DESCRIPTION = 1024  # characters that GitHub takes
_RESULTS = 25_000


def write(report: Report, stream: IO[str], options: Options) -> None:
    encode.write(document(report), stream)
    stream.write("\n")


def document(report: Report) -> dict[str, Any]:
    """The SARIF log as plain data."""
    order: dict[str, int] = {}
    hashes: dict[str, list[str]] = {}
    results = []
    # GitHub takes 25,000 results a run and shows the first 5,000: the worst come first.
    found = [(file, item) for file in report.files for item in file.findings]
    found.sort(key=lambda fi: -SEVERITIES.index(fi[1].severity))
    for file, item in found[:_RESULTS]:
        index = order.setdefault(item.rule, len(order))
        if file.path not in hashes:
            source = file.source
            # GitHub hashes the file as it is, byte order mark included
            hashes[file.path] = [] if source is None else line_hashes("\ufeff" * source.bom + source.text)
        results.append(_result(item, index, file, hashes[file.path], report))
    # With nothing to say the rules stay out too: GitHub asks every listed rule for its help.
    driver = {
        "name": "moelint",
        "version": __version__,
        "semanticVersion": _semantic(__version__),
        "informationUri": HOME,
        "rules": [_rule(rule, report) for rule in order],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "automationDetails": {"id": "moelint/"},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository."}}},
                "results": results,
            }
        ],
    }


def _semantic(version: str) -> str:
    """Calendar versions such as 2026.11.0 are semantic ones once leading zeros are gone."""
    return ".".join(str(int(part)) if part.isdigit() else part for part in version.split("."))


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.replace("_", "-").split("-"))


def _sentence(text: str) -> str:
    """Text that ends as a sentence does and fits GitHub's limit."""
    text = " ".join(text.split())
    if len(text) > _DESCRIPTION:
        text = text[: _DESCRIPTION - 3].rsplit(" ", 1)[0] + "..."
    return text if text.endswith((".", "!", "?")) else text + "."


def _rule(id: str, report: Report) -> dict[str, Any]:
    info = report.rules.get(id) or next(_bare(f) for f in report.findings() if f.rule == id)
    summary = _sentence(info.summary)
    markdown = info.help.strip() or summary
    if info.sources:
        lines = [f"- [{what}]({url})" if url else f"- {what}" for what, url in info.sources]
        markdown += "\n\n**Sources**\n\n" + "\n".join(lines)
    tags = list(dict.fromkeys(tag for tag in ("moe", info.effect, info.wall) if tag))
    rule: dict[str, Any] = {
        "id": id,
        "name": _camel(info.name),
        "shortDescription": {"text": summary},
        "fullDescription": {"text": _sentence(info.help or summary)},
        "help": {"text": _sentence(info.help or summary), "markdown": markdown},
        "defaultConfiguration": {"level": _LEVEL[info.severity]},
        "properties": {
            "tags": tags,
            "precision": _PRECISION.get(info.evidence or "", "high"),
            "problem.severity": _PROBLEM[info.severity],
        },
    }
    rule["helpUri"] = info.url or HOME
    return rule


def _bare(item: Finding) -> RuleInfo:
    return RuleInfo(item.rule, item.name, item.effect, item.severity, item.name.replace("-", " "), "")


def uri(path: str, report: Report) -> str:
    """The path as a relative URI from the repository's root, where it lies inside it."""
    import os

    if report.root is not None:
        relative = os.path.relpath(os.path.realpath(path), os.path.realpath(report.root))
        if not relative.startswith(".."):
            path = relative
    path = path.replace(os.sep, "/")
    while path.startswith("./"):
        path = path[2:]
    return quote(path.encode("utf-8", "surrogateescape"), safe="/~!$&'()*+,;=@-._")


def _location(place: Place, report: Report) -> dict[str, Any]:
    location: dict[str, Any] = {"uri": uri(place.path, report)}
    if not location["uri"].startswith("/"):
        location["uriBaseId"] = "SRCROOT"
    return {
        "physicalLocation": {
            "artifactLocation": location,
            "region": {
                "startLine": place.line,
                "startColumn": place.column,
                "endLine": place.end_line,
                "endColumn": max(place.end_column, place.column + 1)
                if place.line == place.end_line
                else place.end_column,
            },
        }
    }


def _result(item: Finding, index: int, file: FileReport, hashes: list[str], report: Report) -> dict[str, Any]:
    hash = hashes[item.place.line - 1] if item.place.line <= len(hashes) else f"{item.fingerprint}:1"
    result: dict[str, Any] = {
        "ruleId": item.rule,
        "ruleIndex": index,
        "level": _LEVEL[item.severity],
        "message": {"text": _sentence(item.message)},
        "locations": [_location(item.place, report)],
        "partialFingerprints": {"primaryLocationLineHash": hash, "moelint/v1": item.fingerprint},
    }
    if item.related:
        result["relatedLocations"] = [
            {
                "id": number,
                **_location(related.place, report),
                "message": {"text": _sentence(related.message or related.key)},
            }
            for number, related in enumerate(item.related, 1)
        ]
    fixes = [fix for fix in (_fix(f, item.place.path, file, report) for f in item.fixes) if fix]
    if fixes:
        result["fixes"] = fixes
    return result


def _fix(fix: Fix, path: str, file: FileReport, report: Report) -> dict[str, Any] | None:
    replacements = [
        {
            "deletedRegion": {
                "startLine": e["line"],
                "startColumn": e["column"],
                "endLine": e["end_line"],
                "endColumn": e["end_column"],
            },
            "insertedContent": {"text": e["text"]},
        }
        for e in edits(fix, file.source)
    ]
    if not replacements:
        return None
    change = {"artifactLocation": {"uri": uri(path, report)}, "replacements": replacements}
    return {"description": {"text": _sentence(fix.why or "Apply the fix")}, "artifactChanges": [change]}
