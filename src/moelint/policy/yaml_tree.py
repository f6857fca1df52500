"""YAML files of a pack, with the place of every value. Only a pack's compilation comes here."""

from __future__ import annotations

from moelint.policy.errors import PolicyProblem
from moelint.typed import Any

Path = tuple[Any, ...]
_DEPTH, _SIZE, _NODES = 40, 4_000_000, 300_000  # an alias counts each time that it is used


class YamlTree:
    """A file's value and where its parts stand: ``places`` maps a path to the 1-based (line, column) of the value, and
    ``keys`` to that of its key. ``plain`` holds the paths of scalars whose text is their value, so that a column inside
    an expression is a column of the file."""

    __slots__ = ("keys", "path", "places", "plain", "value")

    def __init__(self, path: str) -> None:
        self.path = path
        self.value: Any = None
        self.places: dict[Path, tuple[int, int]] = {(): (1, 1)}
        self.keys: dict[Path, tuple[int, int]] = {}
        self.plain: set[Path] = set()

    def problem(self, path: Path, message: str, suggestion: str | None = None, at_key: bool = False) -> PolicyProblem:
        """A problem at a path, or at the nearest parent that has a place."""
        place = self.keys.get(path) if at_key else None
        while place is None:
            place = self.places.get(path)
            path = path[:-1]
        return PolicyProblem(self.path, place[0], place[1], message, suggestion)

    def expression_problem(
        self, path: Path, text: str, column: int, message: str, suggestion: str | None
    ) -> PolicyProblem:
        """A problem inside an expression or a message, with a caret under the fault."""
        from moelint.lang.errors import frame

        found = self.problem(path, message, suggestion)
        if path in self.plain:
            found.column += column
        found.frame = frame(text, column)
        return found


def read(path: str) -> tuple[YamlTree, list[PolicyProblem]]:
    """The tree of a YAML file, and what is wrong with it as YAML."""
    import yaml

    tree = YamlTree(path)
    try:
        with open(path, encoding="utf-8-sig") as stream:
            text = stream.read()
    except OSError as error:
        return tree, [PolicyProblem(path, 0, 0, f"cannot be read: {error.strerror}")]
    except UnicodeDecodeError:
        return tree, [PolicyProblem(path, 0, 0, "is not UTF-8 text")]
    if len(text) > _SIZE:
        return tree, [PolicyProblem(path, 0, 0, f"is larger than {_SIZE} characters")]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return tree, [PolicyProblem(path, line, column, f"is not YAML: {error.problem or error.context}")]
    except (yaml.YAMLError, RecursionError) as error:
        return tree, [PolicyProblem(path, 0, 0, f"is not YAML: {str(error).splitlines()[0]}")]
    walker = _Walker(tree, yaml.SafeLoader(""), text)
    if node is not None:
        tree.value = walker.value(node, ())
    return tree, walker.problems


class _Walker:
    def __init__(self, tree: YamlTree, constructor: Any, text: str) -> None:
        self.tree, self.constructor, self.text = tree, constructor, text
        self.problems: list[PolicyProblem] = []
        self.nodes = 0

    def value(self, node: Any, path: Path) -> Any:
        mark = node.start_mark
        self.tree.places[path] = (mark.line + 1, mark.column + 1)
        kind = type(node).__name__
        self.nodes += 1
        if len(path) > _DEPTH or self.nodes > _NODES:
            if self.nodes <= _NODES + 1:
                self.problems.append(self.tree.problem(path, "is nested too deeply, or repeats itself too often"))
            return None
        if kind == "ScalarNode":
            return self.scalar(node, path)
        if kind == "SequenceNode":
            return [self.value(item, (*path, i)) for i, item in enumerate(node.value)]
        return self.mapping(node, path)

    def scalar(self, node: Any, path: Path) -> Any:
        start, end = node.start_mark.index, node.end_mark.index
        raw = self.text[start:end].rstrip()
        if raw == node.value:
            self.tree.plain.add(path)
        elif raw[1:-1] == node.value:
            line, column = self.tree.places[path]
            self.tree.places[path] = (line, column + 1)
            self.tree.plain.add(path)
        try:
            return self.constructor.construct_object(node, deep=True)
        except Exception as error:  # a constructor raises many kinds: of dates, of unknown tags, of numbers
            self.problems.append(self.tree.problem(path, f"cannot be read: {str(error).splitlines()[0]}"))
            return None

    def mapping(self, node: Any, path: Path) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            mark = key_node.start_mark
            if type(key_node).__name__ != "ScalarNode" or key_node.tag.endswith(":merge"):
                self.problems.append(self.tree.problem(path, "keys are plain words here, without merges"))
                continue
            key = key_node.value
            inner = (*path, key)
            self.tree.keys[inner] = (mark.line + 1, mark.column + 1)
            if key in out:
                self.problems.append(self.tree.problem(inner, f"{key!r} stands here twice", at_key=True))
            out[key] = self.value(value_node, inner)
        return out
