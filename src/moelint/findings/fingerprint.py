"""What makes a finding the same one in two revisions: its rule, its config and its keys; no path, no line, no value."""

from __future__ import annotations

from moelint.results import Finding


def fnv(text: str) -> str:
    """64-bit FNV-1a as 16 hex digits: stable for ever, and no hashlib (OpenSSL's start-up) in every check."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


_MOST = 10_000  # fingerprints that are remembered: the same few rules speak of thousands of files
_known: dict[str, str] = {}


def number(findings: list[Finding]) -> None:
    """Give every finding of one file its fingerprint; equals are told apart by their order in the text."""
    seen: dict[str, int] = {}
    for item in findings:
        identity = "\0".join([item.rule, item.case or "", item.config or "", *item.about])
        ordinal = seen[identity] = seen.get(identity, 0) + 1
        identity = f"{identity}\0{ordinal}"
        found = _known.get(identity)
        if found is None:
            if len(_known) >= _MOST:
                _known.clear()
            found = _known[identity] = fnv(identity)
        item.fingerprint = found
