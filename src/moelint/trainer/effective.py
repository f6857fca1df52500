"""The effective config: what the author wrote, under it the defaults, over it what the trainer rewrites.

Everything is worked out on demand: a rule that reads four keys pays for four keys.
"""

from __future__ import annotations

from moelint.lang.facts import Facts
from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config, Written
from moelint.trainer import compiled
from moelint.trainer.layers import DUMPS, Layers
from moelint.trainer.tables import Table, table
from moelint.trainer.target import Target
from moelint.trainer.view import Scope, View
from moelint.typed import Any

Mask = frozenset[str] | None


_OFF = (False, None, "none")  # what a switch stands at that nobody has set


class Override:
    """A rewrite that changes a value which the author wrote. ``before``: the written value in the trainer's
    spelling."""

    __slots__ = ("after", "before", "certain", "key", "rewrite", "written")

    def __init__(
        self,
        key: str,
        written: Written,
        before: Any,
        after: Any,
        rewrite: compiled.Rewrite,
        certain: bool,
    ) -> None:
        self.key, self.written, self.before, self.after = key, written, before, after
        self.rewrite, self.certain = rewrite, certain


class Effective:
    """A config as a trainer will see it. ``before``, ``saved``: the old revision's, the checkpoint's effective config.
    ``quiet`` is set by the policies' index."""

    __slots__ = (
        "_off",
        "_scopes",
        "_views",
        "before",
        "config",
        "facts",
        "known",
        "layers",
        "quiet",
        "rewrites",
        "saved",
        "table",
        "target",
    )

    def __init__(self, config: Config, target: Target, tables: Table | None = None, facts: Facts | None = None) -> None:
        self.config, self.target = config, target
        self.table = tables if tables is not None else table(config.trainer, target.release)
        self.facts = facts if facts is not None else shipped_facts()
        self.rewrites = compiled.rewrites(config.trainer)
        self.layers = Layers(config, target, self.table)
        self.before: Effective | None = None
        self.saved: Effective | None = None
        self.quiet: set[int] = set()  # rewrites that cannot happen: none of what they wait for is written
        self.known: Any = None  # moelint.trainer.traced.TracedEffective, where what other configs came to is remembered
        self._off: dict[int, bool] = {}
        self._views: dict[Mask, View] = {}
        self._scopes: dict[tuple[str, Mask], Scope] = {}

    def scope(self, stage: str = "last", keep: Mask = None) -> Scope:
        """The scope of a stage. ``keep``: None shows assumed values; a set hides all of them but those of its keys."""
        found = self._scopes.get((stage, keep))
        if found is None:
            found = self._scopes[stage, keep] = self.view(keep).at(self.rewrites.limits[stage])
        return found

    def view(self, keep: Mask = None) -> View:
        found = self._views.get(keep)
        if found is None:
            found = self._views[keep] = self.new_view(keep)
        return found

    def new_view(self, keep: Mask) -> View:
        return View(self, keep)

    def writes(self, key: str) -> bool:
        """Whether the config writes a setting."""
        return key in self.layers.written

    def is_quiet(self, rewrite: compiled.Rewrite) -> bool:
        """Whether the index of rules has shown that a rewrite cannot happen."""
        return rewrite.position in self.quiet

    def get(self, key: str) -> Any:
        """The value at the end of all rewrites, assumed values included."""
        return self.scope().get(key)

    def assumptions(self, names: Any, stage: str = "last") -> list[str]:
        """The assumed keys and targets (``target.gpus``) on which the values of some names rest, sorted."""
        view = self.new_view(None)
        view.trace = set()
        scope = view.at(self.rewrites.limits[stage])
        for name in names:
            scope.get(name)
        view.close()
        return sorted(view.trace)

    def stays_off(self, rewrite: compiled.Rewrite) -> bool:
        """Whether a rewrite that does not happen hangs on nothing but switches which are off unless somebody sets them.
        Such a switch is no assumption of a rule: else each rule would rest on every feature that the file does not use.
        """
        found = self._off.get(rewrite.position)
        if found is None:
            view = self.new_view(None)
            view.trace = set()
            scope = view.at(rewrite.position)
            for condition in rewrite.conditions():
                condition(scope)
            view.close()
            found = all(not k.startswith("target.") and self.layers.default(k) in _OFF for k in view.trace)
            self._off[rewrite.position] = found
        return found

    def close(self) -> None:
        """Lets go of all that was worked out. These parts hold each other: a run over thousands of files would else leave
        them, and each file's text with them, to the garbage collector."""
        for view in self._views.values():
            view.close()
        self._views.clear()
        self._scopes.clear()
        others = self.before, self.saved, self.known
        self.before = self.saved = self.known = None
        for other in others:
            if other is not None:
                other.close()

    def overrides(self) -> list[Override]:
        """Rewrites which replace a written value by another one, and count as a finding; in the trainer's order."""
        by_key, quiet = self.rewrites.by_key, self.quiet
        keys = []
        for key in self.config.written.keys() & by_key.keys():
            for rewrite in by_key[key]:
                if rewrite.effect is not None and rewrite.position not in quiet:
                    keys.append(key)
                    break
        if not keys:
            return []
        return self._overrides(keys) if self.known is None else self.known.remembered_overrides(sorted(keys))

    def _overrides(self, keys: list[str]) -> list[Override]:
        """The overrides of some written keys."""
        written = self.config.written
        by_key = self.rewrites.by_key
        found: list[Override] = []
        dump = self.config.dialect in DUMPS
        for key in keys:
            view = self.view(None)
            given = view.given(key)
            for number, rewrite in enumerate(by_key[key]):
                if rewrite.effect is None or self.is_quiet(rewrite):
                    continue
                before = view.key(key, number)
                if before is UNKNOWN or equal(before, given) is not True or view.fires(rewrite) is not True:
                    continue
                if dump and equal(before, self.layers.default(key)) is True:
                    continue  # a dump states every default: nobody chose this one
                after = view.key(key, number + 1)
                if after is UNKNOWN or equal(before, after) is not False:
                    continue
                hidden = self.view(frozenset())
                certain = hidden.fires(rewrite) is True and equal(hidden.key(key, number + 1), after) is True
                found.append(Override(key, written[key], before, after, rewrite, certain))
                break
        found.sort(key=lambda o: (o.rewrite.position, o.key))
        return found


_facts: Facts | None = None


def shipped_facts() -> Facts:
    """The named facts of trainers/facts.yaml."""
    global _facts
    if _facts is None:
        _facts = Facts(compiled.facts())
    return _facts
