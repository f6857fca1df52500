"""The measurement contract (trainers/contract.yaml): which section a setting belongs to, and of what kind it is."""

from __future__ import annotations

import os

from moelint import data
from moelint.typed import Any


class Contract:
    """``sections``: names in the contract's order."""

    __slots__ = ("_by_key", "_kinds", "_other", "_prefixes", "sections")

    def __init__(self) -> None:
        from moelint.policy.names import groups
        from moelint.policy.yaml_tree import read

        rows: list[dict[str, Any]] = read(os.path.join(data.folder("trainers"), "contract.yaml"))[0].value
        members = groups()[0]
        self.sections: list[str] = [row["section"] for row in rows]
        self._kinds: dict[str, str] = {row["section"]: row["kind"] for row in rows}
        self._by_key: dict[str, str] = {}
        self._other: dict[str, str] = {}
        self._prefixes: list[tuple[str, str]] = []
        for row in rows:
            keys = [*row.get("keys", ()), *(key for group in row.get("groups", ()) for key in members[group])]
            for kind, exceptions in (row.get("but") or {}).items():
                self._other.update(dict.fromkeys(exceptions, kind))
                keys += exceptions
            for key in keys:
                self._by_key.setdefault(key, row["section"])
            self._prefixes += [(prefix, row["section"]) for prefix in row.get("prefixes", ())]

    def section(self, key: str) -> str:
        """The section of a key; 'the run' for what no section knows."""
        found = self._by_key.get(key)
        if found is None:
            found = next((section for prefix, section in self._prefixes if (key + ".").startswith(prefix)), None)
        return found or self.sections[-1]

    def explicit(self, key: str) -> bool:
        """Whether the contract names the key itself, not only its family."""
        return key in self._by_key

    def kind(self, key: str) -> str:
        """fixed, variable or free."""
        return self._other.get(key) or self._kinds[self.section(key)]
