"""What stands behind a rule, for formats that print it: packs' rules, rewrites, built-in ones."""

from __future__ import annotations

from moelint.findings.builtin_pages import info as builtin
from moelint.lang.unknown import UNKNOWN
from moelint.results import RuleInfo
from moelint.typed import Any


class _NoScope:
    """Renders a page's text where no config is at hand: values are not known."""

    def get(self, name: str) -> Any:
        return UNKNOWN

    def written(self, key: str) -> Any:
        return UNKNOWN

    changed = default = written


NO_SCOPE = _NoScope()


def page(id: str, packs: list[Any]) -> RuleInfo:
    """What is to be said of a rule. Raises KeyError if there is none of this id."""
    found = builtin(id)
    if found is not None:
        return found
    for pack in packs:
        if id in pack.ids:
            return _of_pack(id, pack)
    if id.startswith("RW"):
        from moelint.findings.overrides import info as rewritten
        from moelint.trainer.compiled import rewrites

        for trainer in ("bridge", "lm", "core"):
            for rewrite in rewrites(trainer).entries:
                if rewrite.id == id:
                    return rewritten(rewrite)
    raise KeyError(id)


def _of_pack(id: str, pack: Any) -> RuleInfo:
    from moelint.lang.template import render
    from moelint.results import EFFECT_SEVERITY

    text = pack.texts[id]
    case = pack.rule(text["first"])
    summary = text["name"].replace("-", " ").capitalize()
    out = RuleInfo(
        id, text["name"], text["effect"] or case.effect, case.severity, summary, render(text["why"], NO_SCOPE)
    )
    out.severity = case.severity or EFFECT_SEVERITY[out.effect]
    out.evidence, out.wall, out.url = text["evidence"], text["wall"], pack.url(id)
    out.sources = [(what, url or None) for what, url in text["sources"]]
    return out
