"""Where quotes and brackets of shell text end."""

from __future__ import annotations


def closing_quote(text: str, at: int, end: int) -> int:
    """Offset of the double quote that ends a quoted text; ``end`` if none does."""
    while at < end:
        sign = text[at]
        if sign == "\\":
            at += 2
        elif sign == '"':
            return at
        elif sign == "$" and text[at + 1 : at + 2] in ("(", "{"):
            at = closing(text, at + 1, end)
        else:
            at += 1
    return end


def closing(text: str, at: int, end: int) -> int:
    """Offset one past the bracket that closes the one at ``at``; ``end`` if none does. Quotes hide brackets."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    stack = [pairs[text[at]]]
    at += 1
    while at < end:
        sign = text[at]
        if sign == "\\":
            at += 2
            continue
        if sign == stack[-1] and sign != '"':
            stack.pop()
            if not stack:
                return at + 1
        elif sign == '"':
            if stack[-1] == '"':
                stack.pop()
            else:
                stack.append('"')
        elif sign == "'" and stack[-1] != '"':
            stop = text.find("'", at + 1, end)
            at = end if stop < 0 else stop
        elif sign == "(" and (stack[-1] == ")" or text[at - 1] == "$"):
            stack.append(")")
        elif sign == "{" and text[at - 1] == "$":
            stack.append("}")
        elif sign == "[" and stack[-1] == "]":
            stack.append("]")
        at += 1
    return end
