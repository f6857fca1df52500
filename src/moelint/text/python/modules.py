"""Finds modules in a checkout and indexes their top-level names, without executing a statement of them."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable

from moelint.text.files import is_file
from moelint.text.source import Source, TextError


class Module:
    """A parsed file. ``bindings``: top-level name → the statement (or import alias) that binds it last."""

    __slots__ = ("bindings", "byte_lines", "cache", "name", "package", "source", "stars", "tree")

    def __init__(self, name: str, source: Source, tree: ast.Module, package: bool) -> None:
        self.name, self.source, self.tree, self.package = name, source, tree, package
        self.bindings: dict[str, tuple[ast.stmt, ast.alias | ast.expr | None]] = {}
        self.stars: list[str] = []
        self.cache: dict[str, object] = {}
        self.byte_lines: list[bytes] | None = None
        self._index(tree.body)

    def _index(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.bindings[node.name] = (node, None)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.name == "*":
                        self.stars.append(self.absolute(node))
                    else:
                        self.bindings[alias.asname or alias.name] = (node, alias)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self.bindings[alias.asname or alias.name.split(".")[0]] = (node, alias)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.bindings[target.id] = (node, node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.bindings[node.target.id] = (node, node.value)
            elif isinstance(node, ast.Try):
                for handler in node.handlers:  # the body wins over what an ImportError would bind
                    self._index(handler.body)
                self._index(node.body)
            elif isinstance(node, ast.If):
                self._index(node.orelse)
                self._index(node.body)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The dotted name of the module that a ``from … import`` names."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        keep = len(parts) - node.level + (1 if self.package else 0)
        return ".".join([*parts[: max(0, keep)], *([node.module] if node.module else [])])

    def span(self, node: ast.AST) -> tuple[int, int]:
        """[start, end) offsets of a node in the source's text. The tree counts bytes of UTF-8, the text characters."""
        return (
            self._offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self._offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def _offset(self, line: int, byte: int) -> int:
        text, start = self.source.line(line), self.source.line_starts()[line - 1]
        return start + (byte if text.isascii() else len(text.encode("utf-8")[:byte].decode("utf-8", "ignore")))


MAX_CHARACTERS = 500_000
"""Of the files whose trees a checkout keeps, beside those of the modules that were imported: a tree takes some 60 bytes for
each."""


class Checkout:
    """Modules by dotted name, looked for beside the file that imports them and up to ``top``.

    ``read`` gives the text of a path (it raises OSError or TextError); ``limit`` bounds how many files are read. Files
    of one ``import_root`` may share a checkout: each finds what it would find alone.
    """

    def __init__(self, top: str, read: Callable[[str], Source], limit: int = 4000) -> None:
        self.top, self.read, self.limit = os.path.abspath(top), read, limit
        self._modules: dict[str, Module | None] = {}
        self._trees: dict[str, tuple[str, ast.Module]] = {}  # path → text and its tree
        self._characters = 0  # of these texts
        self._roots: list[str] = []
        self._adopted: tuple[str, Module | None] | None = None  # a name that was adopted, and what it meant before

    def add_roots(self, path: str) -> str:
        """Make the folders above ``path`` places to import from; returns the dotted name of that file."""
        folder, parts = import_root(self.top, path)
        here = folder
        while here.startswith(self.top):
            for root in (here, os.path.join(here, "src"), os.path.join(here, "3rdparty", "Megatron-LM")):
                if root not in self._roots and os.path.isdir(root):
                    self._roots.append(root)
            if here == self.top or os.path.dirname(here) == here:
                break
            here = os.path.dirname(here)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        return ".".join(parts)

    def adopt(self, source: Source) -> Module:
        """The module of a file whose text is already read. Raises TextError if it does not parse. What files before it
        have left behind is forgotten: values that their functions changed, and their text, which may be one with fixes."""
        for known in self._modules.values():
            if known is not None:
                known.cache.clear()
        if self._adopted is not None:
            former, meant = self._adopted
            if meant is None:
                self._modules.pop(former, None)
            else:
                self._modules[former] = meant
            self._adopted = None
        name = self.add_roots(source.path)
        module = self._parse(name, source)
        self._adopted = name, self._modules.get(name)
        self._modules[name] = module
        return module

    def find(self, name: str) -> Module | None:
        """The module of a dotted name, None if it is not in the checkout or cannot be read."""
        if name in self._modules:
            return self._modules[name]
        self._modules[name] = None  # also ends an import cycle
        relative = name.replace(".", os.sep)
        for root in self._roots:
            for path in (os.path.join(root, relative + ".py"), os.path.join(root, relative, "__init__.py")):
                if len(self._modules) < self.limit and is_file(path, self.read) and self._inside(path):
                    try:
                        self._modules[name] = self._parse(name, self.read(path))
                    except (OSError, TextError):
                        continue
                    return self._modules[name]
        return None

    def _inside(self, path: str) -> bool:
        return os.path.realpath(path).startswith(os.path.realpath(self.top) + os.sep)

    def _parse(self, name: str, source: Source) -> Module:
        path = os.path.abspath(source.path)
        text, tree = self._trees.get(path, ("", None))
        if tree is None or text != source.text:
            tree = self._tree(source)
            self._characters += len(source.text)
            if self._characters > MAX_CHARACTERS:
                self._trees.clear()
                self._characters = len(source.text)
            self._trees[path] = source.text, tree
        return Module(name, source, tree, os.path.basename(source.path) == "__init__.py")

    @staticmethod
    def _tree(source: Source) -> ast.Module:
        try:
            with warnings.catch_warnings():  # what Python thinks of somebody's literals is no news here
                warnings.simplefilter("ignore")
                return ast.parse(source.text)
        except SyntaxError as error:
            message = f"not Python that can be read: {error.msg}"
            raise TextError(message, source.path, error.lineno or 0, error.offset or 0) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise TextError(f"not Python that can be read: {error}", source.path) from None


def import_root(top: str, path: str) -> tuple[str, list[str]]:
    """(folder from which a file of a checkout imports first, parts of the file's dotted name)."""
    folder = os.path.dirname(os.path.abspath(path))
    parts = [os.path.splitext(os.path.basename(path))[0]]
    while folder.startswith(top) and os.path.isfile(os.path.join(folder, "__init__.py")):
        parts.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    name_root = folder
    # A namespace package (megatron/) has no __init__.py: a folder named src, or the checkout, ends the name.
    spare: list[str] = []
    while name_root.startswith(top) and name_root != top and os.path.basename(name_root) != "src":
        spare.insert(0, os.path.basename(name_root))
        name_root = os.path.dirname(name_root)
    if os.path.basename(name_root) == "src" and len(parts) > 1:
        parts = spare + parts
        folder = name_root
    return folder, parts
