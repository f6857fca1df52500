"""Packs by name or folder → one compiled set, from the store unless a file has changed."""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable

from moelint import data
from moelint.cache import Blobs, Store, fingerprint
from moelint.lang.facts import Facts
from moelint.policy.errors import PolicyError, PolicyProblem
from moelint.typed import Any

SHIPPED = ("megatron", "hardware", "walls", "change", "frameworks")
MAX_BYTES = 4 << 20  # of one file of a pack that is not shipped
_loaded: dict[tuple[tuple[str, ...], bool], tuple[str, Packs]] = {}


class Rule:
    """One case of a rule (the only one, where a rule has no cases): what a finding shows of it."""

    __slots__ = (
        "about", "applies", "at", "case", "effect", "id", "index", "name", "packs", "severity", "url", "wall",
    )

    def __init__(self, packs: Packs, index: int) -> None:
        entry = packs.cases[index]
        self.packs, self.index = packs, index
        self.id, self.case, self.effect, self.severity, self.wall, self.at, self.applies, self.about = entry[:8]
        self.name, self.url = packs.core["ids"][self.id][0], packs.url(self.id)

    @property
    def message(self) -> Any:
        """The message's template."""
        return self.packs.blobs[1][self.index][0]

    @property
    def fixes(self) -> tuple[Any, ...]:
        """Compiled fixes: (safety, when, set, add, remove, rename, unset, why), see ``policy.compile``."""
        found: tuple[Any, ...] = self.packs.blobs[1][self.index][1]
        return found

    @property
    def covers(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self.packs.blobs[1][self.index][2]
        return found


class Packs:
    """A compiled set of packs. ``cases``: compiled cases in order; ``ids``: rule id → (name, pack); ``redirects``: ids
    that rules once had; ``versions``: pack name → version. ``texts`` (slow to load) has what ``explain`` prints."""

    __slots__ = (
        "_closures", "_facts", "_parts", "_revisions", "_rules", "applies", "blobs", "cached", "cases", "core", "evaluated",
        "ids", "indexes", "redirects", "remembered", "sources", "versions",
    )

    def __init__(self, blobs: Blobs, sources: list[str], cached: bool = True) -> None:
        self.blobs, self.sources, self.cached = blobs, sources, cached
        self.core: dict[str, Any] = blobs[0]
        self.cases: list[tuple[Any, ...]] = self.core["cases"]
        self.applies: list[Any] = self.core["applies"]
        self.ids: dict[str, tuple[str, str]] = self.core["ids"]
        self.redirects: dict[str, str] = self.core["redirects"]
        self.versions: dict[str, str] = self.core["packs"]
        self.indexes: dict[Any, Any] = {}  # watch indexes by set of defaults, see ``moelint.policy.index``
        self.evaluated = 0  # configs so far
        self.remembered: dict[Any, Any] = {}  # see ``moelint.policy.remembered``
        self._closures: list[Any] = [None] * len(self.cases)
        self._rules: dict[int, Rule] = {}
        self._facts: Facts | None = None
        self._revisions: dict[int, set[str]] = {}
        self._parts: dict[int, list[Any]] = {}

    @property
    def texts(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.blobs[2]
        return found

    def url(self, id_: str) -> str | None:
        base = self.core["urls"].get(self.ids[id_][1])
        return base + id_ if base else None

    def rule(self, index: int) -> Rule:
        found = self._rules.get(index)
        if found is None:
            found = self._rules[index] = Rule(self, index)
        return found

    def condition(self, index: int) -> Any:
        """The closure of a case's condition: True where the rule fires."""
        found = self._closures[index]
        if found is None:
            from moelint.lang.closures import condition

            found = self._closures[index] = condition(self.tree(index))
        return found

    def parts(self, index: int) -> list[Any]:
        """A case's condition as the conditions that must all hold, dear ones last: for whoever only asks whether it is
        true, and may stop at the first that is not."""
        found = self._parts.get(index)
        if found is None:
            from moelint.lang.closures import condition

            tree = self.tree(index)
            found = self._parts[index] = [condition(part) for part in (tree[1] if tree[0] == "and" else (tree,))]
        return found

    def revisions(self, index: int) -> set[str]:
        """The other configs that a case looks at: ``before`` (it is one about a change), ``saved``."""
        found = self._revisions.get(index)
        if found is None:
            from moelint.lang.names import revisions
            from moelint.trainer.effective import shipped_facts

            facts = self.facts(shipped_facts()).trees
            found = self._revisions[index] = revisions(self.tree(index), facts)
        return found

    def tree(self, index: int) -> Any:
        """The compiled condition of a case."""
        return marshal.loads(self.cases[index][8])

    def readers(self, key: str) -> list[str]:
        """Ids of the rules that read a key, through facts too, or that are about it; sorted. Slow, for ``explain``."""
        from moelint.lang.names import reads
        from moelint.trainer.effective import shipped_facts

        facts = self.facts(shipped_facts())
        found = set()
        for number, entry in enumerate(self.cases):
            names = {n.removeprefix("given.") for n in facts.keys_of(reads(self.tree(number)))}
            if key in names or key in entry[7]:
                found.add(entry[0])
        return sorted(found)

    def facts(self, shipped: Facts) -> Facts:
        """The shipped facts with those of the packs."""
        own = self.core["facts"]
        if not own:
            return shipped
        if self._facts is None:
            self._facts = Facts({**shipped.trees, **own})
        return self._facts


def load(policies: Iterable[str] = (), cache: bool = True, shipped: bool = True) -> Packs:
    """The shipped packs, and over them ``policies`` (names of shipped packs, or folders). Raises PolicyError."""
    wanted = folders(policies, shipped)
    sources = [path for folder in wanted for path in files(folder)]
    sources += [p for p in _shared() if os.path.exists(p)]
    key = (tuple(wanted), cache)
    stamp = fingerprint(sources)
    found = _loaded.get(key)
    if found is None or found[0] != stamp:  # a program that runs for long sees packs change under it

        def build() -> tuple[Any, ...]:
            from moelint.policy.compile import compile_packs

            return compile_packs(wanted, {f for f in wanted if not is_shipped(f)})

        found = _loaded[key] = stamp, Packs(Store(cache).get("packs", sources, build), sources, cache)
    return found[1]


def is_shipped(folder: str) -> bool:
    return os.path.dirname(os.path.normpath(folder)) == os.path.normpath(data.folder("policies"))


def folders(policies: Iterable[str], shipped: bool = True) -> list[str]:
    """Folders of packs in order: shipped ones, then the named ones, each after those that it extends."""
    home = data.folder("policies")
    out = [os.path.join(home, n) for n in SHIPPED if shipped and os.path.exists(os.path.join(home, n, "pack.yaml"))]
    for policy in policies:
        for folder in _with_parents(policy, ()):
            if folder not in out:
                out.append(folder)
    return out


def _with_parents(policy: str, seen: tuple[str, ...]) -> list[str]:
    """A pack's folder, after those of the packs that it extends."""
    home = data.folder("policies")
    folder = os.path.abspath(policy)
    if "/" not in policy and os.sep not in policy and os.path.exists(os.path.join(home, policy, "pack.yaml")):
        folder = os.path.join(home, policy)
    head = os.path.join(folder, "pack.yaml")
    if not os.path.isdir(folder):
        said = "no such policy pack (a folder with pack.yaml, or a shipped pack)"
        raise PolicyError([PolicyProblem(policy, 0, 0, said, _near(policy, home))])
    if not os.path.exists(head):
        raise PolicyError([PolicyProblem(folder, 0, 0, "is no policy pack: it has no pack.yaml")])
    if folder in seen:
        raise PolicyError([PolicyProblem(head, 0, 0, "extends itself: " + " → ".join([*seen, folder]))])
    out: list[str] = []
    for parent in _extends(head):
        path = parent
        if not (_is_word(parent) and os.path.exists(os.path.join(home, parent, "pack.yaml"))):
            path = os.path.join(folder, parent)
            if not is_shipped(path) and not _is_near(path, folder):
                said = f"extends {parent}, which lies outside of its repository: it is not read"
                raise PolicyError([PolicyProblem(head, 0, 0, said)])
        out += _with_parents(path, (*seen, folder))
    return [*out, folder]


def _is_near(path: str, folder: str) -> bool:
    """Whether a folder lies in the repository of a pack, or beside the pack where there is no repository."""
    real = top = os.path.realpath(folder)
    while not os.path.exists(os.path.join(top, ".git")):
        above = os.path.dirname(top)
        if above == top:
            top = os.path.dirname(real)
            break
        top = above
    return (os.path.realpath(path) + os.sep).startswith(os.path.join(top, ""))


def _is_word(name: str) -> bool:
    return "/" not in name and os.sep not in name


def _near(policy: str, home: str) -> str | None:
    from moelint.lang.suggest import nearest

    return nearest(policy, [n for n in SHIPPED if os.path.exists(os.path.join(home, n, "pack.yaml"))])


def _extends(head: str) -> list[str]:
    try:
        with open(head, "rb") as stream:
            if b"extends" not in stream.read():
                return []
    except OSError:
        return []
    from moelint.policy.yaml_tree import read

    value = read(head)[0].value
    parents = value.get("extends") if isinstance(value, dict) else None
    return [str(p) for p in (parents if isinstance(parents, list) else [parents] if parents else [])]


def files(folder: str) -> list[str]:
    """The files that make a pack, those that exist."""
    from moelint.policy.pack_files import rule_files

    heads = [os.path.join(folder, n) for n in ("pack.yaml", "facts.yaml")]
    found = [p for p in heads if os.path.exists(p)] + rule_files(os.path.join(folder, "rules"))
    if not is_shipped(folder):
        home = os.path.join(os.path.realpath(folder), "")
        for path in found:  # a pack may come from a stranger's pull request
            if not os.path.realpath(path).startswith(home):
                raise PolicyError([PolicyProblem(path, 0, 0, "is a link that leads out of its pack: it is not read")])
            if not os.path.isfile(path):
                raise PolicyError([PolicyProblem(path, 0, 0, "is not a file")])
            if os.path.getsize(path) > MAX_BYTES:
                raise PolicyError([PolicyProblem(path, 0, 0, f"is longer than {MAX_BYTES >> 20} MiB")])
    return found


def _shared() -> list[str]:
    home = data.folder("trainers")
    here = os.path.dirname(os.path.abspath(__file__))
    return [
        os.path.join(home, "facts.yaml"), os.path.join(home, "groups.yaml"), os.path.join(here, "compile.py"),
    ]
