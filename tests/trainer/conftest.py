"""A cache folder of its own for every run, so that no compiled table of an earlier one is read."""

from __future__ import annotations

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["MOELINT_CACHE"] = str(tmp_path_factory.mktemp("cache"))
