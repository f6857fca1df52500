"""The repair of a key check as a fix with its text edits."""

from __future__ import annotations

from moelint.fix.changes import RENAME, SET, UNSET, Change
from moelint.fix.write import write
from moelint.read.config import Config
from moelint.results import Fix
from moelint.typed import Any


def fix_of(problem: Any, config: Config) -> list[Fix]:
    """The one alternative of a key problem (see ``trainer.keys``), or none."""
    changes = [
        *(Change(RENAME, old, new) for old, new in problem.renames.items()),
        *(Change(SET, key, value) for key, value in problem.sets.items()),
        *(Change(UNSET, key) for key in problem.unset),
    ]
    if not changes:
        return []
    safety = problem.safety if problem.certain else "unsafe"
    fix = Fix(1, safety, dict(problem.sets), list(problem.unset), problem.why)
    for old, new in problem.renames.items():
        fix.set[new] = problem.written.value if problem.written is not None else None
        fix.unset.append(old)
    fix.edits, fix.reason = write(config, changes)
    return [fix]
