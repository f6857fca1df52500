"""Shell arithmetic: whole numbers, variables, the usual operators. Nothing is evaluated but these."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*|\*\*=?|<<=?|>>=?|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%()<>!~&|^?:=,])",
    re.ASCII,
)
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=", "**="}
_LIMIT = 1 << 63
_DEPTH = 60

Look = Callable[[str], "int | None"]
Assign = Callable[[str, "int | None"], None]


class Unreadable(Exception):
    """Not arithmetic as it is understood here."""


class Arithmetic:
    """``look``: variable → number, None if not known; ``assign``: what a variable becomes."""

    def __init__(self, text: str, look: Look, assign: Assign) -> None:
        self.tokens: list[str] = []
        at = 0
        text = text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise Unreadable(text)
            self.tokens.append(found[1])
            at = found.end()
            if len(self.tokens) > 2000:
                raise Unreadable("too long")
        self.at, self.depth, self.look, self.assign = 0, 0, look, assign

    def value(self) -> int | None:
        """The number; None if something in it is not known. Raises Unreadable."""
        if not self.tokens:
            return 0
        value = self._comma()
        if self.at < len(self.tokens):
            raise Unreadable(self.tokens[self.at])
        return value

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _comma(self) -> int | None:
        value = self._assignment()
        while self._peek() == ",":
            self.at += 1
            value = self._assignment()
        return value

    def _assignment(self) -> int | None:
        self.depth += 1
        if self.depth > _DEPTH:
            raise Unreadable("too deep")
        try:
            name = self._peek()
            following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
            if (name[:1].isalpha() or name[:1] == "_") and following in _ASSIGN:
                self.at += 2
                value = self._assignment()
                if following != "=":
                    value = _apply(following[:-1], self.look(name), value)
                self.assign(name, value)
                return value
            return self._choice()
        finally:
            self.depth -= 1

    def _choice(self) -> int | None:
        value = self._binary(0)
        if self._peek() != "?":
            return value
        self.at += 1
        yes = self._assignment()
        if self._peek() != ":":
            raise Unreadable("no :")
        self.at += 1
        no = self._assignment()
        if value is None:
            return yes if yes == no else None
        return yes if value else no

    def _binary(self, level: int) -> int | None:
        if level == len(_LEVELS):
            return self._power()
        value = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            sign = self._peek()
            self.at += 1
            value = _apply(sign, value, self._binary(level + 1))
        return value

    def _power(self) -> int | None:
        value = self._unary()
        if self._peek() == "**":
            self.at += 1
            return _apply("**", value, self._power())
        return value

    def _unary(self) -> int | None:
        token = self._peek()
        self.at += 1
        self.depth += 1
        if self.depth > _DEPTH:
            raise Unreadable("too deep")
        try:
            return self._primary(token)
        finally:
            self.depth -= 1

    def _primary(self, token: str) -> int | None:
        if token in ("-", "+", "!", "~"):
            value = self._unary()
            if value is None:
                return None
            return -value if token == "-" else value if token == "+" else ~value if token == "~" else int(not value)
        if token in ("++", "--"):
            name = self._peek()
            self.at += 1
            return self._step(name, token, True)
        if token == "(":
            value = self._comma()
            if self._peek() != ")":
                raise Unreadable("no )")
            self.at += 1
            return value
        if token[:1].isdigit():
            if token[:2] in ("0x", "0X"):
                return int(token, 16)
            if len(token) > 1 and token[0] == "0":
                try:
                    return int(token, 8)
                except ValueError:
                    raise Unreadable(token) from None
            return int(token) if len(token) < 20 else None
        if token[:1].isalpha() or token[:1] == "_":
            if self._peek() in ("++", "--"):
                sign = self._peek()
                self.at += 1
                return self._step(token, sign, False)
            return self.look(token)
        raise Unreadable(token)

    def _step(self, name: str, sign: str, before: bool) -> int | None:
        if not (name[:1].isalpha() or name[:1] == "_"):
            raise Unreadable(name)
        old = self.look(name)
        new = None if old is None else old + (1 if sign == "++" else -1)
        self.assign(name, new)
        return new if before else old


def _apply(sign: str, a: int | None, b: int | None) -> int | None:
    if sign == "&&" and (a == 0 or b == 0):
        return 0
    if sign == "||" and (a or b):
        return 1
    if a is None or b is None:
        return None
    if sign in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if sign == "/" else a - b * quotient
    if sign in ("**", "<<", ">>"):
        if not 0 <= b <= 64 or abs(a) >= _LIMIT:
            return None
        value = a**b if sign == "**" else a << b if sign == "<<" else a >> b
        return value if abs(value) < _LIMIT else None
    value = int(_PLAIN[sign](a, b))
    return value if abs(value) < _LIMIT else None


_PLAIN: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
}
