"""The page of a rule."""

from __future__ import annotations

from moelint.findings.pages import page
from moelint.results import RuleInfo
from moelint.typed import Any


def find(word: str, packs: Any) -> RuleInfo | None:
    """The rule that a word names: its id, an id that it once had, an id with a case, its name."""
    id = word.partition(".")[0].upper()
    id = packs.redirects.get(id, id)
    try:
        return page(id, [packs])
    except KeyError:
        pass
    named = next((i for i, (name, _) in packs.ids.items() if name == word), None)
    return page(named, [packs]) if named is not None else None


def explain(info: RuleInfo, packs: Any) -> list[str]:
    """The page as lines."""
    out = [f"{info.id} {info.name}", _kind(info), "", *info.help.strip().splitlines()]
    text = packs.texts.get(info.id) if info.id in packs.ids else None
    if text is not None:
        out += _logic(text)
        related = related_rules(info.id, packs)
        if related:
            out += ["", "Related", *(f"  {id} {packs.ids[id][0]}" for id in related)]
    out += ["", "Not here?", f"  # moelint: ignore[{info.id}] because …"]
    if info.sources:
        out += ["", "Sources"]
        out += [f"  {what}" + (f": {url}" if url else "") for what, url in info.sources]
    if info.url:
        out += ["", info.url]
    return out


def _kind(info: RuleInfo) -> str:
    words = [
        f"{info.severity}: the trainer {_VERB[info.effect]}"
        if info.effect in _VERB
        else f"{info.severity}: {info.effect}"
    ]
    if info.wall:
        words.append(f"{info.wall} wall")
    if info.evidence:
        words.append(f"evidence: {info.evidence}")
    return "; ".join(words)


_VERB = {
    "refuses": "refuses it",
    "crashes": "crashes",
    "hangs": "hangs",
    "corrupts": "trains something else than meant",
    "ignored": "ignores it",
}


def _logic(text: dict[str, Any]) -> list[str]:
    """When the rule fires, where it stands, since when, and an example."""
    out = _conditions(text)
    for case in text["by_case"]:
        out += ["", f"Case {case['case']}", *(f"  {line}" for line in _conditions(case) if line)]
    if text.get("about"):
        out += ["", "Stands at the first of these that the file writes", *(f"  {key}" for key in text["about"])]
    bad = next((example for example in text.get("examples") or [] if "bad" in example), None)
    if bad is not None:
        out += ["", "Example", *(f"  {line}" for line in yaml_lines(bad["bad"]))]
        if bad.get("fixed"):
            out += ["", "Fixed", *(f"  {line}" for line in changes(bad["bad"], bad["fixed"]))]
    if text.get("log"):
        out += ["", "In a log (moelint diagnose LOG)", *(f"  {log}" for log in text["log"])]
    if text.get("since"):
        out += ["", f"Since {text['since']}"]
    return out


def related_rules(id: str, packs: Any) -> list[str]:
    """Rules that are about the same settings, the nearest first."""
    own = set(packs.texts[id]["about"])
    near = []
    for other, text in packs.texts.items():
        shared = own & set(text["about"])
        if other != id and shared:
            near.append((-len(shared) / len(own | set(text["about"])), other))
    return [other for _, other in sorted(near)[:6]]


def _conditions(text: dict[str, Any]) -> list[str]:
    """What a rule, or one case of it, looks at."""
    out = []
    for field, title in (("when", "Looks where"), ("require", "Requires")):
        parts = text.get(field)
        if parts is not None:
            parts = parts if isinstance(parts, list) else [parts]
            out += ["", title, *(f"  {part}" for part in parts)]
    if text.get("applies"):
        out += ["", "Applies to", f"  {_applies(text['applies'])}"]
    return out


def _applies(applies: Any) -> str:
    if isinstance(applies, list):
        return ", or ".join(_applies(part) for part in applies)
    return ", ".join(f"{key} {', '.join(v) if isinstance(v, list) else v}" for key, v in applies.items())


def _flat(data: Any, prefix: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and value:
            out.update(_flat(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = value
    return out


def yaml_lines(data: dict[str, Any], indent: str = "") -> list[str]:
    out = []
    for key, value in data.items():
        if isinstance(value, dict) and value:
            out += [f"{indent}{key}:", *yaml_lines(value, indent + "  ")]
        else:
            out.append(f"{indent}{key}: {scalar(value)}")
    return out


def scalar(value: Any) -> str:
    """A value as YAML writes it on one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    return str(value)


def changes(bad: dict[str, Any], fixed: dict[str, Any]) -> list[str]:
    before, after = _flat(bad), _flat(fixed)
    out = [f"- {key}: {scalar(value)}" for key, value in before.items() if after.get(key, before) != value]
    return out + [f"+ {key}: {scalar(value)}" for key, value in after.items() if before.get(key, after) != value]
