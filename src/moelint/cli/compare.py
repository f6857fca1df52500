"""``moelint compare A B``: whether two configs are a matched A/B."""

from __future__ import annotations

import sys

import click

from moelint.errors import UsageError
from moelint.text.files import write_whole
from moelint.typed import Any


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", help="[default: text]"
)
@click.option("--rollback", metavar="FILE", help="Write the override that takes B back to A.")
@click.option("--target", multiple=True, metavar="KEY=VALUE", help="State the target of both. Repeatable.")
@click.option("--gpu", metavar="NAME", help="Short for --target gpu=NAME.")
@click.option("--gpus", type=click.IntRange(min=1), help="Short for --target gpus=N.")
@click.option("--define", multiple=True, metavar="NAME=VALUE", help="A script variable or interpolation. Repeatable.")
@click.option("--policy", "policies", multiple=True, metavar="PATH-or-pack", help="Another policy pack. Repeatable.")
@click.option("--config", metavar="FILE", help="Configuration file instead of the nearest one.")
@click.option("--no-config", is_flag=True, help="Read no configuration file.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour. [default: auto]")
def command(a: str, b: str, format_: str, rollback: str | None, **given: Any) -> None:
    """Compare two configs after defaults and rewrites: which settings differ, which of them is the one variable, what
    breaks comparability, and the walls side by side.

    A and B are files, REV:path, or names of official recipes; FILE#NAME picks one of several configs in a file.
    Exit code: 0 a matched A/B, 1 not comparable, 2 usage."""
    from moelint.comparing.compare import compare
    from moelint.comparing.rollback import rollback as way_back
    from moelint.comparing.sides import side
    from moelint.conf.model import ConfError

    try:
        options = _options(given)
        left, right = side(a, options), side(b, options)
        found = compare(left, right)
        sys.stdout.write(_render(found, format_, given["color"]))
        if rollback is not None:
            _write(rollback, way_back(left, right))
    except (UsageError, ConfError) as error:
        sys.stdout.flush()
        raise click.UsageError(str(error)) from None
    sys.exit(0 if found["comparable"] else 1)


def _options(given: dict[str, Any]) -> Any:
    from moelint.cli.options import pairs
    from moelint.options import Options

    options = Options()
    options.target, options.define = pairs(given["target"], "--target"), pairs(given["define"], "--define")
    for name in ("gpu", "gpus"):
        if given[name] is not None:
            options.target[name] = str(given[name])
    options.policies, options.config, options.no_config = list(given["policies"]), given["config"], given["no_config"]
    return options


def _render(found: dict[str, Any], format_: str, color: str) -> str:
    from moelint.report import compare as report
    from moelint.report import escape

    if format_ == "json":
        import json

        return json.dumps(found, indent=1, default=str) + "\n"
    if format_ == "markdown":
        shown = report.markdown(found)
    else:
        import os

        colored = sys.stdout.isatty() and "NO_COLOR" not in os.environ if color == "auto" else color == "always"
        shown = report.text(found, colored)
    return escape.encodable(shown, getattr(sys.stdout, "encoding", None) or "utf-8")


def _write(path: str, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
