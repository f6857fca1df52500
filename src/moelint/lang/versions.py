"""Versions in the plain order of PEP 440, pre-releases included, and gates such as ``>=0.14,<0.19`` over them.

The order is that of ``packaging.version.Version`` (a test compares the two); ``packaging.specifiers`` is not followed,
because its rules for pre-releases would leave out what containers ship (``2.9.0a0``).
"""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN, Unknown
from moelint.typed import Any

Key = tuple[Any, ...]

_PATTERN = (
    r"v?(?:(?P<epoch>[0-9]{1,9})!)?(?P<release>[0-9]{1,18}(?:\.[0-9]{1,18}){0,20})"
    r"(?P<pre>[-_.]?(?P<pre_l>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_n>[0-9]{0,18}))?"
    r"(?P<post>-(?P<post_n1>[0-9]{1,18})|[-_.]?(?:post|rev|r)[-_.]?(?P<post_n2>[0-9]{0,18}))?"
    r"(?P<dev>[-_.]?dev[-_.]?(?P<dev_n>[0-9]{0,18}))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?"
)
_LETTERS = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}
_NO_PRE, _NO_DEV = (1, "", 0), (1, 0)
_USUAL = ((".dev", (-1, ""), True), ("rc", (0, "rc"), False), ("a", (0, "a"), False), ("b", (0, "b"), False))
_MAIN: Key = (1 << 30, (), _NO_PRE, -1, _NO_DEV, ())
_compiled: Any = None
_keys: dict[str, Key] = {}  # that were asked for: most files name the same few versions


def key(text: str) -> Key:
    """Sort key of a version. ``main`` sorts after every release. Raises ValueError if it is not a version."""
    found = _keys.get(text)
    if found is None:
        found = _key(text.strip().lower())
        if len(_keys) < 1000:
            _keys[text] = found
    return found


def _key(text: str) -> Key:
    if text == "main":
        return _MAIN
    if len(text) > 200:
        raise ValueError("version too long")
    if _is_plain(text):
        return (0, _release(text), _NO_PRE, -1, _NO_DEV, ())
    for mark, kind, is_dev in _USUAL:  # what tables and containers hold, without the pattern, slow to compile
        head, found_mark, number = text.partition(mark)
        if found_mark and number.isdigit() and number.isascii() and _is_plain(head):
            tail = int(number)
            return (0, _release(head), (*kind, 0 if is_dev else tail), -1, (0, tail) if is_dev else _NO_DEV, ())
    global _compiled
    if _compiled is None:
        import re

        _compiled = re.compile(_PATTERN, re.ASCII)
    found = _compiled.fullmatch(text)
    if not found:
        raise ValueError(f"not a version: {text!r}")
    part = found.group
    pre: tuple[int, str, int] = _NO_PRE
    post = int(part("post_n1") or part("post_n2") or 0) if part("post") else -1
    if part("pre"):
        pre = (0, _LETTERS.get(part("pre_l"), part("pre_l")), int(part("pre_n") or 0))
    elif part("dev") and not part("post"):
        pre = (-1, "", 0)  # 1.0.dev1 comes before 1.0a1
    dev = (0, int(part("dev_n") or 0)) if part("dev") else _NO_DEV
    local: tuple[tuple[int, int, str], ...] = ()
    if part("local"):
        pieces = part("local").replace("-", ".").replace("_", ".").split(".")
        local = tuple((1, int(p), "") if p.isdigit() else (0, 0, p) for p in pieces)
    return (int(part("epoch") or 0), _release(part("release")), pre, post, dev, local)


def _is_plain(text: str) -> bool:
    """Whether a version is numbers with dots between them."""
    digits = text.replace(".", "").isdigit() and text.isascii()
    return digits and ".." not in text and text[0] != "." and text[-1] != "."


def _release(text: str) -> tuple[int, ...]:
    """Numbers of a release without trailing zeros: 2.7.0 and 2.7 are the same version."""
    numbers = [int(n) for n in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


class Version:
    """A version that compares by ``key``. ``same_as`` gives ``main`` the place of the release that it will become."""

    __slots__ = ("key", "text")

    def __init__(self, text: str, same_as: str | None = None) -> None:
        self.text = text.strip()
        self.key = key(same_as if same_as is not None else text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.key == other.key and (self.text == "main") == (other.text == "main")

    def __hash__(self) -> int:
        return hash(self.key)

    def __lt__(self, other: Version) -> bool:
        return self.key < other.key

    def __le__(self, other: Version) -> bool:
        return self.key <= other.key

    def __gt__(self, other: Version) -> bool:
        return self.key > other.key

    def __ge__(self, other: Version) -> bool:
        return self.key >= other.key

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Version({self.text!r})"


def parse(text: str) -> Version | None:
    """A Version, or None if the text is none."""
    try:
        return Version(text)
    except ValueError:
        return None


def _prefix(text: str) -> tuple[int, ...]:
    if not all(n.isdigit() for n in text.split(".")):
        raise ValueError(f"not a version prefix: {text!r}")
    return tuple(int(n) for n in text.split("."))


Gate = tuple[tuple[str, str, Key], ...]  # (operator, text, key); all must hold


def gate(text: str) -> Gate:
    """Compile ``>=0.14,<0.19``, ``main``, ``0.16.*``, ``none`` (not installed), ``installed``. Raises ValueError."""
    clauses: list[tuple[str, str, Key]] = []
    for piece in str(text).split(","):
        piece = piece.strip()
        if piece in ("none", "installed"):
            clauses.append((piece, piece, ()))
            continue
        operator = next((o for o in (">=", "<=", "==", "!=", ">", "<") if piece.startswith(o)), "")
        rest = piece[len(operator) :].strip()
        if rest.endswith(".*") and operator in ("", "==", "!="):
            clauses.append(("!=*" if operator == "!=" else "==*", rest, _prefix(rest[:-2])))
            continue
        clauses.append((operator or "==", rest, key(rest)))
    return tuple(clauses)


def holds(compiled: Gate, value: Any) -> bool | Unknown:
    """Whether a version (a Version, a text, or None for "not installed") passes a gate. Kleene."""
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(value, str):
        value = parse(value)
        if value is None:
            return UNKNOWN
    if value is not None and not isinstance(value, Version):
        return UNKNOWN
    return all(_clause(c, value) for c in compiled)


def _clause(clause: tuple[str, str, Key], value: Version | None) -> bool:
    operator, text, wanted = clause
    if operator == "none":
        return value is None
    if value is None:
        return False
    if operator == "installed":
        return True
    if operator in ("==*", "!=*"):
        release = value.key[1]
        padded = (tuple(release) + (0,) * len(wanted))[: len(wanted)]
        return (padded == wanted) == (operator == "==*")
    if "main" in (text, value.text) and operator in ("==", "!="):
        return (text == value.text) == (operator == "==")
    have = value.key
    if operator == "==":
        return bool(have == wanted)
    if operator == "!=":
        return bool(have != wanted)
    if operator == ">=":
        return bool(have >= wanted)
    if operator == "<=":
        return bool(have <= wanted)
    return bool(have > wanted) if operator == ">" else bool(have < wanted)
