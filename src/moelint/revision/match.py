"""Findings of two revisions of one file: which are new, which are gone."""

from __future__ import annotations

from moelint.results import SEVERITIES, FileReport, Finding


def mark(new: FileReport, old: FileReport | None) -> list[Finding]:
    """Sets ``Finding.new`` in a file's report; the findings that the change did away with.

    A finding is the same one if the fingerprint is, wherever it stands now; one whose severity rose counts as new.
    What an ignore hides now is not fixed, and of a file that cannot be read any more nothing is known.
    """
    known = {} if old is None else {item.fingerprint: item for item in old.findings}
    for item in new.findings:
        if item.new is not None:  # a change rule's
            continue
        before = known.pop(item.fingerprint, None)
        item.new = before is None or SEVERITIES.index(item.severity) > SEVERITIES.index(before.severity)
    if new.skipped == "broken":
        return []
    return [item for print_, item in known.items() if print_ not in new.hidden]
