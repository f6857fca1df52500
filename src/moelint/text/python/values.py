"""What the static evaluator knows of Python's objects. Nothing here is a live object of the program that is read."""

from __future__ import annotations

import ast

from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.text.python.modules import Module


class Opaque:
    """A value that cannot be known without running the program, with the reason."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Opaque({self.reason!r})"


class External:
    """A name of a package that is not in the checkout, such as ``torch.bfloat16``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"External({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


class Place:
    """Where an attribute got its value: the node of its name (an attribute, a keyword) and the node of its value.
    ``statement`` is the whole statement when it sets this attribute and nothing else."""

    __slots__ = ("module", "statement", "target", "value")

    def __init__(self, module: Module, target: ast.AST, value: ast.AST, statement: ast.stmt | None) -> None:
        self.module, self.target, self.value, self.statement = module, target, value, statement


class Instance:
    """An object: its class (None or External if that is not in the checkout), attributes, and where each was set.
    ``facts`` are attributes that came with it from a table (a model's or a recipe's), by the origin that names."""

    __slots__ = ("attributes", "cls", "origin", "places")

    def __init__(self, cls: ClassValue | External | None) -> None:
        self.cls = cls
        self.attributes: dict[str, Any] = {}
        self.places: dict[str, Place] = {}
        self.origin: dict[str, str] = {}  # attribute → 'model' | 'base', for those that a table gave

    def class_name(self) -> str:
        return "" if self.cls is None else self.cls.name.rsplit(".", 1)[-1]


class ClassValue:
    """A class of the checkout, by its syntax tree."""

    __slots__ = ("cache", "module", "name", "node")

    def __init__(self, name: str, module: Module, node: ast.ClassDef) -> None:
        self.name, self.module, self.node = name, module, node
        self.cache: dict[str, Any] = {}


class EnumMember:
    __slots__ = ("cls", "name", "value")

    def __init__(self, cls: ClassValue, name: str, value: Any) -> None:
        self.cls, self.name, self.value = cls, name, value


class Function:
    """A function, method or lambda of the checkout, with the scopes that it closes over and what it is bound to."""

    __slots__ = ("bound", "module", "name", "node", "owner", "scopes")

    def __init__(
        self,
        name: str,
        module: Module,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        scopes: tuple[dict[str, Any], ...] = (),
        bound: Any = None,
        owner: ClassValue | None = None,
    ) -> None:
        self.name, self.module, self.node, self.scopes, self.bound, self.owner = (
            name,
            module,
            node,
            scopes,
            bound,
            owner,
        )


class Partial:
    __slots__ = ("arguments", "function", "keywords")

    def __init__(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self.function, self.arguments, self.keywords = function, arguments, keywords


class Super:
    """``super()`` inside a method: attributes are looked up after ``owner``."""

    __slots__ = ("instance", "owner")

    def __init__(self, instance: Any, owner: ClassValue) -> None:
        self.instance, self.owner = instance, owner


class Raised(Exception):
    """The program raises here. ``name`` is the exception's class."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class OutOfBudget(Exception):
    """The evaluation takes more steps than it may."""


def known(value: Any, depth: int = 4) -> bool:
    """Whether a value holds nothing opaque, as far as ``depth`` levels of containers."""
    if isinstance(value, Opaque):
        return False
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return all(known(item, depth - 1) for item in value)
    if depth and isinstance(value, dict):
        return all(known(item, depth - 1) for pair in value.items() for item in pair)
    return True
