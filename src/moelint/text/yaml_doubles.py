"""Keys that stand twice with the same value: the first of them says nothing, and its line can go."""

from __future__ import annotations

from collections.abc import Mapping

from moelint.text.document import Path, Problem, Setting
from moelint.text.edits import Edit
from moelint.text.source import Source

_SCALARS = ("plain", "single", "double")


def mend(source: Source, settings: Mapping[Path, Setting], doubles: list[tuple[Problem, Setting]]) -> None:
    """Gives each problem the edit that takes the lost line out, where that is all that the line holds."""
    for problem, lost in doubles:
        kept = settings.get(problem.path)
        if kept is None or kept.style not in _SCALARS or lost.style not in _SCALARS:
            continue
        if type(kept.value) is not type(lost.value) or kept.value != lost.value:
            continue
        text = source.text
        start = text.rfind("\n", 0, lost.key_start) + 1
        stop = text.find("\n", lost.value_end) + 1
        if not stop or text[start : lost.key_start].strip() or text[lost.value_end : stop].strip():
            continue  # a flow mapping, a comment behind the value, or the end of the file
        if "\n" in text[lost.key_start : lost.value_end]:
            continue
        problem.edits, problem.safety = [Edit(start, stop, "")], "safe"
        problem.why = "both lines say the same"
