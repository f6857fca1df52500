"""A Python file as a document: attributes that its configuration functions set, and edits of those statements."""

from __future__ import annotations

import ast

from moelint.text.document import Document, EditError, Path, Setting
from moelint.text.edits import Edit
from moelint.text.python.modules import Module
from moelint.text.python.values import Place
from moelint.typed import Any

_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp)


class PythonDocument(Document):
    """Paths are (function, section, field, …). Settings are added by whoever evaluates the functions."""

    def __init__(self, module: Module) -> None:
        self.source, self.module = module.source, module
        self.settings: dict[Path, Setting] = {}
        self.sections: dict[Path, tuple[int, int]] = {}
        self.problems = []
        self.comments = _comments(self.source.text)
        self.functions: dict[str, ast.FunctionDef | ast.If] = {}  # where each config is made
        self.last: dict[str, tuple[ast.stmt, str]] = {}  # the statement that hands it on, and its variable
        self._places: dict[Path, Place] = {}

    def add(self, path: Path, place: Place, value: Any) -> Setting:
        """The setting that a place in this file gives to a path."""
        if isinstance(place.target, ast.keyword):
            start = self.module.span(place.target)[0]
            key = (start, start + len(place.target.arg or ""))
        elif isinstance(place.target, ast.Attribute):
            end = self.module.span(place.target)[1]
            key = (end - len(place.target.attr), end)
        else:
            key = self.module.span(place.target)
        start, end = self.module.span(place.value)
        setting = Setting(path, value, self.source.text[start:end], "python", *key, start, end)
        self.settings[path] = setting
        self._places[path] = place
        return setting

    # ---- edits ----------------------------------------------------------------------------------------
    def set(self, path: Path, value: Any) -> list[Edit]:
        place = self._places.get(path)
        if place is None:
            raise EditError(f"{'.'.join(map(str, path[1:]))} is not set in this function")
        function = self.functions[path[0]]
        own = function.lineno <= place.value.lineno <= (function.end_lineno or 0)  # type: ignore[attr-defined]
        if isinstance(place.value, _LITERAL) or _is_name_of_constant(place.value):
            start, end = self.module.span(place.value)
            number = isinstance(place.value, ast.Constant) and type(place.value.value) is int
            if number and isinstance(value, str) and value.isdigit():
                value = int(value)  # an environment variable whose author writes it as a number
            return [Edit(start, end, literal(value))]
        if not own:
            # The helper that sets it serves other configs too: say it again, last, in this one.
            return self._override(path, value)
        start, end = self.module.span(place.value)
        return [Edit(start, end, literal(value))]

    def insert(self, path: Path, value: Any, after: Path | None = None) -> list[Edit]:
        if path[1:2] == ("env_vars",):
            raise EditError("an environment variable is added to the mapping by hand")
        place = self._places.get(after) if after is not None else None
        function = self.functions[path[0]]
        if place is not None and place.statement is not None and place.statement in function.body:
            statement = place.statement
            root = self.last.get(path[0])
            if root is None:
                raise EditError("the function does not return a variable that could be changed")
            text = f"{root[1]}.{'.'.join(path[1:])} = {literal(value)}"
            at = self.module.span(statement)[1]
            line_end = self.source.text.find("\n", at)
            at = len(self.source.text) if line_end < 0 else line_end
            if self.source.text[:at].endswith("\r"):
                at -= 1
            return [Edit(at, at, self.source.newline + " " * statement.col_offset + text)]
        return self._override(path, value)

    def remove(self, path: Path) -> list[Edit]:
        place = self._places.get(path)
        if place is None:
            raise EditError(f"{'.'.join(map(str, path[1:]))} is not set in this function")
        statement = place.statement
        if statement is None:
            raise EditError("it is an argument of a call here: take it out by hand")
        start, end = self.module.span(statement)
        text = self.source.text
        line = self.source.position(start)[0]
        first = self.source.line_starts()[line - 1]
        if text[first:start].strip() or ";" in text[end : text.find("\n", end) + 1 or None].split("#")[0]:
            raise EditError("it shares its line with other code")
        stop = text.find("\n", end) + 1 or len(text)
        return [Edit(first, stop, "")]

    def rename(self, path: Path, name: str) -> list[Edit]:
        setting = self.settings.get(path)
        if setting is None:
            raise EditError(f"{'.'.join(map(str, path[1:]))} is not set in this function")
        return [Edit(setting.key_start, setting.key_end, name)]

    def reread(self, text: str) -> PythonDocument:
        """Not offered: values of a Python file come from evaluating it."""
        raise EditError("two changes touch the same place")

    def _override(self, path: Path, value: Any) -> list[Edit]:
        """One more assignment, before the config is handed on."""
        found = self.last.get(path[0])
        if found is None:
            raise EditError("the function does not return a variable that could be changed")
        last, root = found
        start = self.module.span(last)[0]
        line = self.source.position(start)[0]
        first = self.source.line_starts()[line - 1]
        indent = self.source.text[first:start]
        if indent.strip():
            raise EditError("the statement that hands the config on shares its line with other code")
        text = f"{indent}{root}.{'.'.join(path[1:])} = {literal(value)}{self.source.newline}"
        return [Edit(first, first, text)]


def literal(value: Any) -> str:
    """Python text of a plain value, strings in double quotes."""
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _is_name_of_constant(node: ast.AST) -> bool:
    """Whether an expression only names something by a dotted path of another package, such as torch.bfloat16."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "torch"


def _comments(text: str) -> list[tuple[int, int]]:
    """Spans of the comments; looked for only where a directive may be."""
    if "moelint" not in text and "moe" not in text:
        return []
    import io
    import tokenize

    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    out = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                start = starts[token.start[0] - 1] + token.start[1]
                out.append((start, start + len(token.string)))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        pass
    return out
