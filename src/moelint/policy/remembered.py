"""What rules say is worked out once for all configs on which it hangs alike: in a folder of sweeps that is nearly all.

A case that is tried for the first time runs over a config that notes every dependency (``moelint.trainer.traced``). What it
came to is kept under the values of these dependencies, for this kind of config (everything that is the same whatever
settings are written: trainer, release, dialect, completeness, …). The next config that has the same values takes the same
way through the rule, so it comes to the same. One case may hang on several sets of dependencies, as it takes several ways.
"""

from __future__ import annotations

from collections.abc import Hashable

from moelint.policy.evaluate import Result, Run
from moelint.trainer import ways
from moelint.trainer.traced import TracedEffective
from moelint.trainer.ways import PLAIN, Signature, Way, Ways, picker, setting_token
from moelint.typed import Any

KINDS, PLANS, TARGETS = 64, 1024, 256
"""Kinds of config, selections of cases and targets that are kept."""
SETTINGS = 20_000
"""Settings of one kind whose token is kept."""
WATCHED = 16
"""Configs of a plan after which the cases are bundled that hang on nothing in which these differ."""
IDLE, LONGEST = 8, 512
"""Configs of a kind that are judged the usual way before it is remembered what they come to, and again whenever too few
cases were known: twice as many each time."""
LOAD, AFTER = 0.12, 8
"""Share of cases that were not known from which on remembering costs more than it saves, and configs until one can tell."""
TRIALS = 64
"""Runs after which a case that finds itself known less often than not is not remembered any more."""
_NONE: Any = (-1, None, None, ())  # the result of a case that says nothing


class Known(Ways):
    """What is known of a case."""

    __slots__ = ("missed", "number")

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number, self.missed = number, 0


class Bundle:
    """Cases that hang on nothing which has differed between the configs of a plan so far: looked up as one."""

    __slots__ = ("answers", "missed", "names", "numbers", "pick")

    def __init__(self, numbers: frozenset[int], names: frozenset[str]) -> None:
        self.numbers, self.names, self.missed = numbers, names, 0
        self.pick = picker(names)
        self.answers: dict[Hashable, list[Result]] = {}


class Plan:
    """The cases to try for configs that write the same keys and leave the same ones at their defaults."""

    __slots__ = ("bundle", "cases", "configs", "first", "keys", "quiet", "rest", "varied")

    def __init__(self, cases: list[Known], quiet: set[int], keys: dict[str, Any]) -> None:
        self.cases, self.quiet, self.keys = cases, quiet, keys
        self.rest = cases  # but for those of the bundle
        self.bundle: Bundle | None = None
        self.configs = 0
        self.first: dict[str, Any] = {}  # tokens of the first config
        self.varied: set[str] = set()  # dependencies in which another one differed


class Kind(ways.Kind):
    """All that is known of one kind of config."""

    __slots__ = ("cases", "configs", "idle", "load", "next_idle", "plans", "settings", "targets", "watched")

    def __init__(self) -> None:
        super().__init__()
        self.configs = self.watched = 0
        self.load = 1.0  # share of cases that were not known of late
        self.idle = self.next_idle = IDLE
        self.cases: dict[int, Known] = {}
        self.settings: dict[Hashable, tuple[int, bool]] = {}
        self.plans: dict[Hashable, Plan] = {}
        self.targets: dict[int, tuple[Any, dict[str, Any]]] = {}  # by id; the target is kept so that the id stays its own

    def known(self, number: int) -> Known:
        found = self.cases.get(number)
        if found is None:
            found = self.cases[number] = Known(number)
        return found

    def weigh(self, cases: int) -> None:
        """Whether it has paid of late to remember; else the next configs are judged the usual way."""
        self.load += (self.tried / max(1, cases) - self.load) / 4
        self.tried = 0
        self.watched += 1
        if self.watched >= AFTER and self.load > LOAD:
            self.watched, self.load = 0, 1.0
            self.next_idle = min(2 * self.next_idle + AFTER, LONGEST)
            self.idle = self.next_idle


def results(packs: Any, effective: Any) -> list[Result] | None:
    """What the cases of all packs come to for a config, those that say something; in their order. None if it does not pay
    to remember that: this kind of config is new, or no two of them are alike."""
    kind = _kind(packs, effective)
    if kind.idle:
        kind.idle -= 1
        return None
    kind.configs += 1
    settings, changed = _settings(kind, effective)
    plan = _plan(packs, kind, effective, changed)
    effective.quiet = plan.quiet
    signature = Signature(effective, plan.keys, _stated(kind, effective.target))
    signature.update(settings)
    effective.known = TracedEffective(effective, signature, kind)
    bundle = plan.bundle
    if bundle is not None:
        together = bundle.answers.get(at := bundle.pick(signature))
        if together is not None:
            found = sorted(together + _each(packs, kind, effective, signature, plan.rest, None))
            kind.weigh(len(plan.cases))
            return found
        bundle.missed += 1
    taken: dict[int, Way | None] = {}
    found = _each(packs, kind, effective, signature, plan.cases, taken)
    kind.weigh(len(plan.cases))
    plan.configs += 1
    if bundle is None or bundle.missed > TRIALS:
        _bundle(plan, signature, taken)
    elif all(way is not None and way[2] <= bundle.names for n, way in taken.items() if n in bundle.numbers):
        if len(bundle.answers) >= ways.MOST_VALUES:
            bundle.answers.clear()
        ways.held += len(bundle.names) + ways.ANSWER
        bundle.answers[at] = [result for result in found if result[0] in bundle.numbers]
    return found


def _each(
    packs: Any, kind: Kind, effective: Any, signature: Signature, cases: list[Known], taken: dict[int, Way | None] | None
) -> list[Result]:
    """Cases one by one. ``taken`` is told on which way each was known."""
    found: list[Result] = []
    plain: Run | None = None
    for known in cases:
        for way in known.all:
            result = way[1].get(way[0](signature))
            if result is not None:
                if taken is not None:
                    taken[known.number] = way
                break
        else:
            if taken is not None:
                taken[known.number] = None
            known.missed += 1
            if known.missed > TRIALS and 2 * known.missed > kind.configs:
                plain = plain or Run(packs, effective, None)
                result = plain.one(known.number) or _NONE
            else:
                result = _try(packs, known, effective.known, signature)
        if result is not _NONE:
            found.append((result[0], result[1], result[2], [*result[3]]))
    return found


def _bundle(plan: Plan, signature: Signature, taken: dict[int, Way | None]) -> None:
    """Watches what differs between the first configs of a plan, then bundles the cases that hang on nothing of it."""
    if not plan.first:
        plan.first = dict(signature)
        return
    known = {number: way[2] for number, way in taken.items() if way is not None}
    for name in frozenset().union(*known.values()):
        if signature[name] != plan.first.setdefault(name, signature[name]):
            plan.varied.add(name)
    if plan.configs >= WATCHED and plan.configs % WATCHED == 0:
        steady = {number: names for number, names in known.items() if names.isdisjoint(plan.varied)}
        if steady:
            plan.bundle = Bundle(frozenset(steady), frozenset().union(*steady.values()))
            plan.rest = [known for known in plan.cases if known.number not in steady]


def _try(packs: Any, known: Known, traced: TracedEffective, signature: Signature) -> Any:
    traced.now = set()
    result = Run(packs, traced, None).one(known.number) or _NONE
    known.learn(frozenset(traced.now), signature, result)
    traced.kind.tried += 1
    return result


def _kind(packs: Any, effective: Any) -> Kind:
    layers, config = effective.layers, effective.config
    precision: Any = None
    if "mixed_precision" in layers.sections:  # what is not written of it follows from what is
        precision = tuple(
            [(key, setting_token(w)) for key, w in layers.written.items() if key.startswith("mixed_precision")]
        )
    about = layers.kind, config.completeness, frozenset(layers.sections), effective.target.release, precision
    if ways.held > ways.MOST_HELD:
        packs.remembered.clear()
        ways.held = 0
    found = packs.remembered.get(about)
    if found is None:
        if len(packs.remembered) >= KINDS:
            packs.remembered.clear()
        found = packs.remembered[about] = Kind()
    kind: Kind = found
    return kind


def _settings(kind: Kind, effective: Any) -> tuple[dict[str, int], list[str]]:
    """Tokens of the settings that a config writes, and the keys that it changes from their defaults."""
    settings = kind.settings
    tokens: dict[str, int] = {}
    changed = []
    for key, one in effective.layers.written.items():
        value = one.value
        about: tuple[Any, ...]
        if one.assumed is None and one.origin == "file" and (kind_ := value.__class__) in PLAIN and (value or kind_ is not float):
            about = key, kind_, value
        else:
            about = key, *setting_token(one)
        found = settings.get(about)
        if found is None:
            found = _setting(kind, effective, key, value, about)
        tokens[key] = found[0]
        if found[1]:
            changed.append(key)
    return tokens, changed


def _stated(kind: Kind, target: Any) -> dict[str, Any]:
    """Tokens of a target: configs that state the same share it."""
    found = kind.targets.get(id(target))
    if found is None:
        if len(kind.targets) >= TARGETS:
            kind.targets.clear()
        found = kind.targets[id(target)] = target, {}
    return found[1]


_numbers = 0  # never used twice


def _setting(kind: Kind, effective: Any, key: str, value: Any, about: tuple[Any, ...]) -> tuple[int, bool]:
    """The token of a setting, and whether it is changed from its default as the index of rules sees it."""
    global _numbers
    _numbers += 1
    if len(kind.settings) >= SETTINGS:
        kind.settings.clear()
    defaults = effective.table.defaults if effective.layers.framework is None else {}
    changed = key not in defaults or type(value) is not type(defaults[key]) or value != defaults[key]
    ways.held += ways.ANSWER + sum([len(part) for part in about if part.__class__ is str]) // 8
    found = kind.settings[about] = _numbers, changed
    return found


def _plan(packs: Any, kind: Kind, effective: Any, changed: list[str]) -> Plan:
    from moelint.policy.index import candidates

    target = effective.target
    releases = str(target.get("megatron_core")), str(target.get("megatron_bridge"))
    at = tuple(changed), tuple(effective.layers.written), releases
    found = kind.plans.get(at)
    if found is None:
        if len(kind.plans) >= PLANS:
            kind.plans.clear()
        cases = [kind.known(number) for number in candidates(packs, effective)]
        keys: dict[str, Any] = {"?" + key: True for key in effective.layers.written}
        ways.held += 4 * len(keys) + len(cases) + 10 * ways.ANSWER  # and what its keys come to hold
        found = kind.plans[at] = Plan(cases, effective.quiet, keys)
    return found
