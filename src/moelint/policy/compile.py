"""Pack folders → plain data. Runs when a pack's files change (see ``load``); everything slow is imported here.

The result is three values, each stored and loaded on its own: ``core`` (what a check evaluates), ``says`` (messages and
fixes, read when a rule fires) and ``texts`` (what explain and rich reports print).
"""

from __future__ import annotations

import marshal
import os

from moelint.lang.check import proved
from moelint.lang.errors import LangError
from moelint.lang.facts import FactError, compile_facts
from moelint.lang.names import ANY, Info, NameTable, reads
from moelint.lang.parse import parse
from moelint.lang.suggest import nearest
from moelint.lang.template import parse as parse_template
from moelint.policy import names as name_tables
from moelint.policy.errors import PolicyError, PolicyProblem
from moelint.policy.pack_files import rule_files
from moelint.policy.schema import load as load_schema
from moelint.policy.schema import validate
from moelint.policy.yaml_tree import Path, YamlTree, read
from moelint.results import EFFECT_SEVERITY
from moelint.trainer.gates import compile_applies
from moelint.typed import Any

# Positions in a compiled case (a tuple of the core blob).
# The tree is bytes of its own: a run unmarshals only the conditions that it tries.
CASE = ("rule", "name", "effect", "severity", "wall", "at", "applies", "about", "tree")
_TRUE = ("const", True)


def compile_packs(folders: list[str], checked: set[str]) -> tuple[Any, ...]:
    """(core, says, texts) of packs in order, later ones over earlier ones. ``checked``: the folders to validate against
    the schema and the field tables (shipped packs were, by the tests). Raises PolicyError with every fault."""
    compiler = _Compiler(bool(checked))
    for folder in folders:
        compiler.pack(folder, folder in checked)
    if compiler.problems:
        once = {str(problem): problem for problem in compiler.problems}  # a rule's own `when` is read for each case
        raise PolicyError(list(once.values()))
    return compiler.result()


class _Compiler:
    def __init__(self, any_checked: bool) -> None:
        self.table = name_tables.shipped() if any_checked else None
        self.schema = load_schema("policy.schema.json") if any_checked else None
        self.names: NameTable | None = None  # of the pack at hand, if it is checked
        self.groups = name_tables.groups()[0]
        self.problems: list[PolicyProblem] = []
        self.packs: dict[str, str] = {}
        self.urls: dict[str, str] = {}
        self.applies: dict[Any, int] = {}
        self.facts: dict[str, Any] = {}
        self.rules: dict[str, _Rule] = {}
        self.places: dict[str, str] = {}

    def result(self) -> tuple[Any, ...]:
        cases: list[tuple[Any, ...]] = []
        says: list[tuple[Any, ...]] = []
        texts: dict[str, Any] = {}
        for id_, rule in self.rules.items():
            texts[id_] = {**rule.texts, "first": len(cases), "cases": len(rule.cases)}
            cases += rule.cases
            says += rule.says
        redirects = {
            old: t["replaced_by"][0] for old, t in texts.items() if t.get("replaced_by")
        }
        _, assumed = name_tables.groups()
        core = {
            "packs": self.packs, "facts": self.facts, "cases": cases, "redirects": redirects,
            "applies": list(self.applies), "urls": self.urls,
            "ids": {id_: (t["name"], t["pack"]) for id_, t in texts.items()},
            "assumed_groups": [tuple(sorted(g)) for g in assumed],
        }
        return core, says, texts

    def pack(self, folder: str, checked: bool) -> None:
        head = self.head(folder)
        name = str(head.get("name") or os.path.basename(os.path.normpath(folder)))
        self.packs[name] = str(head.get("version") or "")
        if isinstance(head.get("url"), str):
            self.urls[name] = head["url"]
        if isinstance(head.get("groups"), dict):
            self.groups.update({str(k): list(v) for k, v in head["groups"].items() if isinstance(v, list)})
        self.names = self.table if checked else None
        if self.table is not None:
            name_tables.add_groups(self.table, self.groups)
        self.pack_facts(os.path.join(folder, "facts.yaml"))
        rules = os.path.join(folder, "rules")
        for file in rule_files(rules):
            tree, problems = read(file)
            self.problems += problems
            if problems:
                continue
            if checked and self.schema is not None and tree.value is not None:
                faults = validate(tree, self.schema)
                self.problems += faults
                if faults:
                    continue
            for i, entry in enumerate(tree.value if isinstance(tree.value, list) else []):
                self.rule(tree, (i,), entry, name)

    def head(self, folder: str) -> dict[str, Any]:
        path = os.path.join(folder, "pack.yaml")
        tree, problems = read(path)
        self.problems += problems
        value = tree.value if isinstance(tree.value, dict) else {}
        if not problems:
            if not isinstance(value.get("name"), str):
                self.problems.append(tree.problem((), "a pack has a name"))
            needs = value.get("requires")
            if isinstance(needs, str) and not _satisfied(needs):
                from moelint.version import __version__

                self.problems.append(tree.problem(("requires",), f"needs {needs}; this is moelint {__version__}"))
            for word in value:
                if word not in PACK_FIELDS:
                    self.problems.append(
                        tree.problem((word,), f"unknown field {word!r}", nearest(word, PACK_FIELDS), at_key=True)
                    )
        return value

    def pack_facts(self, path: str) -> None:
        if not os.path.exists(path):
            return
        tree, problems = read(path)
        self.problems += problems
        texts = name_tables.plain_facts(tree.value)
        names = self.names if self.names is not None else _AnyNames(groups=self.groups)
        try:
            self.facts.update(compile_facts(texts, names, typed=self.names is not None))
        except FactError as error:
            self.problems.append(name_tables.fact_problem(tree, texts, error))

    def rule(self, tree: YamlTree, path: Path, entry: Any, pack: str) -> None:
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            return
        id_ = entry["id"]
        if id_ in self.rules and not entry.get("override"):
            said = f"{id_} stands already in {self.places[id_]}: take another number, or say 'override: true'"
            self.problems.append(tree.problem((*path, "id"), said))
            return
        built = _RuleBuilder(self, tree, path, entry)
        self.rules[id_] = built.build(pack)
        line = tree.places[(*path, "id")][0] if (*path, "id") in tree.places else 0
        self.places[id_] = f"{tree.path}:{line}"


PACK_FIELDS = ("name", "version", "requires", "extends", "title", "description", "groups", "url")


class _Rule:
    __slots__ = ("cases", "says", "texts")

    def __init__(self) -> None:
        self.cases: list[tuple[Any, ...]] = []
        self.says: list[tuple[Any, ...]] = []
        self.texts: dict[str, Any] = {}


class _AnyNames(NameTable):
    """Accepts every name, of any type: for shipped packs, which the tests have checked."""

    def lookup(self, name: str) -> Info:
        return ANY

    def key(self, name: str) -> Info:
        return ANY


class _RuleBuilder:
    def __init__(self, compiler: _Compiler, tree: YamlTree, path: Path, entry: dict[str, Any]) -> None:
        self.compiler, self.tree, self.path, self.entry = compiler, tree, path, entry
        self.names = compiler.names
        self.loose = _AnyNames(groups=compiler.groups) if self.names is None else None

    def build(self, pack: str) -> _Rule:
        entry, rule = self.entry, _Rule()
        cases = entry.get("cases")
        if cases is None:
            self.case(rule, (self.path, entry), None)
        else:
            seen: set[str] = set()
            for i, case in enumerate(cases):
                where = (*self.path, "cases", i)
                name = str(case.get("case"))
                if name in seen:
                    self.say((*where, "case"), f"case {name!r} stands here twice")
                seen.add(name)
                self.case(rule, (where, case), name)
        rule.texts = {
            "name": entry.get("name", ""), "pack": pack, "effect": entry.get("effect"), "wall": entry.get("wall"),
            "why": self.template((*self.path, "why"), entry.get("why", ""), frozenset()),
            "sources": [(s.get("what", ""), s.get("url", "")) for s in entry.get("sources") or ()],
            "evidence": entry.get("evidence"), "covers": self.joined("covers"), "log": self.joined("log"),
            "since": entry.get("since"), "deprecated": entry.get("deprecated"),
            "replaced_by": list(entry.get("replaced_by") or ()), "about": list(entry.get("about") or ()),
            "applies": _plain(entry.get("applies")), "when": _plain(entry.get("when")),
            "require": _plain(entry.get("require")),
            "by_case": [
                {field: _plain(case.get(field)) for field in ("case", "applies", "when", "require") if field in case}
                for case in entry.get("cases") or ()
            ],
            "examples": _plain(entry.get("examples") or []),
            "path": self.tree.path, "line": self.tree.places[self.path][0],
        }
        return rule

    def joined(self, field: str) -> list[str]:
        """A list field of the rule with those of its cases."""
        out = list(self.entry.get(field) or ())
        for case in self.entry.get("cases") or ():
            out += [x for x in case.get(field) or () if x not in out]
        return out

    def say(self, path: Path, message: str, suggestion: str | None = None) -> None:
        self.compiler.problems.append(self.tree.problem(path, message, suggestion))

    def case(self, rule: _Rule, at: tuple[Path, dict[str, Any]], name: str | None) -> None:
        where, case = at
        entry, outer = self.entry, case is not self.entry
        known: frozenset[str] = frozenset()
        whens: list[Any] = []
        requires: list[Any] = []
        for path, source in ((self.path, entry), (where, case)) if outer else ((where, case),):
            trees, known = self.conditions((*path, "when"), source.get("when"), known)
            whens += trees
        for path, source in ((self.path, entry), (where, case)) if outer else ((where, case),):
            trees, _ = self.conditions((*path, "require"), source.get("require"), known)
            requires += trees
        if not whens and not requires:
            self.say(where, "a rule needs 'when' or 'require'")
        parts = whens + ([("not", requires[0] if len(requires) == 1 else ("and", tuple(requires)))] if requires else [])
        parts.sort(key=_asks_walls)  # dear ones last: most often the others already say no
        tree = parts[0] if len(parts) == 1 else ("and", tuple(parts)) if parts else _TRUE
        effect = case.get("effect") or entry.get("effect") or "advice"
        severity = case.get("severity") or (None if case.get("effect") else entry.get("severity"))
        severity = severity or EFFECT_SEVERITY[effect]
        applies = self.applies((*self.path, "applies"), entry.get("applies"))
        if outer and case.get("applies") is not None:
            applies += self.applies((*where, "applies"), case["applies"])
        about = self.members(case.get("about") or entry.get("about") or ())
        if not about:
            self.say(where, "'about' is missing")
        if self.names is not None:
            self.about((*(where if case.get("about") else self.path), "about"), about)
        message = case.get("message") or entry.get("message")
        if message is None:
            self.say(where, "'message' is missing")
        from_case = outer and case.get("message") is not None
        text = self.template((*(where if from_case else self.path), "message"), message or "", known)
        fixes = case.get("fix") if outer and "fix" in case else entry.get("fix")
        fix_path = (*(where if outer and "fix" in case else self.path), "fix")
        compiled = tuple(self.fix((*fix_path, i), f, known) for i, f in enumerate(fixes or ()))
        rule.cases.append((
            entry["id"], name, effect, severity, entry.get("wall"), case.get("at") or entry.get("at") or "last",
            applies, about, marshal.dumps(tree),
        ))
        rule.says.append((text, compiled, tuple(case.get("covers") or entry.get("covers") or ())))

    def members(self, about: Any) -> tuple[str, ...]:
        """Keys of a rule's ``about``, ``group:name`` opened."""
        found: dict[str, None] = {}
        for key in about:
            group = self.compiler.groups.get(key.removeprefix("group:")) if key.startswith("group:") else None
            found.update(dict.fromkeys([key] if group is None else group))
        return tuple(found)

    def about(self, path: Path, about: tuple[str, ...]) -> None:
        assert self.names is not None
        for i, key in enumerate(about):
            if self.names.key(key) is None:
                self.say((*path, i), f"unknown key {key!r}", nearest(key, self.names.keys))

    def applies(self, path: Path, raw: Any) -> tuple[Any, ...]:
        """Numbers of compiled gates, each of which must hold."""
        if raw is None:
            return ()
        if self.names is not None:
            self.words(path, raw)
        try:
            compiled = compile_applies(raw)
            return (self.compiler.applies.setdefault(compiled, len(self.compiler.applies)),)
        except ValueError as error:
            self.say(path, str(error).lstrip(": "))
            return ()

    def words(self, path: Path, raw: Any) -> None:
        """GPUs and packages that look misspelt: a gate on a name that nobody knows would hold for nobody."""
        from moelint.policy.names import PACKAGES, gpus

        for i, entry in enumerate(raw if isinstance(raw, list) else [raw]):
            at = (*path, i) if isinstance(raw, list) else path
            for key, value in entry.items():
                if key == "gpu":
                    known = gpus()
                    for word in value if isinstance(value, list) else [value]:
                        if str(word).lower() not in known:
                            near = nearest(str(word), known)
                            self.say((*at, key), f"no GPU or architecture is called {word!r}", near)
                elif key not in PACKAGES and key not in ("trainer", "dialect", "container"):
                    near = nearest(key, PACKAGES)
                    if near is not None:
                        self.say((*at, key), f"unknown package {key!r}", near)

    def conditions(self, path: Path, raw: Any, known: frozenset[str]) -> tuple[list[Any], frozenset[str]]:
        """Trees of ``when`` or ``require``, and the names that are proved to be set once they all hold."""
        out: list[Any] = []
        if raw is None:
            return out, known
        for i, text in enumerate(raw if isinstance(raw, list) else [raw]):
            at = (*path, i) if isinstance(raw, list) else path
            tree = self.expression(at, text, known)
            known = known | proved(tree, True, self.names.trees if self.names is not None else None)
            out.append(tree)
        return out, known

    def expression(self, path: Path, raw: Any, known: frozenset[str]) -> Any:
        if isinstance(raw, (bool, int, float)) or raw is None:
            return ("const", raw)
        try:
            return parse(str(raw), self.names or self.loose, known)
        except LangError as error:
            self.compiler.problems.append(
                self.tree.expression_problem(path, str(raw), error.column, error.message, error.suggestion)
            )
            return _TRUE

    def template(self, path: Path, text: str, known: frozenset[str]) -> Any:
        try:
            return parse_template(str(text), self.names or self.loose, known)
        except LangError as error:
            self.compiler.problems.append(
                self.tree.expression_problem(path, str(text), error.column, error.message, error.suggestion)
            )
            return ()

    def fix(self, path: Path, raw: dict[str, Any], known: frozenset[str]) -> tuple[Any, ...]:
        """(safety, when, set, add, remove, rename, unset, why): ``set`` maps a key to ("const", v) or an expression."""
        whens, known = self.conditions((*path, "when"), raw.get("when"), known)
        sets = {}
        for key, value in (raw.get("set") or {}).items():
            self.fix_key((*path, "set", key), key)
            if isinstance(value, dict) and set(value) == {"expr"}:
                sets[key] = self.expression((*path, "set", key, "expr"), value["expr"], known)
            else:
                sets[key] = ("const", _plain(value))
        edits = []
        for field in ("add", "remove", "rename"):
            edits.append({k: _plain(v) for k, v in (raw.get(field) or {}).items()})
            for key in edits[-1]:
                self.fix_key((*path, field, key), key)
        unset = tuple(raw.get("unset") or ())
        for i, key in enumerate(unset):
            self.fix_key((*path, "unset", i), key)
        why = self.template((*path, "why"), raw.get("why") or "", known)
        return (raw.get("safety") or "unsafe", tuple(whens), sets, *edits, unset, why)

    def fix_key(self, path: Path, key: str) -> None:
        if self.names is not None and self.names.key(key) is None:
            self.say(path, f"unknown key {key!r}", nearest(key, self.names.keys))


def _plain(value: Any) -> Any:
    """YAML values as plain data: dates and other odd scalars as texts."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _satisfied(requirement: str) -> bool:
    from moelint.lang.versions import gate, holds
    from moelint.version import __version__

    package, _, wanted = requirement.replace(" ", "").partition(">=")
    if package != "moelint" or not wanted:
        return False
    try:
        return holds(gate(">=" + wanted), __version__) is True
    except ValueError:
        return False


def _asks_walls(tree: Any) -> bool:
    return any(name.startswith("walls.") for name in reads(tree))
