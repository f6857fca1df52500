"""A diagnosis as text and as plain data for JSON."""

from __future__ import annotations

import textwrap

from moelint.diagnose.run import Cause, Diagnosis
from moelint.explain.rule import scalar
from moelint.findings.anchor import plain
from moelint.report import escape
from moelint.typed import Any

_COLOR = {
    "fatal": "31;1",
    "hang": "31;1",
    "memory": "31;1",
    "changed": "33",
    "slow": "33",
    "note": "36",
    "consequence": "2",
}
_SAID = {"memory": "out of memory", "changed": "silently changed", "consequence": "after that"}
VERSION = 1


def text(diagnosis: Diagnosis, width: int = 100, color: bool = False, limit: int = 20) -> list[str]:
    """The lines to print."""
    out = [_headline(diagnosis)]
    shown = diagnosis.causes[:limit]
    for cause in shown:
        out += ["", *_cause(cause, width, color)]
    if len(diagnosis.causes) > limit:
        out += ["", f"… and {len(diagnosis.causes) - limit} more: --format json has all"]
    out += _config(diagnosis, width, color)
    if not diagnosis.causes and not diagnosis.differs:
        out += ["", "Nothing in it is known to mean trouble."]
    return out


def _headline(diagnosis: Diagnosis) -> str:
    words = f"{escape.line(diagnosis.path)}: {diagnosis.lines:,} lines, {_size(diagnosis.bytes)}"
    if diagnosis.config is not None:
        words += f"; the config that ran is printed at line {diagnosis.config.line:,}"
    return words


def _size(count: int) -> str:
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def _cause(cause: Cause, width: int, color: bool) -> list[str]:
    word = _SAID.get(cause.means, cause.means)
    times = f", {cause.count:,} times" if cause.count > 1 else ""
    ranks = f" on {len(cause.ranks):,} ranks" if len(cause.ranks) > 1 else ""
    head = f"{_paint(word, cause.means, color)}  {cause.title}"
    out = [head, f"  line {cause.line:,}{times}{ranks}: {escape.line(cause.message[: 3 * width])}"]
    if cause.file is not None:
        out.append(f"  raised in {escape.line(cause.file[2])}, {escape.line(cause.file[0])}:{cause.file[1]}")
    out += _wrapped("why", cause.cause, width) + _wrapped("fix", cause.fix, width)
    for finding in cause.findings:
        at = f"{escape.line(finding.place.path)}:{finding.place.line}"
        out += _wrapped("at", f"{at}: {finding.rule} {finding.message}", width)
        if finding.fixes and finding.fixes[0].edits:
            fix = finding.fixes[0]
            sets = ", ".join(f"{key}: {scalar(plain(value))}" for key, value in fix.set.items())
            flag = "--fix" if fix.safety == "safe" else "--fix --unsafe-fixes"
            out += _wrapped("", f"{sets or 'remove it'}: moelint {flag} {escape.line(finding.place.path)}", width)
    if cause.rules:
        out.append(f"  read  moelint explain {cause.rules[0]}" + _also(cause.rules[1:4]))
    elif cause.keys and cause.symptom is not None:
        out.append(f"  read  moelint explain {cause.keys[0]}")
    return out


def _also(rules: list[str]) -> str:
    return f" (or {', '.join(rules)})" if rules else ""


def _wrapped(label: str, words: str, width: int) -> list[str]:
    if not words:
        return []
    lines = textwrap.wrap(words, max(40, width - 8), break_long_words=False, break_on_hyphens=False)
    return [f"  {label:<4}  {lines[0]}", *(f"        {line}" for line in lines[1:])]


def _config(diagnosis: Diagnosis, width: int, color: bool) -> list[str]:
    out: list[str] = []
    for item in diagnosis.differs:
        at = f"{escape.line(item.path)}:{item.line}: " if item.line else ""
        words = f"{at}{item.key}: {scalar(plain(item.asked))} was asked for, {scalar(plain(item.logged))} ran"
        out += ["", f"{_paint('not as asked', 'changed', color)}  {escape.line(words)}"]
        out.append(f"  line {item.log_line:,} of the log")
        if item.why:
            out += _wrapped("why", item.why, width)
        if item.rules:
            out.append(f"  read  moelint explain {item.rules[0]}")
    if diagnosis.as_asked:
        out += ["", "As asked: " + ", ".join(diagnosis.as_asked)]
    return out


def _paint(word: str, means: str, color: bool) -> str:
    return f"\x1b[{_COLOR[means]}m{word}\x1b[0m" if color else word


def data(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis for JSON: stable names, see docs."""
    config = diagnosis.config
    return {
        "log": diagnosis.path,
        "lines": diagnosis.lines,
        "bytes": diagnosis.bytes,
        "incomplete": diagnosis.broken or None,
        "fatal": diagnosis.fatal,
        "causes": [_cause_data(cause) for cause in diagnosis.causes],
        "config": None
        if config is None
        else {
            "kind": config.kind,
            "line": config.line,
            "values": len(config.values),
            "as_asked": diagnosis.as_asked,
            "differs": [
                {
                    "key": item.key,
                    "asked": plain(item.asked),
                    "logged": plain(item.logged),
                    "path": item.path or None,
                    "line": item.line or None,
                    "log_line": item.log_line,
                    "rules": item.rules,
                    "why": item.why or None,
                }
                for item in diagnosis.differs
            ],
        },
    }


def _cause_data(cause: Cause) -> dict[str, Any]:
    return {
        "means": cause.means,
        "title": cause.title,
        "symptom": cause.symptom,
        "rules": cause.rules,
        "keys": cause.keys,
        "message": cause.message,
        "line": cause.line,
        "count": cause.count,
        "ranks": len(cause.ranks),
        "raised_in": None
        if cause.file is None
        else {"path": cause.file[0], "line": cause.file[1], "function": cause.file[2]},
        "cause": cause.cause or None,
        "fix": cause.fix or None,
        "findings": [
            {
                "rule": f.rule,
                "severity": f.severity,
                "path": f.place.path,
                "line": f.place.line,
                "key": f.key,
                "message": f.message,
                "fix": f.fixes[0].set if f.fixes else None,
            }
            for f in cause.findings
        ],
    }
