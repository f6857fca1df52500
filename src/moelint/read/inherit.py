"""What a file inherits: ``defaults:`` and ``extends:`` chains and presets, followed inside the checkout only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from moelint.read.interpolation import Interpolation
from moelint.text.document import Document, Path, Problem, Setting
from moelint.text.files import is_file
from moelint.text.scalars import plain
from moelint.text.source import Source, TextError
from moelint.typed import Any

_DEPTH = 20
_FILES = 100  # of one chain; a chain that has more is not followed to its end


class Inherited:
    """Documents that a file stands on, the outermost ancestor first, each with where its settings are put.

    ``loose_ends``: what is named but was not read, with the reason. ``problems``: cycles.
    """

    __slots__ = ("documents", "loose_ends", "problems")

    def __init__(self) -> None:
        self.documents: list[tuple[Document, Path]] = []
        self.loose_ends: list[str] = []
        self.problems: list[Problem] = []


class Named:
    """One thing that a document names as its parent. ``path``: relative to the document's folder, or to the checkout's
    root with ``from_root``; ``at``: where its settings go; ``setting``: who says so."""

    __slots__ = ("at", "from_root", "path", "setting")

    def __init__(self, path: str, setting: Setting, at: Path = (), from_root: bool = False) -> None:
        self.path, self.setting, self.at, self.from_root = path, setting, at, from_root


def ancestors(
    document: Document, how: Mapping[str, Any], read: Callable[[str], Source] | None, define: Mapping[str, str]
) -> Inherited:
    """All that a document inherits. ``how``: the dialect's ``inherit``; ``read`` gives sources by path."""
    out = Inherited()
    root = checkout(document.source.path)
    own = os.path.realpath(document.source.path)
    _follow(document, (), how, read, define, root, [own], out)
    return out


def checkout(path: str) -> str:
    """The folder that inheritance may not leave: the file's repository, else the current folder or the file's own."""
    start = os.path.dirname(os.path.realpath(path))
    at = start
    while True:
        if os.path.exists(os.path.join(at, ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    here = os.path.realpath(".")
    return here if start == here or start.startswith(here.rstrip(os.sep) + os.sep) else start


def _follow(
    document: Document,
    at: Path,
    how: Mapping[str, Any],
    read: Callable[[str], Source] | None,
    define: Mapping[str, str],
    root: str,
    chain: list[str],
    out: Inherited,
) -> None:
    for named in _named(document, how, define, out):
        if named.path == "":
            continue
        base = root if named.from_root else os.path.dirname(chain[-1])
        full = os.path.realpath(os.path.join(base, named.path))
        setting = named.setting
        if full in chain:
            message = f"{named.path} leads back to this file: what it inherits has no end"
            if len(chain) == 1:
                out.problems.append(
                    Problem("inheritance", message, setting.value_start, setting.value_end, setting.path)
                )
            out.loose_ends.append(f"{named.path}: leads back to itself")
            continue
        if full != root and not full.startswith(root.rstrip(os.sep) + os.sep):
            out.loose_ends.append(f"{named.path}: outside of the checkout")
            continue
        if len(chain) > _DEPTH or len(out.documents) > _FILES:
            out.loose_ends.append(f"{named.path}: the chain is too long")
            continue
        if read is None or not is_file(full, read):
            out.loose_ends.append(f"{named.path}: not in the checkout")
            continue
        try:
            parent = _parent(full, read)
        except (OSError, TextError) as error:
            out.loose_ends.append(f"{named.path}: {getattr(error, 'message', None) or error}")
            continue
        if parent is None:
            continue
        _follow(parent, (*at, *named.at), how, read, define, root, [*chain, full], out)
        out.documents.append((parent, (*at, *named.at)))


_parents: dict[str, tuple[object, Document | None]] = {}
_KEPT = 64  # parents kept parsed: many files of a folder share a few


def _parent(path: str, read: Callable[[str], Source]) -> Document | None:
    """The first document of a file; the last few stay parsed until they change."""
    stamp = getattr(read, "stamp", None)  # of a revision
    if stamp is None:
        found = os.stat(path)
        state: object = (found.st_mtime_ns, found.st_size)
    else:
        state = stamp(path)
    kept = _parents.get(path)
    if kept is not None and kept[0] == state:
        opened = getattr(read, "opened", None)
        if opened is not None:
            opened(path)
        return kept[1]
    from moelint.text.yaml_reader import read_yaml

    documents = read_yaml(read(path))
    document = documents[0] if documents else None
    if len(_parents) >= _KEPT:
        _parents.clear()
    _parents[path] = (state, document)
    return document


def _named(document: Document, how: Mapping[str, Any], define: Mapping[str, str], out: Inherited) -> Iterator[Named]:
    by = how["by"]
    if by == "defaults":
        yield from _defaults(document, out)
    elif by == "extends":
        for word in ("bases", "extends"):
            for setting in _elements(document.settings.get((word,))):
                yield Named(str(setting.value), setting)
        yield from _presets(document, how, define, out)


def _elements(setting: Setting | None) -> list[Setting]:
    if setting is None or setting.value is None:
        return []
    return setting.items if setting.items is not None else [setting]


def _defaults(document: Document, out: Inherited) -> Iterator[Named]:
    """``defaults: x.yaml`` of NeMo-RL, or a Hydra list: groups and packages of Hydra are not followed."""
    for setting in _elements(document.settings.get(("defaults",))):
        name = setting.value
        if not isinstance(name, str) or name == "_self_":
            continue
        if "$" in name:
            out.loose_ends.append(f"{name}: not known")
            continue
        yield Named(name if name.endswith((".yaml", ".yml")) else name + ".yaml", setting)
    for path, setting in document.settings.items():
        if path[0] != "defaults" or len(path) < 2:
            continue
        name = str(path[-1])
        if name == "_self_" or setting.value == "_self_":
            continue
        if len(path) == 2 and isinstance(setting.value, str):
            yield Named(
                setting.value if setting.value.endswith((".yaml", ".yml")) else setting.value + ".yaml", setting
            )
        elif not name.startswith("override ") and setting.value is not None:
            out.loose_ends.append(f"{name}: {setting.value}: a group of Hydra")


def _presets(document: Document, how: Mapping[str, Any], define: Mapping[str, str], out: Inherited) -> Iterator[Named]:
    """Presets that blocks name (Primus: ``config`` and ``model`` of a module), by the dialect's folders."""
    presets = how.get("presets")
    if not presets:
        return
    resolver = Interpolation("primus", document.settings, define, plain)
    for path, setting in list(document.settings.items()):
        if len(path) != 3 or path[0] != presets["blocks"] or path[2] not in presets["folders"]:
            continue
        name = setting.value
        if isinstance(name, str) and "$" in name:
            name = resolver.resolve(name, path).value
        framework = document.settings.get((path[0], path[1], "framework"))
        if not isinstance(name, str) or framework is None:
            out.loose_ends.append(f"{setting.value}: not known")
            continue
        folder = presets["folders"][path[2]].format(framework=framework.value)
        yield Named(f"{folder}/{name}", setting, (path[0], path[1], presets["into"]), True)


def merge(
    own: Mapping[Path, Setting], inherited: list[tuple[Document, Path]]
) -> tuple[dict[Path, Setting], list[tuple[Document, dict[Path, Setting]]]]:
    """(all settings as the framework sees them, what is left of each ancestor, outermost first).

    A value replaces a map and a map replaces a value; ``_override_: true`` in a map replaces the map as a whole.
    """
    layers: list[tuple[Document | None, dict[Path, Setting]]] = [
        (
            document,
            {
                (*at, *path): s
                for path, s in document.settings.items()
                if path[0] not in ("bases", "extends", "defaults")
            },
        )
        for document, at in inherited
    ]
    layers.append((None, dict(own)))
    taken: set[Path] = set()  # paths with a value in a later layer
    inside: set[Path] = set()  # maps of a later layer
    closed: set[Path] = set()  # maps that a later layer replaces as a whole
    kept: list[tuple[Document, dict[Path, Setting]]] = []
    for document, settings in reversed(layers):
        left = {path: s for path, s in settings.items() if not _hidden(path, taken, inside, closed)}
        if document is not None:
            kept.append((document, left))
        for path, setting in left.items():
            if path[-1] == "_override_" and setting.value is True:
                closed.add(path[:-1])
            if setting.value == {}:
                continue  # an empty map takes nothing away
            taken.add(path)
            for length in range(len(path) - 1, 0, -1):
                if path[:length] in inside:
                    break
                inside.add(path[:length])
    kept.reverse()
    merged: dict[Path, Setting] = {}
    for _, left in kept:
        merged.update(left)
    merged.update(own)
    return merged, kept


def _hidden(path: Path, taken: set[Path], inside: set[Path], closed: set[Path]) -> bool:
    if path in taken or path in inside:
        return True
    for length in range(len(path) - 1, -1, -1):
        head = path[:length]
        if head in closed or (head in taken and length):
            return True
    return False
