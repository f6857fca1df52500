"""``MOELINT_EXAMPLES=20000`` raises the number of examples of every property: ``make nightly``."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

_HELD = "_hypothesis_internal_use_settings"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    wanted = int(os.environ.get("MOELINT_EXAMPLES", "0"))
    for item in items if wanted else ():
        function = getattr(item, "obj", None)
        held = getattr(function, _HELD, None)
        if held is not None:
            setattr(function, _HELD, settings(held, max_examples=max(held.max_examples, wanted), deadline=None))
