"""``moelint [check]`` as a click command: help, and all mistakes on the command line. ``argv`` is the usual road."""

from __future__ import annotations

import sys

import click

from moelint.cli import COMMANDS
from moelint.cli.examples import epilog
from moelint.cli.options import OPTIONS, output, pair, rules
from moelint.report import FORMATS
from moelint.typed import Any

_COMMANDS = "\n".join(f"  {name:<9} {what}" for name, what in COMMANDS.items())
_EPILOG = f"""{epilog("check")}

\b
Commands (moelint COMMAND --help):
{_COMMANDS}

\b
Exit code: 0 nothing at or above --fail-on is left, 1 something is,
2 usage, configuration or policy error, or a path that cannot be read."""


def _pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    out = {}
    for value in values:
        found = pair(value)
        if found is None:
            raise click.BadParameter(f"'{value}' is not KEY=VALUE")
        out[found[0]] = found[1]
    return out


def _outputs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    out = []
    for value in values:
        found = output(value)
        if found is None:
            raise click.BadParameter(f"'{value}' is not FORMAT=FILE with a format of {', '.join(FORMATS)}")
        out.append(found)
    return out


def _rules(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [word for value in values for word in rules(value)]


def _option(
    names: tuple[str, ...], key: str, kind: str | tuple[str, ...], metavar: str | None, help: str
) -> click.Option:
    words = [*names, key]
    if isinstance(kind, tuple):
        return click.Option(words, type=click.Choice(kind), default="auto" if key == "color" else None, help=help)
    if kind == "flag":
        return click.Option(words, is_flag=True, help=help)
    if kind == "count":
        return click.Option(words, count=True, help=help)
    if kind == "number":
        return click.Option(words, type=click.IntRange(min=1), metavar=metavar, help=help)
    if kind == "text":
        return click.Option(words, metavar=metavar, help=help)
    callbacks: dict[str, Any] = {
        "pairs": _pairs,
        "outputs": _outputs,
        "rules": _rules,
        "texts": lambda c, p, v: list(v),
    }
    return click.Option(words, multiple=True, metavar=metavar, callback=callbacks[kind], help=help)


def _run(paths: tuple[str, ...], version: bool, **given: Any) -> None:
    if version:
        from moelint.version import __version__

        click.echo(f"moelint {__version__}")
        return
    from moelint.cli.run import run
    from moelint.cli.usage import Usage

    try:
        sys.exit(run(list(paths), given))
    except Usage as error:
        raise click.UsageError(str(error)) from None


command = click.Command(
    "check",
    callback=_run,
    help=(
        "Lint configs of mixture-of-experts training jobs on NVIDIA Megatron.\n\n"
        "PATHS are files and folders; '-' is stdin, no PATHS the current folder. Options may stand anywhere."
    ),
    epilog=_EPILOG,
    params=[
        click.Argument(["paths"], nargs=-1),
        *(_option(*entry) for entry in OPTIONS),
        click.Option(["--version"], is_flag=True, help="Show the version and exit."),
    ],
    context_settings={"max_content_width": 100},
)
