"""What the trainer overrides although the author wrote it: each such rewrite is a finding by itself."""

from __future__ import annotations

from moelint.findings.anchor import fact, in_file, plain, severity, written_place
from moelint.lang.functions import equal
from moelint.lang.template import show
from moelint.read.config import Config
from moelint.results import EFFECT_SEVERITY, Finding, RuleInfo
from moelint.typed import Any

NAME = "trainer-overrides-value"


def from_override(override: Any, scope: Any, config: Any, level: str | None, strict: bool) -> Finding | None:
    """The finding of one override; None if this file does not state the key: it is not written here, written as unset
    (filling that is no override), or a dump writes every key and this one has its default."""
    written = in_file(config, override.key)
    if written is None or override.before is None:
        return None
    if is_dump(config) and equal(override.before, scope.default(override.key)) is True:
        return None
    rewrite, certainty = override.rewrite, "certain" if override.certain else "assumed"
    item = Finding(
        rewrite.id,
        NAME,
        rewrite.effect,
        severity(rewrite.effect, rewrite.severity, level, certainty, strict),
        "",
        written_place(written),
        override.key,
    )
    verb = "is deprecated" if rewrite.effect == "deprecated" else "does not hold"
    item.message = f"{written.spelling}={show(override.before)} {verb}: {show(override.after)} runs instead"
    why = reason(rewrite.message, scope)
    item.message += f", since {why}." if why else "."
    item.certainty, item.config, item.about = certainty, config.name, (override.key,)
    item.facts = {override.key: fact(override.key, scope, config)}
    item.facts[override.key]["written"] = plain(override.before)
    return item


def is_dump(config: Config) -> bool:
    """Whether the dialect is a program's output, which states every key there is."""
    from moelint.read.tables import tables

    return bool(tables()[config.dialect]["completeness"] == "complete")


def reason(message: str, scope: Any) -> str:
    """A rewrite's message as the end of a sentence."""
    if "{" in message:
        from moelint.lang.template import parse, render

        message = render(parse(message), scope)
    first, _, rest = message.strip().rstrip(".").partition(" ")
    return f"{first.lower() if first in ('The', 'A', 'An', 'This') else first} {rest}".strip()


def info(rewrite: Any) -> RuleInfo:
    """The page of a rewrite."""
    effect = rewrite.effect or "ignored"
    grade = rewrite.severity or EFFECT_SEVERITY[effect]
    out = RuleInfo(rewrite.id, NAME, effect, grade, rewrite.message, rewrite.message)
    out.sources = [(what, url or None) for what, url in rewrite.sources]
    out.evidence = "code"
    return out
