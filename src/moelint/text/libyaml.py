"""Loads libyaml's event parser, without PyYAML's Python modules where that is possible.

``import yaml`` costs more than parsing ten files: it loads PyYAML's pure-Python loader and dumper, which a check
never uses. The extension module ``yaml._yaml`` needs only the modules ``error``, ``tokens``, ``events`` and ``nodes``,
and the names of a few error classes. So a module object stands in for the package ``yaml`` in ``sys.modules``; the
first time that anybody asks it for something else, it runs the real ``yaml/__init__.py`` in itself and is the real
package from then on.
Whatever goes wrong on that short road, ``import yaml`` is taken instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from moelint.typed import Any

_ERRORS = {
    "reader": "ReaderError", "scanner": "ScannerError", "parser": "ParserError", "composer": "ComposerError",
    "constructor": "ConstructorError", "emitter": "EmitterError", "serializer": "SerializerError",
    "representer": "RepresenterError",
}  # the classes that yaml._yaml looks up when it is loaded, by their module

_Module = type(sys)


class _Names:
    """Stands for a submodule of PyYAML of which only one error class is wanted."""

    __slots__ = ("__dict__",)


class _StandIn(_Module):  # type: ignore[misc, valid-type]
    """The package ``yaml`` until somebody needs more of it than events."""

    def __getattr__(self, name: str) -> Any:
        if "yaml._yaml" not in sys.modules or "tokens" not in self.__dict__:  # still on the short road
            raise AttributeError(name)
        _complete(self)
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"module 'yaml' has no attribute {name!r}") from None


def _complete(package: Any) -> None:
    """Turns the stand-in into the real package, and gives the extension the real error classes."""
    package.__class__ = _Module
    package.__spec__.loader.exec_module(package)
    extension = sys.modules["yaml._yaml"]
    for module, error in _ERRORS.items():
        setattr(extension, error, getattr(sys.modules[f"yaml.{module}"], error))


def _reader_error(base: type[Exception]) -> type[Exception]:
    class ReaderError(base):  # type: ignore[valid-type, misc]
        """What PyYAML's reader raises for a byte or character that YAML does not allow."""

        def __init__(self, name: Any, position: int, character: Any, encoding: str, reason: str) -> None:
            super().__init__(reason)
            self.name, self.position, self.character, self.encoding, self.reason = (
                name, position, character, encoding, reason,
            )

    return ReaderError


def _short_road() -> Any:
    """The extension module ``yaml._yaml`` under a stand-in package. Raises anything when that does not work here."""
    spec = None
    for finder in sys.meta_path:
        spec = finder.find_spec("yaml", None)
        if spec is not None:
            break
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError("yaml")
    package = _StandIn("yaml")
    package.__spec__, package.__loader__, package.__package__ = spec, spec.loader, "yaml"
    package.__path__, package.__file__ = spec.submodule_search_locations, spec.origin
    sys.modules["yaml"] = package
    import yaml.error  # the stand-in's __path__ makes these the real modules
    import yaml.events
    import yaml.nodes
    import yaml.tokens

    for module, error in _ERRORS.items():
        names = _Names()
        if error == "ReaderError":
            made: Any = _reader_error(yaml.error.YAMLError)
        elif error in ("EmitterError", "SerializerError", "RepresenterError"):
            made = type(error, (yaml.error.YAMLError,), {})
        else:
            made = type(error, (yaml.error.MarkedYAMLError,), {})
        setattr(names, error, made)
        package.__dict__[module] = names
    import yaml._yaml

    for module in _ERRORS:  # who asks for one of these wants the real one
        del package.__dict__[module]
    parser = yaml._yaml.CParser("a: [b]")  # a first file must not be the one that finds out
    while not isinstance(parser.get_event(), yaml.events.StreamEndEvent):
        pass
    return yaml._yaml


def _extension() -> Any:
    """The module that has ``CParser``, or None where PyYAML was built without libyaml."""
    if "yaml" not in sys.modules:
        before = set(sys.modules)
        try:
            return _short_road()
        except Exception:
            for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
                if name not in before:
                    del sys.modules[name]
    import yaml

    try:
        import yaml._yaml
    except ImportError:
        return None
    return yaml._yaml


def _python_parser(text: str) -> Any:
    """PyYAML's own parser: slower by a factor of ten, the same events."""
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PythonParser(Reader, Scanner, Parser):
        def __init__(self, stream: str) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)

    return PythonParser(text)


_extension_module = _extension()
parser: Callable[[str], Any] = _python_parser if _extension_module is None else _extension_module.CParser
"""``parser(text).get_event()`` gives the next event of a text without a BOM; raises ``yaml.error.YAMLError``."""
