"""Runs every rule's examples: ``bad`` fires the rule, ``fixed`` is what its first fix gives, ``good`` stays silent.

Examples are configs by canonical key, nested or dotted, taken as complete unless they say otherwise; ``target:`` holds
words of the target (``gpus: 16``, ``torch: "2.9"``).
"""

from __future__ import annotations

from collections.abc import Iterable

from moelint.lang.closures import closure, condition
from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN
from moelint.policy.evaluate import Verdict, evaluate
from moelint.policy.load import Packs
from moelint.read.config import Config, Written
from moelint.text.document import Document
from moelint.text.source import Source
from moelint.typed import Any

_DIALECT = {"bridge": "bridge", "core": "megatron-core", "lm": "megatron-lm-yaml"}


class Failure:
    """An example that does not do what it says. ``line``: of the rule in ``path``."""

    __slots__ = ("line", "message", "path", "rule", "which")

    def __init__(self, rule: str, which: str, message: str, path: str, line: int) -> None:
        self.rule, self.which, self.message, self.path, self.line = rule, which, message, path, line

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}, {self.which}: {self.message}"


def test(packs: Packs, rules: Iterable[str] | None = None) -> tuple[int, list[Failure], list[Failure]]:
    """(number of examples run, what failed, cases that no bad example fires) for all rules, or for the given ids. A
    rule that no bad example fires at all is a failure."""
    wanted = set(rules) if rules is not None else None
    count = 0
    failures: list[Failure] = []
    untested: list[Failure] = []
    for id_, text in packs.texts.items():
        if wanted is not None and id_ not in wanted:
            continue
        tested: set[str | None] = set()
        for number, example in enumerate(text["examples"], 1):
            count += 1
            failures += _Example(packs, id_, text, number, example, tested).run()
        names = [packs.cases[text["first"] + i][1] for i in range(text["cases"])]
        missing = [n or "the rule" for n in names if n not in tested]
        if missing:
            said = f"no bad example fires {', '.join(missing)}"
            found = untested if tested else failures
            found.append(Failure(id_, "examples", said, text["path"], text["line"]))
    return count, failures, untested


def findings_of(packs: Packs, rule: str, example: dict[str, Any]) -> list[Verdict]:
    """What a bad example makes its rule say."""
    run = _Example(packs, rule, packs.texts[rule], 1, example, set())
    return [verdict for verdict in run.lint(example["bad"])[1] if verdict.rule.id == rule]


class _Example:
    def __init__(
        self, packs: Packs, rule: str, text: dict[str, Any], number: int, example: dict[str, Any],
        tested: set[str | None],
    ) -> None:
        self.packs, self.rule, self.text, self.number, self.example = packs, rule, text, number, example
        self.tested = tested
        self.failures: list[Failure] = []

    def fail(self, which: str, message: str) -> None:
        self.failures.append(
            Failure(self.rule, f"example {self.number}, {which}", message, self.text["path"], self.text["line"])
        )

    def run(self) -> list[Failure]:
        example = self.example
        if "bad" in example:
            config, verdicts, undecided = self.lint(example["bad"])
            mine = [v for v in verdicts if v.rule.id == self.rule]
            self.bad(config, mine, undecided)
            self.others("bad", verdicts)
            if "fixed" in example and mine:
                self.fixed(mine[0], config, example["fixed"])
        if "fixed" in example:
            self.silent("fixed", example["fixed"])
        if "good" in example:
            self.silent("good", example["good"])
        return self.failures

    def bad(self, config: Config, mine: list[Verdict], undecided: list[Any]) -> None:
        case = self.example.get("case")
        if not mine:
            waits = next((u[2] for u in undecided if u[0] == self.rule), None)
            self.fail("bad", "does not fire" + ("" if waits is None else f": {_undecided(waits)}"))
            return
        self.tested.update(v.case for v in mine)
        if case is not None and case not in [v.case for v in mine]:
            self.fail("bad", f"fires {', '.join(str(v.case) for v in mine)}, not {case}")
        for verdict in mine:
            if not any(key in config.written for key in verdict.rule.about):
                self.fail("bad", f"writes none of the keys that it is about: {', '.join(verdict.rule.about)}")

    def others(self, which: str, verdicts: list[Verdict]) -> None:
        also = set(self.example.get("also") or ())
        for verdict in verdicts:
            if verdict.rule.id != self.rule and verdict.rule.severity == "error" and verdict.rule.id not in also:
                name = verdict.rule.id + (f".{verdict.case}" if verdict.case else "")
                self.fail(which, f"also fires {name} (list it under also, or mend the example)")

    def silent(self, which: str, values: dict[str, Any]) -> None:
        _, verdicts, undecided = self.lint(values)
        for verdict in verdicts:
            if verdict.rule.id == self.rule:
                self.fail(which, "fires" + (f" {verdict.case}" if verdict.case else ""))
        for entry in undecided:
            if entry[0] == self.rule:
                self.fail(which, _undecided(entry[2]))
        self.others(which, verdicts)

    def fixed(self, verdict: Verdict, config: Config, wanted: dict[str, Any]) -> None:
        got = outcome(verdict, config)
        if got is None:
            self.fail("fixed", "the rule has no fix that holds here")
            return
        expected = flat(wanted)[0]
        for key in sorted({*got, *expected}):
            if key not in got:
                self.fail("fixed", f"the fix does not write {key}")
            elif key not in expected:
                self.fail("fixed", f"the fix also leaves {key}={got[key]}")
            elif equal(got[key], expected[key]) is not True:
                self.fail("fixed", f"the fix gives {key}={got[key]}, not {expected[key]}")

    def lint(self, values: dict[str, Any]) -> tuple[Config, list[Verdict], list[Any]]:
        from moelint.trainer.effective import Effective
        from moelint.trainer.target import resolve

        config = self.config(values)
        effective = Effective(config, resolve(config))
        for name in ("before", "saved"):
            if name in self.example:
                other = self.config(self.example[name])
                setattr(effective, name, Effective(other, resolve(other)))
        verdicts, undecided = evaluate(self.packs, effective, show_undecided=True, index=False)
        return config, verdicts, undecided

    def config(self, values: dict[str, Any]) -> Config:
        trainer = self.example.get("trainer") or _trainer(self.text["applies"])
        written, target = flat(values)
        target.update(self.example.get("target") or {})
        dialect = self.example.get("dialect") or _DIALECT[trainer]
        return example_config(written, target, trainer, dialect, self.example.get("completeness") or "complete")


def _undecided(waits: list[str]) -> str:
    if not waits:
        return "is undecided though every name is known: some value has a type that its operator does not take"
    return f"is undecided: it waits for {', '.join(waits)}"


def example_config(
    values: dict[str, Any], target: dict[str, Any], trainer: str = "bridge", dialect: str = "bridge",
    completeness: str = "complete",
) -> Config:
    """A config without a text, by canonical key."""
    document = Document()
    document.source, document.settings, document.problems, document.comments = Source("<example>", ""), {}, [], []
    config = Config("example", 1, dialect, trainer, document)
    config.completeness, config.complete_env = completeness, completeness == "complete"
    for key, value in values.items():
        config.written[key] = Written(key, value, key.rpartition(".")[2], None, None)
    config.stated = {str(k): (v, "directive") for k, v in target.items()}
    return config


def flat(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(settings by dotted key, words of the target)."""
    out: dict[str, Any] = {}
    target: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [(str(k), v) for k, v in reversed(values.items())]
    while waiting:
        key, value = waiting.pop()
        if key == "target" and isinstance(value, dict):
            target.update(value)
        elif isinstance(value, dict):
            waiting += [(f"{key}.{k}", v) for k, v in reversed(value.items())]
        else:
            out[key] = value
    return out, target


def outcome(verdict: Verdict, config: Config) -> dict[str, Any] | None:
    """What the settings are after the first fix that can be taken; None if there is none."""
    scope = verdict.scope
    for _, whens, sets, add, remove, rename, unset, _ in verdict.rule.fixes:
        if not all(condition(tree)(scope) is True for tree in whens):
            continue
        out = {key: written.value for key, written in config.written.items()}
        values = {key: closure(tree)(scope) for key, tree in sets.items()}
        if any(value is UNKNOWN for value in values.values()):
            continue
        for key in {**add, **remove}:
            now = scope.get(f"given.{key}")
            now = list(now) if isinstance(now, (list, tuple)) else [] if now is None else [now]
            kept = [v for v in now if v not in remove.get(key, ())]
            values[key] = kept + [v for v in add.get(key, ()) if v not in kept]
        for old, new in rename.items():
            if old in out:
                values.setdefault(new, out.pop(old))
        for key in unset:
            out.pop(key, None)
        return {**out, **values}
    return None


def _trainer(applies: Any) -> str:
    """The first trainer that a rule names, Bridge if it names none."""
    for entry in applies if isinstance(applies, list) else [applies or {}]:
        trainers = entry.get("trainer", "bridge")
        return str(trainers if isinstance(trainers, str) else trainers[0])
    return "bridge"
