"""The page of an official recipe: what it sets, and what comes with the model that it names."""

from __future__ import annotations

from moelint.explain.rule import scalar
from moelint.typed import Any

_LAYOUT = (
    ("TP", "model.tensor_model_parallel_size"),
    ("PP", "model.pipeline_model_parallel_size"),
    ("VPP", "model.virtual_pipeline_model_parallel_size"),
    ("CP", "model.context_parallel_size"),
    ("EP", "model.expert_model_parallel_size"),
    ("ETP", "model.expert_tensor_parallel_size"),
)


def explain(name: str) -> list[str] | None:
    """The page as lines; None if no official recipe has that name."""
    from moelint.read import bases

    found = bases.details(name)
    if found is None:
        return None
    model, own, values = found
    stated = bases.stated(name)
    out = [name, "An official Megatron Bridge recipe, as the shipped table has it."]
    aliases = [other for other in bases.names_of(name) if other != name]
    if aliases:
        out.append(f"Also called {', '.join(aliases)}.")
    if model is not None:
        out.append(f"Model: {model} ({values.get('model._target_', 'its provider')}).")
    if stated:
        out.append(f"Its name says {stated['gpus']} GPUs of the kind {stated['gpu']}.")
    sizes = [f"{word} {values[key]}" for word, key in _LAYOUT if values.get(key) is not None]
    if sizes:
        out.append(f"Layout: {', '.join(sizes)}.")
    out.append(f"Use it under a config: # moelint: base={name}, or --base {name}.")
    out += ["", "Set by the recipe", *_section(values, own)]
    rest = sorted(key for key in values if key not in own and values[key] not in (None, False, ""))
    if rest:
        out += ["", "From the model (what is unset or off is left out)", *_section(values, rest)]
    return out


def _section(values: dict[str, Any], keys: list[str]) -> list[str]:
    return [f"  {key} = {_shown(values[key])}" for key in sorted(keys)]


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return _list(list(value))
    return scalar(value)


def _list(items: list[Any]) -> str:
    """A list on one line; long ones by runs: 3 × 0, 58 × 1."""
    if len(items) <= 12:
        return "[" + ", ".join(_shown(item) for item in items) + "]"
    runs: list[tuple[Any, int]] = []
    for item in items:
        if runs and runs[-1][0] == item:
            runs[-1] = item, runs[-1][1] + 1
        else:
            runs.append((item, 1))
    shown = [f"{count} × {_shown(item)}" if count > 1 else _shown(item) for item, count in runs]
    return "[" + ", ".join(shown[:40]) + (", …" if len(shown) > 40 else "") + "]"
