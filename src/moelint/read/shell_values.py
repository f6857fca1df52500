"""Values of command-line overrides, and options of launch scripts that a table cannot say."""

from __future__ import annotations

import re

from moelint.read.shell_arguments import split
from moelint.text.document import Problem
from moelint.text.edits import Edit
from moelint.text.scalars import plain
from moelint.text.shell.document import ShellSetting
from moelint.text.shell.pieces import Piece, Word
from moelint.typed import Any

BARE_OPTIONS = frozenset(
    (
        "-d",
        "--dryrun",
        "--dry-run",
        "--dry_run",
        "--use_recipes",
        "--packed_sequence",
        "--head_only",
        "--offline",
        "-en",
        "--enable_nsys",
        "--export_nsys_sqlite",
        "--profiling_gpu_metrics",
        "--deterministic",
        "--dump_env",
        "--dump-env",
        "--list_config_variants",
        "--is_long_convergence_run",
        "--retry_on_testing_failure",
    )
)
_DEPTH = 8


def hydra_value(value: Any) -> Any:
    """A word behind ``a.b=`` as Hydra types it: lists in brackets, quoted text, the rest as OmegaConf does."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        items = _items(text[1:-1], 0)
        return value if items is None else items
    return value


def _items(text: str, depth: int) -> list[Any] | None:
    if depth > _DEPTH or "{" in text:
        return None
    out: list[Any] = []
    for part in _parts(text):
        part = part.strip()
        if part.startswith("[") and part.endswith("]"):
            inner = _items(part[1:-1], depth + 1)
            if inner is None:
                return None
            out.append(inner)
        elif len(part) > 1 and part[0] in "\"'" and part[-1] == part[0]:
            out.append(part[1:-1])
        elif part:
            out.append(plain(part))
    return out


def _parts(text: str) -> list[str]:
    out, level, quote, start = [], 0, "", 0
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[(":
            level += 1
        elif sign in "])":
            level -= 1
        elif sign == "," and not level:
            out.append(text[start:at])
            start = at + 1
    return [*out, text[start:]]


_JSON_OPTIONS = ("--runtime-env-json", "--train-env-vars")
_PAIR = re.compile(r'"([A-Z_][A-Z0-9_]*)"\s*:\s*(?:"([^"]*)"|([\w.\x00+-]+))')


def json_variables(words: list[Word]) -> list[tuple[str, Word, Word]]:
    """(name, its word, the value's word) of environment variables in the JSON behind the options that take some."""
    out: list[tuple[str, Word, Word]] = []
    for at, word in enumerate(words):
        pair = split(word)
        if pair is not None and pair[0] in _JSON_OPTIONS:
            held = pair[1]
        elif word.text in _JSON_OPTIONS and at + 1 < len(words):
            held = words[at + 1]
        else:
            continue
        text = "".join("\0" if piece.text is None else piece.text for piece in held.pieces)
        for found in _PAIR.finditer(text):
            group = 2 if found[2] is not None else 3
            out.append((found[1], _slice(held, *found.span(1)), _slice(held, *found.span(group))))
    return out


def _slice(word: Word, start: int, end: int) -> Word:
    out: list[Piece] = []
    at = 0
    for piece in word.pieces:
        size = 1 if piece.text is None else len(piece.text)
        a, b = max(start - at, 0), min(end - at, size)
        if a < b:
            out.append(piece if piece.text is None else piece.cut(a, b))
        at += size
    return Word(out)


_COUNTS = re.compile(
    r"(NCCL|NVTE|TORCH_NCCL|NUM_OF|UB|HYBRID_EP)_\w+|CUDA_DEVICE_MAX_CONNECTIONS|NVLINK_DOMAIN_SIZE|USE_MNNVL"
)
_ODD = re.compile(r"(\d+)([A-Za-z_]\w*)(=?)")


def odd_number(setting: ShellSetting) -> Problem | None:
    """A variable that holds a number, whose value begins like one and goes on: another assignment that runs into it,
    or a unit that nobody reads."""
    value, name = setting.value, str(setting.path[1])
    found = _ODD.match(value) if isinstance(value, str) and _COUNTS.fullmatch(name) else None
    if found is None or setting.key_end <= setting.key_start:
        return None
    problem = Problem("odd-number", "", setting.key_start, setting.value_end, setting.path)
    if found[3] and found[2].isupper() and len(found[2]) > 2:
        problem.message = f"{name}={found[1]} runs into the assignment of {found[2]}: a blank is missing between them"
        if setting.raw == value:
            at = setting.value_start + len(found[1])
            problem.edits = [Edit(at, at, " ")]
    elif found[3] or found[0] != value:
        return None
    else:
        problem.message = f"{name}={value} is no number"
    return problem


def environment_items(words: list[Word]) -> list[tuple[str, Word]]:
    """``A=1,B=2`` (or one ``A=1``) → name and value; what is not known of it is left out."""
    out: list[tuple[str, Word]] = []
    for word in words:
        name = ""
        value: list[Piece] = []
        filling = False
        for piece in word.pieces:
            text = piece.text
            if text is None:
                value.append(piece)
                continue
            at = 0
            while at < len(text):
                stop = text.find("," if filling else "=", at)
                stop = len(text) if stop < 0 else stop
                if filling:
                    if stop > at:
                        value.append(piece.cut(at, stop))
                    if stop < len(text):
                        out.append((name, Word(value)))
                        name, value, filling = "", [], False
                else:
                    name += text[at:stop]
                    filling = stop < len(text)
                at = stop + 1
        if filling:
            out.append((name, Word(value)))
    return [(name, word) for name, word in out if name.isidentifier()]
