"""The reference of the command line, from the commands themselves: every command, every option, every example."""

from __future__ import annotations

from moelint.cli import COMMANDS
from moelint.cli.examples import command_of
from moelint.typed import Any


def markdown() -> str:
    out = ["# Command line", "", "The first word is the command if it names one, else the command is `check`.", ""]
    for name, summary in COMMANDS.items():
        out += [f"## moelint {name}", "", summary, ""]
        out += _command(command_of(name), f"moelint {name}")
    return "\n".join(out)


def _command(command: Any, program: str) -> list[str]:
    import click

    context = click.Context(command, info_name=program)
    usage = " ".join(command.collect_usage_pieces(context))
    out = ["```console", f"$ {program} {usage}", "```", ""]
    help = (command.help or "").replace("\b", "").strip()
    out += [*help.splitlines(), ""] if help else []
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    if options:
        out += ["| option | |", "|---|---|"]
        for option in options:
            record = option.get_help_record(context)
            if record is not None:
                text = record[1].replace("|", "\\|").replace("<", "\\<")
                out.append(f"| `{record[0].replace('|', ', ')}` | {text} |")
        out.append("")
    epilog = (command.epilog or "").replace("\b", "").strip()
    if epilog:
        out += ["```text", epilog, "```", ""]
    for sub in getattr(command, "commands", {}).values():
        out += [f"### {program} {sub.name}", "", *_command(sub, f"{program} {sub.name}")]
    return out
