"""Dialect tables (``trainers/dialects/*.yaml``) → plain data. Runs only when a table changed; see ``tables``."""

from __future__ import annotations

import os

from moelint.typed import Any

Pattern = tuple[Any, ...]  # a path; None stands for any one key

_FIELDS = {
    "absent",
    "astray",
    "variables",
    "form",
    "like",
    "id",
    "title",
    "trainer",
    "order",
    "hints",
    "recognise",
    "values",
    "interpolation",
    "collapse",
    "completeness",
    "configs",
    "keys",
    "shared",
    "convert",
    "defaults",
    "target",
    "base",
    "model",
    "inherit",
    "instead",
    "write",
    "hook",
    "rest",
    "facts",
    "off",
    "release",
    "typed",
}
_VALUES = {"yaml", "omegaconf", "flags", "words"}
_INTERPOLATIONS = {"none", "omegaconf", "shell", "primus"}
_TESTS = {"has", "any", "none", "maps", "matches"}


class DialectError(Exception):
    """A dialect table that cannot be used, with the file and what is wrong with it."""


def compile_all(folder: str) -> dict[str, dict[str, Any]]:
    """Dialect id → compiled table, in the order of recognition. Raises DialectError."""
    import yaml

    tables = []
    texts: dict[str, Any] = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".yaml"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts[name] = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for name, data in texts.items():
        path = os.path.join(folder, name)
        table = compile_one(_like(data, texts, path), path)
        if table["id"] != name[: -len(".yaml")]:
            raise DialectError(f"{path}: the file must be named like its id {table['id']!r}")
        tables.append(table)
    tables.sort(key=lambda table: (table["order"], table["id"]))
    return {table["id"]: table for table in tables}


def _like(data: Any, texts: dict[str, Any], path: str) -> Any:
    """A table over the one that it is ``like``; maps are merged, anything else is replaced."""
    if not isinstance(data, dict) or "like" not in data:
        return data
    other = texts.get(f"{data['like']}.yaml")
    if not isinstance(other, dict) or "like" in other:
        raise DialectError(f"{path}: like names no dialect that stands by itself")
    out = dict(other)
    for field in ("recognise", "hints"):
        out.pop(field, None)
    for field, value in data.items():
        held = out.get(field)
        out[field] = {**held, **value} if isinstance(held, dict) and isinstance(value, dict) else value
    return out


def compile_one(data: Any, path: str = "<dialect>") -> dict[str, Any]:
    """One table in compiled form. Raises DialectError on fields or values that do not exist."""
    if not isinstance(data, dict) or not {"id", "trainer"} <= set(data):
        raise DialectError(f"{path}: a dialect needs at least id and trainer")
    if unknown := sorted(set(data) - _FIELDS):
        raise DialectError(f"{path}: unknown field {unknown[0]!r}")
    for field, allowed in (("values", _VALUES), ("interpolation", _INTERPOLATIONS)):
        if data.get(field, "yaml" if field == "values" else "none") not in allowed:
            raise DialectError(f"{path}: {field} is one of {', '.join(sorted(allowed))}")
    exact, prefixes = _keys(data.get("keys") or {})
    shared_exact, shared_prefixes = _keys(data.get("shared") or {})
    return {
        "id": data["id"],
        "title": data.get("title", data["id"]),
        "trainer": data["trainer"],
        "order": data.get("order", 50),
        "form": data.get("form", "yaml"),
        "hints": tuple(data.get("hints") or ()),
        "tops": _tops(data.get("recognise") or ()),
        "recognise": tuple(_recognition(test, path) for test in data.get("recognise") or ()),
        "values": data.get("values", "yaml"),
        "interpolation": data.get("interpolation", "none"),
        "collapse": bool(data.get("collapse")),
        "completeness": data.get("completeness"),
        "blocks": tuple(_block(block) for block in data.get("configs") or ()),
        "exact": exact,
        "prefixes": prefixes,
        "shared_exact": shared_exact,
        "shared_prefixes": shared_prefixes,
        "write": _reverse(data),
        "convert": dict(data.get("convert") or {}),
        "defaults": dict(data.get("defaults") or {}),
        "target": {pattern(spelling): word for spelling, word in (data.get("target") or {}).items()},
        "base": tuple(pattern(spelling) for spelling in data.get("base") or ()),
        "model": tuple(pattern(spelling) for spelling in data.get("model") or ()),
        "inherit": data.get("inherit"),
        "instead": tuple((_stem(a), _stem(b)) for a, b in (data.get("instead") or {}).items()),
        "hook": data.get("hook"),
        "rest": data.get("rest"),
        "absent": data.get("absent"),
        "variables": data.get("variables"),
        "astray": {pattern(path): right for path, right in (data.get("astray") or {}).items()},
        "facts": data.get("facts"),
        "typed": bool(data.get("typed")),
        "release": _release(data.get("release"), path),
        "off": tuple((pattern(path), value) for path, value in (data.get("off") or {}).items()),
    }


def _release(raw: Any, path: str) -> tuple[str, str, dict[str, str], dict[str, str]] | None:
    """(package, newest release known, canonical key → last release that reads it, package → release that it ships)."""
    if raw is None:
        return None
    if not isinstance(raw, dict) or not {"package", "newest"} <= set(raw) <= {"package", "newest", "until", "pins"}:
        raise DialectError(f"{path}: release has package, newest and perhaps until and pins")
    until = {str(key): str(release) for key, release in (raw.get("until") or {}).items()}
    pins = {str(name).replace("-", "_"): str(release) for name, release in (raw.get("pins") or {}).items()}
    return str(raw["package"]).replace("-", "_"), str(raw["newest"]), until, pins


def pattern(text: str) -> Pattern:
    """``a.*.b`` → ("a", None, "b"). Components are separated by dots; a component of digits is a position."""
    return tuple(None if part == "*" else int(part) if part.isdigit() else part for part in text.split("."))


def _keys(table: dict[str, str | None]) -> tuple[dict[Pattern, str | None], dict[Pattern, str | None]]:
    exact: dict[Pattern, str | None] = {}
    prefixes: dict[Pattern, str | None] = {}
    for spelling, key in table.items():
        if spelling == "*" or spelling.endswith(".*"):
            prefixes[pattern(spelling)[:-1]] = None if key is None else _stem(key)
        else:
            exact[pattern(spelling)] = key
    return exact, prefixes


def _reverse(data: dict[str, Any]) -> tuple[tuple[bool, str, Pattern, str], ...]:
    """How canonical keys are written: (exact?, key or its prefix, path or its prefix, scope), the first that fits wins.

    The table ``write`` comes first; then ``keys`` (scope 'block') and ``shared`` (scope 'document') turned round,
    longest key first.
    """
    own = [_written(key, spelling, "block") for key, spelling in (data.get("write") or {}).items()]
    turned = [_written(key, spelling, "block") for spelling, key in (data.get("keys") or {}).items() if key]
    turned += [_written(key, spelling, "document") for spelling, key in (data.get("shared") or {}).items() if key]
    turned.sort(
        key=lambda entry: (not entry[0], -len(entry[1]), -len(entry[2]) if entry[1] == "args." else len(entry[2]))
    )
    return (*own, *turned)


def _written(key: str, spelling: str, scope: str) -> tuple[bool, str, Pattern, str]:
    if key == "*" or key.endswith(".*"):
        path = pattern(spelling)
        return False, _stem(key), path[:-1] if path[-1] is None else path, scope
    return True, key, pattern(spelling), scope


def _stem(key: str) -> str:
    return key[:-1] if key.endswith("*") else key


def _block(block: dict[str, Any]) -> tuple[Pattern, tuple[tuple[Pattern, str], ...]]:
    return pattern(block["at"]), tuple((pattern(path), regex) for path, regex in (block.get("when") or {}).items())


def _tops(tests: Any) -> frozenset[str] | None:
    """First keys of which a document must have one to fit any of the descriptions; None if it need not."""
    out: set[str] = set()
    for test in tests:
        for field in ("any", "has", "maps", "matches"):
            paths = test.get(field)
            if paths:
                firsts = {pattern(p)[0] for p in paths}
                if None in firsts:
                    return None
                out |= firsts
                break
    return frozenset(out)


def _recognition(test: dict[str, Any], path: str) -> dict[str, Any]:
    if unknown := sorted(set(test) - _TESTS):
        raise DialectError(f"{path}: unknown test {unknown[0]!r} in recognise")
    out: dict[str, Any] = {
        field: tuple(pattern(p) for p in test[field]) for field in ("has", "any", "none", "maps") if field in test
    }
    if "any" in test:
        found = out.pop("any")
        out["any_path"] = frozenset(p for p in found if None not in p)
        out["any_map"] = frozenset(p[:-1] for p in found if p[-1] is None and None not in p[:-1])
        out["any_wild"] = tuple(p for p in found if None in p[:-1])
    if "matches" in test:
        out["matches"] = tuple((pattern(p), regex) for p, regex in test["matches"].items())
    return out
