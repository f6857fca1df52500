"""Calls: functions of the checkout, Python's own, methods of plain values, and names that a hook gives meaning."""

from __future__ import annotations

import ast
import copy

from moelint.text.python.builtins import PLAIN, TYPES, Builtin
from moelint.text.python.frames import Frame, Return
from moelint.text.python.hooks import NOTHING
from moelint.text.python.part import Part
from moelint.text.python.values import (
    ClassValue,
    EnumMember,
    External,
    Function,
    Instance,
    Opaque,
    OutOfBudget,
    Partial,
    Raised,
    Super,
    known,
)
from moelint.typed import Any

_DEPTH = 60
_MUTATING = {
    "append",
    "extend",
    "insert",
    "remove",
    "pop",
    "clear",
    "update",
    "setdefault",
    "add",
    "discard",
    "sort",
    "reverse",
}


class Calls(Part):
    """Mixed into the evaluator."""

    def ev_Call(self, node: ast.Call, frame: Frame) -> Any:
        function = self.expression(node.func, frame)
        arguments = self.elements(node.args, frame)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.expression(keyword.value, frame)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict) and all(isinstance(k, str) for k in value):
                keywords.update(value)
            else:
                return self.lost(function, Opaque("called with unknown keywords"))
        if isinstance(arguments, Opaque):
            return self.lost(function, arguments)
        return self.call(function, arguments, keywords, node, frame)

    def lost(self, function: Any, why: Opaque) -> Any:
        """A call with arguments that cannot be known: an instance of a known class is still one, with nothing known."""
        if isinstance(function, ClassValue):
            return Instance(External(function.name))
        return why

    def call(
        self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST | None, frame: Frame
    ) -> Any:
        self.step()
        if isinstance(function, Opaque):
            self.spoil([*arguments, *keywords.values()])
            return function
        name = self.dotted(function)
        if name is not None:
            answer = self.hooks.call(name, arguments, keywords)
            if answer is not NOTHING:
                return answer
        if isinstance(function, Builtin):
            return self.builtin(function.name, arguments, keywords, frame)
        if isinstance(function, ClassValue):
            return self.construct(function, arguments, keywords, node if node is not None else function.node, frame)
        if isinstance(function, Function):
            return self.invoke(function, arguments, keywords)
        if isinstance(function, Partial):
            return self.partial(function, arguments, keywords, node, frame)
        if isinstance(function, External):
            return self.call_external(function, arguments, keywords, node, frame)
        return Opaque("called something that is not a function here")

    def dotted(self, function: Any) -> str | None:
        if isinstance(function, External):
            return function.name
        if isinstance(function, Function) and not function.scopes:
            owner = f"{function.owner.name}." if function.owner else ""
            return f"{function.module.name}.{owner}{function.name}"
        if isinstance(function, ClassValue):
            return f"{function.module.name}.{function.name}"
        return None

    def invoke(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if function.bound is not None:
            arguments = [function.bound, *arguments]
        if self.depth >= _DEPTH:
            raise OutOfBudget
        names = self.bind(function, arguments, keywords)
        instance = arguments[0] if arguments else None
        frame = Frame(function.module, names, function.scopes, function.owner, instance)
        if isinstance(function.node, ast.Lambda):
            return self.expression(function.node.body, frame)
        self.depth += 1
        try:
            self.block(function.node.body, frame)
            result = None
        except Return as returned:
            result = returned.value
        finally:
            self.depth -= 1
        if any(value is not result for value in frame.maybe):
            return Opaque(f"{function.name} returns one of several values")
        return result

    def method(
        self, owner: ClassValue, node: Any, instance: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        return self.invoke(Function(node.name, owner.module, node, (), instance, owner), arguments, keywords)

    def bind(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        spec = function.node.args
        names: dict[str, Any] = {}
        parameters = [*spec.posonlyargs, *spec.args]
        for parameter, value in zip(parameters, arguments, strict=False):
            names[parameter.arg] = value
        if spec.vararg is not None:
            names[spec.vararg.arg] = tuple(arguments[len(parameters) :])
        elif len(arguments) > len(parameters):
            raise Raised("TypeError")
        allowed = {p.arg for p in [*spec.args, *spec.kwonlyargs]}
        extra = {}
        for key, value in keywords.items():
            if key in allowed:
                names[key] = value
            else:
                extra[key] = value
        if spec.kwarg is not None:
            names[spec.kwarg.arg] = extra
        elif extra:
            raise Raised("TypeError")
        outer = Frame(function.module, {}, function.scopes)
        defaults = [None] * (len(parameters) - len(spec.defaults)) + list(spec.defaults)
        for parameter, default in [
            *zip(parameters, defaults, strict=False),
            *zip(spec.kwonlyargs, spec.kw_defaults, strict=False),
        ]:
            if parameter.arg not in names:
                names[parameter.arg] = (
                    Opaque(f"the argument {parameter.arg}") if default is None else self.expression(default, outer)
                )
        return names

    def partial(
        self, function: Partial, arguments: list[Any], keywords: dict[str, Any], node: ast.AST | None, frame: Frame
    ) -> Any:
        if function.function == "nothing":
            return None
        if function.function == "init":
            cls, *bound = function.arguments
            held, rest = (bound[0], arguments) if bound else (arguments[0] if arguments else None, arguments[1:])
            self.initialise(cls, held, rest, keywords, {})
            return None
        if function.function == "native":
            held, name = function.arguments
            return self.native_method(held, name, arguments, keywords)
        return self.call(
            function.function, [*function.arguments, *arguments], {**function.keywords, **keywords}, node, frame
        )

    def native_method(self, held: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if name in _MUTATING and self.uncertain:
            return Opaque("changed under a condition that cannot be known")
        if name in ("format", "format_map", "ljust", "rjust", "center", "zfill", "expandtabs", "to_bytes"):
            return Opaque("a formatted text")
        if (
            name in _MUTATING
            or (isinstance(held, dict) and name in ("get", "items", "keys", "values", "copy"))
            or (known(held) and known(arguments) and known(keywords))
        ):
            result = self.native(getattr(held, name), arguments, keywords)
        else:
            return Opaque("computed from an unknown")
        return list(result) if name in ("items", "keys", "values") else result

    def call_external(
        self, function: External, arguments: list[Any], keywords: dict[str, Any], node: ast.AST | None, frame: Frame
    ) -> Any:
        name = function.name
        last = name.rsplit(".", 1)[-1]
        if name in ("copy.deepcopy", "copy.copy", "deepcopy"):
            return self.clone(arguments[0]) if arguments else Opaque(name)
        if name in ("dataclasses.replace", "replace") and arguments and isinstance(arguments[0], Instance):
            out = self.clone(arguments[0])
            for key, value in keywords.items():
                self.store(out, key, value, self.keyword_places(node, frame).get(key) if node else None)
            return out
        if name in ("functools.partial", "partial") and arguments:
            return Partial(arguments[0], arguments[1:], keywords)
        if name == "os.path.join" and all(isinstance(a, str) for a in arguments):
            return "/".join(arguments)
        if last[:1].isupper() and not last.isupper():
            if last.endswith(("Error", "Exception")):
                return Raised(last)
            out = Instance(function)  # a class outside the checkout: what it is told is known, the rest is not
            places = self.keyword_places(node, frame) if node is not None else {}
            for key, value in keywords.items():
                self.store(out, key, value, places.get(key))
            return out
        self.spoil([*arguments, *keywords.values()])
        return Opaque(f"{name}(…) is not in this checkout")

    def spoil(self, arguments: list[Any]) -> None:
        """A function that cannot be followed may change every object that it is given."""
        for value in arguments:
            if isinstance(value, Instance):
                for name, held in list(value.attributes.items()):
                    if isinstance(held, Instance):
                        self.spoil([held])
                    else:
                        value.attributes[name] = Opaque("given to a function that cannot be followed")

    def clone(self, value: Any) -> Any:
        if isinstance(value, Instance):
            out = Instance(value.cls)
            out.attributes = {name: self.clone(held) for name, held in value.attributes.items()}
            out.places, out.origin = dict(value.places), dict(value.origin)
            return out
        if isinstance(value, list):
            return [self.clone(item) for item in value]
        if isinstance(value, dict):
            return {key: self.clone(item) for key, item in value.items()}
        return copy.copy(value) if isinstance(value, set) else value

    def builtin(self, name: str, arguments: list[Any], keywords: dict[str, Any], frame: Frame) -> Any:
        special = getattr(self, "bi_" + name, None)
        if special is not None:
            return special(arguments, frame)
        if name == "list" and arguments and isinstance(arguments[0], (list, tuple, dict, range, str, set)):
            return list(arguments[0])
        if name in ("tuple", "enumerate", "zip", "reversed", "len", "dict") and all(
            isinstance(a, (list, tuple, dict, range, str, set, int)) for a in arguments
        ):
            if name == "len" and isinstance(arguments[0], dict) and not known(list(arguments[0])):
                return Opaque("the length of an unknown")
            result = self.native(PLAIN[name], arguments, keywords)
            return result if name in ("len", "tuple", "dict") else list(result)
        if not all(known(a) and self.plain(a) for a in [*arguments, *keywords.values()]):
            return Opaque(f"{name} of an unknown")
        if name == "range" and any(isinstance(a, int) and abs(a) > 100_000 for a in arguments):
            return Opaque("a range too long to follow")
        result = self.native(PLAIN[name], arguments, keywords)
        return list(result) if name in ("enumerate", "zip", "reversed") else result

    def plain(self, value: Any) -> bool:
        return value is None or isinstance(value, (str, int, float, bool, list, tuple, dict, set, frozenset, range))

    def bi_print(self, arguments: list[Any], frame: Frame) -> Any:
        return None

    def bi_getattr(self, arguments: list[Any], frame: Frame) -> Any:
        if len(arguments) < 2 or not isinstance(arguments[1], str):
            return Opaque("an attribute whose name is unknown")
        return self.attribute(arguments[0], arguments[1], *arguments[2:3])

    def bi_hasattr(self, arguments: list[Any], frame: Frame) -> Any:
        if len(arguments) != 2 or not isinstance(arguments[1], str):
            return Opaque("an attribute whose name is unknown")
        held = arguments[0]
        if isinstance(held, Instance) and arguments[1] in held.attributes:
            return True  # set, even if its value is not known
        missing = object()
        value = self.attribute(held, arguments[1], missing)
        if value is missing:
            return False
        return Opaque("whether an attribute exists") if isinstance(value, Opaque) else True

    def bi_setattr(self, arguments: list[Any], frame: Frame) -> Any:
        if len(arguments) == 3 and isinstance(arguments[1], str):
            self.store(arguments[0], arguments[1], arguments[2], None)
        else:
            self.spoil(arguments[:1])

    def bi_isinstance(self, arguments: list[Any], frame: Frame) -> Any:
        if len(arguments) != 2:
            raise Raised("TypeError")
        value, kinds = arguments[0], arguments[1] if isinstance(arguments[1], tuple) else (arguments[1],)
        results = [self.is_instance(value, kind) for kind in kinds]
        return True if True in results else Opaque("the class of an unknown") if None in results else False

    def is_instance(self, value: Any, kind: Any) -> bool | None:
        if isinstance(value, (Opaque, External)):
            return None
        if isinstance(kind, Builtin) and kind.name in TYPES:
            return isinstance(value, TYPES[kind.name])
        if isinstance(value, Instance) and isinstance(kind, (ClassValue, External)):
            wanted = kind.name.rsplit(".", 1)[-1]
            if value.cls is None:
                return None
            order = self.mro(value.cls) if isinstance(value.cls, ClassValue) else [value.cls]
            if any(base.name.rsplit(".", 1)[-1] == wanted for base in order):
                return True
            return (
                None
                if any(isinstance(base, External) and base.name not in ("object", "abc.ABC") for base in order)
                else False
            )
        if isinstance(value, EnumMember):
            return isinstance(kind, ClassValue) and kind.name == value.cls.name
        if isinstance(kind, ClassValue):
            return False
        return None if isinstance(kind, (External, Opaque)) and not self.plain(value) else False

    def bi_issubclass(self, arguments: list[Any], frame: Frame) -> Any:
        return Opaque("the parents of a class")

    def bi_callable(self, arguments: list[Any], frame: Frame) -> Any:
        if arguments and isinstance(arguments[0], (Opaque, External)):
            return Opaque("whether an unknown can be called")
        return bool(arguments) and isinstance(arguments[0], (Function, Partial, ClassValue, Builtin))

    def bi_type(self, arguments: list[Any], frame: Frame) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], Instance) and arguments[0].cls is not None:
            return arguments[0].cls
        return Opaque("the class of a value")

    def bi_super(self, arguments: list[Any], frame: Frame) -> Any:
        return Super(frame.instance, frame.owner) if frame.owner is not None else Opaque("super() outside a class")

    def bi_vars(self, arguments: list[Any], frame: Frame) -> Any:
        return Opaque("all attributes at once")

    def bi_id(self, arguments: list[Any], frame: Frame) -> Any:
        return Opaque("an identity")

    def bi_object(self, arguments: list[Any], frame: Frame) -> Any:
        return Instance(None)
