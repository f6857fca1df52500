"""A cell of the matrix: what the rules say of a job with two features that they say of neither alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from moelint.lang.versions import gate, holds
from moelint.matrix.features import Feature, Settings, Table, joined
from moelint.read.config import Config, Written
from moelint.text.document import Document
from moelint.text.source import Source
from moelint.typed import Any

# same: the two are one, or two values of one setting · absent: not in this release · alone: refused even without the
# other (this GPU, these packages) · refused · breaks: hangs, crashes, corrupts · conditional: with a further setting ·
# ignored: one of them is silently changed or without effect · unverified: rules wait for facts · compatible
STATES = ("compatible", "conditional", "refused", "breaks", "ignored", "unverified", "alone", "absent", "same")
_BREAKS = ("crashes", "hangs", "corrupts")


class Said:
    """A rule that fires. ``fixes``: (set, unset) of each alternative that it offers."""

    __slots__ = ("case", "effect", "fixes", "message", "rule")

    def __init__(self, rule: str, case: str | None, effect: str, message: str) -> None:
        self.rule, self.case, self.effect, self.message = rule, case, effect, message
        self.fixes: list[tuple[Settings, list[str]]] = []


class Outcome:
    """What the rules say of one job: errors, silent changes, warnings and undecided errors, each by rule."""

    __slots__ = ("errors", "ignored", "undecided", "unknown", "warnings")

    def __init__(self) -> None:
        self.errors: dict[str, Said] = {}
        self.ignored: dict[str, Said] = {}
        self.warnings: dict[str, Said] = {}
        self.undecided: dict[str, list[str]] = {}
        self.unknown: list[str] = []  # keys that the release does not have


class Cell:
    """``said``: the rules behind the state; ``condition``: what has to be set, and ``unset``, for it to work."""

    __slots__ = ("a", "b", "condition", "notes", "said", "settings", "state", "unset")

    def __init__(self, a: Feature, b: Feature, state: str, said: list[Said] | None = None) -> None:
        self.a, self.b, self.state, self.said = a, b, state, said or []
        self.notes: list[Said] = []
        self.condition: Settings = {}
        self.unset: list[str] = []
        self.settings: Settings = {}


class Matrix:
    """``stated``: the target, directive key → value (a release of Megatron Core alone makes Core the judge)."""

    def __init__(self, packs: Any, stated: dict[str, str]) -> None:
        core = "megatron-core" in stated and "megatron-bridge" not in stated
        self.trainer = "core" if core else "bridge"
        self.packs = packs
        self.table = Table(self.trainer)
        self.stated = {**{key: str(value) for key, value in self.table.target.items()}, **stated}
        self._alone: dict[str, Outcome] = {}
        self._sets: dict[str, Settings | None] = {}
        self.knows: Callable[[str], bool] = lambda key: True
        empty = self.effective({})
        self.knows = empty.table.knows
        self.target, self.release = empty.target.stated(), empty.table.release
        self._version = empty.target.get("megatron_core" if core else "megatron_bridge")
        self.job = self.ask({})

    @property
    def features(self) -> list[Feature]:
        return self.table.features

    def rows(self, features: list[Feature], progress: Callable[[int, int], None] | None = None) -> Iterator[list[Cell]]:
        """The cells of some features with all."""
        for number, feature in enumerate(features, 1):
            yield [self.cell(feature, other) for other in self.features]
            if progress is not None:
                progress(number, len(features))

    def cell(self, a: Feature, b: Feature) -> Cell:
        """What becomes of two features together."""
        one, other = self.settings(a), self.settings(b)
        if one is None or other is None:
            return Cell(a, b, "absent")
        first, second = self.alone(a), self.alone(b)
        if a is b:
            cell = self._of_one(a, first)
            cell.settings = one
            return cell
        settings = joined(one, other)
        if settings is None or (a.one_of is not None and a.one_of == b.one_of):
            return Cell(a, b, "same")
        if first.errors or second.errors:
            return Cell(a, b, "alone", [*first.errors.values(), *second.errors.values()])
        cell = self._judged(a, b, settings, [first, second])
        cell.settings = settings
        return cell

    def _of_one(self, feature: Feature, outcome: Outcome) -> Cell:
        if outcome.errors:
            return Cell(feature, feature, "alone", list(outcome.errors.values()))
        ignored = [said for rule, said in outcome.ignored.items() if rule not in self.job.ignored]
        cell = Cell(feature, feature, "ignored" if ignored else "compatible", ignored)
        cell.notes = [said for rule, said in outcome.warnings.items() if rule not in self.job.warnings]
        return cell

    def _judged(self, a: Feature, b: Feature, settings: Settings, parts: list[Outcome]) -> Cell:
        together = self.ask(settings)
        before = [self.job, *parts]
        if together.errors:
            said = list(together.errors.values())
            breaks = all(one.effect in _BREAKS for one in said)
            cell = Cell(a, b, "breaks" if breaks else "refused", said)
            found = self._condition(settings, together)
            if found is not None:
                cell.state, (cell.condition, cell.unset) = "conditional", found
            return cell
        ignored = _new("ignored", together, before)
        if ignored:
            return Cell(a, b, "ignored", ignored)
        waiting = [rule for rule in together.undecided if not any(rule in part.undecided for part in before)]
        cell = Cell(a, b, "unverified" if waiting else "compatible")
        cell.said = [Said(rule, None, "undecided", ", ".join(together.undecided[rule])) for rule in waiting]
        cell.notes = _new("warnings", together, before)
        return cell

    # ---- asking ---------------------------------------------------------------------------------------

    def settings(self, feature: Feature) -> Settings | None:
        """The first alternative all keys of which the release has; None if there is none."""
        if feature.id not in self._sets:
            found = next((one for one in feature.sets if all(map(self._known, _flat(one)))), None)
            if feature.releases is not None and holds(gate(feature.releases), self._version) is not True:
                found = None
            self._sets[feature.id] = found
        return self._sets[feature.id]

    def alone(self, feature: Feature) -> Outcome:
        found = self._alone.get(feature.id)
        if found is None:
            found = self._alone[feature.id] = self.ask(self.settings(feature) or {})
        return found

    def _known(self, key: str) -> bool:
        """Whether the release has a key; what no field table lists is not its affair."""
        parts = key.split(".")
        return parts[0] in ("env_vars", "dataset") or len(parts) == 1 or self.knows(key)

    def config(self, settings: Settings, unset: tuple[str, ...] = ()) -> Config:
        """The job with some settings, as the reader would give it."""
        document = Document()
        document.source = Source("matrix", "")
        dialect = "bridge" if self.trainer == "bridge" else "megatron-core"
        config = Config("matrix", 1, dialect, self.trainer, document)
        config.completeness, config.complete_env = "complete", True
        config.written = {
            key: Written(key, value, key, None, None)
            for key, value in _flat({**self.table.job, **settings}).items()
            if key not in unset and self._known(key)
        }
        config.stated = {key: (value, "command line") for key, value in self.stated.items()}
        return config

    def effective(self, settings: Settings, unset: tuple[str, ...] = ()) -> Any:
        from moelint.trainer.effective import Effective
        from moelint.trainer.target import resolve

        config = self.config(settings, unset)
        return Effective(config, resolve(config, self.stated))

    def ask(self, settings: Settings, unset: tuple[str, ...] = ()) -> Outcome:
        """What the rules say of the job with some settings."""
        from moelint.fix.choose import outcomes
        from moelint.lang.template import render
        from moelint.policy.evaluate import evaluate

        effective = self.effective(settings, unset)
        out = Outcome()
        verdicts, undecided = evaluate(self.packs, effective)
        for verdict in verdicts:
            rule = verdict.rule
            said = Said(rule.id, verdict.case, rule.effect, render(verdict.message, verdict.scope))
            if rule.severity == "error":
                if rule.id not in out.errors:
                    said.fixes = outcomes(rule.fixes, verdict.scope, effective.config)
                    out.errors[rule.id] = said
            elif rule.effect == "ignored":
                out.ignored.setdefault(rule.id, said)
            elif rule.severity == "warning":
                out.warnings.setdefault(rule.id, said)
        for override in effective.overrides():
            if override.key in settings:
                shown = f"{override.key}: {override.before} becomes {override.after}: {override.rewrite.message}"
                out.ignored.setdefault(override.rewrite.id, Said(override.rewrite.id, None, "ignored", shown))
        out.undecided = {rule: waits for rule, severity, waits in undecided if severity == "error"}
        return out

    # ---- conditions -----------------------------------------------------------------------------------

    def _condition(self, settings: Settings, refused: Outcome) -> tuple[Settings, list[str]] | None:
        """What to set beside two features so that they work: by the rules' own fixes, else by a companion."""
        found = self._mended(settings, refused, {}, [], 3)
        if found is not None:
            return found
        for companion in self.table.companions:
            if any(key in settings for key in companion.set):
                continue
            if not self.ask({**settings, **companion.set}).errors:
                return companion.set, []
        return None

    def _mended(
        self, settings: Settings, refused: Outcome, change: Settings, unset: list[str], rounds: int
    ) -> tuple[Settings, list[str]] | None:
        for said in refused.errors.values():
            for sets, removed in said.fixes:
                if any(key in settings for key in (*sets, *removed)):
                    continue  # that would switch one of the two off
                new, gone = {**change, **sets}, [*unset, *removed]
                after = self.ask({**settings, **new}, tuple(gone))
                if not after.errors:
                    return new, gone
                if rounds > 1 and len(after.errors) < len(refused.errors) + 1 and said.rule not in after.errors:
                    found = self._mended(settings, after, new, gone, rounds - 1)
                    if found is not None:
                        return found
            return None  # the first error has to go
        return None


def _new(kind: str, together: Outcome, before: list[Outcome]) -> list[Said]:
    return [said for rule, said in getattr(together, kind).items() if not any(rule in getattr(p, kind) for p in before)]


def _flat(settings: Settings) -> Settings:
    """Nested sections (``offline_packing_specs: {…}``) as keys of their own."""
    out: Settings = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            out.update(_flat({f"{key}.{name}": item for name, item in value.items()}))
        else:
            out[key] = value
    return out
