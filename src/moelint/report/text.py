"""The report for people: a code frame for every finding, what decided, what it assumes, and the fix as a diff."""

from __future__ import annotations

from moelint.report import Options, escape
from moelint.report.paint import Paint
from moelint.report.width import columns, window, wrap
from moelint.results import SEVERITIES, FileReport, Finding, Fix, Report
from moelint.text.edits import apply
from moelint.typed import IO, Any
from moelint.words import plural

_SHOWN_WAITING = 3  # values named in the waiting line
_SHOWN_FACTS = 6  # more of them only with --show-facts
_LONGEST = 240  # columns of a line of source where no terminal says how many it has
_FRAME_LINES = 8  # lines of a multi-line fix that are shown


def write(report: Report, stream: IO[str], options: Options) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    for piece in _pieces(report, options):
        stream.write(escape.encodable(piece, encoding) + "\n")


def _pieces(report: Report, options: Options) -> list[str]:
    paint = Paint(options.color)
    out: list[str] = []
    for file in report.files:
        out += _file(file, options, paint)
    if options.statistics:
        out += _statistics(report)
    if not options.quiet:
        judged = _targets(report, options) if options.least is None else ()
        out += [_said(line, options) for line in (*report.notes, *judged)]
        out.append(_summary(report, options, paint))
    return out


def _file(file: FileReport, options: Options, paint: Paint) -> list[str]:
    out: list[str] = []
    if options.show_files:
        what = file.skipped or ", ".join(f"{c.name} ({c.dialect}, {c.completeness})" for c in file.configs)
        out.append(escape.line(f"{file.path}: {what or 'no config'}"))
    folded = below = 0
    for item in file.findings:
        if item.new is False:
            continue
        if options.least is not None and SEVERITIES.index(item.severity) < SEVERITIES.index(options.least):
            below += 1
            continue
        if item.severity == "note" and item.certainty == "assumed" and not options.verbose:
            folded += 1
            continue
        out += [*_finding(item, file, options, paint), ""]
    if below:
        out.append(escape.line(f"{file.path}: {below} below {options.least}: moelint {file.path}"))
    if options.quiet or options.least is not None:
        return out
    if folded:
        notes = "1 note that hangs" if folded == 1 else f"{folded} notes that hang"
        out.append(_said(f"{file.path}: {notes} on an assumed value: -v shows {'it' if folded == 1 else 'them'}", options))
    out += [_said(f"{file.path}: fixed {change}", options) for change in file.fixed_changes]
    out += _waiting(file, options)
    out += [_said(f"{file.path}: not fixed: {reason}", options) for reason in file.refused]
    return out


def _said(text: str, options: Options) -> str:
    """A line of its own, broken where a terminal is too narrow for it."""
    return wrap(escape.line(text), options.width, "  ")


def _waiting(file: FileReport, options: Options) -> list[str]:
    """The line that keeps silence from misleading: how many checks wait, for what, and how to state it."""
    entries, count, configs = _all_waiting(file, options)
    if not entries:
        return []
    stated = [entry for entry in entries if entry.get("how") or entry.get("line")]
    names = [f"{w['name']} (line {w['line']})" if w.get("line") else w["name"] for w in stated[:_SHOWN_WAITING]]
    if len(stated) > _SHOWN_WAITING:
        names.append(f"{len(stated) - _SHOWN_WAITING} more")
    if absent := len({entry["key"] for entry in entries} - {entry["key"] for entry in stated}):
        names.append(
            "a setting that the file leaves out" if absent == 1 else f"{absent} settings that the file leaves out"
        )
    hows = list(dict.fromkeys(entry["how"] for entry in stated if entry.get("how")))[:2] or ["--base=…"]
    where = f" in {configs} configs" if configs > 1 else ""
    checks = f"{plural(count, 'check')}{where} {'waits' if count == 1 else 'wait'}"
    out = [_said(f"{file.path}: {checks} for {', '.join(names)}: {', or '.join(hows)}", options)]
    if options.show_undecided:
        out += [_said(f"  {w['key'] if '.' in w['key'] else w['name']}: {', '.join(w['rules'])}", options) for w in entries]
    return out


def _all_waiting(file: FileReport, options: Options) -> tuple[list[dict[str, Any]], int, int]:
    """(what the checks of a file's configs wait for, by number of rules; how many checks; in how many configs)."""
    found: dict[tuple[str, str, int | None], dict[str, Any]] = {}
    count = configs = 0
    for undecided in (config.undecided for config in file.configs):
        entries = undecided.get("waiting_for", [])
        errors = undecided.get("errors", undecided["count"]) if entries else 0
        if not entries or not (errors or options.show_undecided):
            continue
        count += errors or undecided["count"]
        configs += 1
        for entry in entries:
            if options.show_undecided or entry.get("errors", 1):
                same = found.setdefault((entry["key"], entry["name"], entry.get("line")), {**entry, "rules": []})
                same["rules"] += [rule for rule in entry["rules"] if rule not in same["rules"]]
    if configs > 1:
        return sorted(found.values(), key=lambda entry: -len(entry["rules"])), count, configs
    return list(found.values()), count, configs


# ---- one finding ----------------------------------------------------------------------------------------


def _finding(item: Finding, file: FileReport, options: Options, paint: Paint) -> list[str]:
    place = item.place
    rule = f"{item.rule}.{item.case}" if item.case else item.rule
    where = escape.line(f"{place.path}:{place.line}:{place.column}:")
    head = f"{paint.bold(where)} {paint.severity(item.severity, f'{item.severity}[{rule}]')} {item.name}"
    assumed = " (assumed)" if item.certainty == "assumed" else ""
    out = [head + assumed, "  " + wrap(escape.line(item.message), options.width, "  ")]
    gutter = " " * 2
    if file.source is not None:
        frame, gutter = _frame(item, file, options, paint)
        out += frame
    facts = _facts(item, options)
    out += [f"{gutter}= " + wrap(fact, options.width, f"{gutter}  ") for fact in facts]
    if item.fixes:
        out += _fix(item.fixes[0], file, gutter, options, paint)
    return out


def _frame(item: Finding, file: FileReport, options: Options, paint: Paint) -> tuple[list[str], str]:
    """The lines that the finding and its related places stand at, underlined; and the gutter as blanks."""
    source = file.source
    assert source is not None
    marks: dict[int, tuple[int, int, str, str]] = {}
    for related in item.related:
        if related.place.path == item.place.path and related.place.line == related.place.end_line:
            marks[related.place.line] = (related.place.column, related.place.end_column, "-", related.message)
    end = item.place.end_column if item.place.end_line == item.place.line else len(source.line(item.place.line)) + 1
    marks[item.place.line] = (item.place.column, end, "^", "")
    digits = len(str(max(marks)))
    gutter = " " * (digits + 1)
    out = [f"{gutter}{paint.dim('|')}"]
    before = 0
    for number in sorted(marks):
        start, stop, mark, label = marks[number]
        if before and number > before + 1:
            out.append(paint.dim("..." if digits < 3 else "." * digits))
        text = source.line(number)
        room = max(30, (options.width or _LONGEST) - len(gutter) - 2)
        shown, start, stop = window(text, start - 1, stop - 1, room)
        left, under = escape.code(shown[:start]), escape.code(shown[start:stop])
        line = mark * max(1, columns(under))
        style = paint.severity(item.severity, line) if mark == "^" else paint.note(line)
        number_text = f"{number:>{digits}} "
        out.append(f"{paint.dim(number_text + '|')} {left}{under}{escape.code(shown[stop:])}".rstrip())
        tail = f" {escape.line(label)}" if label else ""
        out.append(f"{gutter}{paint.dim('|')} {' ' * columns(left)}{style}{tail}")
        before = number
    return out, gutter


def _value(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _facts(item: Finding, options: Options) -> list[str]:
    """What decided beside the lines of the frame. All with --show-facts, else only what the frame does not show."""
    in_frame = {item.key, *(related.key for related in item.related)}
    out = []
    for key, fact in item.facts.items():
        if not options.show_facts and ((key in in_frame and "before" not in fact) or _is_noise(key, fact, in_frame)):
            continue
        origin = fact["origin"]
        if origin == "file" and fact.get("line"):
            origin = f"line {fact['line']}"
        elif fact.get("path") and fact["path"] != item.place.path:
            origin = f"{origin}, {fact['path']}:{fact.get('line') or 1}"
        if fact.get("assumed"):
            origin = f"assumed {origin}"
        was = f", before: {_value(fact['before'])}" if "before" in fact else ""
        out.append(escape.line(f"{key}: {_value(fact.get('value'))} ({origin}){was}"))
    if not options.show_facts and len(out) > _SHOWN_FACTS:
        out = [*out[: _SHOWN_FACTS - 1], f"{len(out) - _SHOWN_FACTS + 1} more facts: --show-facts"]
    return out


def _is_noise(key: str, fact: dict[str, Any], in_frame: set[str]) -> bool:
    """Facts that add nothing to the frame: unknown ones, the trainer's copy of a setting shown there, switches."""
    if fact["origin"] == "unknown" and fact.get("value") is None and "before" not in fact:
        return True
    leaf = key.rpartition(".")[2]
    if fact["origin"] == "rewritten" and any(other.rpartition(".")[2] == leaf for other in in_frame):
        return True
    return key.startswith("walls.") and isinstance(fact.get("value"), bool)


def _fix(fix: Fix, file: FileReport, gutter: str, options: Options, paint: Paint) -> list[str]:
    """The first fix: why, and what it does to the text."""
    flag = "" if fix.safety == "safe" else f", {fix.safety}: --unsafe-fixes applies it"
    why = f": {fix.why}" if fix.why else ""
    if fix.reason is not None or not fix.edits or file.source is None:
        change = ", ".join([*(f"{k}: {_value(v)}" for k, v in fix.set.items()), *(f"no {k}" for k in fix.unset)])
        text = f"fix by hand: {change}{why}" + (f" ({fix.reason})" if fix.reason else "")
        return [f"{gutter}= " + wrap(escape.line(text), options.width, f"{gutter}  ")]
    out = [f"{gutter}= " + wrap(escape.line(f"fix{flag}{why}"), options.width, f"{gutter}  ")]
    room = max(30, (options.width or _LONGEST) - len(gutter) - 2)
    lines = changed_lines(file.source.text, fix)
    for number, sign, text in lines[:_FRAME_LINES]:
        shown, _, _ = window(escape.code(text), 0, 1, room)
        line = f"{number:>{len(gutter) - 1}} {sign} {shown}".rstrip()
        out.append(paint.removed(line) if sign == "-" else paint.added(line))
    if len(lines) > _FRAME_LINES:
        out.append(f"{gutter}   {len(lines) - _FRAME_LINES} more lines: --diff shows them")
    return out


def changed_lines(text: str, fix: Fix) -> list[tuple[int, str, str]]:
    """The lines that a fix takes out (-) and puts in (+), with their numbers, edit by edit."""
    out: list[tuple[int, str, str]] = []
    edits = sorted(fix.edits, key=lambda e: (e.start, e.end))
    shift = at = 0
    while at < len(edits):
        start = text.rfind("\n", 0, edits[at].start) + 1
        group = [edits[at]]
        end = _line_end(text, edits[at].end)
        while at + 1 < len(edits) and edits[at + 1].start <= end:
            at += 1
            group.append(edits[at])
            end = max(end, _line_end(text, edits[at].end))
        at += 1
        moved = [type(e)(e.start - start, e.end - start, e.text) for e in group]
        old, new = text[start:end].splitlines(), apply(text[start:end], moved).splitlines()
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        tail = 0
        while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        first = text.count("\n", 0, start) + 1 + same
        out += [(first + i, "-", line) for i, line in enumerate(old[same : len(old) - tail])]
        out += [(first + shift + i, "+", line) for i, line in enumerate(new[same : len(new) - tail])]
        shift += len(new) - len(old)
    return out


def _line_end(text: str, offset: int) -> int:
    if offset and text[offset - 1] == "\n":
        return offset
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


# ---- the end --------------------------------------------------------------------------------------------


def _statistics(report: Report) -> list[str]:
    count: dict[tuple[str, str, str], int] = {}
    for item in report.shown():
        key = (item.rule, item.severity, item.name)
        count[key] = count.get(key, 0) + 1
    return [f"{n:>6}  {k[1]:<7} {k[0]} {k[2]}" for k, n in sorted(count.items(), key=lambda kn: (-kn[1], kn[0]))]


def _targets(report: Report, options: Options) -> list[str]:
    """What the configs were judged for: all of it with -v, else what nobody stated."""
    configs = [config for file in report.files for config in file.configs]
    if options.verbose:
        said = [
            ", ".join(f"{name} {entry['value']} ({entry['from']})" for name, entry in config.target.items())
            for config in configs
        ]
        return [f"judged for {text}" for text in dict.fromkeys(said) if text]
    assumed: dict[str, None] = {}
    for config in configs:
        for name, entry in config.target.items():
            if entry["from"] == "assumed":
                assumed.setdefault(f"{name} {entry['value']}")
    if not assumed:
        return []
    return [
        f"judged for {', '.join(assumed)}, the newest known, where nothing states a release (--target, # moelint:)"
    ]


def _summary(report: Report, options: Options, paint: Paint) -> str:
    summary = report.summary()
    read = f"{plural(summary['configs'], 'config')} in {plural(summary['files'], 'file')}"
    counts, new = report.counts(), "" if report.since is None else "new "
    parts = [plural(counts[s], new + s) for s in ("error", "warning", "note") if counts[s]]
    if summary["fixed"]:
        parts.insert(0, f"{summary['fixed']} fixed")
    worst = next((s for s in ("error", "warning", "note") if counts[s]), None)
    if worst is None:
        parts.append("nothing left" if parts else f"no {new}findings")
    text = f"{', '.join(parts)} in {read}"
    if not summary["configs"] and worst is None and report.since is None:
        text = "no training config found"  # 'no findings' would sound like a clean bill
        text += ": --show-files says why" if report.files and not options.show_files else ""
    if report.since is not None:
        text = escape.line(f"{text} since {report.since}")
        if report.old():
            text += f", {plural(report.old(), 'older one')} not shown"
        if summary["fixed_by_change"]:
            text += f", {summary['fixed_by_change']} fixed by the change"
    for word in ("suppressed", "baselined"):
        if summary[word]:
            text += f", {summary[word]} {word if word == 'suppressed' else 'in the baseline'}"
    out = paint.severity(worst, text) if worst else paint.ok(text)
    first = [item.fixes[0] for item in report.shown() if item.fixes and item.fixes[0].edits]
    safe = sum(fix.safety == "safe" for fix in first)
    if safe:
        out += f"\n{safe} can be fixed: moelint --fix"
    if len(first) > safe:
        more = f"{len(first) - safe}{' more' if safe else ''}"
        out += f"\n{more} can be fixed with --fix --unsafe-fixes: read these first"
    return out
