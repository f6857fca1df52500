"""``moelint init``: the configuration, the pre-commit hook and the workflow of a repository. Asks nothing."""

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


HOOK = """\
  - repo: https://github.com/moelint/moelint
    rev: v{version}
    hooks:
      - id: moelint
      # - id: moelint-fix   # applies safe fixes
"""

WORKFLOW = """\
name: moelint

on:
  pull_request:
  push:
    branches: [main]

permissions: {{}}

concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}

jobs:
  moelint:
    name: Lint training configs
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to check the configs out
      security-events: write # to show findings as code scanning alerts
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          persist-credentials: false
          fetch-depth: 0 # the action compares with the base of a pull request
      - uses: moelint/moelint@v{version} # zizmor: ignore[unpinned-uses] -- pin it to the release's commit
        with:
          fail-on: error
"""


def _files() -> list[tuple[str, str]]:
    """(path, text) of everything that a repository needs; hook and workflow belong at its root."""
    from moelint.discover import repository_root
    from moelint.version import __version__

    root = repository_root(".")
    top = os.path.relpath(root) if root is not None else "."
    return [
        (".moelint.yaml", STARTER),
        (os.path.normpath(os.path.join(top, ".pre-commit-config.yaml")), "repos:\n" + HOOK.format(version=__version__)),
        (
            os.path.normpath(os.path.join(top, ".github", "workflows", "moelint.yml")),
            WORKFLOW.format(version=__version__),
        ),
    ]


@click.command()
def command() -> None:
    """Set a repository up: .moelint.yaml with every setting explained, the pre-commit hook, the GitHub workflow. What
    there already is left as it is."""
    for path, text in _files():
        try:
            if not os.path.isdir(os.path.dirname(path) or "."):
                os.makedirs(os.path.dirname(path))
        except OSError as error:
            raise click.UsageError(f"{os.path.dirname(path)}: cannot be made: {error.strerror}") from None
        try:
            with open(path, "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            click.echo(f"kept {path}")
            _missing_hook(path, text)
        except OSError as error:
            raise click.UsageError(f"{path}: {error.strerror}") from None
        else:
            click.echo(f"wrote {path}")


def _missing_hook(path: str, text: str) -> None:
    """A hook configuration that knows nothing of moelint: what to add to it."""
    if not path.endswith(".pre-commit-config.yaml"):
        return
    try:
        with open(path, encoding="utf-8") as file:
            if "moelint" in file.read():
                return
    except (OSError, UnicodeDecodeError):
        return
    click.echo(f"add to the repos of {path}:\n" + text.removeprefix("repos:\n").rstrip())
