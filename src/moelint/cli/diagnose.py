"""``moelint diagnose``: from a log of a failed or odd run to the rule, the cause and the line to change."""

from __future__ import annotations

import os
import sys
import time

import click

from moelint.typed import Any

_EPILOG = """\b
Examples:
  moelint diagnose slurm-4711.out
  moelint diagnose slurm-4711.out --for configs/deepseek_v3.yaml
  kubectl logs job/train | moelint diagnose - --format json
  moelint diagnose logs/rank*.log.gz

\b
Exit code: 0 nothing fatal found, 1 a fatal cause found,
2 usage, configuration or policy error, or a log that cannot be read to its end."""


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@click.option("--for", "meant", metavar="FILE", help="The config that should have run: name the line to change.")
@click.option("--name", help="The config to take, where FILE holds several.")
@click.option("--target", multiple=True, metavar="KEY=VALUE", help="For --for: state the target. Repeatable.")
@click.option("--base", metavar="NAME-or-FILE", help="For --for: the recipe or file that the config overrides.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
@click.option("--policy", "policies", multiple=True, metavar="PATH-or-pack", help="Another policy pack. Repeatable.")
@click.option("--config", metavar="FILE", help="Configuration file instead of the nearest one.")
@click.option("--no-config", is_flag=True, help="Read no configuration file.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour. [default: auto]")
def command(logs: tuple[str, ...], format_: str, color: str, **given: Any) -> None:
    """Read the log of a run that failed, hung or was slow, and name the rule, the cause and the fix.

    LOG is a training log, Slurm output or a traceback, plain or packed (gzip, bzip2, xz), of any size; '-' is stdin.
    Warnings that tell of a silent change are reported even for a run that succeeded. With --for, the config that the
    trainer printed is held against the one that was meant."""
    from moelint.conf.model import ConfError
    from moelint.errors import UsageError
    from moelint.text.source import TextError

    try:
        code = _run(logs, format_, color, given)
    except (UsageError, ConfError) as error:
        raise click.UsageError(str(error)) from None
    except TextError as error:
        raise click.UsageError(f"{error.path}: {error.message}") from None
    sys.exit(code)


def _run(logs: tuple[str, ...], format_: str, color: str, given: dict[str, Any]) -> int:
    from moelint.diagnose import show
    from moelint.diagnose.knowledge import Knowledge
    from moelint.diagnose.run import diagnose
    from moelint.diagnose.stream import LogError
    from moelint.policy.load import load

    packs = load(given["policies"])
    meant, effective = (None, None) if given["meant"] is None else _meant(given)
    knowledge = Knowledge(packs)
    found, failed = [], False
    for path in logs:
        bar = _Bar(path) if sys.stderr.isatty() else None
        try:
            result = diagnose(path, knowledge, meant, effective, bar)
        except LogError as error:
            click.echo(f"moelint: {error}", err=True)
            failed = True
            continue
        finally:
            if bar is not None:
                bar.clear()
        if result.broken:
            click.echo(f"moelint: {result.broken}", err=True)
            failed = True
        if not result.bytes:
            click.echo(f"moelint: {path}: is empty", err=True)
            failed = True
        found.append(result)
        if format_ == "text" and result.bytes:
            _print(show.text(result, _width(), _colored(color)), first=len(found) == 1)
    if format_ == "json":
        import json

        click.echo(json.dumps({"version": show.VERSION, "logs": [show.data(item) for item in found]}, indent=1))
    return 2 if failed else int(any(item.fatal for item in found))


def _meant(given: dict[str, Any]) -> tuple[Any, Any]:
    """(report, effective config) of the file that should have run. Raises UsageError if it holds no one config."""
    from moelint.api import check, read
    from moelint.cli.options import pairs
    from moelint.engine import Engine
    from moelint.errors import UsageError
    from moelint.options import Options

    path = given["meant"]
    options = Options()
    options.policies, options.base = list(given["policies"]), given["base"]
    options.config, options.no_config = given["config"], given["no_config"]
    options.target = pairs(given["target"], "--target")
    report = check([path], options)
    if report.problems:
        raise UsageError(report.problems[0])
    engine = Engine(options)
    source = read(path, options)
    configs = [c for c in engine.configs(source) if given["name"] in (None, c.name)]
    if not configs:
        raise UsageError(
            f"{path}: no training config that moelint knows"
            + (f" is called '{given['name']}'" if given["name"] else "")
        )
    if len(configs) > 1:
        names = ", ".join(c.name for c in configs[:6])
        raise UsageError(f"{path} holds {len(configs)} configs: choose one with --name ({names})")
    return report, engine.effective(configs[0], source)[0]


def _print(lines: list[str], first: bool) -> None:
    from moelint.report import escape

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    for line in ([] if first else [""]) + lines:
        click.echo(escape.encodable(line, encoding), color=True)


def _width() -> int:
    import shutil

    return min(120, max(60, shutil.get_terminal_size((100, 24)).columns))


def _colored(color: str) -> bool:
    if color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return color == "always"


class _Bar:
    """A progress bar on the terminal's stderr, once reading takes longer than half a second."""

    def __init__(self, path: str) -> None:
        self._path, self._start, self._shown, self._drawn = path, time.monotonic(), False, 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._start < 0.5 or now - self._drawn < 0.1:
            return
        self._shown, self._drawn = True, now
        share = min(1.0, done / total)
        left = (now - self._start) * (1 / share - 1) if share else 0.0
        filled = int(30 * share)
        sys.stderr.write(f"\r{self._path} [{'#' * filled}{'.' * (30 - filled)}] {share:4.0%}, {left:.0f} s left\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
