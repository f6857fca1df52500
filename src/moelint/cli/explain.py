"""``moelint explain``: a rule, a key, or a line of a file."""

from __future__ import annotations

import os
import re
import sys

import click

from moelint.errors import UsageError


@click.command(context_settings={"ignore_unknown_options": True})  # --moe-router-dtype is a key
@click.argument("what", metavar="RULE|KEY|RECIPE|FILE:LINE")
@click.option("--policy", "policies", multiple=True, metavar="PATH-or-pack", help="Another policy pack. Repeatable.")
@click.option("--target", multiple=True, metavar="KEY=VALUE", help="For FILE:LINE: state the target. Repeatable.")
def command(what: str, policies: tuple[str, ...], target: tuple[str, ...]) -> None:
    """Explain a rule (OVL004, its name), a key (model.moe_router_dtype, --moe-router-dtype, a last part), a named fact
    of rules (ep_overlap), an official recipe (deepseek_v3_pretrain_config), or what a line of a file sets, what of it
    runs, and who reads it (configs/a.yaml:12)."""
    from moelint.conf.model import ConfError
    from moelint.report import escape
    from moelint.text.source import TextError

    try:
        lines = _lines(what, policies, target)
    except (UsageError, ConfError) as error:
        raise click.UsageError(str(error)) from None
    except TextError as error:
        raise click.UsageError(f"{error.path}: {error.message}") from None
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    for line in lines:
        click.echo(escape.encodable(escape.line(line), encoding))


def _lines(what: str, policies: tuple[str, ...], target: tuple[str, ...]) -> list[str]:
    from moelint.cli import here
    from moelint.explain import fact as facts
    from moelint.explain import key as keys
    from moelint.explain import rule as rules
    from moelint.policy.load import load

    place = re.fullmatch(r"(.+):(\d+)(?::\d+)?", what)
    if place is not None and os.path.exists(place[1]):
        from moelint.cli.options import pairs
        from moelint.explain.line import explain
        from moelint.options import Options

        options = Options()
        options.policies = list(policies)
        options.target = pairs(target, "--target")
        return explain(place[1], int(place[2]), options)
    packs = load(here.policies(policies))
    info = rules.find(what, packs)
    if info is not None:
        return rules.explain(info, packs)
    fact = facts.find(what, packs)
    if fact is not None:
        return facts.explain(what, fact)
    from moelint.explain import recipe as recipes

    page = recipes.explain(what)
    if page is not None:
        return page
    found_keys = keys.find(what)
    if found_keys:
        out: list[str] = []
        for key in found_keys[:8]:
            out += [*([""] if out else []), *keys.explain(key, packs)]
        return out
    raise UsageError(_unknown(what, packs))


def _unknown(what: str, packs: object) -> str:
    from moelint.explain.key import TRAINERS
    from moelint.lang.suggest import nearest
    from moelint.read.bases import names
    from moelint.trainer.tables import known_anywhere

    known = {key for trainer in TRAINERS for key in known_anywhere(trainer)}
    near = nearest(what, [*packs.ids, *known, *names()])  # type: ignore[attr-defined]
    hint = f": did you mean {near}?" if near else ""
    return f"'{what}' is no rule, no key, no named fact, no recipe and no FILE:LINE{hint}"
