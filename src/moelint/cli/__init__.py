"""The command line. The first word is the command if it names one, else the command is ``check``.

Commands are modules of this package, imported only when they are run: start-up is what a pre-commit hook feels.
"""

from __future__ import annotations

import gc
import sys

COMMANDS = {
    "check": "Lint configs (the default command).",
    "explain": "Explain a rule, a key, a fact, or a line of a file.",
    "rules": "List the rules.",
    "policy": "Check, test or start a policy pack.",
    "schema": "Print a published JSON Schema.",
    "walls": "Show memory, communication, compute and host of a config.",
    "diagnose": "Say from the log of a failed run what to change.",
    "compare": "Say whether two configs are a matched A/B, and what differs.",
    "init": "Write a starting .moelint.yaml.",
}


def main(argv: list[str] | None = None) -> None:
    """Run a command and exit: 0 clean, 1 findings, 2 usage, configuration or policy error."""
    gc.set_threshold(200_000, 20, 20)  # a check lives for milliseconds: collecting cycles would cost a tenth of it
    words = sys.argv[1:] if argv is None else argv
    name = words[0] if words and words[0] in COMMANDS else None
    arguments = words if name is None else words[1:]
    try:
        if name is None or name == "check":
            _check(arguments, "moelint" if name is None else "moelint check")
        else:
            from importlib import import_module

            import_module(f"moelint.cli.{name}").command.main(arguments, prog_name=f"moelint {name}")
    except BrokenPipeError:  # the reader of our output went away, as with `| head`
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    finally:
        if argv is None:
            gc.freeze()  # the interpreter collects thrice on its way out: a quarter of a check, for nothing


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
        except KeyboardInterrupt:
            sys.exit(130)
    from moelint.cli.check import command

    command.main(words, prog_name=program)
