"""``moelint completion``: a script that completes commands, options, values, rules and features for a shell.

The script holds all words itself, so that completing costs no start of Python. It is made from the commands, so it
cannot fall behind them; after an update it is made anew by the line in the shell's start-up file.
"""

from __future__ import annotations

from importlib import import_module

import click

from moelint.typed import Any

SHELLS = ("bash", "zsh", "fish")
_FILES = "<files>"


class Words:
    """What can follow a command: its options with help, values of options, words that stand alone."""

    __slots__ = ("choices", "name", "options", "plain", "summary")

    def __init__(self, name: str, summary: str) -> None:
        self.name, self.summary = name, summary
        self.options: list[tuple[list[str], str, bool]] = []  # names, help, takes a value
        self.choices: dict[str, list[str]] = {}  # option → its values; [_FILES]: a file
        self.plain: list[str] = []


def words() -> list[Words]:
    """All commands. ``check`` stands for the command line without a command, too."""
    from moelint.cli import COMMANDS
    from moelint.matrix.features import Table
    from moelint.policy.load import load
    from moelint.report import FORMATS
    from moelint.trainer.hardware import names as gpus

    rules = sorted(load().ids)
    out = []
    for name, summary in COMMANDS.items():
        entry = Words(name, summary)
        command = import_module(f"moelint.cli.{name}").command
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                _option(entry, parameter)
        entry.plain = list(getattr(command, "commands", {}))
        entry.choices.update(
            {flag: values for flag, values in _values(rules, list(FORMATS), gpus()).items() if _has(entry, flag)}
        )
        out.append(entry)
    by_name = {entry.name: entry for entry in out}
    by_name["explain"].plain = rules
    by_name["rules"].plain = sorted({rule[:3] for rule in rules})
    by_name["matrix"].plain = [feature.id for feature in Table("bridge").features]
    by_name["schema"].plain = _arguments("schema")
    by_name["completion"].plain = list(SHELLS)
    return out


def _option(entry: Words, option: Any) -> None:
    flags = [flag for flag in (*option.opts, *option.secondary_opts) if flag.startswith("-")]
    valued = not option.is_flag and not option.count
    entry.options.append((flags, option.help or "", valued))
    for flag in flags:
        if isinstance(option.type, click.Choice):
            entry.choices[flag] = [str(choice) for choice in option.type.choices]
        elif valued:
            entry.choices[flag] = [_FILES]


def _values(rules: list[str], formats: list[str], gpus: list[str]) -> dict[str, list[str]]:
    return {
        "--select": rules,
        "--ignore": rules,
        "--output": [f"{name}=" for name in formats],
        "--gpu": [name.lower() for name in gpus],
    }


def _has(entry: Words, flag: str) -> bool:
    return any(flag in flags for flags, _, _ in entry.options) and not (flag == "--output" and entry.name != "check")


def _arguments(name: str) -> list[str]:
    """The values of a command's first argument, if it is a choice."""
    for parameter in import_module(f"moelint.cli.{name}").command.params:
        if isinstance(parameter, click.Argument) and isinstance(parameter.type, click.Choice):
            return [str(choice) for choice in parameter.type.choices]
    return []


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script that completes moelint's commands, options, values, rules and features in SHELL."""
    click.echo({"bash": bash, "zsh": zsh, "fish": fish}[shell](words()), nl=False)


def bash(entries: list[Words]) -> str:
    names = "|".join(entry.name for entry in entries)
    out = [
        "# completion of moelint for bash: made by `moelint completion bash`",
        "_moelint() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
        "  local command=check words= options= values=",
        "  COMPREPLY=()",
        '  if [ "$COMP_CWORD" -gt 1 ]; then',
        f'    case "${{COMP_WORDS[1]}}" in {names}) command="${{COMP_WORDS[1]}}" ;; esac',
        "  fi",
        '  case "$command" in',
    ]
    for entry in entries:
        flags = " ".join(flag for names, _, _ in entry.options for flag in names)
        out += [f"    {entry.name})", f"      options='{flags} --help' words='{' '.join(entry.plain)}'"]
        cases = [f"        {flag}) values='{' '.join(values)}' ;;" for flag, values in entry.choices.items()]
        out += ['      case "$before" in', *cases, "      esac ;;"] if cases else ["      ;;"]
    out += [
        "  esac",
        f'  [ "$COMP_CWORD" -eq 1 ] && words="$words {" ".join(entry.name for entry in entries)}"',
        f'  if [ "$values" = "{_FILES}" ]; then',
        '    COMPREPLY=($(compgen -f -- "$word"))',
        '  elif [ -n "$values" ]; then',
        '    COMPREPLY=($(compgen -W "$values" -- "$word"))',
        '  elif [ "${word#-}" != "$word" ]; then',
        '    COMPREPLY=($(compgen -W "$options" -- "$word"))',
        "  else",
        '    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))',
        "  fi",
        "}",
        "complete -o filenames -F _moelint moelint",
    ]
    return "\n".join(out) + "\n"


def zsh(entries: list[Words]) -> str:
    """zsh reads bash's script through its own bridge, once its completion is up."""
    return (
        "# completion of moelint for zsh: made by `moelint completion zsh`\n"
        "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }\n"
        "autoload -Uz bashcompinit && bashcompinit\n" + bash(entries)
    )


def fish(entries: list[Words]) -> str:
    names = " ".join(entry.name for entry in entries if entry.name != "check")
    first = f"not __fish_seen_subcommand_from {names}"
    out = ["# completion of moelint for fish: made by `moelint completion fish`", "complete -c moelint -e"]
    for entry in entries:
        out.append(f"complete -c moelint -n '__fish_is_first_token' -a {entry.name} -d {_quoted(entry.summary)}")
        where = first if entry.name == "check" else f"__fish_seen_subcommand_from {entry.name}"
        for flags, help, valued in entry.options:
            words = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in flags)
            values = next((entry.choices[flag] for flag in flags if flag in entry.choices), [])
            takes = ""
            if valued:
                takes = " -r -F" if values in ([], [_FILES]) else f" -x -a {_quoted(' '.join(values))}"
            out.append(f"complete -c moelint -n '{where}' {words}{takes} -d {_quoted(help)}")
        if entry.plain:
            out.append(f"complete -c moelint -n '{where}' -a {_quoted(' '.join(entry.plain))}")
    return "\n".join(out) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
