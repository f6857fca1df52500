"""Writes docs/dialects.md: what each dialect is, and one file of it with the fix that moelint makes.

    python tools/dialect_page.py            # from the top of the checkout

The examples are examples/dialects/<id>.*; the facts come from trainers/dialects/<id>.yaml. A test keeps the page
current.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples" / "dialects"
PAGE = ROOT / "docs" / "dialects.md"
JUDGES = {"bridge": "Megatron Bridge", "core": "Megatron Core", "lm": "Megatron-LM"}
VALUES = {
    "yaml": "YAML 1.1: `1e-4` is text, `yes` is true",
    "omegaconf": "OmegaConf: `1e-4` is a number",
    "flags": "words of a command line: the trainer's parser turns them into numbers",
    "words": "words of a script: the trainer's parser turns them into numbers",
}
HEAD = """# Dialects

What moelint reads, and what a fix looks like there. A file is recognised by its content, never by its name;
`# moelint: dialect=ID` decides where that is not enough. Each example below holds a mistake or two; the patch is what
`moelint --diff` prints.
[Adding a dialect](adding-a-dialect.md) takes one YAML file.

This page is made by `python tools/dialect_page.py`.
"""


def page() -> str:
    """The whole page."""
    from moelint.read.tables import tables

    out = [HEAD]
    for name, table in sorted(tables().items()):
        out.append("\n".join(section(name, table)))
    return "\n".join(out)


def section(name: str, table: dict[str, Any]) -> list[str]:
    (example,) = sorted(EXAMPLES.glob(f"{name}.*"))
    kind = "YAML" if table["form"] == "yaml" else "a shell script"
    if name.endswith("-python"):
        kind = "Python, read without running it"
    facts = [f"judged as {JUDGES[table['trainer']]} would", kind]
    if kind == "YAML":
        facts.append(VALUES[table["values"]])
    if table["typed"]:
        facts.append("values reach the trainer as they are read")
    if table["inherit"] and kind == "YAML":
        facts.append(f"`{table['inherit']['by']}:` is followed inside the checkout")
    if table["model"]:
        facts.append("the model that it names is looked up")
    if table["release"]:
        package, newest, _, pins = table["release"]
        shipped = "".join(f" with {other.replace('_', '-')} {release}" for other, release in pins.items())
        facts.append(f"without a stated release taken for {package.replace('_', '-')} {newest}{shipped}")
    return [
        f"## {table['title']}",
        "",
        f"`{name}`: " + "; ".join(facts) + ".",
        "",
        "```diff",
        patch(example),
        "```",
        "",
    ]


def patch(example: Path) -> str:
    """What --diff prints of an example, by its path below the top."""
    from moelint.api import check
    from moelint.options import Options

    options = Options()
    options.no_config = options.fix = True
    options.write = False
    (report,) = check([str(example)], options).files
    return (report.diff or "").replace(str(example).lstrip("/"), example.relative_to(ROOT).as_posix()).rstrip("\n")


def main() -> None:
    text = page()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == text else "docs/dialects.md is not current")
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
