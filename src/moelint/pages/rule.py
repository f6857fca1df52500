"""The page of a rule: what happens, why, when, an example as a diff, fixes, how it is logged, how to suppress it."""

from __future__ import annotations

from moelint.explain.rule import changes, related_rules, scalar, yaml_lines
from moelint.findings.pages import NO_SCOPE, page
from moelint.lang.template import render
from moelint.typed import Any

_EFFECT = {
    "refuses": "the trainer refuses the config",
    "crashes": "the job crashes",
    "hangs": "the job hangs",
    "corrupts": "the job trains something else than was meant",
    "ignored": "the trainer ignores or changes it without asking",
    "slow": "the job is slower than it has to be",
    "memory": "the job may not fit",
    "advice": "worth knowing",
    "deprecated": "an old spelling",
}


def markdown(id: str, packs: Any) -> str:
    """The page of any rule: a pack's, a built-in one, a rewrite."""
    info = page(id, [packs])
    out = [f"# {id}: {words(info.name)}", ""]
    facts = [f"**{info.severity}**: {_EFFECT[info.effect]}"]
    facts += [f"{info.wall} wall"] if info.wall else []
    facts += [f"evidence: {info.evidence}"] if info.evidence else []
    text = packs.texts.get(id) if id in packs.ids else None
    if text is not None:
        facts += [f"pack `{text['pack']}`"] + ([f"since {text['since']}"] if text.get("since") else [])
    out += [" · ".join(facts), ""]
    said = messages(id, packs) if text is not None else []
    if said:
        out += ["## What moelint says", "", *(f"> {escaped(line)}\n" for line in said)]
    out += ["## Why", "", info.help.strip(), ""]
    if text is not None:
        out += _of_pack(id, text, packs)
    out += _suppress(id)
    if info.sources:
        out += ["## Sources", "", *(f"- [{what}]({url})" if url else f"- {what}" for what, url in info.sources), ""]
    return "\n".join(out)


def words(name: str) -> str:
    return name.replace("-", " ")


def escaped(text: str) -> str:
    """Words that Markdown leaves alone."""
    for mark in "\\`*_[]<>|":
        text = text.replace(mark, "\\" + mark)
    return text


def messages(id: str, packs: Any) -> list[str]:
    """The messages that the rule's bad examples give."""
    from moelint.policy.examples import findings_of

    out: dict[str, None] = {}
    for example in packs.texts[id]["examples"]:
        if "bad" in example:
            for verdict in findings_of(packs, id, example):
                out.setdefault(render(verdict.message, verdict.scope))
    return list(out)[:6]


def _of_pack(id: str, text: dict[str, Any], packs: Any) -> list[str]:
    out = ["## When", ""]
    out += _conditions(text)
    for case in text["by_case"]:
        out += [f"### {words(case['case'] or '')}", "", *_conditions(case)]
    out += ["It stands at the first of these keys that the file writes:", ""]
    out += [_key(key) for key in text["about"]] + [""]
    out += _examples(text)
    out += _fixes(text, packs)
    if text["log"]:
        out += ["## In a log", "", "`moelint diagnose` knows it by:", "", *(f"- `{log}`" for log in text["log"]), ""]
    related = related_rules(id, packs)
    if related:
        out += ["## Related", ""]
        out += [f"- [{other}]({other}.md): {words(packs.ids[other][0])}" for other in related] + [""]
    return out


def _key(key: str) -> str:
    if key.startswith("group:"):
        return f"- any {key.partition(':')[2]} setting"
    return f"- [`{key}`](../keys/{slug(key)}.md)"


def slug(key: str) -> str:
    """A key as a file name."""
    return "".join(c if c.isalnum() or c in "._" else "-" for c in key)


def _conditions(text: dict[str, Any]) -> list[str]:
    out = []
    for field, title in (("when", "Looks where"), ("require", "Requires")):
        parts = text.get(field)
        if parts is not None:
            parts = parts if isinstance(parts, list) else [parts]
            out += [f"{title}:", "", "```python", *(str(part) for part in parts), "```", ""]
    applies = text.get("applies")
    for entry in applies if isinstance(applies, list) else [applies] if applies else []:
        parts = [f"{key} {', '.join(map(str, v)) if isinstance(v, list) else v}" for key, v in entry.items()]
        out += [f"- For {escaped(', '.join(parts))}"]
    return [*out, ""] if out else out


def _examples(text: dict[str, Any]) -> list[str]:
    out: list[str] = []
    for example in text["examples"]:
        if "bad" not in example:
            continue
        name = f": {words(example['case'])}" if example.get("case") else ""
        out += [f"## Example{name}", "", "```yaml", *yaml_lines(example["bad"]), "```", ""]
        if example.get("fixed"):
            lines = changes(example["bad"], example["fixed"])
            out += ["Fixed:", "", "```diff", *lines, "```", ""]
        if len(out) > 120:
            break
    good = next((example for example in text["examples"] if "good" in example), None)
    if good is not None:
        out += ["Nothing to say of:", "", "```yaml", *yaml_lines(good["good"]), "```", ""]
    return out


def _fixes(text: dict[str, Any], packs: Any) -> list[str]:
    rows: dict[str, None] = {}
    for number in range(text["first"], text["first"] + text["cases"]):
        for fix in packs.rule(number).fixes:
            parts = [f"`{key}: {_value(tree)}`" for key, tree in fix[2].items()]
            parts += [f"add `{value}` to `{key}`" for key, value in fix[3].items()]
            parts += [f"take `{value}` out of `{key}`" for key, value in fix[4].items()]
            parts += [f"rename `{old}` to `{new}`" for old, new in fix[5].items()]
            parts += [f"leave out `{key}`" for key in fix[6]]
            why = render(fix[7], NO_SCOPE).strip().replace("|", "\\|")
            rows.setdefault(f"| {fix[0]} | {', '.join(parts)} | {why} |")
    if not rows:
        return []
    return ["## Fixes", "", "| safety | what | why |", "|---|---|---|", *rows, ""]


def _value(tree: Any) -> str:
    return scalar(tree[1]) if tree[0] == "const" else "(computed)"


def _suppress(id: str) -> list[str]:
    return [
        "## Not here?", "",
        "State why, in the file, directly above the line or at its end:", "",
        "```yaml", f"# moelint: ignore[{id}] because …", "```", "",
        "or for a whole project in `.moelint.yaml`:", "",
        "```yaml", "ignore:", f"  {id}: the reason", "```", "",
        f"`severity: {{{id}: note}}` there keeps it, with less weight.", "",
    ]  # fmt: skip
