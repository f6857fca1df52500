"""``.moelint.yaml`` as plain data with the place of every key."""

from __future__ import annotations

from moelint.conf.model import ConfError
from moelint.typed import Any


def tree(path: str, text: str) -> tuple[Any, dict[tuple[Any, ...], tuple[int, int]]]:
    """(data, key path → (line, column)). Raises ConfError."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, {}
        found: dict[tuple[Any, ...], tuple[int, int]] = {}
        _walk(node, (), found, path)
        return loader.construct_document(node), found
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise ConfError(f"not valid YAML: {error.problem}", path, line, column) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfError(f"not valid YAML: {str(error).splitlines()[0]}", path) from None
    finally:
        loader.dispose()


def _walk(node: Any, at: tuple[Any, ...], found: dict[tuple[Any, ...], tuple[int, int]], path: str) -> None:
    if len(at) > 20:
        raise ConfError("nested too deeply", path, node.start_mark.line + 1, node.start_mark.column + 1)
    found.setdefault(at, (node.start_mark.line + 1, node.start_mark.column + 1))
    if node.id == "mapping":
        for key, value in node.value:
            name = key.value if key.id == "scalar" else None
            here = (*at, name)
            if here in found:
                mark = key.start_mark
                raise ConfError(f"the key '{name}' stands here twice", path, mark.line + 1, mark.column + 1)
            found[here] = (key.start_mark.line + 1, key.start_mark.column + 1)
            _walk(value, here, found, path)
    elif node.id == "sequence":
        for number, item in enumerate(node.value):
            _walk(item, (*at, number), found, path)
