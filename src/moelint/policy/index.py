"""The watch index: which cases a config can trigger at all.

A case fires only if each conjunct of its condition is true. One conjunct that is not true with every setting at its
default, and that hangs on settings alone, is *watched*: as long as the config changes none of the settings under it
(looked up through facts and through the trainer's rewrites), the case cannot fire and is not even built. Kleene's logic
makes this right for partial configs too: what is not true with all defaults known is not true with some unknown.

Where all defaults are known (not in fragments), a case that has more such conjuncts is tried only if the config has a
token of each: a conjunct that is false with the defaults, and stays so, leaves the case false whatever else is
unknown. The same shows which of the trainer's rewrites stay quiet.

A *token* is a key whose value differs from its default, or ``?key`` for one that is written at all. The index is made
once for each set of defaults (trainer, dialect, release, model class) and stored beside the packs.
"""

from __future__ import annotations

import os

from moelint import data
from moelint.cache import Store
from moelint.policy.load import Packs
from moelint.trainer.layers import ABSENT
from moelint.typed import Any

# Settings that choose the class of model or dataset, and with it other defaults.
_CLASSES = ("model.multi_latent_attention", "model._target_", "dataset._target_")


def candidates(packs: Packs, effective: Any) -> list[int]:
    """Numbers of the cases to try, ascending."""
    always, watch, beside, rewrites = _index(packs, effective)
    found, tokens = set(always), touched(effective)
    for token in tokens:
        if token in watch:
            found.update(watch[token])
    if knows_defaults(effective):
        for number in tuple(found):
            for others in beside.get(number, ()):
                if others.isdisjoint(tokens):
                    found.discard(number)
                    break
        quiet = set()
        for position, needs in rewrites:
            for one in needs:
                if one.isdisjoint(tokens):
                    quiet.add(position)
                    break
        effective.quiet = quiet
    return sorted(found)


def tokens(packs: Packs, effective: Any) -> frozenset[str]:
    """Every setting that the index of a config looks at."""
    _, watch, beside, rewrites = _index(packs, effective)
    name = ("tokens", id(watch))
    if name not in packs.indexes:
        sets = [*beside.values(), *(needs for _, needs in rewrites)]
        names = {*watch, *(token for needs in sets for one in needs for token in one)}
        packs.indexes[name] = frozenset(token.lstrip("?") for token in names)
    found: frozenset[str] = packs.indexes[name]
    return found


def knows_defaults(effective: Any) -> bool:
    """Whether every setting that the config does not write has a known value."""
    layers = effective.layers
    recipe = layers.recipe is not None or "mixed_precision" not in layers.sections
    return layers.default_state != ABSENT and layers.framework is None and recipe


def touched(effective: Any) -> set[str]:
    """The tokens of a config."""
    layers = effective.layers
    out = set(layers.sections)
    out.update(["?" + section for section in layers.sections])
    defaults = layers.table.defaults if layers.framework is None else {}
    for key, written in layers.written.items():
        out.add("?" + key)
        value = written.value
        if key not in defaults or type(value) is not type(defaults[key]) or value != defaults[key]:
            out.add(key)
    if layers.recipe is not None:
        out.update(layers.recipe)
    out.update(token for token, other in (("@before", effective.before), ("@saved", effective.saved)) if other)
    return out


def _index(packs: Packs, effective: Any) -> tuple[Any, ...]:
    config, target = effective.config, effective.target
    mla = config.written.get(_CLASSES[0])
    classes = (effective.layers.variants, None if mla is None else repr(mla.value))
    releases = (str(target.get("megatron_core")), str(target.get("megatron_bridge")))
    # The packs may change between their loading and the index: it belongs to the very packs that are loaded.
    name = (
        config.trainer, config.dialect, effective.table.release, releases, config.complete_env, classes,
        packs.blobs.mark or len(packs.cases),
    )
    found = packs.indexes.get(name)
    if found is None:
        def build() -> tuple[Any, ...]:
            from moelint.policy.watch import build_index

            return (build_index(packs, effective, _CLASSES),)

        stored = Store(packs.cached).get("index " + repr(name), [*packs.sources, *_sources()], build)[0]
        found = packs.indexes[name] = stored
    made: tuple[Any, ...] = found
    return made


def _sources() -> list[str]:
    """Files that defaults and rewrites come from."""
    from moelint.cache import tree

    home, here = data.folder("trainers"), os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(here, "watch.py")]
    for folder, ending in (("fields", ".json"), ("rewrites", ".yaml"), ("dialects", ".yaml")):
        top = os.path.join(home, folder)
        if os.path.isdir(top):
            paths += tree(top, ending)
    return paths
