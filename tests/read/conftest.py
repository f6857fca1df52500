"""Helpers of the tests of the read room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from moelint.read.files import FileRead, ReadOptions, read_file
from moelint.text.source import Source

Read = Callable[..., FileRead]


@pytest.fixture
def read() -> Read:
    """``read(text, path=…, named=…, define=…)``: reads a text as a file."""

    def reader(text: str, path: str = "train.yaml", **options: Any) -> FileRead:
        return read_file(Source(path, text), ReadOptions(**options))

    return reader
