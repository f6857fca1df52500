"""A second reader of changed YAML texts: ruamel.yaml, which shares no code with our readers, judges what has changed.

Where it can be shown that two texts read alike but for some entries, it reads these alone (``excerpts``), and what it found
in excerpts is remembered: the files of a sweep change the same lines. That may end in one thing only, that both
readers agree; everything else is for a reading of the whole texts to say.
"""

from __future__ import annotations

from moelint.fix.changes import same
from moelint.fix.excerpts import Pair, excerpts
from moelint.text.source import Source
from moelint.text.yaml_document import YamlDocument
from moelint.typed import Any

_MAX_NODES = 200_000  # values that the second reader may show; more would be aliases of aliases
_MAX_PAIRS = 2_000  # excerpts that are remembered
_MISSING = object()

_Values = dict[Any, Any]  # by path
_Spot = tuple[int, tuple[Any, ...]]  # number of a document, path
_Known = tuple[_Values, _Values, set[_Spot]]  # values before and after, and what changed
_pairs: dict[Pair, _Known | None] = {}  # None: the whole has to be read


def contradicts(
    before: Source, after: Source, old: list[YamlDocument] | None = None, new: list[YamlDocument] | None = None
) -> str | None:
    """What ruamel.yaml finds changed beyond what our readers do; None if they agree, if it is not installed, or if it
    cannot read the text as it was. ``old``, ``new``: what our readers made of both texts; without that, all is read."""
    try:
        import ruamel.yaml  # noqa: F401
    except ImportError:
        return None
    if old is None or new is None:
        return read_whole(before, after)
    sides = [[_settings(document) for document in side] for side in (old, new)]
    if len(old) == len(new) == 1 and agree(before.text, after.text, sides):
        return None
    return read_whole(before, after, sides)


def agree(before: str, after: str, sides: list[list[_Values]]) -> bool:
    """Whether excerpts are enough to see that ruamel finds changed what we do. ``sides``: our values, before and after,
    for each document (here: one)."""
    pairs = excerpts(before, after)
    if pairs is None:
        return False
    was: _Values = {}
    now: _Values = {}
    theirs: set[_Spot] = set()
    for pair in pairs:
        known = _pairs[pair] if pair in _pairs else _learn(pair)
        if known is None or not theirs.isdisjoint(known[2]):  # a key has gone from one place to another
            return False
        was.update(known[0])
        now.update(known[1])
        theirs |= known[2]
    return not _odd(sides, [was], theirs, [now])


def read_whole(before: Source, after: Source, sides: list[list[_Values]] | None = None) -> str | None:
    """``contradicts``, by reading both texts from end to end."""
    from moelint.text.yaml_reader import read_yaml

    twice = False
    try:
        try:
            was = _second(before.text)
        except _duplicate():
            twice, was = True, _second(before.text, True)
    except _errors():
        return None
    try:
        now = _second(after.text, twice)
    except _errors() as error:
        said = str(error).splitlines() or [type(error).__name__]
        return f"ruamel.yaml cannot read it: {said[0]}"
    sides = sides or [[_settings(document) for document in read_yaml(source)] for source in (before, after)]
    odd = _odd(sides, was, _changed(was, now), now)
    if odd:
        paths = sorted(".".join(map(str, path)) for _, path in odd)
        return f"ruamel.yaml reads another change than we do, at {', '.join(paths[:3]) or 'the document'}"
    return None


def _learn(pair: Pair) -> _Known | None:
    if len(_pairs) >= _MAX_PAIRS:
        _pairs.clear()
    try:
        was, now = _second(pair[0]), _second(pair[1])
        found = (was[0], now[0], _changed(was, now)) if len(was) == len(now) == 1 else None
    except _errors():
        found = None
    _pairs[pair] = found
    return found


def _errors() -> tuple[type[Exception], ...]:
    """What ruamel raises on a text that it cannot read."""
    from ruamel.yaml.error import YAMLError

    return YAMLError, ValueError, TypeError, AttributeError, RecursionError, KeyError, OverflowError


def _duplicate() -> type[Exception]:
    """What ruamel raises on a key that stands twice."""
    from ruamel.yaml.constructor import DuplicateKeyError

    found: type[Exception] = DuplicateKeyError
    return found


def _second(text: str, twice: bool = False) -> list[_Values]:
    """The values of each document as ruamel reads them. ``twice``: keys may stand twice. Raises one of ``_errors``."""
    import warnings

    from ruamel.yaml import YAML

    loader = YAML(typ="safe", pure=True)
    loader.allow_duplicate_keys = twice
    with warnings.catch_warnings():  # an anchor that is set again, for one: no matter of ours
        warnings.simplefilter("ignore")
        return [_flat(document) for document in loader.load_all(text)]


def _odd(sides: list[list[_Values]], was: list[_Values], theirs: set[_Spot], now: list[_Values]) -> set[_Spot]:
    """Where only one of the readers sees a change, or they see another one. ``was``, ``now``: the values as ruamel reads
    them."""
    ours = _changed(*sides)
    typed = {spot for spot in ours - theirs if _meant_all_along(spot, sides[0], sides[1], was)}
    other = {spot for spot in ours & theirs if _unlike(*(side[spot[0]].get(spot[1]) for side in (sides[1], now)))}
    return (ours - typed) ^ theirs | other


def _unlike(ours: Any, theirs: Any) -> bool:
    """Whether two values are not the same, though of one type: versions of YAML differ on types alone."""
    if type(ours) is list and type(theirs) is list:
        return len(ours) != len(theirs) or any(map(_unlike, ours, theirs))
    return type(ours) is type(theirs) and not same(ours, theirs)


def _meant_all_along(spot: _Spot, before: list[_Values], after: list[_Values], theirs: list[_Values]) -> bool:
    """Whether a text has become the value that YAML 1.2, which ruamel reads, took it for all along: 1e-4 → 0.0001."""
    number, path = spot
    if not all(number < len(side) and path in side[number] for side in (before, after, theirs)):
        return False
    old = before[number][path]
    return isinstance(old, str) and same(theirs[number][path], after[number][path])


def _settings(document: Any) -> _Values:
    return {path: setting.value for path, setting in document.settings.items()}


def _changed(before: list[_Values], after: list[_Values]) -> set[_Spot]:
    """Paths, with the document's number, whose values are not the same."""
    out: set[_Spot] = set()
    for i in range(max(len(before), len(after))):
        old, new = (side[i] if i < len(side) else {} for side in (before, after))
        for path, value in old.items():
            now = new.get(path, _MISSING)
            if value is now or (type(value) is type(now) is not list and value == now):
                continue
            if not same(value, now):
                out.add((i, path))
        if len(new) != len(old) or out:
            out.update((i, path) for path in new if path not in old)
    return out


def _flat(data: Any) -> _Values:
    """Paths and values in the shape of ``Document.settings``. Raises OverflowError on more than ``_MAX_NODES``."""
    out: _Values = {}
    left = _MAX_NODES

    def holds_mapping(value: list[Any]) -> bool:
        nonlocal left
        left -= len(value)
        if left < 0:
            raise OverflowError
        return any(isinstance(item, dict) or (isinstance(item, list) and holds_mapping(item)) for item in value)

    def walk(value: Any, path: tuple[Any, ...]) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OverflowError
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk(item, (*path, key if isinstance(key, str) else str(key)))
        elif isinstance(value, list) and holds_mapping(value):
            for i, item in enumerate(value):
                walk(item, (*path, i))
        else:
            out[path] = value

    walk(data, ())
    return out
