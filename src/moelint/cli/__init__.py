"""The command line. The first word is the command if it names one, else the command is ``check``.

Commands are modules of this package, imported only when they are run: start-up is what a pre-commit hook feels.
"""

from __future__ import annotations

import gc
import sys

from moelint.typed import Any

COMMANDS = {
    "check": "Lint configs (the default command).",
    "explain": "Explain a rule, a key, a fact, or a line of a file.",
    "rules": "List the rules.",
    "policy": "Check, test or start a policy pack.",
    "schema": "Print a published JSON Schema.",
    "walls": "Show memory, communication, compute and host of a config.",
    "diagnose": "Say from the log of a failed run what to change.",
    "matrix": "Show which features go together, for a release and a GPU.",
    "compare": "Say whether two configs are a matched A/B, and what differs.",
    "init": "Set up moelint in a repository.",
    "completion": "Print the completion script of a shell.",
}


def main(argv: list[str] | None = None) -> None:
    """Run a command and exit: 0 clean, 1 findings, 2 usage, configuration or policy error."""
    gc.set_threshold(1_000_000, 20, 20)  # a check leaves hardly a cycle behind: looking for them would cost a tenth of it
    words = sys.argv[1:] if argv is None else argv
    if sys.stdout is None or sys.stderr is None:  # started with a closed stream, as by `>&-`
        _open_streams()
    name = words[0] if words and words[0] in COMMANDS else None
    arguments = words if name is None else words[1:]
    try:
        if name is None or name == "check":
            _check(arguments, "moelint" if name is None else "moelint check")
        else:
            from moelint.cli.examples import command_of

            _click(command_of(name), arguments, f"moelint {name}")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output went away, as with `| head`
        _drop_output()
        sys.exit(1)
    except OSError as error:  # a full disk, most often
        _drop_output()
        sys.stderr.write(f"moelint: {error.filename or 'the output'}: {error.strerror}\n")
        sys.exit(2)
    finally:
        if argv is None:
            gc.freeze()  # the interpreter collects thrice on its way out: a quarter of a check, for nothing


def _open_streams() -> None:
    import os

    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (for as long as the process lives)
    sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere


def _drop_output() -> None:
    """Nothing more is written to stdout, not even by the interpreter on its way out."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _check(words: list[str], program: str) -> None:
    from moelint.cli.argv import parse

    parsed = parse(words)
    if parsed is not None:
        from moelint.cli.run import run
        from moelint.cli.usage import Usage

        try:
            sys.exit(run(*parsed))
        except Usage:
            pass  # click says it
    from moelint.cli.check import command

    _click(command, words, program)


def _click(command: Any, words: list[str], program: str) -> None:
    """Run a click command. A mistake on the command line is one line, not a page of usage above it."""
    import click

    from moelint.report.escape import encodable, line

    try:
        code = command.main(words, prog_name=program, standalone_mode=False, help_option_names=["-h", "--help"])
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
            error.show()
            sys.exit(2)
        first, *rest = error.format_message().rstrip(".").split("\n")
        said = [f"{program}: {first}", *rest]
        if isinstance(error, click.UsageError) and error.ctx is not None and not rest and _of_click(error):
            said[0] += f" ({error.ctx.command_path} --help)"
        for text in said:
            sys.stderr.write(encodable(line(text) + "\n", getattr(sys.stderr, "encoding", None) or "utf-8"))
        sys.exit(2)
    except click.Abort:
        raise KeyboardInterrupt from None
    sys.exit(code if isinstance(code, int) else 0)


def _of_click(error: Exception) -> bool:
    """Whether click itself found the mistake: the help says more then. Ours say what to do."""
    return type(error).__module__.startswith("click") and type(error).__name__ != "UsageError"
