"""What the configuration of the current folder adds to a command that looks at no file."""

from __future__ import annotations

from collections.abc import Iterable


def policies(given: Iterable[str]) -> list[str]:
    """The packs that the nearest configuration names, for whatever path, then those of the command line, each once.
    Raises ConfError."""
    from moelint.conf.load import for_folder

    named = [name for section in for_folder(".").sections for name in section.policies]
    return list(dict.fromkeys([*named, *given]))
