"""What stands for a value that is known elsewhere: ``${model.seq_length}``, ``${TP:-8}``, ``???``.

Nothing is run: a variable of the environment is unknown unless the user defines it; a default makes the value assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moelint.lang.unknown import UNKNOWN
from moelint.text.document import Path, Setting
from moelint.typed import Any

_DEPTH = 20  # references that lead to references


class Found:
    """An outcome: ``value``, ``assumed`` (why it is only assumed, or None), ``waits`` (names that are not known)."""

    __slots__ = ("assumed", "value", "waits")

    def __init__(self, value: Any, assumed: str | None = None, waits: tuple[str, ...] = ()) -> None:
        self.value, self.assumed, self.waits = value, assumed, waits


class Interpolation:
    """Resolves one document's interpolations. ``kind``: omegaconf | shell | primus; ``scalar`` types plain text."""

    __slots__ = ("define", "kind", "likely", "scalar", "settings")

    def __init__(
        self, kind: str, settings: Mapping[Path, Setting], define: Mapping[str, str], scalar: Callable[[str], Any]
    ) -> None:
        self.kind, self.settings, self.define, self.scalar = kind, settings, define, scalar
        self.likely: Mapping[str, tuple[str, str]] = {}  # variable → (value, why it is only assumed)

    def resolve(self, text: str, path: Path, depth: int = 0) -> Found:
        """The value of a text with interpolations, at a path (for relative references)."""
        if text == "???":
            return Found(UNKNOWN, None, ("???",))
        parts: list[Any] = []
        assumed: str | None = None
        waits: tuple[str, ...] = ()
        at = 0
        while True:
            start = text.find("$", at)
            if start < 0 or start + 1 >= len(text):
                break
            end = _closing(text, start + 1) if text[start + 1] == "{" else self._word_end(text, start + 1)
            if end <= start + 1:
                parts.append(text[at : start + 1])
                at = start + 1
                continue
            parts.append(text[at:start])
            inner = text[start + 2 : end - 1] if text[start + 1] == "{" else text[start + 1 : end]
            found = self._one(inner, path, depth)
            assumed, waits = assumed or found.assumed, waits + found.waits
            parts.append(found)
            at = end
        parts.append(text[at:])
        parts = [part for part in parts if not (isinstance(part, str) and not part)]
        if not parts:
            return Found(text)
        if len(parts) == 1:
            return parts[0] if isinstance(parts[0], Found) else Found(text)
        if any(isinstance(part, Found) and part.value is UNKNOWN for part in parts):
            return Found(UNKNOWN, None, waits)
        joined = "".join(_text(part.value) if isinstance(part, Found) else part for part in parts)
        return Found(joined if self.kind == "omegaconf" else self.scalar(joined), assumed)

    def _word_end(self, text: str, at: int) -> int:
        if self.kind != "shell":
            return at - 1
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        return end

    def _one(self, inner: str, path: Path, depth: int) -> Found:
        if depth > _DEPTH:
            return Found(UNKNOWN, None, (inner,))
        for sign in (":-", "-", ":=") if self.kind == "shell" else (":-",):
            name, found, default = inner.partition(sign)
            if found and name.replace("_", "").isalnum():
                return self._variable(name, default, path, depth)
        if self.kind == "shell":
            return self._variable(inner, None, path, depth)
        if self.kind == "primus":
            name, found, default = inner.partition(":")
            return self._variable(name, default if found else None, path, depth)
        return self._omegaconf(inner, path, depth)

    def _variable(self, name: str, default: str | None, path: Path, depth: int) -> Found:
        if name in self.define:
            return Found(self.scalar(self.define[name]))
        if name in self.likely:
            value, why = self.likely[name]
            return Found(self.scalar(value), why)
        if default is None:
            return Found(UNKNOWN, None, (name,))
        if "$" in default:
            found = self.resolve(default, path, depth + 1)
            return found if found.value is UNKNOWN else Found(found.value, f"{name} is not set, so its default holds")
        return Found(self.scalar(default), f"{name} is not set, so its default {default} holds")

    def _omegaconf(self, inner: str, path: Path, depth: int) -> Found:
        inner = inner.strip()
        name, colon, rest = inner.partition(":")
        if not colon:
            return self._reference(inner, path, depth)
        arguments = _arguments(rest)
        if name == "oc.env":
            return self._variable(arguments[0], arguments[1] if len(arguments) > 1 else None, path, depth)
        if name == "oc.select":
            found = self._reference(arguments[0], path, depth)
            if found.value is UNKNOWN and found.waits == (arguments[0],) and len(arguments) > 1:
                return self._argument(arguments[1], path, depth)
            return found
        values = [self._argument(argument, path, depth) for argument in arguments]
        waits = tuple(wait for value in values for wait in value.waits)
        result = _compute(name.rpartition(".")[2], [value.value for value in values])
        if result is UNKNOWN:
            return Found(UNKNOWN, None, waits or (name,))
        return Found(result, next((value.assumed for value in values if value.assumed), None))

    def _argument(self, text: str, path: Path, depth: int) -> Found:
        return self.resolve(text, path, depth + 1) if "$" in text else Found(self.scalar(text))

    def _reference(self, name: str, path: Path, depth: int) -> Found:
        if name in self.define:
            return Found(self.scalar(self.define[name]))
        dots = len(name) - len(name.lstrip("."))
        base: Path = path[: len(path) - dots] if dots else ()
        parts = name[dots:].replace("[", ".").replace("]", "").split(".")
        target = base + tuple(int(part) if part.isdigit() else part for part in parts)
        setting = self.settings.get(target)
        if setting is None:
            return Found(UNKNOWN, None, (name,))
        value = setting.value
        if isinstance(value, str):
            if "$" in value or value == "???":
                return self.resolve(value, target, depth + 1)
            if setting.style == "plain":
                return Found(self.scalar(value))
        return Found(value)


def _closing(text: str, at: int) -> int:
    """Offset one past the ``}`` that closes the ``{`` at ``at``; 0 if none does."""
    level = 0
    for i in range(at, len(text)):
        if text[i] == "{":
            level += 1
        elif text[i] == "}":
            level -= 1
            if not level:
                return i + 1
    return 0


def _arguments(text: str) -> list[str]:
    parts, level, start = [], 0, 0
    for i, sign in enumerate(text):
        if sign in "{[(":
            level += 1
        elif sign in "}])":
            level -= 1
        elif sign == "," and not level:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _compute(name: str, values: list[Any]) -> Any:
    """The arithmetic that frameworks register as resolvers; anything else is unknown."""
    if not values or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
        return UNKNOWN
    first, *rest = values
    if name in ("mul", "multiply"):
        for value in rest:
            first *= value
        return first
    if name in ("add", "sum"):
        return first + sum(rest)
    if name in ("sub", "subtract"):
        return first - sum(rest)
    if name in ("max", "min"):
        return max(values) if name == "max" else min(values)
    if name in ("div", "divide", "int_div", "floordiv") and len(rest) == 1 and rest[0]:
        return first // rest[0] if isinstance(first, int) and isinstance(rest[0], int) else first / rest[0]
    return UNKNOWN


def _text(value: Any) -> str:
    return "true" if value is True else "false" if value is False else "null" if value is None else str(value)
