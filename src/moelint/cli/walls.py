"""``moelint walls``: the page of one config, or two side by side."""

from __future__ import annotations

import os
import sys

import click

from moelint.errors import UsageError
from moelint.text.files import write_whole
from moelint.typed import Any

_FORMATS = ["text", "json", "html"]
_SHOWN = ("gpu", "gpus", "gpus-per-node", "nvlink-domain", "hbm-gb", "container", "megatron-core", "megatron-bridge")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--format", "format_", type=click.Choice(_FORMATS), default="text", help="[default: text]")
@click.option("--output", metavar="FILE", help="Write to a file instead of stdout.")
@click.option("--name", help="The config to show, where a file holds several.")
@click.option("--target", multiple=True, metavar="KEY=VALUE", help="State the target, as a directive does. Repeatable.")
@click.option("--gpu", metavar="NAME", help="Short for --target gpu=NAME; or a profile file of your own.")
@click.option("--gpus", type=click.IntRange(min=1), help="Short for --target gpus=N.")
@click.option("--base", metavar="NAME-or-FILE", help="The recipe or file that the configs override.")
@click.option("--define", multiple=True, metavar="NAME=VALUE", help="A script variable or interpolation. Repeatable.")
@click.option("--config", metavar="FILE", help="Configuration file instead of the nearest one.")
@click.option("--no-config", is_flag=True, help="Read no configuration file.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour. [default: auto]")
def command(files: tuple[str, ...], format_: str, output: str | None, name: str | None, **given: Any) -> None:
    """Show what stands in a config's way: its meshes, memory by stage, communication, compute and host, which wall
    stands first and what to try next. Two FILEs are shown side by side."""
    from moelint.conf.model import ConfError
    from moelint.text.source import TextError

    try:
        pages = [page for path in files for page in _pages(path, name, given)]
    except (UsageError, ConfError) as error:
        raise click.UsageError(str(error)) from None
    except TextError as error:
        raise click.UsageError(f"{error.path}: {error.message}") from None
    if not pages:
        raise click.UsageError(_nothing(files, name))
    text = _render(pages, format_, len(files) == 2, _colored(given["color"], output), output)
    if output is None:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        return
    try:
        write_whole(output, text)
    except OSError as error:
        raise click.UsageError(f"{output}: cannot be written: {error.strerror}") from None


def _pages(path: str, name: str | None, given: dict[str, Any]) -> list[dict[str, Any]]:
    from moelint.api import read
    from moelint.cli.options import pairs
    from moelint.engine import Engine
    from moelint.options import Options
    from moelint.trainer.walls_page import page

    options = Options()
    options.target, options.define = pairs(given["target"], "--target"), pairs(given["define"], "--define")
    if given["gpu"] is not None:
        options.target["gpu"] = given["gpu"]
    if given["gpus"] is not None:
        options.target["gpus"] = str(given["gpus"])
    options.base, options.config, options.no_config = given["base"], given["config"], given["no_config"]
    engine = Engine(options)
    source = read(path, options)
    out = []
    for config in engine.configs(source):
        if name is not None and config.name != name:
            continue
        effective, _ = engine.effective(config, source)
        _known_gpu(effective.target.get("gpu"))
        stated = effective.target.stated()
        target = {key: stated[key] for key in _SHOWN if key in stated}
        shown = os.path.splitext(os.path.basename(path))[0] if config.name == "config" else config.name
        out.append(page(effective.scope().get, shown, path, config.line, target))
    return out


def _known_gpu(gpu: Any) -> None:
    """Raises UsageError for a GPU that no profile describes."""
    if not isinstance(gpu, str):
        return
    from moelint.lang.suggest import nearest
    from moelint.trainer.hardware import facts, names

    if facts(gpu) is None:
        near = nearest(gpu.upper(), names())
        hint = f"; did you mean {near}?" if near else ""
        known = ", ".join(names())
        raise UsageError(f"no hardware profile is called '{gpu}'{hint} (known: {known}; or a profile's FILE.yaml)")


def _nothing(files: tuple[str, ...], name: str | None) -> str:
    shown = ", ".join(files)
    if name is not None:
        return f"{shown}: no config is called '{name}'"
    return f"{shown}: no training config that moelint knows (state its dialect: # moelint: dialect=…)"


def _columns(output: str | None) -> int:
    """Columns of the terminal; COLUMNS wins, and a file or a pipe has the usual ones."""
    from moelint.report.walls_text import WIDTH

    said = os.environ.get("COLUMNS", "")
    if output is not None:
        return WIDTH
    if said.isdecimal():
        return int(said)
    return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else WIDTH


def _colored(color: str, output: str | None) -> bool:
    if color == "auto":
        return output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return color == "always"


def _render(pages: list[dict[str, Any]], format_: str, beside: bool, color: bool, output: str | None) -> str:
    if format_ == "json":
        import json

        return json.dumps({"version": 1, "pages": pages}, indent=1, ensure_ascii=False) + "\n"
    if format_ == "html":
        from moelint.report.walls_html import html

        return html(pages, beside)
    from moelint.report.walls_text import text

    encoding = "utf-8" if output is not None else getattr(sys.stdout, "encoding", None) or "ascii"
    return text(pages, beside, color, "utf" in encoding.lower(), _columns(output))
