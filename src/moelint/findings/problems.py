"""Problems of a text, a directive or a suppression as findings."""

from __future__ import annotations

from moelint.findings.builtin import KINDS, OTHER
from moelint.results import Finding, Fix, Place
from moelint.text.document import Problem
from moelint.text.source import Source


def place(source: Source, start: int, end: int) -> Place:
    """Where [start, end) stands; what runs over several lines is cut at the end of its first: regions stay tight."""
    line, column = source.position(start)
    end_line, end_column = source.position(max(start, end))
    if end_line > line:
        end_line, end_column = line, max(column + 1, len(source.line(line)) + 1)
    return Place(source.path, line, column, end_line, end_column)


def finding(kind: str, message: str, where: Place, key: str = "") -> Finding:
    """A finding of a built-in rule."""
    id, name, effect, severity = KINDS.get(kind, OTHER)
    return Finding(id, name, effect, severity, message, where, key)


def from_problem(problem: Problem, source: Source, config: str | None = None) -> Finding:
    key = ".".join(str(part) for part in problem.path)
    item = finding(problem.kind, problem.message, place(source, problem.start, problem.end), key)
    item.config = config
    if problem.edits and (problem.sets or problem.safety == "safe"):
        fix = Fix(1, problem.safety, dict(problem.sets), list(problem.unset), problem.why)
        fix.edits = problem.edits
        item.fixes = [fix]
    return item
