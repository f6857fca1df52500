"""Values of a config under one mask of assumptions, at any place in the trainer's order."""

from __future__ import annotations

from bisect import bisect_left

from moelint.lang.functions import equal
from moelint.lang.names import SECTIONS
from moelint.lang.unknown import UNKNOWN, Unknown
from moelint.lang.versions import Version
from moelint.trainer.compiled import Rewrite
from moelint.trainer.gates import allows
from moelint.trainer.layers import ASSUMED, VALUE
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.read.config import Written
    from moelint.trainer.effective import Effective

_MISSING = object()
_MOST = 10_000  # names that are remembered: those of rules are far fewer, but files write others
_settings: dict[str, bool] = {}  # name → whether it is a setting, for the names that were asked in this process
OTHER_NAMES = {"world_size": "gpus"}  # what the trainers call a target
_DEFAULT = {ASSUMED: "its default is assumed: the file does not say that it is complete"}


class View:
    """``keep``: None shows assumed values, a set hides all but those of its keys. ``trace``: collects the assumed keys
    that were read, when it is a set. Values are worked out once: key → value after the n-th rewrite of this key."""

    __slots__ = (
        "_fired",
        "_keys",
        "_positions",
        "_releases",
        "_scopes",
        "base",
        "by_key",
        "dialect",
        "effective",
        "keep",
        "trace",
        "trainer",
    )

    def __init__(self, effective: Effective, keep: frozenset[str] | None) -> None:
        self.effective, self.keep = effective, keep
        self.trainer, self.dialect = effective.config.trainer, effective.config.dialect
        self.trace: set[str] | None = None
        self.by_key = effective.rewrites.by_key
        self.base: dict[str, Any] = {}  # values before any rewrite
        self._keys: dict[tuple[str, int], Any] = {}
        self._fired: dict[int, Any] = {}
        self._releases: dict[str, list[Version]] = {}
        self._scopes: dict[int, Scope] = {}
        self._positions: dict[str, list[int]] = {}

    def at(self, position: int) -> Scope:
        """The scope before the rewrite at a position (after all of them: their number)."""
        found = self._scopes.get(position)
        if found is None:
            found = self._scopes[position] = Scope(self, position)
        return found

    def close(self) -> None:
        """Lets go of the scopes, which hold this view, and of what holds the scopes."""
        for scope in self._scopes.values():
            scope.close()
        self._scopes.clear()

    def given(self, key: str) -> Any:
        """The value before any rewrite."""
        found = self.base.get(key, _MISSING)
        if found is _MISSING:
            layers = self.effective.layers
            value, state = (key not in layers.written and layers.shared.get(key)) or layers.get(key)
            if type(value) is tuple and value and value[0] == "expr":
                from moelint.lang.closures import closure

                value = closure(value[1])(self.at(0))
            if state == ASSUMED and not self.shows(key):
                value = UNKNOWN
            found = self.base[key] = value
        return found

    def shows(self, name: str) -> bool:
        """Whether an assumed value may be seen; notes that it was asked for. An assumed target is no setting of the
        file: it rides along with any key that is kept."""
        if self.trace is not None:
            self.trace.add(name)
        return self.keep is None or name in self.keep or (bool(self.keep) and name.startswith("target."))

    def value(self, key: str, position: int) -> Any:
        """The value of a key before the rewrite at a position."""
        entries = self.by_key.get(key)
        if entries is None:
            return self.given(key)
        places = self._positions.get(key)
        if places is None:
            places = self._positions[key] = [r.position for r in entries]
        return self.key(key, bisect_left(places, position))

    def key(self, key: str, count: int) -> Any:
        """The value of a key after the first ``count`` of the rewrites that set it."""
        if count == 0:
            return self.given(key)
        found = self._keys.get((key, count), _MISSING)
        if found is not _MISSING:
            return found
        rewrite = self.effective.rewrites.by_key[key][count - 1]
        fires = self.fires(rewrite)
        if fires is False:
            found = self.key(key, count - 1)
        else:
            found = rewrite.value(key, self.at(rewrite.position))
            if fires is UNKNOWN:
                same = equal(self.key(key, count - 1), found)
                found = found if same is True else UNKNOWN
        self._keys[key, count] = found
        return found

    def fires(self, rewrite: Rewrite) -> bool | Unknown:
        """Whether a rewrite happens."""
        found = self._fired.get(rewrite.position, _MISSING)
        if found is _MISSING:
            found = self._fired[rewrite.position] = self._decide(rewrite)
        return found  # type: ignore[no-any-return]

    def _decide(self, rewrite: Rewrite) -> bool | Unknown:
        if self.keep is None and self.trace is None and rewrite.position in self.effective.quiet:
            return False
        result = allows(rewrite.applies, self)
        if result is False:
            return False
        scope = self.at(rewrite.position)
        for condition in rewrite.conditions():
            value = condition(scope)
            if value is UNKNOWN:
                result = UNKNOWN
            elif not value:
                return False
        if result is UNKNOWN and self.keep is not None:
            shown = self.effective.view(None).fires(rewrite)
            return False if shown is False and self.effective.stays_off(rewrite) else UNKNOWN
        return result

    def target(self, name: str) -> Any:
        """A target by its name with underscores; UNKNOWN where nobody states it or the mask hides the assumption."""
        found = self.effective.target.values.get(OTHER_NAMES.get(name, name))
        if found is None:
            return UNKNOWN
        if found.hangs_on is not None and not self.shows(found.hangs_on):
            return UNKNOWN
        return found.value

    def releases(self, name: str) -> list[Version]:
        """The releases of Core or Bridge that may be meant where the mask hides an assumed one: those that know every
        key which is written."""
        found = self._releases.get(name)
        if found is None:
            from moelint.trainer.candidates import candidates

            found = self._releases[name] = candidates(self.effective, name)
        return found


class Scope:
    """What expressions read: see docs/architecture.md. ``memo`` holds what was asked before."""

    __slots__ = ("memo", "position", "view")

    def __init__(self, view: View, position: int) -> None:
        self.view, self.position = view, position
        self.memo: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        found = self.memo.get(name, _MISSING)
        if found is _MISSING:
            view = self.view
            setting = _settings.get(name)
            if setting is None:
                if len(_settings) >= _MOST:
                    _settings.clear()
                head, dot, _ = name.partition(".")
                setting = _settings[name] = bool(dot) and head not in _SPECIAL
            if setting and name not in view.by_key:  # most names: a setting that no rewrite touches
                found = view.base.get(name, _MISSING)
                if found is _MISSING:
                    found = view.given(name)
            else:
                found = self._find(name)
            self.memo[name] = found
        return found

    def close(self) -> None:
        """Lets go of what was asked: the model of the walls among it asks this scope in turn."""
        self.memo.clear()

    def _find(self, name: str) -> Any:
        view = self.view
        dot = name.find(".")
        if dot < 0:
            run = view.effective.facts.trees.get(name)
            if run is not None:
                return view.effective.facts.run(name)(self)
            if name in ("stages", "moe_layers", "layout_fault"):
                from moelint.trainer import layouts

                return layouts.provided(name, self)
            if name == "trainer":
                return view.trainer
            if name == "dialect":
                return view.dialect
            if name == "complete":
                return view.effective.config.completeness == "complete"
            if name == "release_stated":
                return view.effective.target.release_stated()
            return view.given(name) if name in SECTIONS else UNKNOWN
        head = name[:dot]
        if head in _SPECIAL:
            return _SPECIAL[head](self, name[dot + 1 :])
        return view.value(name, self.position)

    def written(self, key: str) -> bool | Unknown:
        """Whether a file, an inherited layer, a base or a named model states a key, or any key of a section."""
        layers = self.view.effective.layers
        if key in layers.written:
            return True
        if "." not in key:
            return key in layers.sections
        prefix = key + "."
        return any(k.startswith(prefix) for k in layers.written)

    def changed(self, key: str) -> bool | Unknown:
        """Whether the value differs from the old revision's; UNKNOWN without one."""
        other = self.view.effective.before
        if other is None:
            return UNKNOWN
        from moelint.trainer.change import changed

        return changed(self.view.effective, other, key)

    def default(self, key: str) -> Any:
        """The default of the target release, whatever the config says; an expression default counts as UNKNOWN."""
        value = self.view.effective.layers.default(key)
        return UNKNOWN if type(value) is tuple else value

    def origin(self, key: str) -> tuple[str, Written | None, str | None]:
        """(origin, Written, why the value is only assumed): origin is file, inherited, base, model, default, rewritten
        or unknown; derived for a fact."""
        layers = self.view.effective.layers
        if "." not in key and key not in layers.written and key in self.view.effective.facts.trees:
            return "derived", None, None
        written = layers.written.get(key)
        _, state = layers.get(key)
        value, given = self.get(key), self.view.given(key)
        if value is UNKNOWN:
            return "unknown", written, None
        if equal(value, given) is not True:
            return "rewritten", written, None
        if written is not None:
            return written.origin, written, written.assumed if state != VALUE else None
        return "default", None, _DEFAULT.get(state)

    def spelling(self, key: str) -> str:
        written = self.view.effective.layers.written.get(key)
        return key.rpartition(".")[2] if written is None else written.spelling


def _given(scope: Scope, rest: str) -> Any:
    return scope.view.at(0).get(rest)


def _before(scope: Scope, rest: str) -> Any:
    other = scope.view.effective.before
    return UNKNOWN if other is None else other.view(scope.view.keep).at(scope.position).get(rest)


def _saved(scope: Scope, rest: str) -> Any:
    other = scope.view.effective.saved
    return UNKNOWN if other is None else other.scope("last", scope.view.keep).get(rest)


def _target(scope: Scope, rest: str) -> Any:
    return scope.view.target(rest)


def _hw(scope: Scope, rest: str) -> Any:
    from moelint.trainer.machine import fact

    return fact(scope, rest)


def _walls(scope: Scope, rest: str) -> Any:
    from moelint.trainer.machine import wall

    return wall(scope, rest)


_SPECIAL = {"given": _given, "before": _before, "saved": _saved, "target": _target, "hw": _hw, "walls": _walls}
