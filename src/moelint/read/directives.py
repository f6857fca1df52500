"""The ``# moelint:`` comments: target words, base, complete, dialect, and suppressions with their reasons."""

from __future__ import annotations

import re

from moelint.read.config import Ignore
from moelint.text.document import Problem
from moelint.text.source import Source
from moelint.typed import Any

_MARK = r"#+\s*moelint\s*:"  # patterns are compiled where a file needs them: most have no directive
_MISSPELT = r"(?i)#+\s*(moe[-_ ]?lint|molint|moelnt)\s*[:=]?\s+(?=[a-z-]+[=\[]|complete\b)"
_IGNORE = r"(?s)(ignore(?:-file)?)\s*\[([^\]]*)\]\s*(?:because\b[:,]?\s*(.*))?"
_RULE = r"[A-Z]{2,4}[0-9]{0,4}(?:\.[a-z0-9-]+)?\Z|\*\Z"

INTEGERS = {"gpus", "gpus-per-node", "nvlink-domain"}
NUMBERS = {"hbm-gb", "host-gb"}
WORDS = {"gpu", "container", "base", "dialect"}
PACKAGES = {
    "megatron-core",
    "megatron-bridge",
    "megatron-lm",
    "transformer-engine",
    "torch",
    "nvshmem",
    "deep-ep",
    "hybrid-ep",
    "nccl-ep",
    "apex",
    "nccl",
    "cuda",
    "cudnn",
    "python",
    "flash-attn",
    "triton",
    "flashinfer",
    "mamba-ssm",
    "causal-conv1d",
    "nvidia-resiliency-ext",
    "modelopt",
    "emerging-optimizers",
    "mbridge",
    "nemo-rl",
    "verl",
    "slime",
    "ms-swift",
    "primus",
    "driver",
}
_KNOWN = INTEGERS | NUMBERS | WORDS | PACKAGES | {"complete", "ignore", "ignore-file"}


class Directive:
    """One comment. ``stated``: directive key → value; ``complete``; ``base``, ``dialect``: text or None."""

    __slots__ = ("base", "complete", "dialect", "end", "ignores", "start", "stated")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.stated: dict[str, Any] = {}
        self.complete = False
        self.base: str | None = None
        self.dialect: str | None = None
        self.ignores: list[Ignore] = []

    def moved(self, by: int) -> Directive:
        """The same directive that many characters further on, shared with nobody."""
        out = Directive(self.start + by, self.end + by)
        out.stated, out.complete, out.base, out.dialect = dict(self.stated), self.complete, self.base, self.dialect
        for one in self.ignores:
            out.ignores.append(Ignore(list(one.rules), one.reason, one.start + by, one.end + by, one.whole_file))
        return out


def read_directives(source: Source, comments: list[tuple[int, int]]) -> tuple[list[Directive], list[Problem]]:
    """All directives among a file's comments, in order, and what is wrong with them."""
    found: list[Directive] = []
    problems: list[Problem] = []
    if "lint" not in source.text and "moel" not in source.text:
        return found, problems
    for start, end in sorted(set(comments)):
        text = source.text[start:end]
        low = text.lower()
        if "lint" not in low and "moel" not in low:
            continue  # neither a directive nor one that is misspelt
        known = _remembered.get(text)
        if known is None:
            known = _read(text)
            if len(_remembered) >= MAX_REMEMBERED:
                _remembered.clear()
            if len(text) <= MAX_OWN:
                _remembered[text] = known
        directive, wrong = known
        if directive is not None:
            found.append(directive.moved(start))
        problems += [Problem(one.kind, one.message, one.start + start, one.end + start) for one in wrong]
    return found, problems


MAX_REMEMBERED = 1_000
"""Comments that are remembered: the files of a sweep say the same of their target."""
MAX_OWN = 1_000
"""Characters of a comment that is remembered."""
_remembered: dict[str, tuple[Directive | None, list[Problem]]] = {}


def _read(text: str) -> tuple[Directive | None, list[Problem]]:
    """What one comment says, with places that count from its start."""
    problems: list[Problem] = []
    mark = re.match(_MARK, text)
    if mark is None:
        if (wrong := re.match(_MISSPELT, text)) is not None:
            message = f"not a directive: write “# moelint:” instead of “{wrong[0].strip()}”"
            problems.append(_problem(message, 0, len(text)))
        return None, problems
    directive = Directive(0, len(text))
    _words(text, mark.end(), 0, directive, problems)
    return directive, problems


def words(text: str) -> tuple[dict[str, Any], list[str]]:
    """``KEY=VALUE …`` outside a comment (the option --target): stated values, and messages on what is wrong."""
    directive, problems = Directive(0, len(text)), list[Problem]()
    _words(text, 0, 0, directive, problems)
    return directive.stated, [problem.message for problem in problems]


def _words(text: str, at: int, offset: int, directive: Directive, problems: list[Problem]) -> None:
    size = len(text)
    while at < size:
        if text[at].isspace():
            at += 1
            continue
        ignore = re.compile(_IGNORE).match(text, at) if text.startswith("ignore", at) else None
        if ignore is not None:
            _ignore(ignore, offset, directive, problems)
            return
        stop = at
        while stop < size and not text[stop].isspace():
            stop += 1
        _word(text[at:stop], offset + at, directive, problems)
        at = stop


def _word(word: str, start: int, directive: Directive, problems: list[Problem]) -> None:
    end = start + len(word)
    key, equals, value = word.partition("=")
    if not equals:
        if word == "complete":
            directive.complete = True
        else:
            problems.append(_problem(_unknown(word), start, end))
        return
    key = key.lower().replace("_", "-")
    value = value.strip("\"'")
    if not value:
        problems.append(_problem(f"{key}= has no value", start, end))
    elif key == "base":
        directive.base = value
    elif key == "dialect":
        directive.dialect = value
    elif key in INTEGERS:
        if value.isdigit() and int(value) > 0:
            directive.stated[key] = int(value)
        else:
            problems.append(_problem(f"{key} is a whole number above 0, not {value}", start, end))
    elif key in NUMBERS:
        try:
            directive.stated[key] = float(value)
        except ValueError:
            problems.append(_problem(f"{key} is a number, not {value}", start, end))
    elif key in WORDS:
        directive.stated[key] = value
    else:
        if key not in PACKAGES and (close := _close(key)) is not None:
            problems.append(_problem(f"unknown directive key {key}: did you mean {close}?", start, end))
            return
        if not re.fullmatch(r"[a-z][a-z0-9-]*", key):
            problems.append(_problem(_unknown(word), start, end))
            return
        directive.stated[key] = value


def _ignore(match: re.Match[str], offset: int, directive: Directive, problems: list[Problem]) -> None:
    start, end = offset + match.start(), offset + match.end()
    rules: list[tuple[str, str | None]] = []
    for part in match[2].split(","):
        rule, at, key = (piece.strip() for piece in part.partition("@"))
        if not re.match(_RULE, rule):
            problems.append(_problem(f"not a rule or a family of rules: {rule or 'nothing'}", start, end))
            continue
        rules.append((rule, key if at else None))
    reason = " ".join((match[3] or "").split())
    if not reason:
        problems.append(Problem("ignore-without-reason", "an ignore needs a reason: add “because …”", start, end))
    if rules:
        directive.ignores.append(Ignore(rules, reason, start, end, match[1] == "ignore-file"))


def _unknown(word: str) -> str:
    close = _close(word.split("[")[0].lower())
    return f"unknown directive {word}" + (f": did you mean {close}?" if close else "")


def _close(word: str) -> str | None:
    """A known word within two typing slips, or None. Short words allow one."""
    from difflib import get_close_matches

    found = get_close_matches(word, _KNOWN, 1, 0.8 if len(word) > 3 else 0.7)
    return found[0] if found else None


def _problem(message: str, start: int, end: int) -> Problem:
    return Problem("directive", message, start, end)
