"""Values of command-line overrides, and options of launch scripts that a table cannot say."""

from __future__ import annotations

from moelint.text.scalars import plain
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
