"""A case: one config for one trainer, release and environment, as the text that moelint lints and back again.

A case is a JSON object: ``layer`` (mcore | bridge | mlm), ``version`` (a release or main), ``env`` (te, torch, gpu,
world_size, deep_ep, hybrid_ep, nccl_ep, apex, environ), ``config`` and, once a trainer was asked, ``expected`` with
``verdict`` (ok | error), ``message``, ``where`` and ``changed``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

Case = dict[str, Any]

# layer → the package that its version is one of, and what main counts as
PACKAGE = {
    "mcore": ("megatron-core", "0.20.0"),
    "bridge": ("megatron-bridge", "0.7.0"),
    "mlm": ("megatron-core", "0.20.0"),
}
# facts of the environment → the words of a directive; the second is what the trainers assume if a case is silent
LIBRARIES = {
    "deep_ep": ("deep-ep", True),
    "hybrid_ep": ("hybrid-ep", True),
    "nccl_ep": ("nccl-ep", False),
    "apex": ("apex", False),
}


def load(paths: Iterable[str]) -> list[Case]:
    """The decided cases of some files: JSON lines or one JSON list, .gz too."""
    import gzip

    out: list[Case] = []
    for path in paths:
        with open(path, "rb") as file:
            held = file.read()
        text = (gzip.decompress(held) if path.endswith(".gz") else held).decode("utf-8")
        out += (
            json.loads(text)
            if text.startswith("[")
            else [json.loads(line) for line in text.splitlines() if line.strip()]
        )
    return [case for case in out if decided(case)]


# what the trainers say where they are asked on a CPU, without process groups and Transformer Engine's optimizer
ARTEFACTS = (
    "Default process group has not been initialized",
    "Current FusedAdam of TE doesn't support",
    "list index out of range",
)


def decided(case: Case) -> bool:
    """Whether a trainer said something of the config itself (no crash of the asking, no helper called by name)."""
    expected = case.get("expected")
    helpers = any(key.startswith("_apply") for key in case["config"])
    if expected is not None and (expected["message"] or "").startswith(ARTEFACTS):
        return False
    return not helpers and (expected is None or (expected["verdict"] in ("ok", "error") and not case.get("lost")))


def directive(case: Case) -> str:
    """The comment that states the case's target and environment."""
    env = case.get("env") or {}
    package, newest = PACKAGE[case["layer"]]
    version = case.get("version", "main")
    words = ["complete", *(["dialect=megatron-core"] if case["layer"] == "mcore" else [])]
    words.append(f"{package}={newest if version == 'main' else version}")
    words += [
        f"{name}={env[key] or 'none'}" for key, name in (("te", "transformer-engine"), ("torch", "torch")) if key in env
    ]
    words.append(f"gpu={(env.get('gpu') or 'none').lower()}")
    if env.get("world_size"):
        words.append(f"gpus={env['world_size']}")
    words += [f"{name}={'installed' if env.get(key, usual) else 'none'}" for key, (name, usual) in LIBRARIES.items()]
    return "# moelint: " + " ".join(words)


def text_of(case: Case) -> str:
    """The config as a file that moelint reads."""
    config, layer = case["config"], case["layer"]
    environ = {key: str(value) for key, value in ((case.get("env") or {}).get("environ") or {}).items()}
    body: dict[str, Any]
    if layer == "mlm":
        body = {"ENV_VARS": environ} if environ else {}
        body["MODEL_ARGS"] = {
            name if name.startswith("-") else "--" + name.replace("_", "-"): "[" + " ".join(map(str, value)) + "]"
            if isinstance(value, (list, tuple))
            else value
            for name, value in config.items()
            if value is not False and value is not None
        }
    else:
        body = {"model": {k: v for k, v in config.items() if k[0] != "_"}} if layer == "mcore" else nested(config)
        if environ:
            body["env_vars"] = {**body.get("env_vars", {}), **environ}
    return "\n".join([directive(case), *_lines(body, 0)]) + "\n"


def config_of(case: Case, text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """(config, environ) of a text that stood for the case and was changed since: the way back to the trainer."""
    body = yaml.safe_load(text) or {}
    if case["layer"] == "mlm":
        environ = body.get("ENV_VARS") or {}
        config: dict[str, Any] = {}
        old = {
            name if name.startswith("-") else "--" + name.replace("_", "-"): value
            for name, value in case["config"].items()
        }
        for flag, value in (body.get("MODEL_ARGS") or {}).items():
            words = isinstance(value, str) and re.fullmatch(r"\[[^\]]*\]", value) and not isinstance(old.get(flag), str)
            config[flag.removeprefix("--").replace("-", "_")] = value[1:-1].split() if words else value
        for name, value in case["config"].items():  # what stands for leaving a default of the asking out
            if value is False and "--" + name.replace("_", "-") not in (body.get("MODEL_ARGS") or {}):
                config.setdefault(name, value)
    else:
        environ = body.pop("env_vars", None) or {}
        config = dict(body.get("model") or {}) if case["layer"] == "mcore" else body
        if case["layer"] == "mcore":
            config.update({k: v for k, v in case["config"].items() if k[0] == "_"})
    return config, {str(key): str(value) for key, value in environ.items()}


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Dotted keys as sections; a config that is nested already stays as it is."""
    if not any("." in key for key in flat):
        return {k: dict(v) if isinstance(v, dict) else v for k, v in flat.items()}
    out: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        at = out
        for part in path:
            at = at.setdefault(part, {})
        at[last] = value
    return out


def flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of nested sections."""
    for key, value in values.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            yield from flat(value, name)
        else:
            yield name, value


def _lines(values: dict[str, Any], indent: int) -> Iterator[str]:
    for key, value in values.items():
        name = str(key) if str(key).replace("_", "").replace("-", "").isalnum() else json.dumps(str(key))
        if isinstance(value, dict) and value:
            yield " " * indent + f"{name}:"
            yield from _lines(value, indent + 2)
        else:
            yield " " * indent + f"{name}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        text = repr(value)
        return (
            text.replace("e", ".0e") if "e" in text and "." not in text.split("e")[0] else text
        )  # else a text in YAML
    if isinstance(value, list):
        return "[" + ", ".join(map(_scalar, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))}: {_scalar(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
