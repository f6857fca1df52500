"""Rules over an effective config, in Kleene's logic: what fires, how surely, and what stays undecided.

A case fires where its gates hold, ``when`` is true and ``require`` is false. It is *certain* if that stays so with
every assumed value made unknown, *assumed* if it then hangs on one assumed setting (spellings of one thing count as
one), and does not fire if it hangs on several.
"""

from __future__ import annotations

from collections.abc import Callable

from moelint.lang.unknown import UNKNOWN
from moelint.policy.load import Packs, Rule
from moelint.policy.recorder import Recorder
from moelint.trainer.gates import allows
from moelint.typed import Any

Wanted = Callable[[str, str | None], bool]
Undecided = tuple[str, str, list[str]]  # rule id, severity, the unknown names that it waits for
Result = tuple[int, str | None, str | None, list[str]]
"""Number of a case; certain or assumed, with the key that it then hangs on, and what it read; or None, None and the
names that it waits for."""
_NOTHING: frozenset[str] = frozenset()


class Verdict:
    """A case that fires. ``certainty``: certain | assumed; ``assumed``: the key that an assumed one hangs on;
    ``reads``: the names that decided, in the order in which they were read."""

    __slots__ = ("assumed", "case", "certainty", "reads", "rule", "scope")

    def __init__(self, rule: Rule, scope: Any, certainty: str, assumed: str | None, reads: list[str]) -> None:
        self.rule, self.scope, self.certainty, self.assumed, self.reads = rule, scope, certainty, assumed, reads
        self.case: str | None = rule.case

    @property
    def message(self) -> Any:
        """The template of the message, for ``lang.template.render(…, scope)``."""
        return self.rule.message


def evaluate(
    packs: Packs, effective: Any, wanted: Wanted | None = None, show_undecided: bool = False, index: bool = True
) -> tuple[list[Verdict], list[Undecided]]:
    """Verdicts and undecided rules of a config. ``wanted(rule, case)`` says whether anyone listens; ``show_undecided``
    also tries the rules that this config cannot trigger; ``index=False`` tries all, for comparison."""
    effective.facts = packs.facts(effective.facts)
    for other in (effective.before, effective.saved):
        if other is not None:
            other.facts = packs.facts(other.facts)
    numbers: Any = range(len(packs.cases))
    if index and not show_undecided:
        packs.evaluated += 1
        if packs.evaluated > _FEW and effective.before is None and effective.saved is None:
            from moelint.policy.remembered import results

            remembered = results(packs, effective)
            if remembered is not None:
                return _shown(packs, effective, wanted, remembered)
        from moelint.policy.index import candidates

        numbers = candidates(packs, effective)
    run = Run(packs, effective, wanted)
    return _shown(packs, effective, None, [found for n in numbers if (found := run.one(n, show_undecided)) is not None])


_FEW = 8  # configs of a run from which on it pays to remember what rules say


def _shown(
    packs: Packs, effective: Any, wanted: Wanted | None, results: list[Result]
) -> tuple[list[Verdict], list[Undecided]]:
    verdicts: list[Verdict] = []
    undecided: list[Undecided] = []
    for number, certainty, assumed, names in results:
        entry = packs.cases[number]
        if wanted is not None and not wanted(entry[0], entry[1]):
            continue
        if certainty is None:
            undecided.append((entry[0], entry[3], names))
        else:
            scope = effective.scope(entry[5])
            verdicts.append(Verdict(packs.rule(number), scope, certainty, assumed, names))
    return verdicts, undecided


class Run:
    """One config under all rules."""

    __slots__ = ("cases", "effective", "gates", "packs", "wanted")

    def __init__(self, packs: Packs, effective: Any, wanted: Wanted | None) -> None:
        self.packs, self.effective, self.wanted = packs, effective, wanted
        self.cases = packs.cases
        self.gates: dict[tuple[int, Any], Any] = {}

    def one(self, number: int, show_undecided: bool = False) -> Result | None:
        """What a case comes to; None if it does not fire, or if it is undecided and nobody could do anything about it."""
        found = self.fires(number, None)
        if found is False:
            return None
        entry = self.cases[number]
        if self.wanted is not None and not self.wanted(entry[0], entry[1]):
            return None
        if found is True:
            verdict = self.verdict(number)
            if verdict is None and self.stands(entry):
                return number, None, None, self.assumptions(number, self.recorder(number).names)
            return verdict
        if (show_undecided or self.stands(entry)) and self.comparable(number):
            waits = self.waits(number)
            if waits or show_undecided:  # else a value of a wrong type: nothing that anyone could state
                return number, None, None, waits
        return None

    def stands(self, entry: tuple[Any, ...]) -> bool:
        """Whether the file writes anything that the case is about: else it could not be reported anyway."""
        return any(self.effective.writes(key) for key in entry[7])

    def comparable(self, number: int) -> bool:
        """Whether the other revisions that a case looks at are there: without them it says nothing of this run."""
        return all(getattr(self.effective, name) is not None for name in self.packs.revisions(number))

    def fires(self, number: int, keep: frozenset[str] | None) -> Any:
        """True, False or UNKNOWN, under a mask of assumptions."""
        entry = self.cases[number]
        found = self.packs.condition(number)(self.effective.scope(entry[5], keep))
        if found is False:  # nearly always: the gates need not be asked
            return False
        for gate in entry[6]:
            allowed = self.allowed(gate, keep)
            if allowed is False:
                return False
            if allowed is UNKNOWN:
                found = UNKNOWN
        return found

    def open_part(self, number: int, keep: frozenset[str]) -> int | None:
        """The first part of a case that is not true under a mask, -1 for a gate; None if it fires for sure."""
        entry = self.cases[number]
        if any(self.allowed(gate, keep) is not True for gate in entry[6]):
            return -1
        scope = self.effective.scope(entry[5], keep)
        for at, part in enumerate(self.packs.parts(number)):
            if part(scope) is not True:
                return at
        return None

    def allowed(self, gate: int, keep: frozenset[str] | None) -> Any:
        found = self.gates.get((gate, keep))
        if found is None:
            found = self.gates[gate, keep] = allows(self.packs.applies[gate], self.effective.view(keep))
        return found

    def verdict(self, number: int) -> Result | None:
        """How surely a case fires that does so with assumed values shown; None if it hangs on several of them."""
        recorder = self.recorder(number)
        reads = [*recorder.names]
        stuck = self.open_part(number, _NOTHING)
        if stuck is None:
            return number, "certain", None, reads
        for key, together in self.candidates(number, stuck, recorder.names):
            if self.open_part(number, together) is None:
                return number, "assumed", key, reads
        return None

    def candidates(self, number: int, stuck: int, names: Any) -> list[tuple[str, frozenset[str]]]:
        """(key, it with its other spellings) for each assumption that may make a case fire: only those under the part
        that is open without any. An assumed target rides along with every key, so one under that part lets all in."""
        found = [(key, self.together(key)) for key in self.assumptions(number, names)]
        if stuck < 0 or len(found) < 2:
            return found
        part = self.packs.parts(number)[stuck]
        recorder = Recorder(self.effective.scope(self.cases[number][5]), self.effective.facts)
        part(recorder)
        under = self.hanging(number, recorder.names)
        if any(key.startswith("target.") for key in under):
            return found
        return [(key, together) for key, together in found if not together.isdisjoint(under)]

    def together(self, key: str) -> frozenset[str]:
        """A key with the other spellings of the same thing."""
        groups = [group for group in self.packs.core["assumed_groups"] if key in group]
        return frozenset((key,)).union(*groups)

    def assumptions(self, number: int, names: Any) -> list[str]:
        """Assumed keys under what a case reads: settings, then the targets of its gates, then others."""
        entry = self.cases[number]
        targets = [f"target.{name}" for gate in entry[6] for name in _packages(self.packs.applies[gate])]
        found = self.hanging(number, [*names, *targets])
        return sorted(found, key=lambda k: (k.startswith("target."), k not in targets, k))

    def hanging(self, number: int, names: Any) -> set[str]:
        """Assumed keys under some names, those of other revisions included."""
        entry = self.cases[number]
        found = set(self.effective.assumptions(names, entry[5]))
        for revision in self.packs.revisions(number):
            prefix, other = revision + ".", getattr(self.effective, revision)
            asked = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
            if other is not None and asked:
                found.update(other.assumptions(asked, entry[5] if revision == "before" else "last"))
        return found

    def recorder(self, number: int) -> Recorder:
        """What a case reads, by running it once more."""
        entry = self.cases[number]
        recorder = Recorder(self.effective.scope(entry[5]), self.effective.facts)
        self.packs.condition(number)(recorder)
        return recorder

    def waits(self, number: int) -> list[str]:
        """The unknown names that an undecided case waits for."""
        entry = self.cases[number]
        out = [name for name, value in self.recorder(number).names.items() if _open(name, value)]
        for gate in entry[6]:
            if self.allowed(gate, None) is UNKNOWN:
                names = [f"target.{n}" for n in _packages(self.packs.applies[gate])]
                scope = self.effective.scope(entry[5])
                out += [n for n in names if n not in out and _open(n, scope.get(n))]
        return out


def _open(name: str, value: Any) -> bool:
    """Whether a name still has to be stated: unknown, or a package of which only the version is unknown."""
    return value is UNKNOWN or (value == "installed" and name.startswith("target."))


def _packages(applies: Any) -> list[str]:
    """The target names that a gate looks at."""
    out: list[str] = []
    for alternative in applies:
        for kind, name, _ in alternative:
            if kind not in ("trainer", "dialect") and name not in out:
                out.append(name)
    return out
