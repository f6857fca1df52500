"""Messages with ``{expression}`` in them.

``{key}`` alone prints ``key=value`` in the author's spelling; any other expression prints its value. Formats are
``:.1f`` (or another number of decimals), ``:d`` and ``:gib`` (bytes as GiB), nothing else. ``{{`` gives a brace.
Control characters of values are escaped: a message never moves a terminal's cursor.
"""

from __future__ import annotations

from collections.abc import Callable

from moelint.lang.closures import kept
from moelint.lang.errors import LangError
from moelint.lang.functions import is_number
from moelint.lang.names import SECTIONS, NameTable
from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version
from moelint.typed import Any

Template = tuple[Any, ...]  # a text, or ("value", tree, format) or ("key", name, tree, format)
_LONGEST = 200
_GIB = 1 << 30


def parse(text: str, names: NameTable | None = None, nonnull: frozenset[str] = frozenset()) -> Template:
    """Compile a message. Raises LangError, with the column in ``text``."""
    from moelint.lang.parse import parse as parse_expression

    parts: list[Any] = []
    plain, at = "", 0
    while at < len(text):
        char = text[at]
        if char in "{}" and text[at : at + 2] == char * 2:
            plain, at = plain + char, at + 2
        elif char == "}":
            raise LangError("'}' without '{' (write '}}' for a brace)", at)
        elif char == "{":
            end = _end(text, at)
            source, form = _split_format(text[at + 1 : end], at + 1)
            try:
                tree = parse_expression(source, names, nonnull)
            except LangError as error:
                raise LangError(error.message, error.column + at + 1, error.suggestion) from None
            parts += [plain] if plain else []
            plain, at = "", end + 1
            name = tree[1] if tree[0] == "name" else None
            bare = name is not None and (name[6:] if name.startswith("given.") else name).split(".")[0] in SECTIONS
            parts.append(("key", name, tree, form) if bare and "." in str(name) else ("value", tree, form))
        else:
            plain, at = plain + char, at + 1
    return (*parts, plain) if plain else tuple(parts)


def _end(text: str, start: int) -> int:
    quote = ""
    for at in range(start + 1, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "}":
            return at
        elif char == "{":
            break
    raise LangError("'{' without '}' (write '{{' for a brace)", start)


def _split_format(inside: str, column: int) -> tuple[str, str]:
    quote, cut = "", -1
    for at, char in enumerate(inside):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == ":":
            cut = at
    if cut < 0:
        return inside, ""
    form = inside[cut + 1 :].strip()
    if form not in ("d", "gib") and not (len(form) == 3 and form[0] == "." and form[1].isdigit() and form[2] == "f"):
        raise LangError(f"unknown format {form!r}: use :.1f, :d or :gib", column + cut)
    return inside[:cut], form


def render(template: Template, scope: Any) -> str:
    """The message for a scope; what is not known reads ``unknown``."""
    spelling: Callable[[str], str] | None = getattr(scope, "spelling", None)
    out: list[str] = []
    for part in template:
        if isinstance(part, str):
            out.append(part)
        elif part[0] == "value":
            out.append(show(kept(part[1])(scope), part[2]))
        else:
            key = part[1][6:] if part[1].startswith("given.") else part[1]
            value = kept(part[2])(scope)
            if part[3]:
                out.append(show(value, part[3]))
                continue
            spelled = escape(spelling(key) if spelling is not None else key.rpartition(".")[2])
            out.append(f"{spelled} (unset)" if value is None else f"{spelled}={show(value, '')}")
    return "".join(out)


def show(value: Any, form: str = "") -> str:
    """A value as people read it: true, false, unset, [a, b]."""
    if value is UNKNOWN:
        return "unknown"
    if form and is_number(value):
        if form == "d":
            return str(round(value))
        return f"{value / _GIB:.1f} GiB" if form == "gib" else f"{value:{form}}"
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        shown = [show(v) for v in value[:20]] + (["…"] if len(value) > 20 else [])
        return f"[{', '.join(shown)}]"
    if isinstance(value, (int, Version)):
        return str(value)
    return escape(str(value))


def escape(text: str) -> str:
    """Text of one line that is safe to print: control, direction and line characters as ``\\x1b`` or ``\\u202e``."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(ord(c)) for c in text)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
