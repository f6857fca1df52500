"""Fixes of the wall and hardware rules beside those of all other packs: none undoes another's."""

from __future__ import annotations

import pytest

from moelint.engine import Engine
from moelint.fix.engine import fix_source
from moelint.options import Options
from moelint.policy.examples import flat
from moelint.policy.load import load
from moelint.text.source import Source
from moelint.text.yaml_render import render

TOPICS = ("MEM", "COM", "CMP", "HST", "HWR")


def texts() -> list[tuple[str, str]]:
    """(rule, YAML text) of every bad example of these packs."""
    out = []
    for rule, text in load(()).texts.items():
        if not rule.startswith(TOPICS):
            continue
        for example in text["examples"]:
            if "bad" not in example or example.get("dialect"):
                continue
            settings, target = flat(example["bad"])
            target.update(example.get("target") or {})
            said = " ".join(f"{key.replace('_', '-')}={value}" for key, value in target.items())
            sections: dict[str, list[str]] = {}
            for key, value in settings.items():
                section, _, name = key.partition(".")
                if name and "." not in name:
                    sections.setdefault(section, []).append(f"  {name}: {render(value)}")
            lines = [f"# moelint: dialect=bridge complete {said}"]
            for section, inner in sections.items():
                lines += [f"{section}:", *inner]
            out.append((rule, "\n".join(lines) + "\n"))
    return out


@pytest.fixture(scope="module")
def engine() -> Engine:
    options = Options()
    options.no_config = True
    made = Engine(options)
    made.prepare(".")
    return made


def test_no_fix_undoes_another(engine: Engine) -> None:
    tried = texts()
    assert len(tried) > 60
    fights, fixed = [], 0
    for rule, text in tried:
        outcome = fix_source(Source("config.yaml", text), lambda s: engine.lint_read(s, True), unsafe=True)
        fights += [(rule, said) for said in outcome.refused if "undo each other" in said]
        fixed += outcome.fixed
    assert fights == []
    assert fixed > 30
