"""The part of JSON Schema that our schemas use, with places and suggestions instead of bare paths.

A test keeps it in step with the ``jsonschema`` package, which a run need not have.
"""

from __future__ import annotations

import re

from moelint.lang.suggest import nearest
from moelint.policy.errors import PolicyProblem
from moelint.policy.yaml_tree import Path, YamlTree
from moelint.typed import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "number": (int, float),
    "integer": (int,), "null": (type(None),),
}


def load(name: str) -> dict[str, Any]:
    """A shipped schema by its file name."""
    import json
    import os

    from moelint import data

    with open(os.path.join(data.folder("schemas"), name), encoding="utf-8") as stream:
        schema: dict[str, Any] = json.load(stream)
    return schema


def validate(tree: YamlTree, schema: dict[str, Any]) -> list[PolicyProblem]:
    """Everything in which a file departs from a schema."""
    checker = _Checker(tree, schema)
    checker.check(tree.value, schema, ())
    return checker.problems


class _Checker:
    def __init__(self, tree: YamlTree, root: dict[str, Any]) -> None:
        self.tree, self.root = tree, root
        self.problems: list[PolicyProblem] = []

    def say(self, path: Path, message: str, suggestion: str | None = None, at_key: bool = False) -> None:
        self.problems.append(self.tree.problem(path, message, suggestion, at_key))

    def check(self, value: Any, schema: dict[str, Any], path: Path) -> None:
        while "$ref" in schema:
            found: Any = self.root
            for part in schema["$ref"].split("/")[1:]:
                found = found[part]
            schema = {**found, **{k: v for k, v in schema.items() if k != "$ref"}}
        if "anyOf" in schema:
            self.any_of(value, schema["anyOf"], path)
        if "type" in schema and not self.typed(value, schema["type"]):
            wanted = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            self.say(path, f"{_label(path)} must be {' or '.join(_SPOKEN[w] for w in wanted)}")
            return
        if "enum" in schema and value not in schema["enum"]:
            options = [str(o) for o in schema["enum"]]
            self.say(path, f"{_label(path)} is one of {', '.join(options)}", nearest(str(value), options))
        if isinstance(value, str):
            self.text(value, schema, path)
        elif isinstance(value, list):
            if len(value) < schema.get("minItems", 0):
                self.say(path, f"{_label(path)} must not be empty")
            for i, item in enumerate(value):
                self.check(item, schema.get("items", {}), (*path, i))
        elif isinstance(value, dict):
            self.mapping(value, schema, path)

    def typed(self, value: Any, kinds: str | list[str]) -> bool:
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            if isinstance(value, _TYPES[kind]) and not (isinstance(value, bool) and kind in ("number", "integer")):
                return True
        return False

    def any_of(self, value: Any, options: list[dict[str, Any]], path: Path) -> None:
        """Passes if one option does; else what the option of the value's own type says."""
        tried = []
        for option in options:
            inner = _Checker(self.tree, self.root)
            inner.check(value, option, path)
            if not inner.problems:
                return
            tried.append(inner.problems)
        deepest = max(tried, key=lambda problems: max((p.line, p.column) for p in problems))
        self.problems += deepest

    def text(self, value: str, schema: dict[str, Any], path: Path) -> None:
        if len(value) < schema.get("minLength", 0):
            self.say(path, f"{_label(path)} is too short")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            self.say(path, f"{value!r} is no {_label(path)}: it must match {schema['pattern']}")

    def mapping(self, value: dict[str, Any], schema: dict[str, Any], path: Path) -> None:
        known = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                who = value.get("id") or value.get("name")
                self.say(path, f"{name!r} is missing" + (f" in {who}" if isinstance(who, str) else ""))
        if len(value) < schema.get("minProperties", 0):
            self.say(path, f"{_label(path)} must not be empty")
        extra = schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in known:
                self.check(item, known[name], (*path, name))
            elif extra is False:
                self.say((*path, name), f"unknown field {name!r}", nearest(name, known), at_key=True)
            elif isinstance(extra, dict):
                self.check(item, extra, (*path, name))


_SPOKEN = {
    "object": "a mapping", "array": "a list", "string": "a text", "boolean": "true or false", "number": "a number",
    "integer": "a whole number", "null": "null",
}


def _label(path: Path) -> str:
    words = [p for p in path if isinstance(p, str)]
    if not words:
        return "the file" if not path else "an entry"
    return repr(words[-1]) if isinstance(path[-1], str) else f"an entry of {words[-1]!r}"
