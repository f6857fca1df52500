"""``moelint [check]``: lint configs, and fix them where asked."""

from __future__ import annotations

import sys
from typing import Any

import click

from moelint.report import FORMATS

_EPILOG = """\b
Commands (moelint COMMAND --help):
  check     lint configs (the default)
  explain   a rule, a key, or FILE:LINE
  rules     list the rules
  policy    check, test or start a policy pack
  schema    print a JSON Schema
  init      write a starting .moelint.yaml

\b
Exit code: 0 nothing at or above --fail-on is left, 1 something is,
2 usage, configuration or policy error, or a path that cannot be read."""


def _pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    out = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"'{value}' is not KEY=VALUE")
        out[key.strip()] = text.strip()
    return out


def _outputs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    out = []
    for value in values:
        format, equals, path = value.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"'{value}' is not FORMAT=FILE")
        if format not in FORMATS:
            raise click.BadParameter(f"'{format}' is not one of {', '.join(FORMATS)}")
        out.append((format, path))
    return out


def _rules(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", nargs=-1)
@click.option("--fix", is_flag=True, help="Apply safe fixes in place.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: unsafe fixes too.")
@click.option("--diff", is_flag=True, help="Print as a patch what --fix would do; write nothing.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="Format of stdout. [default: text]")
@click.option(
    "--output",
    multiple=True,
    callback=_outputs,
    metavar="FORMAT=FILE",
    help="Write a report to a file too. Repeatable.",
)
@click.option("--select", multiple=True, callback=_rules, metavar="RULES", help="Run only these rules or prefixes.")
@click.option("--ignore", multiple=True, callback=_rules, metavar="RULES", help="Leave out these rules or prefixes.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    help="Least severity for exit code 1. [default: error]",
)
@click.option("--strict", is_flag=True, help="Assumed findings keep their full severity.")
@click.option("--show-undecided", is_flag=True, help="List the checks that wait for a value.")
@click.option("--show-facts", is_flag=True, help="Show every value that a finding read.")
@click.option("--show-files", is_flag=True, help="List every file with how it was read.")
@click.option(
    "--target",
    multiple=True,
    callback=_pairs,
    metavar="KEY=VALUE",
    help="State the target, as a directive does. Repeatable.",
)
@click.option("--gpu", metavar="NAME", help="Short for --target gpu=NAME.")
@click.option("--gpus", metavar="N", type=click.IntRange(min=1), help="Short for --target gpus=N.")
@click.option("--base", metavar="NAME-or-FILE", help="The recipe or file that the configs override.")
@click.option(
    "--define",
    multiple=True,
    callback=_pairs,
    metavar="NAME=VALUE",
    help="Value of a script variable or interpolation. Repeatable.",
)
@click.option("--policy", "policies", multiple=True, metavar="PATH-or-pack", help="Another policy pack. Repeatable.")
@click.option("--config", metavar="FILE", help="Configuration file instead of the nearest one.")
@click.option("--no-config", is_flag=True, help="Read no configuration file.")
@click.option("--stdin-filename", metavar="NAME", help="What '-' is called and where it is taken to lie.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes. [default: by number of files]")
@click.option("--no-cache", is_flag=True, help="Compile policies anew.")
@click.option("-q", "--quiet", is_flag=True, help="Findings only.")
@click.option("-v", "--verbose", count=True, help="Show folded notes and where targets come from.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even with findings.")
@click.option("--version", is_flag=True, help="Show the version and exit.")
def command(paths: tuple[str, ...], **given: Any) -> None:
    """Lint configs of mixture-of-experts training jobs on NVIDIA Megatron.

    PATHS are files and folders; '-' is stdin, no PATHS the current folder. Options may stand anywhere.
    """
    if given["version"]:
        from moelint.version import __version__

        click.echo(f"moelint {__version__}")
        return
    from moelint.cli.run import run

    sys.exit(run(list(paths) or ["."], given))
