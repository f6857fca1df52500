"""Helpers of the tests of shell scripts."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.read.files import FileRead, ReadOptions, read_file
from moelint.text.shell.interpreter import Interpreter
from moelint.text.shell.script import Script
from moelint.text.shell.state import State
from moelint.text.source import Source


@pytest.fixture
def read() -> Callable[..., FileRead]:
    """``read(text, path=…, define=…, files={name: text})``: reads a script; ``files`` lie beside it in a checkout."""

    def reader(text: str, path: str = "/checkout/train.sh", **options: Any) -> FileRead:
        options.setdefault("named", True)
        return read_file(Source(path, dedent(text)), ReadOptions(**options))

    return reader


@pytest.fixture
def only(read: Callable[..., FileRead]) -> Callable[..., Config]:
    """The one config of a script."""

    def reader(text: str, **options: Any) -> Config:
        found = read(text, **options)
        assert len(found.configs) == 1, found.skipped
        return found.configs[0]

    return reader


@pytest.fixture
def words() -> Callable[..., list[list[str | None]]]:
    """``words(script, **define)``: the words of each command that is no builtin. A word that is not known is None, one
    that is there perhaps has a ``?`` before it."""

    def run(text: str, **define: str) -> list[list[str | None]]:
        source = Source("/checkout/train.sh", dedent(text))
        interpreter = Interpreter(source, define, lambda path, by: None, "/checkout")
        interpreter.run(Script(source), State())
        return [
            [f"?{word.certain_text}" if word.maybe else word.text for word in command.words]
            for command in interpreter.commands.values()
        ]

    return run


def values(config: Config) -> dict[str, Any]:
    """Canonical keys with their values, unknown ones as the text 'unknown'."""
    return {key: "unknown" if found.value is UNKNOWN else found.value for key, found in config.written.items()}
