"""What Megatron Bridge's own names mean in a recipe: model providers by Hugging Face id, official recipes by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moelint.text.python.hooks import NOTHING, Hooks
from moelint.text.python.values import ClassValue, External, Instance
from moelint.typed import Any

_PROVIDER = "moelint.provider:"
LAUNCHERS = frozenset(("pretrain", "finetune"))  # functions of megatron.bridge.training that start a run
Facts = Callable[[str], "Mapping[str, Any] | None"]
Defaults = Callable[[str, str], Any]


class RecipeHooks(Hooks):
    """``models``: provider fields by Hugging Face id. ``recipes``: values of an official recipe by function name.
    ``defaults``: (class name, field) → the default of a class of the trainer; raises KeyError if none is known."""

    def __init__(self, models: Facts, recipes: Facts, defaults: Defaults) -> None:
        self.models, self.recipes, self.defaults = models, recipes, defaults
        self.launched: list[Instance] = []  # configs with which the code started a run, as they were then
        self.clone: Callable[[Any], Any] = lambda value: value

    def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if "AutoBridge.from_hf" in name:
            model = arguments[0] if arguments else next(iter(keywords.values()), None)
            bridge = Instance(External("AutoBridge"))
            provider = External(_PROVIDER + (model if isinstance(model, str) and "from_hf_pretrained" in name else ""))
            bridge.attributes = {"to_megatron_provider": provider, "get_model_config": provider}
            return bridge
        if name.startswith(_PROVIDER):
            return self.provider(name[len(_PROVIDER) :])
        if name.startswith("megatron.bridge.") and name.rsplit(".", 1)[-1] in LAUNCHERS:
            config = keywords.get("config", keywords.get("cfg", arguments[0] if arguments else None))
            if isinstance(config, Instance):
                self.launched.append(self.clone(config))
            return None
        if name.endswith("_config") and name.startswith("megatron.bridge.") and not self.in_checkout(name):
            return self.official(("perf:" if ".perf_recipes." in name else "") + name.rsplit(".", 1)[-1])
        return NOTHING

    def in_checkout(self, name: str) -> bool:
        """Whether the package of a dotted name is part of what is read; set by the reader."""
        return False

    def official(self, name: str) -> Any:
        """The container that an official recipe returns, by the shipped table."""
        values = self.recipes(name)
        if values is None:
            return NOTHING
        out = Instance(External("ConfigContainer"))
        for key, value in _own(dict(values)).items():
            section, _, field = key.partition(".")
            if not field:
                out.attributes[section], out.origin[section] = value, "base"
                continue
            held = out.attributes.get(section)
            if not isinstance(held, Instance):
                held = out.attributes[section] = Instance(External(section))
                out.origin[section] = "base"
            if field == "_target_":
                held.cls = External(str(value))
                continue
            held.attributes[field], held.origin[field] = value, "base"
        if "env_vars" in out.attributes:
            out.attributes["env_vars"] = dict(out.attributes["env_vars"].attributes)
        return out

    def provider(self, model: str) -> Instance:
        """The provider object of a model; an id that no table knows gives an object of which nothing is known."""
        facts = self.models(model)
        out = Instance(External("ModelProvider" if facts is None else str(facts.get("_provider", "ModelProvider"))))
        for field, value in (facts or {}).items():
            if not field.startswith("_"):
                out.attributes[field] = _own(value)
                out.origin[field] = "model"
        if facts is not None:
            out.origin["_complete"] = "model"
        return out

    def external(self, name: str) -> Any:
        return NOTHING

    def default(self, cls: ClassValue | External | None, attribute: str) -> Any:
        if cls is None:
            return NOTHING
        try:
            return _own(self.defaults(cls.name.rsplit(".", 1)[-1], attribute))
        except KeyError:
            return NOTHING


def _own(value: Any) -> Any:
    """A value of a table as an object of its own: a recipe may append to a list, and the next file starts from the table."""
    if isinstance(value, dict):
        return {key: _own(item) for key, item in value.items()}
    return [_own(item) for item in value] if isinstance(value, list) else value
