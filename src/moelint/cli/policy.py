"""``moelint policy``: check, test or start a policy pack."""

from __future__ import annotations

import click

from moelint.errors import UsageError


@click.group(help="Check, test or start a policy pack. Exit: 0 fine, 1 a failing example, 2 a pack that does not load.")
def command() -> None:
    pass


@command.command(help="Validate packs (folders, or names of shipped ones; all shipped ones if none is named).")
@click.argument("packs", nargs=-1)
def check(packs: tuple[str, ...]) -> None:
    from moelint.policy import commands

    _finish(*commands.check(packs))


@command.command(help="Validate packs and run the examples of their rules.")
@click.argument("packs", nargs=-1)
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Only this rule. Repeatable.")
@click.option("-v", "--verbose", is_flag=True, help="List the cases that no bad example fires.")
def test(packs: tuple[str, ...], rules: tuple[str, ...], verbose: bool) -> None:
    from moelint.policy import commands

    try:
        _finish(*commands.test(packs, rules, verbose))
    except UsageError as error:
        raise click.UsageError(str(error)) from None


@command.command(help="Start a pack with one rule in a new folder.")
@click.argument("folder")
def new(folder: str) -> None:
    from moelint.policy import commands

    try:
        for path in commands.new(folder):
            click.echo(f"wrote {path}")
    except UsageError as error:
        raise click.UsageError(str(error)) from None


def _finish(code: int, lines: list[str]) -> None:
    for line in lines:
        click.echo(line, err=code == 2)
    click.get_current_context().exit(code)
