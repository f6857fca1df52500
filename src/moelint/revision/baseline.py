"""The baseline: findings that a project knows and lives with for now, by path and fingerprint.

    {"version": 1, "findings": [{"path": "configs/a.yaml", "rule": "OVL004", "config": "config", "key": "…",
                                 "fingerprint": "…"}]}

Paths are relative to the baseline's own folder. ``rule``, ``config`` and ``key`` are for the reader of a diff.
"""

from __future__ import annotations

import json
import os

from moelint.errors import UsageError
from moelint.results import Finding
from moelint.typed import Any

VERSION = 1
DEFAULT = ".moelint-baseline.json"


class Baseline:
    """``entries``: (path relative to the folder, fingerprint) → entry, as it stands in the file."""

    __slots__ = ("entries", "folder", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = os.path.dirname(os.path.abspath(path))
        self.entries: dict[tuple[str, str], dict[str, Any]] = {}

    def relative(self, path: str) -> str:
        return os.path.relpath(os.path.abspath(path), self.folder).replace(os.sep, "/")

    def absolute(self, entry: dict[str, Any]) -> str:
        return os.path.normpath(os.path.join(self.folder, entry["path"]))

    def key(self, path: str, item: Finding) -> tuple[str, str]:
        return self.relative(path), item.fingerprint

    def entry(self, path: str, item: Finding) -> dict[str, Any]:
        rule = f"{item.rule}.{item.case}" if item.case else item.rule
        known = {"path": self.relative(path), "rule": rule, "config": item.config, "key": item.key}
        return {**known, "fingerprint": item.fingerprint}

    def text(self) -> str:
        """The file: one entry a line, sorted, so that a diff shows what came and went."""
        rows = sorted(
            self.entries.values(), key=lambda e: (e["path"], str(e.get("rule")), str(e.get("key")), e["fingerprint"])
        )
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        return (
            f'{{"version": {VERSION}, "findings": [\n{lines}\n]}}\n'
            if rows
            else f'{{"version": {VERSION}, "findings": []}}\n'
        )


def load(path: str) -> Baseline:
    """Raises UsageError on a file that is missing, broken, or of another version."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            data = json.load(file)
    except OSError as error:
        raise UsageError(f"{path}: the baseline cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}:{error.colno}: the baseline is not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError):
        raise UsageError(f"{path}: the baseline is not JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise UsageError(f"{path}: this is no baseline of moelint (--write-baseline writes one)")
    if data.get("version") != VERSION:
        said = f"the baseline has version {data.get('version')}, and this moelint reads {VERSION}"
        raise UsageError(f"{path}: {said}: write it anew with --write-baseline")
    out = Baseline(path)
    for entry in data["findings"]:
        if not isinstance(entry, dict) or not all(isinstance(entry.get(k), str) for k in ("path", "fingerprint")):
            raise UsageError(f"{path}: an entry of the baseline has no path or fingerprint")
        out.entries[entry["path"], entry["fingerprint"]] = entry
    return out
