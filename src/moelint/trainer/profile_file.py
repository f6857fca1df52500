"""A hardware profile from a file of the user's own. Only read when one is named."""

from __future__ import annotations

import os

from moelint.errors import UsageError
from moelint.typed import Any


def load(path: str) -> dict[str, Any]:
    """The facts with the profile's name. Raises UsageError, one line, for a file that is no profile or has a typo."""
    import json

    from moelint import data
    from moelint.lang.suggest import nearest
    from moelint.trainer.compiled import load_yaml

    try:
        profile = load_yaml(path)
    except Exception as error:  # whatever the YAML reader says of a broken file
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(profile, dict) or not isinstance(profile.get("facts"), dict):
        raise UsageError(f"{path}: a hardware profile has a name and facts (see `moelint schema hardware`)")
    with open(os.path.join(data.folder("schemas"), "hardware.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)["properties"]
    for where, found, known in (("", profile, schema), ("facts.", profile["facts"], schema["facts"]["properties"])):
        for key in found:
            if key not in known:
                near = nearest(str(key), list(known))
                hint = f": did you mean {near}?" if near else ""
                raise UsageError(f"{path}: {where}{key} is no key of a profile{hint}")
    for key, value in profile["facts"].items():
        wanted = schema["facts"]["properties"][key]
        if not _fits(value, wanted):
            raise UsageError(f"{path}: facts.{key}: {value!r} does not fit ({_said(wanted)})")
    name = profile.get("name")
    return {**profile["facts"], "name": str(name) if name else os.path.basename(path)}


def _fits(value: Any, wanted: dict[str, Any]) -> bool:
    if "enum" in wanted:
        return value in wanted["enum"]
    kinds = wanted.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if value is None:
        return "null" in kinds
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, int):
        return bool({"integer", "number"} & set(kinds)) and value > 0
    if isinstance(value, float):
        return "number" in kinds and value > 0
    if isinstance(value, list):
        return "array" in kinds
    return "string" in kinds


def _said(wanted: dict[str, Any]) -> str:
    if "enum" in wanted:
        return "one of " + ", ".join(str(x) for x in wanted["enum"])
    kinds = wanted.get("type")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
