"""What a run was asked to do: the command line's options, or those of a program that uses the Python API."""

from __future__ import annotations

from collections.abc import Callable


class Options:
    """Defaults are those of a plain ``moelint``. ``target`` and ``define`` are key → text as given."""

    __slots__ = (
        "base",
        "cache",
        "config",
        "define",
        "fix",
        "ignore",
        "jobs",
        "no_config",
        "policies",
        "progress",
        "rule_info",
        "select",
        "show_undecided",
        "stdin",
        "stdin_filename",
        "strict",
        "target",
        "unsafe_fixes",
        "write",
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
        self.jobs: int | None = None
        self.cache = True
        self.stdin: bytes | None = None
        self.stdin_filename: str | None = None
        self.progress: Callable[[int, int], None] | None = None  # (files done, files in all)
