"""The repair of a key check as a fix with its text edits."""

from __future__ import annotations

from moelint.fix.changes import RENAME, SET, UNSET, Change
from moelint.fix.write import write
from moelint.read.config import Config
from moelint.results import Fix
from moelint.typed import Any


def _misspelt_flag(problem: Any, config: Config) -> list[Fix]:
    """A flag that no release has, spelled as the one that it is nearest to."""
    from moelint.read import flags
    from moelint.text.document import EditError
    from moelint.text.scalars import Opaque

    setting = problem.setting
    name = str(setting.path[-1]) if setting is not None else ""
    near = flags.nearest(name) if name.startswith("--") else None
    entry = flags.entry(near) if near is not None else None
    if near is None or entry is None or isinstance(setting.value, Opaque) or entry[0] in config.written:
        return []
    if (setting.style == "bare") != entry[3]:
        return []  # one takes a value, the other does not
    fix = Fix(1, "unsafe", {}, [], "the argument nearest to it")
    fix.set[entry[0]] = flags.value_of(entry, flags.BARE if setting.style == "bare" else setting.value)
    try:
        fix.edits = config.document.rename(setting.path, near)
    except EditError as error:
        fix.reason = str(error)
    return [fix]


def fix_of(problem: Any, config: Config) -> list[Fix]:
    """The one alternative of a key problem (see ``trainer.keys``), or none."""
    if len(problem.sets) == len(problem.unset) == 1 and not problem.renames:  # a setting under its new name
        ((new, value),) = problem.sets.items()
        changes = [Change(RENAME, problem.unset[0], new, value)]
    else:
        changes = [
            *(Change(RENAME, old, new) for old, new in problem.renames.items()),
            *(Change(SET, key, value) for key, value in problem.sets.items()),
            *(Change(UNSET, key) for key in problem.unset),
        ]
    if not changes:
        return _misspelt_flag(problem, config)
    safety = problem.safety if problem.certain else "unsafe"
    fix = Fix(1, safety, dict(problem.sets), list(problem.unset), problem.why)
    for old, new in problem.renames.items():
        fix.set[new] = problem.written.value if problem.written is not None else None
        fix.unset.append(old)
    fix.edits, fix.reason = write(config, changes)
    return [fix]
