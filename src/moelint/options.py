"""What a run was asked to do: the command line's options, or those of a program that uses the Python API."""

from __future__ import annotations

from collections.abc import Callable


class Options:
    """Defaults are those of a plain ``moelint``. ``target`` and ``define`` are key → text as given."""

    __slots__ = (
        "base",
        "baseline",
        "cache",
        "config",
        "define",
        "fix",
        "ignore",
        "jobs",
        "no_config",
        "policies",
        "progress",
        "resume_from",
        "rule_info",
        "select",
        "show_undecided",
        "since",
        "staged",
        "stdin",
        "stdin_filename",
        "strict",
        "target",
        "unsafe_fixes",
        "whole",
        "write",
        "write_baseline",
    )

    def __init__(self) -> None:
        self.select: list[str] = []
        self.ignore: list[str] = []
        self.target: dict[str, str] = {}
        self.define: dict[str, str] = {}
        self.base: str | None = None
        self.policies: list[str] = []
        self.config: str | None = None  # a configuration file instead of the nearest one
        self.no_config = False
        self.strict = False
        self.fix = False  # work fixes out and count them; ``write`` puts them into the files
        self.write = True
        self.unsafe_fixes = False
        self.show_undecided = False
        self.rule_info = False  # fill Report.rules
        self.since: str | None = None  # REV or A..B: mark what is new since then
        self.staged = False  # the new side is git's index
        self.whole = False  # with since: check every file of the paths, not only what the change touches
        self.resume_from: str | None = None  # the config that a checkpoint was saved with
        self.baseline: str | None = None
        self.write_baseline = False
        self.jobs: int | None = None
        self.cache = True
        self.stdin: bytes | None = None
        self.stdin_filename: str | None = None
        self.progress: Callable[[int, int], None] | None = None  # (files done, files in all)
