"""Expression text → a tree of nested tuples: a whitelist over Python's own grammar, bounded in size.

Nodes: ("const", v) ("list", nodes) ("name", n) ("var",) ("and", nodes) ("or", nodes) ("not", x) ("cmp", op, a, b)
("bin", op, a, b) ("neg", x) ("if", cond, a, b) ("call", name, args) ("gen", name, element, list, cond|None)
("attr", x, name) ("item", x, index) ("written", key) ("changed", key) ("default_of", key) ("choices", key).
Plain data, so that ``marshal`` can store it. Only a pack's compilation comes here: ``ast`` is imported inside.
"""

from __future__ import annotations

from moelint.lang.errors import LangError
from moelint.lang.functions import TABLE
from moelint.lang.limits import DEPTH, NODES, NUMBER, STRING, TEXT
from moelint.lang.names import NameTable
from moelint.lang.suggest import nearest
from moelint.typed import Any

Tree = tuple[Any, ...]
_COMPARE = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "In": "in", "NotIn": "not in",
    "Is": "is", "IsNot": "is not",
}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%"}
_GENERATORS = ("all", "any", "sum", "len", "min", "max", "prod")
_YAML_WORDS = {"true": "True", "false": "False", "null": "None", "none": "None", "yes": "True", "no": "False"}
_NOT_PYTHON = {"&&": "and", "||": "or", "!": "not"}


def parse(text: str, names: NameTable | None = None, nonnull: frozenset[str] = frozenset()) -> Tree:
    """Compile an expression. With ``names``, every name is looked up and types are checked (``nonnull``: names that an
    earlier condition has already proved to be set). Raises LangError."""
    tree, positions = parse_with_positions(text, names)
    if names is not None:
        from moelint.lang.check import check

        check(tree, positions, names, nonnull)
    return tree


def parse_with_positions(text: str, names: NameTable | None) -> tuple[Tree, dict[int, int]]:
    """The tree, and the 0-based column of each node by its id (valid while the tree lives)."""
    import ast
    import warnings

    if not isinstance(text, str) or not text.strip():
        raise LangError("empty expression")
    if len(text) > TEXT:
        raise LangError(f"expression longer than {TEXT} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse("(" + text + "\n)", mode="eval")
    except SyntaxError as error:
        raise _syntax_error(text, error) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise LangError("expression nested too deeply" if not isinstance(error, ValueError) else str(error)) from None
    parser = _Parser(text, names)
    return parser.node(module.body, 0), parser.positions


def _syntax_error(text: str, error: SyntaxError) -> LangError:
    lines = text.split("\n")
    row = max(0, min((error.lineno or 1) - 1, len(lines) - 1))
    column = max(0, (error.offset or 1) - (2 if row == 0 else 1))
    at = min(sum(len(line) + 1 for line in lines[:row]) + column, len(text))
    for wrong, right in _NOT_PYTHON.items():
        found = text.find(wrong)
        if found >= 0 and text[found : found + 2] != "!=":
            return LangError(f"{wrong!r} is not an operator here", found, f"'{right}'")
    if ("=" in text and "cannot assign" in str(error.msg)) or "Maybe you meant '=='" in str(error.msg):
        return LangError("'=' does not compare", text.find("="), "'=='")
    if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
        # the usual cause is not a slip of the pen: YAML cut the expression in two
        hint = "quotes around it (in a YAML list [a, b] a comma ends the entry)"
        return LangError("brackets do not match", at, hint)
    return LangError("not an expression", at)


class _Parser:
    def __init__(self, text: str, names: NameTable | None) -> None:
        self.names = names
        self.positions: dict[int, int] = {}
        self.count = 0
        self.variable: str | None = None
        self.lines = [line.encode("utf-8", "surrogatepass") for line in ("(" + text).split("\n")]
        self.starts = [0]
        for line in ("(" + text).split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def column(self, node: Any) -> int:
        row = min(getattr(node, "lineno", 1) - 1, len(self.lines) - 1)
        line = self.lines[row][: getattr(node, "col_offset", 0)]
        return max(0, self.starts[row] + len(line.decode("utf-8", "surrogatepass")) - 1)

    def fail(self, node: Any, message: str, suggestion: str | None = None) -> LangError:
        return LangError(message, self.column(node), suggestion)

    def node(self, node: Any, depth: int) -> Tree:
        self.count += 1
        if depth > DEPTH:
            raise self.fail(node, f"expression nested deeper than {DEPTH}")
        if self.count > NODES:
            raise self.fail(node, f"expression with more than {NODES} parts")
        method = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            raise self.fail(node, f"{_spoken(node)} is not part of the language")
        tree: Tree = method(node, depth + 1)
        self.positions[id(tree)] = self.column(node)
        return tree

    def nodes(self, nodes: Any, depth: int) -> tuple[Tree, ...]:
        return tuple(self.node(n, depth) for n in nodes)

    def _Constant(self, node: Any, depth: int) -> Tree:
        value = node.value
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not -NUMBER <= value <= NUMBER:
            raise self.fail(node, "number too large")
        if isinstance(value, str) and len(value) > STRING:
            raise self.fail(node, f"text longer than {STRING} characters")
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise self.fail(node, f"{type(value).__name__} values are not part of the language")
        return ("const", value)

    def _List(self, node: Any, depth: int) -> Tree:
        return ("list", self.nodes(node.elts, depth))

    _Tuple = _List

    def _Name(self, node: Any, depth: int) -> Tree:
        if node.id == self.variable:
            return ("var",)
        return ("name", self.known(node, node.id))

    def _Attribute(self, node: Any, depth: int) -> Tree:
        name = _dotted(node)
        if name is not None and name.split(".", 1)[0] != self.variable:
            return ("name", self.known(node, name))
        return ("attr", self.node(node.value, depth), node.attr)

    def _Subscript(self, node: Any, depth: int) -> Tree:
        if type(node.slice).__name__ == "Slice":
            raise self.fail(node, "slices are not part of the language")
        return ("item", self.node(node.value, depth), self.node(node.slice, depth))

    def known(self, node: Any, name: str) -> str:
        if self.names is not None and self.names.lookup(name) is None:
            word = _YAML_WORDS.get(name)
            if word is None and name in TABLE:
                raise self.fail(node, f"{name} is a function: call it, {TABLE[name].signature}")
            if word is None and "." not in name and self.names.key("model." + name) is not None:
                word = "model." + name
            raise self.fail(node, f"unknown name {name!r}", word or self.names.suggestion(name))
        return name

    def _BoolOp(self, node: Any, depth: int) -> Tree:
        return ("and" if type(node.op).__name__ == "And" else "or", self.nodes(node.values, depth))

    def _UnaryOp(self, node: Any, depth: int) -> Tree:
        kind = type(node.op).__name__
        if kind not in ("Not", "USub", "UAdd"):
            raise self.fail(node, f"{_spoken(node.op)} is not part of the language")
        inner = self.node(node.operand, depth)
        if kind == "Not":
            return ("not", inner)
        if inner[0] == "const" and isinstance(inner[1], (int, float)) and not isinstance(inner[1], bool):
            return ("const", -inner[1] if kind == "USub" else inner[1])
        return ("neg", inner) if kind == "USub" else inner

    def _BinOp(self, node: Any, depth: int) -> Tree:
        operator = _ARITHMETIC.get(type(node.op).__name__)
        if operator is None:
            raise self.fail(node, f"{_spoken(node.op)} is not part of the language (use + - * / // %)")
        if operator == "-" and self.names is not None:
            self.hyphen(node)
        return ("bin", operator, self.node(node.left, depth), self.node(node.right, depth))

    def hyphen(self, node: Any) -> None:
        """``target.transformer-engine`` reads as a subtraction: say so."""
        left, right = _dotted(node.left), _dotted(node.right)
        if left and right and "." not in right and self.names is not None and self.names.lookup(right) is None:
            joined = f"{left}_{right}"
            unread = left.startswith("target.") or self.names.lookup(left) is None
            if unread and self.names.lookup(joined) is not None:
                raise self.fail(node, "hyphens in names are written as underscores", joined)

    def _Compare(self, node: Any, depth: int) -> Tree:
        operands = [node.left, *node.comparators]
        trees = [self.node(o, depth) for o in operands]
        pairs = []
        for i, op in enumerate(node.ops):
            operator = _COMPARE[type(op).__name__]
            if operator in ("is", "is not") and trees[i + 1] != ("const", None):
                raise self.fail(operands[i + 1], "'is' is only for None", "'==' or '!='")
            pair = ("cmp", operator, trees[i], trees[i + 1])
            self.positions[id(pair)] = self.column(operands[i])
            pairs.append(pair)
        return pairs[0] if len(pairs) == 1 else ("and", tuple(pairs))

    def _IfExp(self, node: Any, depth: int) -> Tree:
        return ("if", self.node(node.test, depth), self.node(node.body, depth), self.node(node.orelse, depth))

    def _Call(self, node: Any, depth: int) -> Tree:
        name = node.func.id if type(node.func).__name__ == "Name" else None
        if name is None or name not in TABLE:
            spelled = _dotted(node.func)
            if spelled is None:
                raise self.fail(node.func, "only the language's own functions can be called, by their names")
            raise self.fail(node.func, f"unknown function {spelled!r}", nearest(spelled, TABLE))
        function = TABLE[name]
        if node.keywords:
            raise self.fail(node.keywords[0].value, f"{name} takes no named arguments: {function.signature}")
        if not function.least <= len(node.args) <= function.most:
            raise self.fail(node, f"wrong number of arguments: {function.signature}")
        if function.lazy or (name == "default" and len(node.args) == 1):
            return self.key_call(node, name)
        if len(node.args) == 1 and type(node.args[0]).__name__ in ("GeneratorExp", "ListComp"):
            return self.generator(node.args[0], name, depth)
        return ("call", name, self.nodes(node.args, depth))

    def key_call(self, node: Any, name: str) -> Tree:
        argument = node.args[0]
        text = argument.value if type(argument).__name__ == "Constant" else _dotted(argument)
        if not isinstance(text, str):
            raise self.fail(argument, f"{name} takes a key", f"{name}(model.…)")
        names = self.names
        if text.startswith("group:"):
            if name not in ("changed", "written"):
                raise self.fail(argument, f"{name} takes one key, not a group")
            return self.group(argument, name, text[6:])
        if names is not None and names.key(text) is None:
            raise self.fail(argument, f"unknown key {text!r}", nearest(text, names.keys))
        if name == "choices" and names is not None and (info := names.key(text)) is not None and info.choices:
            return ("list", tuple(("const", c) for c in info.choices))
        return ({"default": "default_of"}.get(name, name), text)

    def group(self, node: Any, name: str, group: str) -> Tree:
        if self.names is None:
            return (name, "group:" + group)
        members = self.names.groups.get(group)
        if members is None:
            raise self.fail(node, f"unknown group {group!r}", nearest(group, self.names.groups))
        return ("or", tuple((name, m) for m in members)) if len(members) != 1 else (name, members[0])

    def generator(self, node: Any, function: str, depth: int) -> Tree:
        if function not in _GENERATORS:
            raise self.fail(node, f"a generator stands only in {' '.join(_GENERATORS)}")
        if self.variable is not None:
            raise self.fail(node, "one generator at a time")
        if len(node.generators) != 1:
            raise self.fail(node, "one generator over one list")
        loop = node.generators[0]
        if type(loop.target).__name__ != "Name" or loop.is_async:
            raise self.fail(node, "a generator has one plain variable")
        if len(loop.ifs) > 1:
            raise self.fail(loop.ifs[1], "one 'if' in a generator: join the conditions with 'and'")
        items = self.node(loop.iter, depth)
        self.variable = loop.target.id
        try:
            condition = self.node(loop.ifs[0], depth) if loop.ifs else None
            element = self.node(node.elt, depth)
        finally:
            self.variable = None
        return ("gen", function, element, items, condition)


def _dotted(node: Any) -> str | None:
    parts: list[str] = []
    while type(node).__name__ == "Attribute":
        parts.append(node.attr)
        node = node.value
        if len(parts) > 20:
            return None
    if type(node).__name__ != "Name":
        return None
    return ".".join([node.id, *reversed(parts)])


def _spoken(node: Any) -> str:
    words = {
        "Pow": "'**'", "Lambda": "lambda", "Dict": "a mapping", "Set": "a set", "ListComp": "a list comprehension",
        "GeneratorExp": "a generator outside a function", "JoinedStr": "an f-string", "NamedExpr": "':='",
        "Starred": "'*'", "MatMult": "'@'", "BitAnd": "'&'", "BitOr": "'|'", "BitXor": "'^'", "LShift": "'<<'",
        "RShift": "'>>'", "Invert": "'~'", "Await": "await", "Yield": "yield",
    }
    name = type(node).__name__
    return words.get(name, name)
