"""The documentation: every rule, key, option and command has its page or entry; links lead somewhere; guides are true."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from pathlib import Path

import click
import pytest
import yaml

from moelint.cli import COMMANDS
from moelint.cli.examples import EXAMPLES, command_of
from moelint.cli.rules import every
from moelint.explain import key as explain_key
from moelint.explain import rule as explain_rule
from moelint.pages.build import build
from moelint.pages.key import readers
from moelint.pages.rule import slug
from moelint.policy.load import load

ROOT = Path(__file__).parents[2]
PACKS = load()
GUIDES = sorted((ROOT / "docs").glob("*.md"))
RULES = [row["id"] for row in every(())]

sys.path.insert(0, str(ROOT / "tools"))
check_links = importlib.import_module("check_links")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All Markdown of the site, but for the matrix pages, which tests/matrix looks at."""
    out = tmp_path_factory.mktemp("site") / "docs"
    build(str(out), str(ROOT / "docs"), matrix=False)
    return out


def test_every_rule_has_a_page(site: Path) -> None:
    assert len(RULES) > 300
    for rule in RULES:
        text = (site / f"rules/{rule}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {rule}: ") and "\n## Why\n" in text and f"ignore[{rule}]" in text
        why = text.partition("\n## Why\n")[2].partition("\n## ")[0].strip()
        assert len(why) > 20, f"{rule} gives no reason"
        assert f"]({rule}.md)" in (site / "rules/index.md").read_text(encoding="utf-8")


def test_every_key_that_a_rule_reads_has_a_page(site: Path) -> None:
    keys = readers(PACKS)
    index = (site / "keys/index.md").read_text(encoding="utf-8")
    assert len(keys) > 300
    for key in keys:
        text = (site / f"keys/{slug(key)}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# `{key}`") and f"[`{key}`]({slug(key)}.md)" in index
        assert re.search("^## ", text, re.MULTILINE), f"the page of {key} says nothing"
    assert keys["model.moe_latent_size"] == PACKS.readers("model.moe_latent_size")
    silent = [key for key, rules in keys.items() if len(rules) > 8 and not explain_key.what(key)]
    assert not silent, "many rules read them, and nothing says what they do"


def test_every_command_and_option_has_an_entry(site: Path) -> None:
    text = (site / "reference/command-line.md").read_text(encoding="utf-8")
    for name, summary in COMMANDS.items():
        section = text.partition(f"\n## moelint {name}\n")[2].partition("\n## ")[0]
        assert summary in section
        command = command_of(name)
        for part in (command, *getattr(command, "commands", {}).values()):
            for option in (p for p in part.params if isinstance(p, click.Option)):
                assert all(f"{flag}" in section for flag in option.opts), f"{name} {option.opts}"
                assert option.help, f"{name} {option.opts} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples(name: str) -> None:
    epilog = command_of(name).epilog or ""
    assert "Examples:" in epilog and "moelint" in epilog
    assert not set(EXAMPLES) - set(COMMANDS)


def test_explain_has_what_the_pages_have() -> None:
    for rule in RULES:
        info = explain_rule.find(rule, PACKS)
        assert info is not None
        lines = explain_rule.explain(info, PACKS)
        assert lines[0].startswith(rule) and f"  # moelint: ignore[{rule}] because …" in lines
    for key in list(readers(PACKS))[::29]:
        assert explain_key.explain(key, PACKS)[0] == key


def test_links_between_pages(site: Path) -> None:
    wrong = []
    for path in site.rglob("*.md"):
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            target = link.partition("#")[0]
            if target and "://" not in target and not (path.parent / target).exists():
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert not wrong


def test_navigation_names_every_guide(site: Path) -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = {page for entry in nav for value in entry.values() for page in _pages(value)}
    assert all((site / page).exists() for page in named)
    assert {guide.name for guide in GUIDES} <= named, "a guide that nobody can find"


def _pages(value: object) -> list[str]:
    return (
        [value]
        if isinstance(value, str)
        else [page for entry in value for part in entry.values() for page in _pages(part)]
    )  # type: ignore[attr-defined]


COMMAND_LINES = [
    (guide.name, line)
    for guide in [*GUIDES, ROOT / "README.md"]
    for line in re.findall(r"(?m)^(?:\$ |    )(moelint(?: .*)?)$", guide.read_text(encoding="utf-8"))
] + [("examples", line) for lines in EXAMPLES.values() for line, _ in lines if line.startswith("moelint")]


@pytest.mark.parametrize(("guide", "line"), COMMAND_LINES)
def test_commands_of_the_guides_exist(guide: str, line: str) -> None:
    words = shlex.split(line.partition("  ")[0].partition(" #")[0].partition(" > ")[0].partition(" | ")[0])[1:]
    name = words[0] if words and words[0] in COMMANDS else None
    command = command_of(name or "check")
    words = words if name is None else words[1:]
    if hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    context = click.Context(command, info_name="moelint", ignore_unknown_options=False)
    context.ignore_unknown_options = bool(command.context_settings.get("ignore_unknown_options"))
    command.make_parser(context).parse_args(list(words))


def test_the_link_checker_sees_what_is_broken(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<a href='b/#x'>1</a><a href='b/#y'>2</a><a href='c.html'>3</a><a href='https://x'>4</a>"
    )
    (tmp_path / "b").mkdir()
    (tmp_path / "b/index.html").write_text("<h1 id=x>b</h1>")
    pages, links, wrong = check_links.check(tmp_path)
    assert (pages, links) == (2, 3)
    assert wrong == ["a.html: b/#y: no such place", "a.html: c.html: no such page"]
