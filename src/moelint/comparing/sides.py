"""One side of a comparison: a file, ``REV:path``, or an official recipe; ``#name`` picks one of several configs."""

from __future__ import annotations

import os

from moelint.engine import Engine
from moelint.errors import UsageError
from moelint.options import Options
from moelint.read.config import Config
from moelint.text.source import Source, TextError
from moelint.typed import Any


class Side:
    """``label``: as the user named it. ``errors``: what the trainer would refuse, (rule, message) pairs."""

    __slots__ = ("config", "effective", "errors", "label")

    def __init__(self, label: str, config: Config, effective: Any, errors: list[tuple[str, str]]) -> None:
        self.label, self.config, self.effective, self.errors = label, config, effective, errors


def side(text: str, options: Options) -> Side:
    """Raises UsageError on what is no file, no revision of one and no recipe; ConfError."""
    path, hash_, name = text.partition("#") if not os.path.exists(text) else (text, "", "")
    wanted = name if hash_ else None
    if os.path.isfile(path):
        from moelint.text.files import read

        return _of_source(text, _read(read, path), Engine(options), wanted)
    if os.path.isdir(path):
        raise UsageError(f"{path}: is a folder: name two files")
    if ":" in path:
        return _of_revision(text, path, options, wanted)
    return _of_recipe(text, path, options)


def _read(read: Any, path: str) -> Source:
    try:
        found: Source = read(path)
    except TextError as error:
        raise UsageError(f"{path}: {error.message}") from None
    return found


def _of_revision(text: str, path: str, options: Options, wanted: str | None) -> Side:
    from moelint.revision.git import Repo, Snapshot

    revision, _, inside = path.partition(":")
    repo = Repo.around(".")
    snapshot = Snapshot(repo, repo.commit(revision or "HEAD"))
    engine = Engine(options)
    engine.reader = snapshot
    try:
        for full in (os.path.join(repo.top, inside), os.path.abspath(inside)):  # as git has it, then as a shell has it
            if inside and snapshot.exists(full):
                return _of_source(text, _read(snapshot, os.path.relpath(full)), engine, wanted)
    finally:
        snapshot.close()
    raise UsageError(f"{revision or 'HEAD'} has no file '{inside}'")


def _of_source(label: str, source: Source, engine: Engine, wanted: str | None) -> Side:
    report, configs = engine.lint_read(source, True)
    if not configs:
        broken = next((item.message for item in report.findings if item.severity == "error"), None)
        raise UsageError(f"{label}: {broken or f'holds no training config ({report.skipped})'}")
    chosen = [config for config in configs if wanted is None or config.name == wanted]
    if len(chosen) != 1:
        names = ", ".join(config.name for config in configs)
        said = f"no config is called '{wanted}'" if wanted is not None else "holds several configs"
        raise UsageError(f"{label}: {said}: choose one with #NAME ({names})")
    config = chosen[0]
    errors = [
        (item.rule, item.message)
        for item in report.findings
        if item.severity == "error" and item.config in (None, config.name)
    ]
    return Side(label, config, engine.effective(config, source)[0], errors)


def _of_recipe(label: str, name: str, options: Options) -> Side:
    from moelint.read.bases import add_recipe, names
    from moelint.text.document import Document
    from moelint.trainer.effective import Effective
    from moelint.trainer.target import resolve

    document = Document()
    document.source, document.settings, document.problems, document.comments = Source(name, ""), {}, [], []
    config = Config(name, 1, "bridge-python", "bridge", document)
    if not add_recipe(config, name):
        from moelint.lang.suggest import nearest

        near = nearest(name, names())
        hint = f": did you mean the recipe {near}?" if near else " (a file, REV:path, or an official recipe)"
        raise UsageError(f"there is no '{label}'{hint}")
    config.completeness = "complete"
    return Side(label, config, Effective(config, resolve(config, options.target)), [])
