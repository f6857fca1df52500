"""Finds the shipped data folders (policies, trainers, schemas) in a wheel and in an editable checkout."""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def root() -> str:
    """The folder that holds ``policies/``, ``trainers/`` and ``schemas/``: inside the wheel, else the checkout."""
    inside = os.path.join(_HERE, "_data")
    return inside if os.path.isdir(inside) else os.path.dirname(os.path.dirname(_HERE))


def folder(name: str) -> str:
    """Absolute path of a shipped data folder, such as ``trainers``."""
    return os.path.join(root(), name)
