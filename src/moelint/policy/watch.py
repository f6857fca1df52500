"""Builds the watch index for one set of defaults; see ``moelint.policy.index``."""

from __future__ import annotations

from moelint.lang.closures import condition
from moelint.lang.names import PROVIDED
from moelint.policy.load import Packs
from moelint.trainer.gates import allows
from moelint.typed import Any

_RELEASES = ("megatron_core", "megatron_bridge")  # fixed for an index; any other package is not
_OPEN = ("target.", "hw.", "walls.")
_REVISIONS = ("before.", "saved.")  # token @before, @saved: there is such a config
# What differs between configs that share an index, though they write the same: none of it may be taken for fixed.
_NAMES = frozenset((*PROVIDED, "model._target_", "dataset._target_")).difference(("trainer",))
Tokens = frozenset[str] | None  # None: hangs on more than settings


_MOST = 3  # conjuncts of a case that are watched beside the first


def build_index(packs: Packs, effective: Any, classes: tuple[str, ...]) -> tuple[Any, ...]:
    """(cases to try always, token → cases to try when a config has it, case → sets of tokens: where all defaults are
    known it needs one of each too; the same for rewrites, by position)."""
    defaults = _defaults(effective, classes)
    influence = _Influence(effective)
    view = defaults.view()
    shut = [allows(_fixed_parts(gate), view) is False for gate in packs.applies]
    choices: list[list[frozenset[str]] | None] = []  # None: not for this trainer or release at all
    false: list[set[frozenset[str]]] = []  # of those, which are known to be false
    for number, entry in enumerate(packs.cases):
        if any(shut[gate] for gate in entry[6]):
            choices.append(None)
            false.append(set())
            continue
        scope = defaults.scope(entry[5])
        usable, no = [], set()
        for part in _conjuncts(packs.tree(number)):
            tokens = influence.of_tree(part)
            if tokens is not None and (value := condition(part)(scope)) is not True:
                usable.append(tokens)
                if value is False:
                    no.add(tokens)
        choices.append(usable)
        false.append(no)
    common: dict[str, int] = {}
    for usable in filter(None, choices):
        for tokens in usable:
            for token in tokens:
                common[token] = common.get(token, 0) + 1
    always: list[int] = []
    watch: dict[str, list[int]] = {}
    beside: dict[int, tuple[frozenset[str], ...]] = {}
    for number, possible in enumerate(choices):
        if possible is None:
            continue
        if not possible:
            always.append(number)
            continue
        possible.sort(
            # without another revision no rule about revisions is even looked at
            key=lambda tokens: (
                not all(t.startswith("@") for t in tokens), max((common[t] for t in tokens), default=0), sorted(tokens),
            ),
        )
        for token in possible[0]:
            watch.setdefault(token, []).append(number)
        others = tuple(tokens for tokens in possible[1:] if tokens in false[number])[:_MOST]
        if others:
            beside[number] = others
    return always, watch, beside, _rewrites(defaults, influence)


def _rewrites(defaults: Any, influence: _Influence) -> tuple[tuple[int, tuple[frozenset[str], ...]], ...]:
    """(position, sets of tokens) of the rewrites that do not happen with the defaults: they may with one of each."""
    view = defaults.view()
    out: list[tuple[int, tuple[frozenset[str], ...]]] = []
    for rewrite in defaults.rewrites.entries:
        if allows(_fixed_parts(rewrite.applies), view) is False:
            out.append((rewrite.position, (frozenset(),)))
            continue
        needs = []
        for tree in rewrite.when:
            for part in _conjuncts(tree):
                tokens = influence.of_tree(part)
                if tokens is not None and condition(part)(view.at(rewrite.position)) is False:
                    needs.append(tokens)
        if needs:
            out.append((rewrite.position, tuple(needs[:_MOST])))
    return tuple(out)


def _fixed_parts(applies: Any) -> Any:
    """A gate without what differs between configs of one index: it is shut whenever this is."""
    return tuple(
        tuple(part for part in alternative if part[0] in ("trainer", "dialect") or part[1] in _RELEASES)
        for alternative in applies
    )


def _conjuncts(tree: Any) -> list[Any]:
    """Parts that must all be true, nested ``and`` opened."""
    if tree[0] == "and":
        return [part for item in tree[1] for part in _conjuncts(item)]
    return [tree]


def _defaults(effective: Any, classes: tuple[str, ...]) -> Any:
    """The effective config of a file that states nothing but the model's class."""
    from moelint.read.config import Config
    from moelint.trainer.effective import Effective

    config = effective.config
    empty = Config("defaults", 1, config.dialect, config.trainer, config.document)
    empty.completeness, empty.complete_env = "complete", config.complete_env
    empty.written = {key: config.written[key] for key in classes if key in config.written}
    return Effective(empty, effective.target, effective.table, effective.facts)


class _Influence:
    """Which tokens can move the value of a name, through facts and rewrites."""

    def __init__(self, effective: Any) -> None:
        self.facts, self.rewrites = effective.facts.trees, effective.rewrites.by_key
        self.core = effective.config.trainer == "core"
        self.exprs = set(effective.table.exprs)
        for keys in effective.table.variants.values():
            self.exprs |= {key for key, found in keys.items() if found is not None and found[0] == "expr"}
        self.known: dict[str, Tokens] = {}

    def of_tree(self, tree: Any) -> Tokens:
        return self._all(_tokens(tree), ())

    def _all(self, tokens: set[str] | None, path: tuple[str, ...]) -> Tokens:
        if tokens is None:
            return None
        out: set[str] = set()
        for token in tokens:
            found = self._of(token, path)
            if found is None:
                return None
            out |= found
        return frozenset(out)

    def _of(self, token: str, path: tuple[str, ...]) -> Tokens:
        if token in self.known:
            return self.known[token]
        if token in path:
            return frozenset()  # on the way round already
        found = self._find(token, (*path, token))
        if not path:  # inside a circle a result may be partial: only keep what was asked from outside
            self.known[token] = found
        return found

    def _find(self, token: str, path: tuple[str, ...]) -> Tokens:
        if token.startswith("@"):
            return frozenset((token,))
        if token.startswith("?"):
            if token[1:] in _NAMES:
                return None
            # ``written(a.b)`` of a section inside a section is answered by keys below it: not one token
            return frozenset((token,)) if token.count(".") <= 1 else None
        if token.startswith("given."):
            return self._setting(token[6:]) if token[6:] not in _NAMES else None
        if token.startswith(_OPEN) or token in _NAMES:
            return None
        if token == "trainer":
            return frozenset()
        if token in self.facts:
            return self._all(_tokens(self.facts[token]), path)
        own = self._setting(token)
        if own is None:
            return None
        out = set(own)
        for rewrite in self.rewrites.get(token, ()):
            if any(kind not in ("trainer", "dialect") and name not in _RELEASES
                   for alternative in rewrite.applies for kind, name, _ in alternative):
                return None
            for tree in (*rewrite.when, rewrite.sets[token]):
                found = self._all(_tokens(tree), path)
                if found is None:
                    return None
                out |= found
        return frozenset(out)

    def _setting(self, key: str) -> Tokens:
        if key in self.exprs:
            return None
        section = key.partition(".")[0]
        if self.core and section != "model":
            return frozenset((key, section))  # the defaults of a section count once anything of it is written
        return frozenset((key,))


def _tokens(tree: Any) -> set[str] | None:
    """Names that an expression reads, ``?key`` for ``written(key)``; None if it compares revisions."""
    out: set[str] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, tuple) or not node:
            continue
        if isinstance(node[0], str):
            if node[0] == "name":
                out.add("@" + node[1].partition(".")[0] if node[1].startswith(_REVISIONS) else node[1])
                continue
            if node[0] == "written":
                out.add("?" + node[1])
                continue
            if node[0] == "changed":
                out.add("@before")
                continue
            if node[0] == "const" or node[0] in ("default_of", "choices"):
                continue
        waiting += [part for part in node if isinstance(part, tuple)]
    return out
