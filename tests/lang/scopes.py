"""Scopes for tests: a dict of values by name."""

from __future__ import annotations

from typing import Any

from moelint.lang.unknown import UNKNOWN


class Values:
    def __init__(self, values: dict[str, Any], spelled: dict[str, str] | None = None) -> None:
        self.values, self.spelled = values, spelled or {}
        self.memo: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        return self.values.get(name, UNKNOWN)

    def written(self, key: str) -> bool:
        return key in self.values

    def changed(self, key: str) -> Any:
        return self.values.get("changed " + key, UNKNOWN)

    def default(self, key: str) -> Any:
        return self.values.get("default " + key, UNKNOWN)

    def spelling(self, key: str) -> str:
        return self.spelled.get(key, key.rpartition(".")[2])
