"""Key checks of the trainer room as findings."""

from __future__ import annotations

from moelint.findings.anchor import fact, severity, written_place
from moelint.findings.problems import place
from moelint.read.config import Config
from moelint.results import Finding
from moelint.trainer.key_rules import BY_ID
from moelint.typed import Any


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
    return item
