"""``moelint matrix``: which features go together, computed by asking the rules."""

from __future__ import annotations

import os
import sys

import click

from moelint.text.files import write_whole
from moelint.typed import Any

_EPILOG = """\b
Examples:
  moelint matrix                                    the whole matrix for the newest Megatron Bridge
  moelint matrix ep-overlap --gpu gb200             one feature with all others, in words
  moelint matrix ep-overlap recompute-moe           one cell: the rules, and what would make it work
  moelint matrix --target megatron-core=0.16.1 --format markdown
  moelint matrix --format html --output matrix.html

\b
Exit code: 0, or 2 for a usage, configuration or policy error."""


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("features", nargs=-1, metavar="[FEATURE]…")
@click.option(
    "--target", multiple=True, metavar="KEY=VALUE", help="Release, packages, GPU, as in a directive. Repeatable."
)
@click.option("--gpu", metavar="NAME", help="Short for --target gpu=NAME. [default: h100]")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json", "html"]),
    default="text",
    help="[default: text]",
)
@click.option("--output", metavar="FILE", help="Write to a file instead of stdout.")
@click.option("--list", "list_", is_flag=True, help="List the features with what they set.")
@click.option("--policy", "policies", multiple=True, metavar="PATH-or-pack", help="Another policy pack. Repeatable.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour. [default: auto]")
def command(features: tuple[str, ...], format_: str, output: str | None, list_: bool, color: str, **given: Any) -> None:
    """Show which features of a training config go together: compatible, with a condition, refused, silently ignored.

    Each cell is a complete job that has both features, judged by the rules for the release and GPU of the target. With
    one FEATURE its row in words, with two their cell, with more a smaller grid."""
    from moelint.errors import UsageError

    try:
        words = _run(features, format_, list_, color if output is None else "never", given)
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    if output is None:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        sys.stdout.write(words.encode(encoding, "replace").decode(encoding))
        return
    try:
        write_whole(output, words)
    except OSError as error:
        raise click.UsageError(f"{output}: cannot be written: {error.strerror}") from None


def _run(names: tuple[str, ...], format_: str, list_: bool, color: str, given: dict[str, Any]) -> str:
    from moelint.matrix import show
    from moelint.matrix.cells import Matrix
    from moelint.policy.load import load

    matrix = Matrix(load(given["policies"]), _stated(given))
    if list_:
        return _listed(matrix)
    chosen = _chosen(names, matrix)
    width = _width()
    if format_ == "text" and len(chosen) == 2:
        return "\n".join([show.heading(matrix), "", *show.one_cell(matrix.cell(*chosen), width)]) + "\n"
    bar = _Bar() if sys.stderr.isatty() else None
    rows = list(matrix.rows(chosen or matrix.features, bar))
    if bar is not None:
        bar.clear()
    if format_ == "json":
        import json

        return json.dumps(show.data(matrix, rows), indent=1, ensure_ascii=False) + "\n"
    if format_ == "markdown":
        return show.markdown(matrix, rows)
    if format_ == "html":
        from moelint.matrix.html import page

        return page(matrix, rows)
    if len(chosen) == 1:
        return "\n".join(show.one_row(matrix, rows[0], width)) + "\n"
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return "\n".join(show.text(matrix, rows, _colored(color), "utf" in encoding.lower())) + "\n"


def _stated(given: dict[str, Any]) -> dict[str, str]:
    """The target, checked as the command line of a check is. Raises UsageError."""
    from moelint.cli.options import pairs
    from moelint.engine import check_target

    stated = pairs(given["target"], "--target")
    if given["gpu"] is not None:
        stated["gpu"] = given["gpu"]
    for key, value in stated.items():
        check_target(key, value, "--target")
    return {"gpu": "h100", **stated}


def _chosen(names: tuple[str, ...], matrix: Any) -> list[Any]:
    """The features by name. Raises UsageError with did-you-mean."""
    from moelint.errors import UsageError
    from moelint.lang.suggest import nearest

    by_name = {feature.id: feature for feature in matrix.features}
    for name in names:
        if name not in by_name:
            near = nearest(name, by_name)
            raise UsageError(f"no feature '{name}'" + (f": did you mean {near}?" if near else "; --list shows them"))
    return [by_name[name] for name in dict.fromkeys(names)]


def _listed(matrix: Any) -> str:
    from moelint.matrix.show import settings_text

    out = []
    for feature in matrix.features:
        settings = matrix.settings(feature)
        out.append(f"{feature.id:<26} {feature.title}")
        out.append(f"{'':<26} {settings_text(settings) if settings is not None else 'not in this release'}")
    return "\n".join(out) + "\n"


def _width() -> int:
    import shutil

    return min(110, max(60, shutil.get_terminal_size((100, 24)).columns))


def _colored(color: str) -> bool:
    if color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return color == "always"


class _Bar:
    """Progress on the terminal's stderr."""

    def __call__(self, done: int, total: int) -> None:
        sys.stderr.write(f"\rmatrix: {done} of {total} features\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
