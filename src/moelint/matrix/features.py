"""The features of the matrix and the job that they are put into: ``trainers/features.yaml``."""

from __future__ import annotations

import os

from moelint import cache, data
from moelint.typed import Any

Settings = dict[str, Any]
_LISTS = ("model.recompute_modules", "model.cuda_graph_modules", "model.cuda_graph_scope", "model.offload_modules")


class Feature:
    """``sets``: alternatives of canonical keys, the newest release's first; ``one_of``: a setting of which it is one
    value; ``trainers`` and ``releases``: where it exists, beside having its keys."""

    __slots__ = ("group", "id", "one_of", "releases", "sets", "title", "trainers")

    def __init__(self, entry: dict[str, Any], trainer: str) -> None:
        self.id: str = entry["id"]
        self.title: str = entry["title"]
        self.group: str = entry["group"]
        self.one_of: str | None = entry.get("one_of")
        self.releases: str | None = entry.get("releases")
        self.trainers: list[str] = entry.get("trainer", ["bridge", "core"])
        raw = entry["set"] if trainer == "bridge" or "core" not in entry else entry["core"]
        sets = raw if isinstance(raw, list) else [raw]
        self.sets: list[Settings] = [one if trainer == "bridge" else for_core(one) for one in sets]


class Companion:
    """What a pair of features may need beside itself."""

    __slots__ = ("set", "title")

    def __init__(self, entry: dict[str, Any], trainer: str) -> None:
        self.title: str = entry["title"]
        self.set: Settings = entry["set"] if trainer == "bridge" else for_core(entry["set"])


class Table:
    """All of the file, for one trainer."""

    __slots__ = ("companions", "features", "job", "target")

    def __init__(self, trainer: str) -> None:
        raw = load()
        self.target: dict[str, Any] = raw["job"]["target"]
        self.job: Settings = raw["job"]["set"] if trainer == "bridge" else for_core(raw["job"]["set"])
        features = [Feature(entry, trainer) for entry in raw["features"]]
        self.features = [feature for feature in features if trainer in feature.trainers]
        self.companions = [Companion(entry, trainer) for entry in raw["companions"]]


def load() -> dict[str, Any]:
    path = os.path.join(data.folder("trainers"), "features.yaml")
    found: dict[str, Any] = cache.load("features", [path], lambda: _read(path))
    return found


def _read(path: str) -> dict[str, Any]:
    import yaml

    with open(path, encoding="utf-8") as file:
        raw: dict[str, Any] = yaml.safe_load(file)
    return raw


def for_core(settings: Settings) -> Settings:
    """The settings that Megatron Core alone knows: the model's, and overlaps that Bridge copies to the model."""
    out: Settings = {}
    for key, value in settings.items():
        section, _, leaf = key.partition(".")
        if section in ("model", "env_vars"):
            out[key] = value
        elif section == "comm_overlap" and leaf not in ("overlap_grad_reduce", "overlap_param_gather"):
            out[f"model.{leaf}"] = value
    return {key: value for key, value in out.items() if key not in ("model.vocab_size", "model.seq_length")}


def joined(*parts: Settings) -> Settings | None:
    """Settings of several features together; lists of modules are joined. None if they contradict each other."""
    out: Settings = {}
    for part in parts:
        for key, value in part.items():
            if key not in out:
                out[key] = value
            elif key in _LISTS and isinstance(value, list) and isinstance(out[key], list):
                out[key] = [*out[key], *(item for item in value if item not in out[key])]
            elif out[key] != value:
                return None
    return out
