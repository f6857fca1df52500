"""A check of what a change brings: the files that it touches, and those that inherit from them, against the old state.

Policies and configuration are those of today on both sides: what differs comes from the configs.
"""

from __future__ import annotations

import os

from moelint.discover import ENDINGS, OWN, by_hook, discover, is_wanted, repository_root
from moelint.engine import Engine
from moelint.errors import UsageError
from moelint.options import Options
from moelint.read.config import Config
from moelint.results import FileReport, Report
from moelint.revision import changes as diff
from moelint.revision.git import Repo, Snapshot, finish
from moelint.revision.match import mark
from moelint.revision.paths import Asked, by_repository
from moelint.revision.span import WORK_TREE, Span, resolve
from moelint.text.files import read as read_text
from moelint.text.source import Source, TextError
from moelint.typed import Any


class Review:
    """One repository's part of a run: what to check, and the old revision of it."""

    __slots__ = ("asked", "engine", "new", "old", "old_engine", "old_paths", "repo", "span", "touched", "work")

    def __init__(self, repo: Repo, asked: Asked, span: Span, options: Options) -> None:
        self.repo, self.asked, self.span = repo, asked, span
        self.old, self.new = Snapshot(repo, span.old), span.snapshot(repo)
        self.old_paths: dict[str, str | None] = {}  # path as given → old path (None: added); what is missing: unchanged
        self.touched: set[str] = set()  # changed files, and those that inherit from one
        self.work: list[tuple[str, bool]] = []  # (path as given, whether it was named)
        self.engine, self.old_engine = Engine(options), Engine(options)
        self.engine.reader, self.old_engine.reader = self.new, self.old
        self.engine.history = History(self)

    def full(self, path: str) -> str:
        return os.path.join(self.repo.top, path)

    def shown(self, path: str) -> str:
        """An old path in the words of this run."""
        return self.asked.name(path) or os.path.relpath(self.full(path))


class History:
    """The old revision of each file, read and judged once."""

    __slots__ = ("_kept", "review")

    def __init__(self, review: Review) -> None:
        self.review = review
        self._kept: dict[str, tuple[FileReport | None, list[Config], Source | None]] = {}

    def old(self, path: str) -> tuple[FileReport | None, list[Config], Source | None]:
        """(report, configs, source) of the file that ``path`` was; (None, [], None) for a new one."""
        found = self._kept.get(path)
        if found is None:
            found = self._kept[path] = self._judge(path)
        return found

    def _judge(self, path: str) -> tuple[FileReport | None, list[Config], Source | None]:
        review = self.review
        old = review.old_paths.get(path, path)
        if old is None:
            return None, [], None
        try:
            source = review.old(os.path.relpath(old))
        except TextError:
            return None, [], None  # not text then: all of it is new
        report, configs = review.old_engine.lint_read(source, True)
        return report, configs, source

    def before(self, config: Config, source: Source, checkout: Any) -> Any:
        """The effective config that a config was, None for a new one."""
        if source.path not in self.review.touched:
            return None
        _, configs, old_source = self.old(source.path)
        same = [old for old in configs if old.name == config.name]
        if not same and len(configs) == 1:
            same = configs
        if not same or same[0].trainer != config.trainer or old_source is None:
            return None
        return self.review.engine.beside(same[0], old_source, checkout)


def review(paths: list[str], options: Options) -> Report:
    """Check what changed. Raises UsageError where there are no two revisions to compare, and ConfError."""
    report = Report()
    report.since = "HEAD" if options.since is None else options.since
    groups = by_repository(paths, repository_root, report.problems)
    reviews: list[Review] = []
    for asked in groups.values():
        reviews.append(_prepare(asked, reviews[0] if reviews else None, options, paths))
    reviews[0].engine.prepare(*paths, *[name for part in reviews for name, _ in part.work])
    for part in reviews:
        report.problems += _missing(part)
    for part in reviews:
        _run(part, options, report)
        part.engine.finish(report)
    return report


def _prepare(asked: Asked, main: Review | None, options: Options, paths: list[str]) -> Review:
    repo = asked.repo
    span = _of_submodule(repo, main) if main is not None else None
    span = span or resolve(repo, options.since, options.staged)
    if options.fix and options.write and span.new != WORK_TREE:
        raise UsageError("--fix writes files of the work tree, and another state was asked for: leave out --fix")
    part = Review(repo, asked, span, options)
    process = diff.start(repo, span)
    tree = repo.start("ls-tree", "-r", "-z", "--full-tree", span.old) if asked.folders else None
    untracked = None
    if span.new == WORK_TREE:
        patterns = [f"*{ending}" for ending in ENDINGS]
        untracked = repo.start("ls-files", "-z", "--others", "--exclude-standard", "--", *patterns)
    if main is None:
        part.engine.packs(part.engine.conf(_folder(paths[0])).at(paths[0]))  # loaded while git works
    found = diff.read(process)
    if untracked is not None:
        names = [os.fsdecode(name) for name in finish(untracked).split(b"\0") if name]
        diff.add_untracked(repo, found, names, lambda path: (part.old.blob(part.full(path)) or ("", b""))[1])
    _select(part, found, [] if tree is None else _unchanged(finish(tree), found), options)
    return part


def _folder(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path) or "."


def _unchanged(tree: bytes, found: diff.Changes) -> list[tuple[str, str]]:
    """(path, object) of the files of the old revision that are the same now."""
    endings = tuple(ending.encode() for ending in ENDINGS)
    out = []
    for entry in tree.split(b"\0"):
        if entry.endswith(endings) and entry.startswith(b"100"):
            about, _, name = entry.partition(b"\t")
            out.append((os.fsdecode(name), about[12:].decode()))
    gone = {*found.files, *found.gone}
    return [entry for entry in out if entry[0] not in gone]


def _of_submodule(repo: Repo, main: Review) -> Span | None:
    """A submodule's old state is the commit that the old revision of the repository around it has of it."""
    inside = main.repo.inside(repo.top)
    if inside is None:
        return None
    entry = main.repo.run("ls-tree", main.span.old, "--", inside).split()
    if len(entry) < 3 or entry[0] != b"160000":
        return None
    return Span(repo.commit(entry[2].decode()), WORK_TREE, main.span.label)


def _select(part: Review, found: diff.Changes, unchanged: list[tuple[str, str]], options: Options) -> None:
    """Fills in what is to be checked: changed files of the paths, and those that stand on a changed file."""
    asked, conf_of = part.asked, part.engine.conf
    for path, old in found.files.items():
        name = asked.name(path)
        if name is not None:
            part.old_paths[name] = None if old is None else part.full(old)
    wanted: dict[str, bool] = {}
    for path in found.files:
        name = asked.name(path)
        if name is None:
            continue
        if path in asked.named and not by_hook():
            wanted[name] = True
        elif _is_config(part, path) and conf_of(os.path.dirname(name) or ".").takes(name):
            wanted[name] = False
    for name in _heirs(part, found, unchanged):
        wanted.setdefault(name, name in asked.named.values())
    part.touched = set(wanted)
    if options.whole:
        for name, named in _everything(part).items():
            wanted.setdefault(name, named)
    part.work = sorted(wanted.items())


def _is_config(part: Review, path: str) -> bool:
    """Whether a folder that holds a file would give it to a check."""
    if os.path.basename(path) in OWN:
        return False
    return path.endswith(ENDINGS) or (part.new is None and is_wanted(part.repo.top, path))


def _missing(part: Review) -> list[str]:
    """Named files that neither state has."""
    out = []
    for given in part.asked.named.values():
        there = os.path.lexists(given) if part.new is None else part.new.exists(given)
        if not there and not part.old.exists(given):
            out.append(f"{given}: no such file or folder")
    return out


def _everything(part: Review) -> dict[str, bool]:
    """All files of the paths in the new state."""
    asked = part.asked
    if part.new is None:
        paths = [*asked.named.values(), *(given for _, given in asked.folders)]
        return discover([path for path in paths if os.path.exists(path)], part.engine.conf)[0]
    out = {}
    for path in part.new.names():
        name = asked.name(path)
        if path in asked.named:
            out[asked.named[path]] = True
        elif name is not None and _is_config(part, path) and part.engine.conf(os.path.dirname(name) or ".").takes(name):
            out[name] = False
    return out


def _heirs(part: Review, found: diff.Changes, unchanged: list[tuple[str, str]]) -> list[str]:
    """Unchanged files of the paths that inherit from a changed or deleted one."""
    from moelint.cache import Store
    from moelint.revision.inheritors import leave_out_closed, possible

    touched = [path for path in (*found.files, *found.gone) if path.endswith(ENDINGS)]
    if not touched:
        return []
    asked = part.asked
    changed = {part.full(path) for path in touched}
    paths = list(asked.named)
    if asked.folders:
        top = part.repo.top
        paths = possible(top, leave_out_closed(top, unchanged, Store(part.engine.options.cache)), set(touched))
    out = []
    for path in paths:
        name = asked.name(path)
        if name is None or path in found.files:
            continue
        if path not in asked.named and not part.engine.conf(os.path.dirname(name) or ".").takes(name):
            continue
        if _opened(part, name) & changed:
            out.append(name)
    return out


class _Recorder:
    """A reader that notes what it was asked for, there or not."""

    __slots__ = ("exists", "paths", "read")

    def __init__(self, read: Any) -> None:
        self.read = read
        self.paths: set[str] = set()
        self.exists = self._exists

    def __call__(self, path: str) -> Source:
        self.paths.add(os.path.realpath(path))
        found: Source = self.read(path)
        return found

    def opened(self, path: str) -> None:
        self.paths.add(os.path.realpath(path))

    def _exists(self, path: str) -> bool:
        from moelint.text.files import is_file

        self.opened(path)
        return is_file(path, self.read)


def _opened(part: Review, path: str) -> set[str]:
    """Every file that reading a config opens, or would open if it were there."""
    recorder = _Recorder(part.new or read_text)
    engine = Engine(part.engine.options)
    engine.reader = recorder
    try:
        engine.configs(_source(part, path))
    except TextError:
        return set()
    return recorder.paths


def _source(part: Review, path: str) -> Source:
    return read_text(path) if part.new is None else part.new(path)


def _run(part: Review, options: Options, report: Report) -> None:
    from moelint.api import run_all

    run_all(part.work, lambda item: _one(part, *item), options, report, part.engine.said)
    part.old.close()
    if part.new is not None:
        part.new.close()


def _one(part: Review, path: str, named: bool) -> tuple[FileReport | None, str | None]:
    from moelint.api import one

    file, problem = one(part.engine, path, named, part.new)
    if file is not None and path in part.touched:
        file.fixed_by_change = mark(file, part.engine.history.old(path)[0])
    elif file is not None:
        for item in file.findings:
            item.new = False
    return file, problem
