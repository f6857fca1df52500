"""``moelint init``: a starting .moelint.yaml."""

from __future__ import annotations

import os

import click

STARTER = """\
# moelint's configuration (`moelint schema config` prints its JSON Schema). Patterns are relative to this file.

# What the configs run on. A directive in a file, such as "# moelint: gpus=64", and the command line win over it.
# target: {gpu: h100, gpus: 64, megatron-bridge: 0.6.0}

# Severities by rule or family: error, warning, note, off.
# severity: {MEM: note}

# Rules that do not hold for this project, each with the reason.
# ignore:
#   HWR001: our fabric is not among the profiles

# Packs of your own beside the shipped ones (docs/writing-policies.md), relative to this file.
# policies: [policies/my-team]

# Folders to leave out; a file that is named on the command line is always checked.
# exclude: ["third_party/**"]

# Settings for some paths; later entries win.
# paths:
#   - match: configs/gb200/**
#     target: {gpu: gb200}
"""


@click.command()
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(force: bool) -> None:
    """Write a .moelint.yaml with every setting explained into the current folder."""
    try:
        with open(".moelint.yaml", "w" if force else "x", encoding="utf-8") as file:
            file.write(STARTER)
    except FileExistsError:
        raise click.UsageError(".moelint.yaml exists already: --force replaces it") from None
    except OSError as error:
        raise click.UsageError(f"{os.path.abspath('.moelint.yaml')}: {error.strerror}") from None
    click.echo("wrote .moelint.yaml")
