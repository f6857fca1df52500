"""``moelint rules``: every rule with its effect, severity and name."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

import click

from moelint.errors import UsageError
from moelint.typed import Any
from moelint.words import plural


def every(policies: Iterable[str]) -> list[dict[str, Any]]:
    """All rules as plain data, sorted by id. Raises UsageError if a pack does not load."""
    from moelint.findings.builtin_pages import ids
    from moelint.findings.pages import page
    from moelint.policy.load import load
    from moelint.trainer.compiled import rewrites

    packs = load(list(policies))
    found: dict[str, dict[str, Any]] = {}
    for id in [*packs.ids, *ids()]:
        info = page(id, [packs])
        source = packs.ids[id][1] if id in packs.ids else "built in"
        found[id] = _row(info, source)
    for trainer in ("bridge", "lm", "core"):
        for entry in rewrites(trainer).entries:
            if entry.effect is not None and entry.id not in found:
                found[entry.id] = _row(page(entry.id, []), "trainer")
    return [found[id] for id in sorted(found)]


def _row(info: Any, source: str) -> dict[str, Any]:
    return {
        "id": info.id,
        "name": info.name,
        "effect": info.effect,
        "severity": info.severity,
        "wall": info.wall,
        "evidence": info.evidence,
        "pack": source,
        "url": info.url,
    }


@click.command()
@click.argument("prefixes", nargs=-1)
@click.option("--policy", "policies", multiple=True, metavar="PATH-or-pack", help="Another policy pack. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(prefixes: tuple[str, ...], policies: tuple[str, ...], as_json: bool) -> None:
    """List the rules, or those whose ids begin with PREFIXES."""
    from moelint.cli import here
    from moelint.conf.model import ConfError

    try:
        rows = every(here.policies(policies))
    except (UsageError, ConfError) as error:
        raise click.UsageError(str(error)) from None
    rows = [row for row in rows if not prefixes or row["id"].startswith(prefixes)]
    if not rows:
        raise click.UsageError(f"no rule begins with {', '.join(prefixes)}")
    if as_json:
        json.dump(rows, sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    for row in rows:
        click.echo(f"{row['id']:<8} {row['severity']:<8} {row['effect']:<10} {row['name']}")
    click.echo(f"{plural(len(rows), 'rule')}; moelint explain RULE")
