"""Key checks of the trainer room as findings."""

from __future__ import annotations

from typing import Any

from moelint.findings.anchor import fact, severity, written_place
from moelint.findings.problems import place
from moelint.read.config import Config
from moelint.results import Finding, Fix
from moelint.trainer.key_rules import BY_ID


def from_key_problem(problem: Any, scope: Any, config: Config, level: str | None, strict: bool) -> Finding:
    """The finding of one key check."""
    name = BY_ID[problem.rule][1]
    certainty = "certain" if problem.certain else "assumed"
    if problem.written is not None:
        where = written_place(problem.written)
    else:
        start = problem.setting.key_start
        where = place(config.document.source, start, max(problem.setting.key_end, start))
    grade = severity(problem.effect, None, level, certainty, strict)
    item = Finding(problem.rule, name, problem.effect, grade, problem.message, where, problem.key)
    item.certainty, item.config, item.about = certainty, config.name, (problem.key,)
    if problem.written is not None:
        item.facts = {problem.key: fact(problem.key, scope, config)}
    changes = _changes(problem)
    if changes:
        from moelint.fix.write import write

        fix = Fix(
            1, problem.safety if problem.certain else "unsafe", dict(problem.sets), list(problem.unset), problem.why
        )
        for old, new in problem.renames.items():
            fix.set[new] = problem.written.value if problem.written is not None else None
            fix.unset.append(old)
        fix.edits, fix.reason = write(config, changes)
        item.fixes = [fix]
    return item


def _changes(problem: Any) -> list[Any]:
    if not (problem.sets or problem.unset or problem.renames):
        return []
    from moelint.fix.changes import RENAME, SET, UNSET, Change

    return [
        *(Change(RENAME, old, new) for old, new in problem.renames.items()),
        *(Change(SET, key, value) for key, value in problem.sets.items()),
        *(Change(UNSET, key) for key in problem.unset),
    ]
