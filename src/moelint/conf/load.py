"""Finds and reads the configuration that holds for a folder, and says where it is wrong.

The nearest ``.moelint.yaml`` or ``pyproject.toml`` with ``[tool.moelint]``, from the folder up to the repository's
root.
"""

from __future__ import annotations

import os

from moelint.conf.model import Conf, ConfError, Section
from moelint.typed import Any

NAMES = (".moelint.yaml", ".moelint.yml", "pyproject.toml")
_SECTION = {
    **dict.fromkeys(("target", "severity", "ignore", "define"), "mapping"),
    "strict": "bool",
    "policies": "strings",
}
_TOP = {
    **_SECTION,
    "include": "strings",
    "exclude": "strings",
    "select": "strings",
    "fail-on": "severity",
    "paths": "sections",
}
_PATH = {**_SECTION, "match": "strings"}
_SEVERITIES = ("error", "warning", "note", "off")
_found: dict[str, Conf] = {}


def for_folder(folder: str) -> Conf:
    """The configuration of a folder; an empty one if there is none. Raises ConfError."""
    folder = os.path.abspath(folder)
    if folder in _found:
        return _found[folder]
    conf = None
    for name in NAMES:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and (name != "pyproject.toml" or _mentions(path)):
            conf = load(path)
            break
    if conf is None:
        parent = os.path.dirname(folder)
        at_root = parent == folder or os.path.exists(os.path.join(folder, ".git"))
        conf = Conf() if at_root else for_folder(parent)
    _found[folder] = conf
    return conf


def _mentions(path: str) -> bool:
    """A look at the bytes first: the TOML reader costs more than a check."""
    try:
        with open(path, "rb") as file:
            return b"tool.moelint" in file.read()
    except OSError:
        return False


def load(path: str) -> Conf:
    """Read one configuration file. Raises ConfError with line and column where there is one."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from None
    if path.endswith(".toml"):
        from moelint.conf.toml_tree import tree
    else:
        from moelint.conf.yaml_tree import tree
    data, found = tree(path, text)
    return _build(path, data, found)


class Places:
    """Where each key path of a configuration stands."""

    __slots__ = ("found", "path")

    def __init__(self, path: str, found: dict[tuple[Any, ...], tuple[int, int]]) -> None:
        self.path, self.found = path, found

    def error(self, message: str, at: tuple[Any, ...]) -> ConfError:
        """An error at a key path, or at the nearest part of it that has a place."""
        while at and at not in self.found:
            at = at[:-1]
        return ConfError(message, self.path, *self.found.get(at, (0, 0)))


def _build(path: str, data: Any, found: dict[tuple[Any, ...], tuple[int, int]]) -> Conf:
    places, conf = Places(path, found), Conf(path)
    conf.found = found
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise places.error("the configuration must be a mapping", ())
    _check(data, _TOP, places, ())
    conf.include = _strings(data.get("include"))
    conf.exclude = _strings(data.get("exclude"))
    conf.select = _strings(data.get("select"))
    conf.fail_on = data.get("fail-on")
    conf.sections.append(_section(data, conf, places, ()))
    for number, entry in enumerate(data.get("paths") or []):
        at = ("paths", number)
        if not isinstance(entry, dict):
            raise places.error("each entry of 'paths' must be a mapping with 'match'", at)
        _check(entry, _PATH, places, at)
        if not entry.get("match"):
            raise places.error("an entry of 'paths' needs 'match': a pattern or a list of them", at)
        section = _section(entry, conf, places, at)
        section.match = _strings(entry["match"])
        conf.sections.append(section)
    return conf


def _is_name(policy: str) -> bool:
    """A shipped pack is given by its bare name, any other by a path."""
    from moelint.data import folder

    return "/" not in policy and os.path.isdir(os.path.join(folder("policies"), policy))


def _strings(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _check(data: dict[Any, Any], known: dict[str, str], places: Places, at: tuple[Any, ...]) -> None:
    for key, value in data.items():
        here = (*at, key)
        kind = known.get(key)
        if kind is None:
            from moelint.lang.suggest import nearest

            near = nearest(str(key), known)
            raise places.error(f"unknown key '{key}'" + (f": did you mean '{near}'?" if near else ""), here)
        if value is None:
            continue
        if kind == "mapping" and not isinstance(value, dict):
            raise places.error(f"'{key}' must be a mapping", here)
        if kind == "bool" and not isinstance(value, bool):
            raise places.error(f"'{key}' must be true or false", here)
        if kind == "severity" and value not in _SEVERITIES[:3]:
            raise places.error(f"'{key}' must be error, warning or note", here)
        if kind == "strings" and not (
            isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value))
        ):
            raise places.error(f"'{key}' must be a string or a list of strings", here)
        if kind == "sections" and not isinstance(value, list):
            raise places.error(f"'{key}' must be a list", here)


def _section(data: dict[str, Any], conf: Conf, places: Places, at: tuple[Any, ...]) -> Section:
    section = Section(at)
    section.strict = data.get("strict")
    for policy in _strings(data.get("policies")):
        section.policies.append(policy if _is_name(policy) else os.path.normpath(os.path.join(conf.folder, policy)))
    for key, value in (data.get("target") or {}).items():
        if isinstance(value, (dict, list)) or value is None:
            raise places.error(f"the target '{key}' must be a single value", (*at, "target", key))
        section.target[str(key)] = value
    for key, value in (data.get("define") or {}).items():
        section.define[str(key)] = str(value)
    for rule, severity in (data.get("severity") or {}).items():
        severity = "off" if severity is False else severity  # YAML 1.1 reads a bare off as false
        if severity not in _SEVERITIES:
            raise places.error(f"the severity of '{rule}' must be error, warning, note or off", (*at, "severity", rule))
        section.severity[str(rule)] = severity
    for rule, reason in (data.get("ignore") or {}).items():
        if not isinstance(reason, str) or not reason.strip():
            raise places.error(f"ignoring '{rule}' needs a reason: {rule}: because ...", (*at, "ignore", rule))
        section.ignore[str(rule)] = reason
    return section
