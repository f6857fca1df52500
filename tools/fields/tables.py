"""Turns field sets of single releases into one table: canonical key → ranges of releases with the same
specification."""

from __future__ import annotations

from typing import Any

from fields.annotations import Unknown, read_annotation, read_default

Spec = dict[str, Any]
Fields = dict[str, Spec]  # canonical key → specification, in one release


def specification(annotation: str, default: str | None, required: bool, owner: str) -> Spec:
    """Plain data of one dataclass field. A default that the source does not state stands as ``unknown: why``."""
    read = read_annotation(annotation)
    spec: Spec = {"type": "|".join(read.types) or "any"}
    if read.nullable:
        spec["null"] = True
    if read.choices:
        spec["choices"] = read.choices
    value: Any = Unknown("required") if required else read_default(default)
    if isinstance(value, Unknown):
        spec["unknown"] = value.why
    elif isinstance(value, dict) and "expr" in value:
        spec["expr"] = value["expr"]
    else:
        spec["default"] = value
    spec["class"] = owner
    return spec


def class_fields(dump: dict[str, Any], name: str, section: str) -> Fields:
    """The fields of a dumped dataclass as canonical keys of a section; empty if the release has no such class."""
    found = dump["classes"].get(name)
    if found is None:
        return {}
    out: Fields = {}
    for field, facts in found["fields"].items():
        if field.startswith("_"):
            continue
        owner = (facts.get("class") or facts.get("defined_in") or name).split(" ")[-1]
        spec = specification(facts["type"], facts["default"], facts["required"], owner)
        if spec["type"] != "classvar":
            out[f"{section}.{field}"] = spec
    return out


def ranges(releases: list[str], by_release: dict[str, Fields]) -> dict[str, list[list[Any]]]:
    """key → [[first release, last release, specification], …], releases in order, gaps left out."""
    out: dict[str, list[list[Any]]] = {}
    for at, release in enumerate(releases):
        for key, spec in by_release.get(release, {}).items():
            spans = out.setdefault(key, [])
            if spans and at and spans[-1][1] == releases[at - 1] and spans[-1][2] == spec:
                spans[-1][1] = release
            else:
                spans.append([release, release, spec])
    return dict(sorted(out.items()))


def differences(base: Fields, other: Fields) -> Fields:
    """What another variant (a subclass) has that the base has not, or has otherwise; None marks what it lacks."""
    out: Fields = {k: v for k, v in other.items() if base.get(k) != v}
    out.update({k: {"absent": True} for k in base if k not in other})
    return out
