"""What was read of a file, for people: ``python -m moelint.read.show FILE…``.

One line a setting: canonical key = value, its origin, file:line, the author's spelling.
"""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.read.files import FileRead
from moelint.typed import Any


def lines(found: FileRead) -> list[str]:
    """All that is known of a file."""
    out = []
    if found.skipped is not None:
        out.append(f"{found.source.path}: passed over: {found.skipped}")
    for problem in found.problems:
        line, column = found.source.position(problem.start)
        out.append(f"{found.source.path}:{line}:{column}: {problem.kind}: {problem.message}")
    for config in found.configs:
        out += config_lines(config)
    return out


def config_lines(config: Config) -> list[str]:
    """A config: head, what it states of its target, settings by key, loose ends."""
    place = f"{config.document.source.path}:{config.line}"
    out = [f"{place}: {config.name}: {config.dialect}, judged as {config.trainer}, {config.completeness}"]
    for word, (value, said_by) in sorted(config.stated.items()):
        out.append(f"  target {word}={value} ({said_by})")
    for name, text in (("base", config.base), ("model", config.model)):
        if text is not None:
            out.append(f"  {name} {text}")
    out += [f"  not read: {end}" for end in config.loose_ends]
    out += [_line(config.written[key]) for key in sorted(config.written)]
    for setting in config.unread:
        line = config.document.source.position(setting.key_start)[0]
        out.append(f"  no key for {'.'.join(str(part) for part in setting.path)} (line {line})")
    return out


def _line(written: Written) -> str:
    value = "unknown" if written.value is UNKNOWN else _text(written.value)
    notes = [written.origin]
    if written.setting is not None and written.document is not None:
        source = written.document.source
        line = source.position(written.setting.key_start)[0]
        notes.append(f"line {line}" if written.origin == "file" else f"{source.path}:{line}")
    if written.spelling != written.key.rpartition(".")[2]:
        notes.append(f"from {written.spelling}" if written.derived else written.spelling)
    if written.waits:
        notes.append("waits for " + ", ".join(written.waits))
    if written.assumed:
        notes.append("assumed: " + written.assumed)
    return f"  {written.key} = {value}  ({'; '.join(notes)})"


def _text(value: Any) -> str:
    words = {None: "null", True: "true", False: "false"}
    text = words[value] if value is None or isinstance(value, bool) else str(value)
    return text if len(text) <= 100 else text[:99] + "…"


def main(paths: list[str]) -> None:
    """Prints what was read of each file."""
    from moelint.read.configs import ReadOptions
    from moelint.read.files import read_file
    from moelint.text.files import read

    for path in paths:
        print("\n".join(lines(read_file(read(path), ReadOptions(named=True, read=read)))))


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
