"""GitLab Code Quality: https://docs.gitlab.com/ci/testing/code_quality/ (a list of issues with unique fingerprints)."""

from __future__ import annotations

from hashlib import sha1

from moelint.report import Options, encode, escape
from moelint.results import Report
from moelint.typed import IO

_LEVEL = {"error": "critical", "warning": "major", "note": "info"}


def write(report: Report, stream: IO[str], options: Options) -> None:
    issues = []
    for item in report.findings():
        unique = f"{item.place.path}\0{item.fingerprint}".encode("utf-8", "surrogateescape")
        issues.append(
            {
                "description": escape.line(f"{item.rule}: {item.message}"),
                "check_name": item.rule,
                "fingerprint": sha1(unique, usedforsecurity=False).hexdigest(),
                "severity": _LEVEL[item.severity],
                "location": {
                    "path": escape.line(item.place.path),
                    "lines": {"begin": item.place.line, "end": item.place.end_line},
                },
            }
        )
    encode.write(issues, stream)
    stream.write("\n")
