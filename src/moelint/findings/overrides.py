"""What the trainer overrides although the author wrote it: each such rewrite is a finding by itself."""

from __future__ import annotations

from typing import Any

from moelint.findings.anchor import fact, in_file, plain, severity, written_place
from moelint.lang.template import show
from moelint.results import Finding, RuleInfo

NAME = "trainer-overrides-value"


def from_override(override: Any, scope: Any, config: Any, level: str | None, strict: bool) -> Finding | None:
    """The finding of one override; None if this file does not write the key."""
    written = in_file(config, override.key)
    if written is None:
        return None
    rewrite, certainty = override.rewrite, "certain" if override.certain else "assumed"
    item = Finding(
        rewrite.id, NAME, rewrite.effect, severity(rewrite.effect, None, level, certainty, strict), "",
        written_place(written), override.key,
    )
    verb = "is deprecated" if rewrite.effect == "deprecated" else "does not hold"
    item.message = f"{written.spelling}={show(override.before)} {verb}: {show(override.after)} runs instead"
    reason = rewrite.message.strip().rstrip(".")
    item.message += f", since {reason}." if reason else "."
    item.certainty, item.config, item.about = certainty, config.name, (override.key,)
    item.facts = {override.key: fact(override.key, scope, config)}
    item.facts[override.key]["written"] = plain(override.before)
    return item


def info(rewrite: Any) -> RuleInfo:
    """The page of a rewrite."""
    out = RuleInfo(rewrite.id, NAME, rewrite.effect or "ignored", "warning", rewrite.message, rewrite.message)
    out.sources = [(what, url or None) for what, url in rewrite.sources]
    out.evidence = "code"
    return out
