"""The bad example of every rule, written as people write configs, then fixed: what no fix names stays byte for byte.

The texts are awkward on purpose: a comment on every line, CRLF, no last line break, flow style, quoted keys.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from moelint.engine import Engine
from moelint.fix.engine import fix_source
from moelint.options import Options
from moelint.policy.examples import flat
from moelint.policy.load import load
from moelint.read.config import Config
from moelint.results import FileReport
from moelint.text.source import Source
from moelint.text.yaml_render import render
from moelint.text.yaml_render import text as string

DIALECTS = {"bridge": "bridge", "core": "megatron-core"}


def trainer(text: dict[str, Any], example: dict[str, Any]) -> str | None:
    """The trainer of an example as the pack's own tests take it."""
    said = example.get("trainer")
    if said is None:
        gates = text["applies"] if isinstance(text["applies"], list) else [text["applies"] or {}]
        said = next((gate["trainer"] for gate in gates if "trainer" in gate), "bridge")
    return said if isinstance(said, str) else said[0]


def examples() -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """(rule, dialect, settings, target) of every bad example for a trainer whose configs are nested YAML."""
    out = []
    packs = load(())
    for rule, text in packs.texts.items():
        for example in text["examples"]:
            dialect = DIALECTS.get(str(trainer(text, example)))
            if (
                "bad" not in example
                or dialect is None
                or "dialect" in example
                or "before" in example
                or "saved" in example
            ):
                continue
            settings, target = flat(example["bad"])
            target.update(example.get("target") or {})
            out.append((rule, dialect, {k: v for k, v in settings.items() if "." in k}, target))
    return out


def write(number: int, dialect: str, settings: dict[str, Any], target: dict[str, Any]) -> str:
    """A config in one of several hands."""
    said = " ".join(
        f"{key.replace('_', '-')}={value if value is not None else 'none'}" for key, value in target.items()
    )
    lines = [f"# moelint: complete dialect={dialect} {said}", "# the team's config"]
    sections: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        *parents, name = key.split(".") if not key.startswith("env_vars.") else key.split(".", 1)
        inner = sections
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value
    for section, pairs in sections.items():
        if number % 4 == 1:
            lines.append(f"{section}: {render(pairs)}  # {section} in flow style")
            continue
        lines.append(f"{section}:  # about {section}")
        for name, value in pairs.items():
            shown = string(name, "double" if number % 5 == 2 else "plain")
            if isinstance(value, list) and value and number % 3 == 0:
                lines.append(f"    {shown}:   # about {name}")
                lines += [f"    - {render(item)}  # element {i}" for i, item in enumerate(value)]
            else:
                lines.append(f"    {shown}: {render(value)}   # about {name}")
        lines += ["    # at the end of the section", ""]
    newline = "\r\n" if number % 2 else "\n"
    return newline.join(lines) + ("" if number % 3 == 1 else newline)


def leaves(text: str) -> dict[str, Any]:
    out: dict[str, Any] = {}

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk(item, f"{path}.{key}" if path else str(key))
        else:
            out[path] = repr(value)

    walk(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), "")
    return out


@pytest.fixture(scope="module")
def engine() -> Engine:
    options = Options()
    options.no_config = True
    made = Engine(options)
    made.prepare(".")
    return made


EXAMPLES = examples()


@pytest.mark.parametrize("part", range(8))
def test_only_what_a_fix_names_changes(engine: Engine, part: int) -> None:
    changed = 0
    for number in range(part, len(EXAMPLES), 8):
        rule, dialect, settings, target = EXAMPLES[number]
        text = write(number, dialect, settings, target)
        named: set[str] = set()

        def lint(source: Source, named: set[str] = named) -> tuple[FileReport, list[Config]]:
            report, configs = engine.lint_read(source, True)
            for finding in report.findings:
                for fix in finding.fixes[:1]:
                    named.update(fix.set)
                    named.update(fix.unset)
            return report, configs

        out = fix_source(Source("train.yaml", text), lint, unsafe=True)
        new = out.source.text
        changed += new != text
        before, after = leaves(text), leaves(new)
        differing = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        spelled = {part for key in named for part in key.split(".")[1:]}
        sections = {key for key in differing if "{}" in (before.get(key), after.get(key))}  # emptied, or filled
        assert {key.rpartition(".")[2] for key in differing - sections} <= spelled, (rule, text, new)
        gone = {key.rpartition(".")[2] for key in before.keys() - after.keys()}
        new_lines = iter(new.splitlines())
        owner = ""
        for line in text.splitlines():
            name = line.strip().partition(":")[0].strip('"')
            owner = owner if name.startswith("-") else name
            if owner in spelled or owner in sections or ("flow style" in line and spelled):
                comment = line[line.index("#") :]
                assert owner in gone or "# element" in comment or comment in new, (rule, comment, new)
                continue
            assert line in new_lines, (rule, line, new)  # in the same order
        assert new.endswith("\n") == text.endswith("\n"), (rule, text, new)
        assert ("\r\n" in new) == ("\r\n" in text) and new.count("\r") in (0, new.count("\n")), (rule, new)
        again = fix_source(out.source, lint, unsafe=True)
        assert again.source.text == new, (rule, new, again.source.text)
    assert changed > 10
