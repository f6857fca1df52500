"""The configs of one document: its layers, its blocks, what its framework implies, the model that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moelint.read.config import Config
from moelint.read.mapping import Layer, config_at, interpolation
from moelint.read.plan import plan_of, roots
from moelint.read.structure import Structure, structure_of
from moelint.read.tables import Table
from moelint.text.document import Document, Path, Problem, Setting
from moelint.text.source import Source


class ReadOptions:
    """``named``: the user named this file, so it is parsed even if nothing in it looks like a training config.
    ``define``: values for variables and interpolations. ``base``, ``dialect``: as the directives of these names, for
    files that have none. ``read``: path → Source, to follow what a file inherits (raises OSError or TextError).
    ``defaults``: (class, field) → what an object of the trainer holds, for recipes that ask it (raises KeyError)."""

    __slots__ = ("base", "defaults", "define", "dialect", "named", "read")

    def __init__(
        self,
        named: bool = False,
        define: Mapping[str, str] | None = None,
        base: str | None = None,
        dialect: str | None = None,
        read: Callable[[str], Source] | None = None,
        defaults: Callable[[str, str], object] | None = None,
    ) -> None:
        self.defaults = defaults
        self.named, self.define, self.base, self.dialect, self.read = named, define or {}, base, dialect, read


_INHERITING = frozenset(("defaults", "extends", "bases", "modules"))  # keys under which a file names what it inherits


def configs_of(
    document: Document, table: Table, options: ReadOptions, before: int, structure: Structure | None = None
) -> list[Config]:
    """All configs of a document in one dialect; ``before``: how many the file had before it. ``structure`` of the
    document, if the caller has it."""
    own = whole = structure or structure_of(document.settings)
    merged: Mapping[Path, Setting] = document.settings
    layers: list[tuple[Document, Mapping[Path, Setting]]] = []
    loose_ends: list[str] = []
    problems: list[Problem] = []
    if table["inherit"] and _inherits(own):
        from moelint.read.inherit import ancestors, merge

        inherited = ancestors(document, table["inherit"], options.read, options.define)
        loose_ends, problems = inherited.loose_ends, inherited.problems
        if inherited.documents:
            merged, kept = merge(document.settings, inherited.documents)
            layers += kept
            whole = structure_of(merged)
    resolver = interpolation(table, merged, options.define)
    if resolver is not None and table["variables"] == "runtime-conf" and "${" in document.source.text:
        from moelint.read.runtime_conf import variables

        resolver.likely = variables(document.source.path, options.read)
    stack = [Layer(owner, settings, "inherited", resolver) for owner, settings in layers]
    stack.append(Layer(document, document.settings, "file", resolver, own))
    out: list[Config] = []
    for root in roots(table, whole, merged):
        name = ".".join(str(part) for part in root)
        if not root:
            name = "config" if not before else f"config-{before + 1}"
        config = config_at(table, document, root, name, stack)
        config.problems += problems
        config.loose_ends += loose_ends
        problems = []
        finish(config, table, merged, stack)
        out.append(config)
    return out


def _inherits(structure: Structure) -> bool:
    known: bool | None = structure.found.get("inherits")
    if known is None:
        known = structure.found["inherits"] = any(path[0] in _INHERITING for path in structure.paths if path)
    return known


def finish(config: Config, table: Table, merged: Mapping[Path, Setting], stack: list[Layer]) -> None:
    """What the settings of a config, mapped to keys, say beyond them: its target, its base, its model, its hook."""
    if not (table["target"] or table["base"] or table["model"] or table["off"] or table["hook"] or table["astray"]):
        return
    if _says_nothing_more(config, table, merged, stack):
        return
    from moelint.read.view import View

    view = View(merged, stack)
    root = config.root
    for path, word in table["target"].items():
        value = view.get(*root, *path)
        if value is None:
            value = view.get(*path)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and view.is_sure(*root, *path):
            config.stated[word] = (value, "config")
    nodes, each = config.stated.pop("nodes", None), config.stated.get("gpus-per-node")
    if nodes is not None and each is not None and isinstance(nodes[0], int) and isinstance(each[0], int):
        config.stated["gpus"] = (nodes[0] * each[0], "config")
    for path in table["base"]:
        value = view.get(*root, *path)
        if isinstance(value, str):
            config.base = value.rpartition(".")[2]
            break
    for path in table["model"]:
        value = view.get(*root, *path)
        if value is None:
            value = view.get(*path)
        if isinstance(value, str):
            config.model = value
            break
    if any(_is_off(view.get(*path), value, config) for path, value in table["off"]):
        config.written.clear()
        config.unread.clear()
        return
    if table["hook"] is not None:
        if table["form"] == "shell":
            from moelint.read.shell_hooks import HOOKS
        else:
            from moelint.read.hooks import HOOKS

        HOOKS[table["hook"]](config, view)
    if table["release"] is not None:
        _meant_for(config, *table["release"])
    if table["astray"]:
        from moelint.read.astray import find

        config.problems += find(config, table)
    if config.model is not None and table["facts"] is not None:
        from moelint.read.models import add_facts

        add_facts(config, table["facts"], _doubt(merged))


def _says_nothing_more(config: Config, table: Table, merged: Mapping[Path, Setting], stack: list[Layer]) -> bool:
    """Whether a file has no path that could name a target, a base or a model, and its dialect asks for no more."""
    if table["off"] or table["hook"] or table["release"] or table["astray"] or config.stated or config.model:
        return False
    alone = len(stack) == 1 and merged is stack[0].settings
    return alone and not plan_of(stack[0].structure, table, config.root).named


def _is_off(found: object, off: object, config: Config) -> bool:
    """Whether Megatron is switched off, or nobody can tell because that stands in a parent that was not read."""
    return found == off or (found is None and bool(config.loose_ends))


def _meant_for(config: Config, package: str, newest: str, until: Mapping[str, str], pins: Mapping[str, str]) -> None:
    """The framework's release that is assumed where nobody states one: the newest that reads all that is written; and
    the releases that it ships."""
    from moelint.lang.versions import Version

    release = newest
    for key, last in until.items():
        found = config.written.get(key)
        if found is not None and found.value not in (None, False) and Version(last) < Version(release):
            release = last
    for name, shipped in {package: release, **pins}.items():
        config.stated.setdefault(name, (shipped, "assumed"))


def _doubt(settings: Mapping[Path, Setting]) -> str | None:
    """Why the facts of a named model may not hold: the file changes the model's own configuration."""
    for path, setting in settings.items():
        if ("hf_config_overrides" in path or "override_config" in path) and setting.value not in ({}, None):
            return f"{'.'.join(str(part) for part in path)} may change it"
    return None
