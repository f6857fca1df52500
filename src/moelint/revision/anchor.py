"""Where the finding of a change rule stands: at what was changed, or at the parent of what was taken out."""

from __future__ import annotations

from moelint.findings.anchor import anchor, in_file, plain
from moelint.findings.problems import place
from moelint.read.config import Config
from moelint.results import Finding, Place
from moelint.trainer.change import changed
from moelint.typed import Any

_OTHERS = ("before.", "target.", "hw.", "walls.")  # no settings of this config

# figure, what it is, format, unit
_ESTIMATES = (
    ("memory.total_gib", "memory", ".0f", " GiB"),
    ("communication.ep_ms_per_layer", "dispatch and combine", ".2f", " ms a layer"),
    ("compute.bubble", "pipeline bubble", ".2f", ""),
    ("compute.step_s", "step", ".2f", " s"),
)


def anchor_change(verdict: Any, effective: Any, level: str | None, strict: bool) -> Finding | None:
    """The finding of a verdict about two revisions; None if this file shows nothing of the change."""
    config, old = effective.config, effective.before
    about = [key for key in verdict.rule.about if changed(effective, old, key) is not False]
    written = [key for key in about if in_file(config, key) is not None]
    where = None
    if not written:
        removed = [key for key in about if in_file(old.config, key) is not None]
        if not removed:
            return None
        written, where = removed[:1], parent(removed[0], config, old.config)
    item = anchor(verdict, config, level, strict, written, where)
    if item is not None:
        item.new = True
        item.about = tuple(verdict.rule.about)
        item.facts = _differences(item.facts, effective)
        if item.wall is not None:
            item.message += estimates(effective)
    return item


def estimates(effective: Any) -> str:
    """The walls before and after as a sentence; empty where the change moves none that is known."""
    new, old = effective.scope(), effective.before.scope()
    said = []
    for name, what, form, unit in _ESTIMATES:
        before, after = old.get(f"walls.{name}"), new.get(f"walls.{name}")
        if not isinstance(before, (int, float)) or not isinstance(after, (int, float)):
            continue
        texts = [f"{value:{form}}" for value in (before, after)]
        if texts[0] != texts[1]:
            said.append(f"{what} {texts[0]} → {texts[1]}{unit} ({after - before:+{form}})")
    return f" Estimated: {', '.join(said)}." if said else ""


def _differences(facts: dict[str, Any], effective: Any) -> dict[str, Any]:
    """Of the settings that a rule read those that changed, each with what it was."""
    out = {}
    scope = effective.before.scope()
    for key, fact in facts.items():
        if key.startswith(_OTHERS):
            out[key] = fact
        elif changed(effective, effective.before, key) is not False:
            out[key] = {**fact, "before": plain(scope.get(key))}
    return out


def parent(key: str, config: Config, old: Config) -> Place:
    """The section that held a removed setting, as far as the new text still has it; else the config's first line."""
    sections = getattr(config.document, "sections", {})
    setting = old.written[key].setting
    path = setting.path if setting is not None else ()
    source = config.document.source
    for length in range(len(path) - 1, 0, -1):
        if path[:length] in sections:
            return place(source, *sections[path[:length]])
    start = source.line_starts()[config.line - 1]
    return place(source, start, start + len(source.line(config.line)))
