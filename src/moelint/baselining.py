"""``--baseline`` and ``--write-baseline``: what a run's findings are without those that the project knows."""

from __future__ import annotations

import os

from moelint.errors import UsageError
from moelint.options import Options
from moelint.results import FileReport, Report
from moelint.revision.baseline import DEFAULT, Baseline, load
from moelint.text.files import write_whole


def apply(report: Report, options: Options) -> None:
    """Takes known findings out of a report, or writes them all down. A baseline that is no good is a problem of the
    run: what was found is reported whole then."""
    path = options.baseline or DEFAULT
    try:
        if options.write_baseline:
            _write(report, path)
        else:
            _hide(report, load(path))
    except UsageError as error:
        report.problems.append(str(error))


def _hide(report: Report, baseline: Baseline) -> None:
    seen: set[tuple[str, str]] = set()
    for file in report.files:
        kept = []
        for item in file.findings:
            key = baseline.key(file.path, item)
            if key in baseline.entries:
                seen.add(key)
                file.hidden.add(item.fingerprint)
                report.baselined += 1
            else:
                kept.append(item)
        file.findings = kept
    stale = _stale(report, baseline, seen)
    if stale:
        rules = _by_rule([baseline.entries[key] for key in stale])
        entries = "1 entry is stale" if len(stale) == 1 else f"{len(stale)} entries are stale"
        report.notes.append(
            f"{baseline.path}: {entries} ({rules}): --write-baseline takes {'it' if len(stale) == 1 else 'them'} out"
        )


def _stale(report: Report, baseline: Baseline, seen: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Entries whose finding is gone: the file was checked and does not have it, or there is no such file any more."""
    checked = {baseline.relative(file.path) for file in report.files if file.skipped != "broken"}
    gone = {entry["path"] for entry in baseline.entries.values() if not os.path.lexists(baseline.absolute(entry))}
    return [key for key in baseline.entries if key not in seen and (key[0] in checked or key[0] in gone)]


def _write(report: Report, path: str) -> None:
    new = Baseline(path)
    old = Baseline(path)
    if os.path.lexists(path):
        try:
            old = load(path)
        except UsageError as error:
            if "version" not in str(error):  # another version is written anew; anything else may be no baseline at all
                raise
    checked: set[str] = set()
    for file in report.files:
        checked.add(new.relative(file.path))
        for item in file.findings:
            new.entries[new.key(file.path, item)] = new.entry(file.path, item)
    for key, entry in old.entries.items():
        if key[0] not in checked and os.path.lexists(old.absolute(entry)):
            new.entries[key] = entry  # not looked at this time
    pruned = len(set(old.entries) - set(new.entries))
    try:
        write_whole(path, new.text())
    except OSError as error:
        raise UsageError(f"{path}: the baseline cannot be written: {error.strerror}") from None
    for file in report.files:
        _empty(file, report)
    count = len(new.entries)
    said = f"wrote {path}: {count} finding{'' if count == 1 else 's'}"
    if count:
        said += f" ({_by_rule(list(new.entries.values()))})"
    report.notes.append(said + (f", {pruned} stale taken out" if pruned else ""))


def _empty(file: FileReport, report: Report) -> None:
    report.baselined += len(file.findings)
    file.hidden.update(item.fingerprint for item in file.findings)
    file.findings = []


def _by_rule(entries: list[dict[str, object]]) -> str:
    count: dict[str, int] = {}
    for entry in entries:
        rule = str(entry.get("rule", "?")).partition(".")[0]
        count[rule] = count.get(rule, 0) + 1
    return ", ".join(f"{rule} {number}" for rule, number in sorted(count.items(), key=lambda rn: (-rn[1], rn[0])))
