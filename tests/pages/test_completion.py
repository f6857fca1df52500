"""Completion scripts: bash runs its own here; for the others their words are looked at."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from moelint.cli import COMMANDS
from moelint.cli.completion import SHELLS, command, words


def script(shell: str) -> str:
    result = CliRunner().invoke(command, [shell])
    assert result.exit_code == 0
    return result.output


def completed(folder: Path, *typed: str) -> list[str]:
    """What bash offers for the last of the typed words."""
    code = script("bash") + ('COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _moelint; printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", code, "bash", *typed], capture_output=True, text=True, check=True, cwd=folder)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (("moelint", "mat"), {"matrix"}),
        (("moelint", "--gpu"), {"--gpu", "--gpus"}),
        (("moelint", "--gpu", "h1"), {"h100"}),
        (("moelint", "explain", "OVL00"), {"OVL001", "OVL004"}),
        (("moelint", "check", "--select", "OVL00"), {"OVL001", "OVL004"}),
        (("moelint", "walls", "--format", ""), {"text", "json", "html"}),
        (("moelint", "matrix", "ep"), {"ep-overlap"}),
        (("moelint", "policy", "t"), {"test"}),
        (("moelint", "--output", "sar"), {"sarif="}),
        (("moelint", "diagnose", "--for", "tr"), {"train.yaml"}),
        (("moelint", "tr"), {"train.yaml"}),
        (("moelint", "completion", "f"), {"fish"}),
    ],
)
def test_bash(tmp_path: Path, typed: tuple[str, ...], offered: set[str]) -> None:
    (tmp_path / "train.yaml").touch()
    found = set(completed(tmp_path, *typed))
    assert offered <= found and all(word.startswith(typed[-1]) for word in found)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_every_script(shell: str) -> None:
    text = script(shell)
    for entry in words():
        assert entry.name in COMMANDS and entry.name in text
        for flags, _, _ in entry.options:
            for flag in flags:
                assert (flag if shell != "fish" else flag.lstrip("-")) in text
