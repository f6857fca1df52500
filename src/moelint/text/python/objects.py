"""Attributes and classes: dataclass fields, method resolution, construction."""

from __future__ import annotations

import ast

from moelint.text.python.frames import Frame
from moelint.text.python.hooks import NOTHING
from moelint.text.python.modules import Module
from moelint.text.python.part import Part
from moelint.text.python.values import (
    ClassValue,
    EnumMember,
    External,
    Function,
    Instance,
    Opaque,
    Partial,
    Place,
    Raised,
    Super,
)
from moelint.typed import Any

_ENUMS = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}


class Objects(Part):
    """Mixed into the evaluator."""

    # ---- classes --------------------------------------------------------------------------------------
    def bases(self, cls: ClassValue) -> list[ClassValue | External]:
        found = cls.cache.get("bases")
        if found is None:
            found = []
            for node in cls.node.bases:
                base = self.expression(node, Frame(cls.module, {}))
                found.append(base if isinstance(base, (ClassValue, External)) else External("?"))
            cls.cache["bases"] = found
        return found

    def mro(self, cls: ClassValue) -> list[ClassValue | External]:
        """A depth-first order with later duplicates kept: Python's own order for the shapes that configs use."""
        order = cls.cache.get("mro")
        if order is None:
            cls.cache["mro"] = [cls]  # ends a cycle
            flat: list[ClassValue | External] = [cls]
            for base in self.bases(cls):
                flat += self.mro(base) if isinstance(base, ClassValue) else [base]
            order = []
            for index, item in enumerate(flat):
                if item not in flat[index + 1 :]:
                    order.append(item)
            cls.cache["mro"] = order
        return order

    def members(self, cls: ClassValue) -> dict[str, ast.stmt]:
        """Name → the statement of the class's own body that defines it."""
        found = cls.cache.get("members")
        if found is None:
            found = {}
            for node in cls.node.body:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    if not any(
                        isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in node.decorator_list
                    ):
                        found[node.name] = node
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    found[node.target.id] = node
                elif isinstance(node, ast.Assign):
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            found[target.id] = node
            cls.cache["members"] = found
        return found

    def is_enum(self, cls: ClassValue) -> bool:
        return any(base.name.rsplit(".", 1)[-1] in _ENUMS for base in self.mro(cls) if isinstance(base, External))

    def fields(self, cls: ClassValue) -> dict[str, tuple[ClassValue, ast.AnnAssign]]:
        """The dataclass fields of a class in the order of construction, by the classes of the checkout alone."""
        found = cls.cache.get("fields")
        if found is None:
            found = {}
            for base in reversed(self.mro(cls)):
                if isinstance(base, ClassValue):
                    for name, node in self.members(base).items():
                        if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
                            found[name] = (base, node)
            cls.cache["fields"] = found
        return found

    def field_default(self, owner: ClassValue, node: ast.AnnAssign) -> Any:
        """A field's default, made anew (a factory's product is not shared); NOTHING if it has none."""
        value = node.value
        if value is None:
            return NOTHING
        frame = Frame(owner.module, {})
        if isinstance(value, ast.Call) and isinstance(value.func, (ast.Name, ast.Attribute)):
            called = value.func.id if isinstance(value.func, ast.Name) else value.func.attr
            if called == "field":
                words = {k.arg: k.value for k in value.keywords}
                if "default" in words:
                    return self.expression(words["default"], frame)
                if "default_factory" in words:
                    return self.call(self.expression(words["default_factory"], frame), [], {}, value, frame)
                return NOTHING
        return self.expression(value, frame)

    def find(self, cls: ClassValue, name: str, after: ClassValue | None = None) -> tuple[ClassValue, ast.stmt] | None:
        """The class member that an attribute of an instance means, in method resolution order."""
        order = self.mro(cls)
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        for base in order:
            if isinstance(base, ClassValue) and name in self.members(base):
                return base, self.members(base)[name]
        return None

    def construct(
        self, cls: ClassValue, arguments: list[Any], keywords: dict[str, Any], node: ast.AST, frame: Frame
    ) -> Any:
        if self.is_enum(cls):
            return self.enum_by_value(cls, arguments)
        if any(base.name.rsplit(".", 1)[-1].endswith(("Error", "Exception")) for base in self.mro(cls)):
            return Raised(cls.name)
        instance = Instance(cls)
        places = self.keyword_places(node, frame)
        found = self.find(cls, "__init__")
        if found is not None:
            self.method(found[0], found[1], instance, arguments, keywords)
            # What the constructor took from a keyword of the same name is where the author writes that attribute.
            for name, place in places.items():
                if name in instance.attributes:
                    instance.places[name] = place
            return instance
        self.initialise(cls, instance, arguments, keywords, places)
        post = self.find(cls, "__post_init__")
        if post is not None:
            self.method(post[0], post[1], instance, [], {})
        return instance

    def initialise(
        self,
        cls: ClassValue | External | None,
        instance: Any,
        arguments: list[Any],
        keywords: dict[str, Any],
        places: dict[str, Place],
    ) -> None:
        """What a dataclass's own constructor does: fields by position, then by name."""
        if isinstance(cls, ClassValue):
            found = self.find(cls, "__init__")
            if found is not None:
                self.method(found[0], found[1], instance, arguments, keywords)
                return
            for name, value in zip(self.fields(cls), arguments, strict=False):
                self.store(instance, name, value, None)
        for name, value in keywords.items():
            self.store(instance, name, value, places.get(name))

    def keyword_places(self, node: ast.AST, frame: Frame) -> dict[str, Place]:
        if not isinstance(node, ast.Call):
            return {}
        return {k.arg: Place(frame.module, k, k.value, None) for k in node.keywords if k.arg is not None}

    def enum_by_value(self, cls: ClassValue, arguments: list[Any]) -> Any:
        for name in self.members(cls):
            member = self.attribute(cls, name)
            if isinstance(member, EnumMember) and arguments and member.value == arguments[0]:
                return member
        return Opaque(f"no member of {cls.name} has that value")

    # ---- attributes -----------------------------------------------------------------------------------
    def attribute(self, value: Any, name: str, default: Any = NOTHING) -> Any:
        """``value.name``. Raises Raised('AttributeError') where the program would, if that is certain."""
        if isinstance(value, Opaque):
            return value
        if name == "__init__" and isinstance(value, (ClassValue, External)):
            return Partial("init", [value], {})
        if isinstance(value, Instance):
            return self.instance_attribute(value, name, default)
        if isinstance(value, ClassValue):
            return self.class_attribute(value, name, default)
        if isinstance(value, Module):
            return self.module_name(value, name)
        if isinstance(value, External):
            dotted = f"{value.name}.{name}"
            module = self.checkout.find(dotted)
            answer = self.hooks.external(dotted) if module is None else module
            return External(dotted) if answer is NOTHING else answer
        if isinstance(value, EnumMember):
            return {"name": value.name, "value": value.value}.get(name, Opaque("an enum's attribute"))
        if isinstance(value, Super):
            found = (
                self.find(value.instance.cls, name, value.owner)
                if isinstance(value.instance, Instance) and isinstance(value.instance.cls, ClassValue)
                else None
            )
            if found is None:
                return Partial("init", [None, value.instance], {}) if name == "__init__" else Partial("nothing", [], {})
            node: Any = found[1]
            return Function(name, found[0].module, node, (), value.instance, found[0])
        if isinstance(value, (Function, Partial)):
            return getattr(value, "name", name) if name == "__name__" else Opaque("an attribute of a function")
        if hasattr(type(value), name) and not name.startswith("_"):
            return Partial("native", [value, name], {})
        if default is not NOTHING:
            return default
        raise Raised("AttributeError")

    def instance_attribute(self, value: Instance, name: str, default: Any) -> Any:
        if name in value.attributes:
            return value.attributes[name]
        cls = value.cls
        if isinstance(cls, ClassValue):
            if name == "__class__":
                return cls
            found = self.find(cls, name)
            if found is not None:
                owner, node = found
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    marks = {d.id for d in node.decorator_list if isinstance(d, ast.Name)} | {
                        d.attr for d in node.decorator_list if isinstance(d, ast.Attribute)
                    }
                    if marks & {"property", "cached_property"}:
                        return self.method(owner, node, value, [], {})
                    bound = None if "staticmethod" in marks else cls if "classmethod" in marks else value
                    return Function(name, owner.module, node, (), bound, owner)
                got = (
                    self.field_default(owner, node)
                    if isinstance(node, ast.AnnAssign)
                    else self.class_attribute(cls, name, default)
                )
                if got is not NOTHING:
                    if isinstance(got, (list, dict, set, Instance)):
                        value.attributes[name] = got  # a factory's product belongs to this instance from now on
                    return got
        answer = self.hooks.default(cls, name)
        if answer is not NOTHING:
            if isinstance(answer, (list, dict)):
                value.attributes[name] = answer
            return answer
        certain = isinstance(cls, ClassValue) and all(
            isinstance(base, ClassValue) or base.name in ("object", "abc.ABC", "ABC") for base in self.mro(cls)
        )
        # A table knows all fields of an object, but not its methods: only a question with a default is about a field.
        if default is not NOTHING and (certain or "_complete" in value.origin):
            return default
        if certain:
            raise Raised("AttributeError")
        return Opaque(f"{value.class_name() or 'object'}.{name} is not known here")

    def class_attribute(self, cls: ClassValue, name: str, default: Any = NOTHING) -> Any:
        if name in ("__name__", "__qualname__"):
            return cls.name
        if name == "__dataclass_fields__":
            return dict.fromkeys(self.fields(cls))
        found = self.find(cls, name)
        if found is None:
            if default is not NOTHING and all(isinstance(base, ClassValue) for base in self.mro(cls)):
                return default
            return Opaque(f"{cls.name}.{name} is not known here")
        owner, node = found
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
            bound = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in node.decorator_list)
            return Function(name, owner.module, node, (), cls if bound and not static else None, owner)
        key = "=" + name
        if key not in owner.cache:
            owner.cache[key] = Opaque("a class that refers to itself")
            source = getattr(node, "value", None)
            value = (
                Opaque("a field without a default")
                if source is None
                else self.expression(source, Frame(owner.module, {}))
            )
            owner.cache[key] = EnumMember(cls, name, value) if self.is_enum(cls) and not name.startswith("_") else value
        return owner.cache[key]

    def store(self, target: Any, name: str, value: Any, place: Place | None) -> None:
        """``target.name = value``; under a condition that cannot be known the attribute is not known afterwards."""
        if not isinstance(target, Instance):
            return
        if self.uncertain:
            value = Opaque("set under a condition that cannot be known here")
        if isinstance(target.cls, ClassValue):
            setter = self.setter(target.cls, name)
            if setter is not None:
                owner, node = setter
                self.method(owner, node, target, [value], {})
                return
        target.attributes[name] = value
        target.origin.pop(name, None)
        if place is not None:
            target.places[name] = place
        else:
            target.places.pop(name, None)

    def setter(self, cls: ClassValue, name: str) -> tuple[ClassValue, ast.FunctionDef] | None:
        for base in self.mro(cls):
            if isinstance(base, ClassValue):
                for node in base.node.body:
                    if (
                        isinstance(node, ast.FunctionDef)
                        and node.name == name
                        and any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list)
                    ):
                        return base, node
        return None
