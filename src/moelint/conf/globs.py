"""Path patterns of the configuration: ``*`` and ``?`` within a folder, ``**`` across folders, ``[abc]`` sets.

A pattern without a slash matches a name anywhere, as in .gitignore; one that matches a folder holds for all in it.
"""

from __future__ import annotations

import re

_compiled: dict[str, re.Pattern[str]] = {}


def _regex(pattern: str) -> str:
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at):
            out.append("(?:[^/]+/)*")
            at += 3
        elif pattern.startswith("**", at):
            out.append(".*")
            at += 2
        elif char == "[" and (end := pattern.find("]", at + 2)) > 0:
            inner = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            at = end + 1
        else:
            out.append("[^/]*" if char == "*" else "[^/]" if char == "?" else re.escape(char))
            at += 1
    return "".join(out)


def matches(pattern: str, path: str) -> bool:
    """Whether a path, relative to the configuration's folder and with forward slashes, falls under a pattern."""
    compiled = _compiled.get(pattern)
    if compiled is None:
        body = pattern.strip("/")
        if body.startswith("./"):
            body = body[2:]
        anywhere = "" if "/" in body or pattern.startswith("/") else "(?:[^/]+/)*"
        compiled = _compiled[pattern] = re.compile(f"{anywhere}{_regex(body)}(?:/.*)?", re.DOTALL)
    return compiled.fullmatch(path) is not None
