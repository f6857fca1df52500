"""An effective config that notes what each answer hangs on, down to what the file writes and what is stated.

A *dependency* is a name: a setting (``model.bf16``), ``?model.bf16`` (whether it is written; ``?model.`` whether anything
below it is), ``target.gpus``, ``!megatron_core`` (the releases that may be meant), ``~17`` (whether the 17th rewrite stays
quiet, see ``moelint.policy.index``). Two configs of one kind that agree on all dependencies of an answer get the same
answer. Answers are worked out once and kept with their dependencies, so that who reads them later hangs on these too.

What the walls read is kept across configs, as it is the dearest; a figure of theirs (``#3``: the third that was asked for)
counts by its value, not by the hundred settings that make it.
"""

from __future__ import annotations

from moelint.trainer.compiled import Rewrite
from moelint.trainer.effective import Effective, Override
from moelint.trainer.view import Scope, View
from moelint.trainer.walls_adapter import ASKED, Walls
from moelint.trainer.ways import Kind, Signature
from moelint.typed import Any

MOST_ESTIMATES = 256
"""Models of the walls that are kept for a kind of config."""
WORDS_OF_A_LAYER = 10
"""Of memory, in what is kept of a model with so many layers."""
Kept = tuple[Any, frozenset[str]]


class TracedEffective(Effective):
    """``now``: the dependencies of what is being worked out. ``kind``: what configs like this one have found before."""

    __slots__ = ("_off_kept", "kind", "now", "signature")

    def __init__(self, like: Effective, signature: Signature, kind: Kind) -> None:
        self.signature, self.kind = signature, kind
        self.config, self.target, self.table, self.facts = like.config, like.target, like.table, like.facts
        self.rewrites, self.layers, self.quiet = like.rewrites, like.layers, like.quiet
        self.before = self.saved = self.known = None
        self._off, self._views, self._scopes = {}, {}, {}
        self._off_kept: dict[Any, Kept] = {}
        self.now: set[str] = set()

    def new_view(self, keep: frozenset[str] | None) -> View:
        return TracedView(self, keep)

    def scope_like(self, scope: Scope) -> Scope:
        """The scope of the same place under the same mask."""
        return self.view(scope.view.keep).at(scope.position)

    def writes(self, key: str) -> bool:
        self.now.add("?" + key)
        return super().writes(key)

    def is_quiet(self, rewrite: Rewrite) -> bool:
        self.now.add(f"~{rewrite.position}")
        return super().is_quiet(rewrite)

    def stays_off(self, rewrite: Rewrite) -> bool:
        def work() -> bool:
            self._off.pop(rewrite.position, None)
            return super(TracedEffective, self).stays_off(rewrite)

        found: bool = self.once(self._off_kept, rewrite.position, work)
        return found

    def remembered_overrides(self, keys: list[str]) -> list[Override]:
        """The overrides of some written keys (sorted), worked out once for all configs that agree on what they hang on."""
        written = self.config.written
        ways = self.kind.part(("overrides", *keys))
        kept = ways.find(self.signature)
        if kept is None:
            outer, self.now = self.now, set(keys)
            try:
                found = self._overrides(keys)
                names = frozenset(self.now)
            finally:
                self.now = outer
            kept = tuple([(o.key, o.before, o.after, o.rewrite, o.certain) for o in found])
            ways.learn(names, self.signature, kept)
        return [Override(key, written[key], *rest) for key, *rest in kept]

    def once(self, kept: dict[Any, Kept], at: Any, work: Any, *given: Any) -> Any:
        """``work(*given)``, or what it gave before; either way its dependencies are those of who asks now."""
        found = kept.get(at)
        if found is None:
            outer, self.now = self.now, set()
            try:
                value = work(*given)
                found = kept[at] = value, frozenset(self.now)
            finally:
                self.now = outer
        self.now |= found[1]
        return found[0]


class TracedView(View):
    __slots__ = ("_fired_kept", "_keys_kept", "tracer")

    def __init__(self, effective: TracedEffective, keep: frozenset[str] | None) -> None:
        super().__init__(effective, keep)
        self.tracer = effective
        self._keys_kept: dict[Any, Kept] = {}
        self._fired_kept: dict[Any, Kept] = {}

    def at(self, position: int) -> Scope:
        found = self._scopes.get(position)
        if found is None:
            found = self._scopes[position] = TracedScope(self, position)
        return found

    def given(self, key: str) -> Any:
        self.tracer.now.add(key)
        layers = self.effective.layers
        value, _ = (key not in layers.written and layers.shared.get(key)) or layers.get(key)
        if value.__class__ is tuple:
            self.base.pop(key, None)  # an expression: what it reads counts each time
        return super().given(key)

    def key(self, key: str, count: int) -> Any:
        if count == 0:
            return self.given(key)

        def work() -> Any:
            self._keys.pop((key, count), None)
            return super(TracedView, self).key(key, count)

        return self.tracer.once(self._keys_kept, (key, count), work)

    def fires(self, rewrite: Rewrite) -> Any:
        return self.tracer.once(self._fired_kept, rewrite.position, self._decide, rewrite)

    def _decide(self, rewrite: Rewrite) -> Any:
        if self.keep is None and self.trace is None:
            self.tracer.now.add(f"~{rewrite.position}")
        return super()._decide(rewrite)

    def target(self, name: str) -> Any:
        self.tracer.now.add("target." + name)
        return super().target(name)

    def releases(self, name: str) -> Any:
        self.tracer.now.add("!" + name)
        return super().releases(name)


class TracedScope(Scope):
    __slots__ = ("_kept", "model", "tracer", "walls")

    def __init__(self, view: TracedView, position: int) -> None:
        super().__init__(view, position)
        self.tracer = view.tracer
        self._kept: dict[str, Kept] = {}
        self.model: TracedWalls | None = None
        self.walls: frozenset[str] = frozenset()  # what the model has read so far

    def get(self, name: str) -> Any:
        found = self._kept.get(name)
        if found is not None:
            self.tracer.now |= found[1]
            return found[0]
        return self.tracer.once(self._kept, name, self._work, name)

    def close(self) -> None:
        super().close()
        self.model = None

    def _work(self, name: str) -> Any:
        if name.startswith("walls."):
            return self._wall(name[6:])
        if name == "release_stated":
            self.tracer.now.update(("target.megatron_core", "target.megatron_bridge"))
        elif name.startswith("hw."):
            self.tracer.now.add("target." + name[3:])  # a directive may state the machine's figures
        return self._find(name)

    def _wall(self, name: str) -> Any:
        tracer = self.tracer
        if self.model is None:
            self.model = TracedWalls(self)
        if name in ASKED:
            return self.model.get(name)  # a few settings, and no model
        if self.view.trace is None:
            # What hangs on a figure hangs on its value, not on the hundred settings that make it.
            tracer.now.add(tracer.kind.figure(self.position, self.view.keep, name))
            return self.figure(name)
        # The model is built by the first who asks: whoever asks later hangs on all that it has read.
        value = self.model.get(name)
        self.walls |= tracer.now
        tracer.now |= self.walls
        return value

    def figure(self, name: str) -> Any:
        """A figure of the walls, without its dependencies."""
        tracer = self.tracer
        if self.model is None:
            self.model = TracedWalls(self)
        outer, tracer.now = tracer.now, set()
        try:
            return self.model.get(name)
        finally:
            tracer.now = outer

    def written(self, key: str) -> Any:
        self.tracer.now.add("?" + key)
        found = super().written(key)
        if found is not True and "." in key:
            self.tracer.now.add(f"?{key}.")
        return found


class TracedWalls(Walls):
    """Walls that look up what another config with the same settings has made of them."""

    __slots__ = ("scope",)

    def __init__(self, scope: TracedScope) -> None:
        super().__init__(scope.get)
        self.scope = scope

    def _part(self, name: Any, reader: Any, work: Any, layers: int = 0) -> Any:
        view, tracer = self.scope.view, self.scope.tracer
        if view.trace is not None:  # what it assumes on the way counts too
            return work()
        ways = tracer.kind.part((self.scope.position, view.keep, name))
        found = ways.find(tracer.signature)
        if found is None:
            outer, tracer.now = tracer.now, set()
            missing, assumptions = len(reader.missing), len(reader.assumptions)
            try:
                value = work()
                names = frozenset(tracer.now)
            finally:
                outer |= tracer.now
                tracer.now = outer
            found = value, reader.missing[missing:], reader.assumptions[assumptions:], names
            layers = layers or len(getattr(value, "layers", ()))
            ways.learn(names, tracer.signature, found, WORDS_OF_A_LAYER * layers)
            return value
        value, missing_, assumptions_, names = found
        reader.missing += missing_
        reader.assumptions += assumptions_
        tracer.now |= names
        return value

    def read_shape(self, reader: Any) -> Any:
        return self._part("shape", reader, lambda: super(TracedWalls, self).read_shape(reader))

    def read_layout(self, reader: Any, shape: Any) -> Any:
        # All that reading a layout takes from the shape, but for checks that are made again afterwards.
        about = bool(shape.experts), len(shape.layers)
        return self._part(
            about, reader, lambda: super(TracedWalls, self).read_layout(reader, shape), len(shape.layers)
        )

    def read_machine(self, reader: Any) -> Any:
        return self._part("machine", reader, lambda: super(TracedWalls, self).read_machine(reader))

    def estimate_of(self, shape: Any, layout: Any, machine: Any) -> Any:
        # The parts are the same objects wherever the same was read: no need to compare all their fields.
        kept = self.scope.tracer.kind.estimates
        found = kept.get(at := (id(shape), id(layout), id(machine)))
        if found is None:
            from moelint.walls.estimate import Estimate

            if len(kept) >= MOST_ESTIMATES:
                kept.clear()
            found = kept[at] = Estimate(shape, layout, machine)  # it holds the three: no other gets their ids
        return found
