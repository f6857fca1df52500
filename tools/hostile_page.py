"""Measures what docs/hostile.md says of hostile inputs and writes its tables; the rest of the page is written by hand.

    python tools/hostile_page.py            # from the top of the checkout, on a quiet machine

Each input is checked by a process of its own; the second of two runs counts, when policies are compiled. A test holds the
page to the inputs of tests/project/hostile_inputs.py and tests/policy/hostile_packs.py and to what moelint says of them.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "hostile.md"
BEGIN, END = "<!-- measured: python tools/hostile_page.py -->\n", "<!-- end of what was measured -->\n"
FILES_HEAD = "### Configs and recipes"
NOTHING = "nothing: no config in it whose settings could be worked out"
_MOST = 150  # characters of a message


class Row(NamedTuple):
    """One line of a table. ``files``: it stands under ``FILES_HEAD``."""

    message: str
    seconds: float
    megabytes: float
    files: bool


def cell(message: str) -> str:
    """A message as it stands in a table: one line of Markdown, cut where it is long."""
    short = message if len(message) <= _MOST else message[: _MOST - 1] + "…"
    return re.sub(r"([|\\<>*_`\[\]])", r"\\\1", short) or NOTHING


def rows(page: str) -> dict[str, Row]:
    """The rows of all tables of a page by the input's name. Raises ValueError where a row is not one of ours."""
    found = {}
    section = ""
    for line in page[page.index(BEGIN) : page.index(END)].splitlines():
        section = line if line.startswith("#") else section
        if line.startswith("|") and not line.startswith(("| input", "|-")):
            _, name, seconds, megabytes, message, _ = (part.strip() for part in re.split(r"(?<!\\)\|", line))
            found[name] = Row(message, float(seconds), float(megabytes), section == FILES_HEAD)
    return found


def measure(words: Callable[[Path], list[str]], file: str | None) -> tuple[str, float, float]:
    """(what was said, seconds, MB) of a run over what ``words`` makes in a new folder and names; ``file``: of which file,
    None for what moelint itself says."""
    from tests.project.hostile_run import run, told

    with tempfile.TemporaryDirectory() as top:
        folder = Path(top)
        command = words(folder)
        run(folder, *command)
        _, said, seconds, megabytes = run(folder, *command)
    text = said.decode("utf-8", "replace")
    return told(text, file) if file is not None else problem(text, top), seconds, megabytes


def problem(said: str, folder: str) -> str:
    """The first line that moelint says outside of its report, without the folder's path."""
    lines = (line.removeprefix("moelint: ") for line in said.split("\n") if line.startswith("moelint: "))
    return next(lines, "").replace(f"{folder}/", "")


def table(title: str, measured: dict[str, tuple[str, float, float]]) -> list[str]:
    lines = [title, "", "| input | s | MB | what moelint says |", "|---|---|---|---|"]
    for name, (message, seconds, megabytes) in measured.items():
        lines.append(f"| {name} | {seconds:.2f} | {megabytes:.0f} | {cell(message)} |")
        print(lines[-1], flush=True)
    return [*lines, ""]


def tables() -> str:
    """All that is measured."""
    from tests.policy.hostile_packs import RULES, write
    from tests.project.hostile_inputs import FILES, MODEL, SPECIAL

    def beside(folder: Path) -> str:
        (folder / "beside.yaml").write_text(MODEL, encoding="utf-8")
        return "beside.yaml"

    def of_file(file: str, data: bytes) -> Callable[[Path], list[str]]:
        def words(folder: Path) -> list[str]:
            (folder / file).write_bytes(data)
            return [file, beside(folder)]

        return words

    def of_special(make: Callable[[Path], str]) -> Callable[[Path], list[str]]:
        return lambda folder: [make(folder), beside(folder)]

    def of_pack(text: str) -> Callable[[Path], list[str]]:
        return lambda folder: ["--policy", str(write(folder / "pack", text)), beside(folder)]

    out = table(FILES_HEAD, {name: measure(of_file(file, data), file) for name, (file, data) in FILES.items()})
    odd = "new\\nline\\x1b[31m.yaml"  # as it is shown
    special = {name: measure(of_special(make), odd if "a name" in name else None) for name, make in SPECIAL.items()}
    out += table("### Files that are none", special)
    out += table("### Policies of strangers", {name: measure(of_pack(text), None) for name, text in RULES.items()})
    return "\n".join(out)


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    page = PAGE.read_text(encoding="utf-8")
    before, after = page[: page.index(BEGIN)], page[page.index(END) :]
    PAGE.write_text(f"{before}{BEGIN}\n{tables()}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
