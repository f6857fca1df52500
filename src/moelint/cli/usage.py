"""Options that contradict each other."""

from __future__ import annotations


class Usage(Exception):
    """What was asked for cannot be done together; exit code 2."""
