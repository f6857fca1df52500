"""Configs that live in a program: a dict, a ConfigContainer, a TransformerConfig, an argparse Namespace.

Nothing of a trainer is imported: an object is what its attributes make it. It is written down as a text that the usual
readers read, so that a live config takes the same road as a file; ``Written`` knows the way back from its keys.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping

from moelint.errors import UsageError
from moelint.typed import Any

_SECTIONS = (
    "model", "train", "validation", "optimizer", "ddp", "scheduler", "dataset", "checkpoint", "dist", "rng",
    "rerun_state_machine", "mixed_precision", "comm_overlap", "peft", "profiling", "logger",
)  # fmt: skip
_FIELDS = ("num_layers", "hidden_size", "num_attention_heads", "tensor_model_parallel_size")
_SKIP = object()
# what Megatron-LM works out from its arguments, and the argument that says the same
WORKED_OUT = {"virtual_pipeline_model_parallel_size": "--num-virtual-stages-per-pipeline-rank"}


class Live:
    """An object as text. ``kind``: dict | container | transformer | namespace; ``complete``: what is not in it has the
    trainer's default."""

    __slots__ = ("complete", "config", "dialect", "kind", "name", "text")

    def __init__(self, config: Any, kind: str, name: str, dialect: str, text: str, complete: bool) -> None:
        self.config, self.kind, self.name = config, kind, name
        self.dialect, self.text, self.complete = dialect, text, complete


def live(config: Any, environ: Mapping[str, str] | None = None) -> Live:
    """An object as text. Raises UsageError if it is no config."""
    name = f"<{type(config).__name__}>"
    if isinstance(config, Mapping):
        return _mapping(config, environ, name)
    values = _attributes(config)
    if _is_container(config, values):
        return _container(config, values, environ, name)
    if "num_layers" in values and "micro_batch_size" in values and not _is_transformer(config):
        return _namespace(config, values, environ, name)
    if all(field in values for field in _FIELDS[:2]) and "tensor_model_parallel_size" in values:
        body = {"model": _plain_fields(values, "core")}
        return Live(config, "transformer", name, "megatron-core", _yaml(body, "megatron-core", environ), True)
    kinds = "a path, a dict, a ConfigContainer, a TransformerConfig or an argparse Namespace"
    raise UsageError(f"a {type(config).__name__} is no training config: give {kinds}")


def _is_container(config: Any, values: Mapping[str, Any]) -> bool:
    named = any(base.__name__ == "ConfigContainer" for base in type(config).__mro__)
    return named or all(section in values for section in ("model", "train", "ddp", "optimizer"))


def _is_transformer(config: Any) -> bool:
    return any(base.__name__ in ("TransformerConfig", "ModelParallelConfig") for base in type(config).__mro__)


def _attributes(config: Any) -> dict[str, Any]:
    """The public attributes of an object, fields of a dataclass first."""
    fields = getattr(type(config), "__dataclass_fields__", None)
    names = list(fields) if fields else []
    try:
        names += [name for name in vars(config) if name not in names]
    except TypeError:  # without a __dict__
        pass
    out = {}
    for name in names:
        if not name.startswith("_"):
            try:
                out[name] = getattr(config, name)
            except Exception:  # a field that was never set, a property that fails
                continue
    return out


def _mapping(config: Mapping[Any, Any], environ: Mapping[str, str] | None, name: str) -> Live:
    if not config or not all(isinstance(key, str) for key in config):
        raise UsageError("this dict is no training config: its keys are no names of settings")
    dialect = "bridge"
    if any("." in key for key in config):
        body = nested(config)
    elif any(isinstance(config.get(section), Mapping) for section in _SECTIONS):
        body = dict(config)
    else:
        from moelint.trainer.tables import known_anywhere

        known = known_anywhere("core")
        if not any(f"model.{key}" in known for key in config):
            raise UsageError(
                "this dict is no training config: give sections ({'model': {…}}), keys ('model.num_layers') or fields "
                "of a TransformerConfig"
            )
        dialect, body = "megatron-core", {"model": dict(config)}
    for key, value in list(body.items()):
        if not isinstance(value, (Mapping, str)) and value is not None:
            body[key] = _plain_fields(_attributes(value), None) if hasattr(value, "__dict__") else value
    return Live(config, "dict", name, dialect, _yaml(_clean(body), dialect, environ), False)


def nested(config: Mapping[str, Any]) -> dict[str, Any]:
    """{'model.num_layers': 2} as {'model': {'num_layers': 2}}. Raises UsageError for a name that is both."""
    out: dict[str, Any] = {}
    for key, value in config.items():
        *path, leaf = key.split(".")
        place = out
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UsageError(f"'{part}' in '{key}' is a value already")
        place[leaf] = value
    return out


def _container(config: Any, values: Mapping[str, Any], environ: Mapping[str, str] | None, name: str) -> Live:
    body: dict[str, Any] = {"_target_": "megatron.bridge.training.config.ConfigContainer"}
    for section in _SECTIONS:
        value = values.get(section)
        if isinstance(value, str):
            body[section] = value
        elif value is not None:
            inner = _attributes(value)
            transformer = inner.get("transformer")
            if section == "model" and transformer is not None:
                inner = {**inner, **_attributes(transformer)}
            body[section] = _plain_fields(inner, None)
    return Live(config, "container", name, "bridge-resolved", _yaml(body, "bridge-resolved", environ), True)


def dumped(values: Mapping[str, Any]) -> Live:
    """A ConfigContainer that a program printed, by canonical key; at its default a value blames nobody."""
    body = {"_target_": "megatron.bridge.training.config.ConfigContainer", **nested(values)}
    return Live(values, "container", "<log>", "bridge-resolved", _yaml(_clean(body), "bridge-resolved", None), True)


def _namespace(config: Any, values: Mapping[str, Any], environ: Mapping[str, str] | None, name: str) -> Live:
    """Arguments as the flags that say them; those at their default are left out."""
    from moelint.lang.functions import equal
    from moelint.lang.unknown import UNKNOWN
    from moelint.read.flags import argument, argument_value, spellings
    from moelint.trainer.tables import table

    defaults = table("lm", "main").defaults
    flags: dict[str, Any] = {}
    for dest, raw in values.items():
        if dest in WORKED_OUT and isinstance(raw, int):
            flags[WORKED_OUT[dest]] = raw
            continue
        found, value = argument(dest), plain(raw)
        if found is None or value is _SKIP or value is None:
            continue
        value = argument_value(found, value)
        if value is UNKNOWN or equal(value, defaults.get(found[0], UNKNOWN)) is True:
            continue
        for flag, alone, constant in spellings(found[0]):
            if alone and constant == value:
                flags[flag] = True
                break
            if not alone and not isinstance(value, bool):
                flags[flag] = "[" + " ".join(map(str, value)) + "]" if isinstance(value, list) else value
                break
    body: dict[str, Any] = {"MODEL_ARGS": flags}
    return Live(config, "namespace", name, "megatron-lm-yaml", _yaml(body, "", environ), True)


def _plain_fields(values: Mapping[str, Any], trainer: str | None) -> dict[str, Any]:
    """What YAML can hold of some fields. ``trainer``: leave out what is at its newest default."""
    from moelint.lang.functions import equal
    from moelint.lang.unknown import UNKNOWN

    defaults: dict[str, Any] = {}
    if trainer is not None:
        from moelint.trainer.tables import table

        defaults = table(trainer, "main").defaults
    out = {}
    for name, raw in values.items():
        value = plain(raw)
        if value is not _SKIP and equal(value, defaults.get(f"model.{name}", UNKNOWN)) is not True:
            out[name] = value
    return out


def _clean(body: Any) -> Any:
    if isinstance(body, Mapping):
        cleaned = {str(key): _clean(value) for key, value in body.items()}
        return {key: value for key, value in cleaned.items() if value is not _SKIP}
    return plain(body)


def plain(value: Any) -> Any:
    """A value as YAML holds it: enum members and dtypes by name, functions of activation by name."""
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _SKIP
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [plain(item) for item in (value if isinstance(value, (list, tuple)) else sorted(value, key=str))]
        return _SKIP if any(item is _SKIP for item in items) else items
    if isinstance(value, Mapping):
        return _clean(value)
    text = str(value)
    if text.startswith("torch.") and text.count(".") == 1:  # a dtype
        return text
    if callable(value) and getattr(value, "__name__", "").isidentifier() and not isinstance(value, type):
        return value.__name__
    return _SKIP


def _yaml(body: dict[str, Any], dialect: str, environ: Mapping[str, str] | None) -> str:
    import yaml

    if environ:
        section = "ENV_VARS" if "MODEL_ARGS" in body else "env_vars"
        body = {**body, section: {**body.get(section, {}), **{key: str(value) for key, value in environ.items()}}}
    named = f"# moelint: dialect={dialect}\n" if dialect else ""
    return named + yaml.safe_dump(body, sort_keys=False, width=100_000, allow_unicode=True)
