"""Runs the command line in this process, as a user would type it."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moelint.cli import main
from moelint.conf import load as conf_load


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def moelint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """``moelint("--format", "json", "a.yaml", stdin=b"…")`` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*words: str, stdin: bytes = b"") -> Result:
        conf_load._found.clear()
        out, err = io.BytesIO(), io.BytesIO()
        streams: dict[str, Any] = {
            "stdout": io.TextIOWrapper(out, encoding="utf-8", write_through=True),
            "stderr": io.TextIOWrapper(err, encoding="utf-8", write_through=True),
            "stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
        }
        code = 0
        with contextlib.ExitStack() as stack:
            for name, stream in streams.items():
                stack.callback(setattr, sys, name, getattr(sys, name))
                setattr(sys, name, stream)
            try:
                main(list(words))
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        return Result(code, out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8"))

    return run
