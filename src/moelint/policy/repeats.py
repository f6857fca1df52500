"""Configs that are alike in all that rules look at get their verdicts once: in a folder of sweeps most files are.

While rules run, the layers note every setting that is asked for (``Layers.asked``, and ``Layers.shared`` for those that
are not written). Two configs of one kind that agree on all of these take the same way through every rule; what else they
write cannot matter. What is kept is plain: numbers of cases, how sure they are, and the names that were read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from moelint.typed import Any

MOST = 2_000
"""Configs that are remembered."""
Result = tuple[list[tuple[int, str, str | None, list[str]]], list[tuple[int, list[str]]]]


class Repeats:
    """``static``: keys that count whoever asks for them (tokens of the watch index, what rules are about)."""

    __slots__ = ("about", "known")

    def __init__(self, cases: list[tuple[Any, ...]]) -> None:
        self.about = frozenset(key for entry in cases for key in entry[7])
        self.known: dict[Hashable, tuple[Result, set[int]]] = {}

    def result(self, effective: Any, tokens: frozenset[str], work: Callable[[], Result]) -> Result:
        """What ``work`` gives for a config, or gave for one like it."""
        found = self.known.get(self._sign(effective, tokens))
        if found is not None:
            result, effective.quiet = found
            return result
        result = work()
        if len(self.known) < MOST:  # by now all settings that it hangs on have been asked for
            self.known[self._sign(effective, tokens)] = result, effective.quiet
        return result

    def _sign(self, effective: Any, tokens: frozenset[str]) -> Hashable:
        layers, target = effective.layers, effective.target
        asked, shared, elsewhere, about = layers.asked, layers.shared, effective.table.elsewhere, self.about
        settings: list[tuple[Any, ...]] = []
        for key, written in layers.written.items():
            if (
                key in asked or key in shared or key in tokens or key.startswith("mixed_precision")
                or (key.count(".") > 1 and _below(key, asked))
            ):  # fmt: skip
                value = written.value
                kept = value if value.__class__ in (str, int, bool, float) else repr(value)
                settings.append((key, value.__class__, kept, written.assumed, written.origin))
            elif key in about or key in elsewhere:  # that it is written counts, not what
                settings.append((key,))
        settings.sort(key=_first)
        stated = sorted((n, repr(v.value), v.hangs_on or "", v.origin == "assumed") for n, v in target.values.items())
        completeness = effective.config.completeness
        return layers.kind, completeness, frozenset(layers.sections), target.release, tuple(stated), tuple(settings)


def _first(entry: tuple[Any, ...]) -> Any:
    return entry[0]


def _below(key: str, asked: set[str]) -> bool:
    """Whether somebody asked if anything is written below a part of a key."""
    at = key.find(".", key.find(".") + 1)
    while at > 0:
        if key[: at + 1] in asked:
            return True
        at = key.find(".", at + 1)
    return False
