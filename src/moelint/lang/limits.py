"""Bounds that keep every expression cheap, whatever a pack's author (or a hostile pack) writes."""

from __future__ import annotations

TEXT = 8_000  # characters of one expression
DEPTH = 40  # nesting of one expression
NODES = 1_000  # parts of one expression
LIST = 100_000  # elements of a list
NUMBER = 10**30  # magnitude of a number
STRING = 10_000  # characters of a string
STEPS = 1_000_000  # list elements that one evaluation may visit


class Fuel:
    """List elements that the expression being evaluated may still visit. Spent, its value is unknown."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = 1 << 62  # outside metered expressions, of which each gets STEPS: what others visit never adds up


FUEL = Fuel()
