"""One file → its training configs, or the reason why it holds none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice

from moelint.read.completeness import judge
from moelint.read.config import Config, Ignore
from moelint.read.configs import ReadOptions, configs_of
from moelint.read.directives import Directive, read_directives
from moelint.read.recognise import Look, recognise
from moelint.read.structure import structure_of
from moelint.read.tables import hints, tables
from moelint.text.document import Document, Path, Problem
from moelint.text.source import Source, TextError, TooLarge

MAX_CONFIGS = 200  # in one file
_TEMPLATE = r"(?m)^[ \t]*(?:-[ \t]*)?\{\{|^[ \t]*\{%|:[ \t]*\{\{-? "


class FileRead:
    """What reading gave. ``skipped``: why there are no configs, None if there are. ``problems``: of the text and of
    directives, for the whole file; those of a config's own inheritance are in ``Config.problems``. ``ignores``: for the
    whole file."""

    __slots__ = ("configs", "documents", "ignores", "problems", "skipped", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.configs: list[Config] = []
        self.documents: list[Document] = []
        self.problems: list[Problem] = []
        self.ignores: list[Ignore] = []
        self.skipped: str | None = None


def read_file(source: Source, options: ReadOptions | None = None) -> FileRead:
    """The configs of one file. Broken text is a problem of kind 'syntax', never an exception."""
    options = options or ReadOptions()
    out = FileRead(source)
    text = source.text
    if source.path.endswith(".py"):
        return _python(out, options)
    if is_script(source.path, text):
        return _script(out, options)
    if not options.named and not any(word in text for word in hints()):
        out.skipped = "no sign of a training config"
        return out
    from moelint.text.yaml_reader import read_yaml

    try:
        documents = read_yaml(source)
    except TextError as error:
        return _unreadable(out, error, options)
    out.documents = list(documents)
    comments = (
        documents[0].comments if len(documents) == 1 else [one for document in documents for one in document.comments]
    )
    directives, problems = read_directives(source, comments)
    first = min((_first(document) for document in documents), default=len(text))
    dialect = next((d.dialect for d in directives if d.dialect and d.start < first), options.dialect)
    if dialect is not None and dialect not in tables():
        problems.append(_unknown_dialect(dialect, directives))
        dialect = None
    reason: str | None = None
    for document in documents:
        structure = structure_of(document.settings)
        name = dialect or recognise(document, structure)
        if name is None:
            reason = reason or _not_a_config(document)
            continue
        if len(out.configs) >= MAX_CONFIGS:
            start = _first(document)
            message = f"more than {MAX_CONFIGS} configs: the rest is not checked"
            problems.append(Problem("limit", message, start, start + 1))
            break
        out.configs += configs_of(document, tables()[name], options, len(out.configs), structure)
        out.problems += document.problems
    if not out.configs:
        out.skipped = reason or "empty"
        if not directives:
            return out
    out.problems += problems
    _direct(out, directives, first)
    for config in out.configs:
        _stand(out, config, options, directives)
        config.completeness = judge(config, tables()[config.dialect], config.complete_env)
    return out


def _stand(out: FileRead, config: Config, options: ReadOptions, directives: list[Directive]) -> None:
    """Puts under a config what it stands on; a base that is asked for by name and is not there is said."""
    name = options.base or config.base
    config.base = None
    if name is None:
        return
    from moelint.read.bases import stand_on, unknown

    if stand_on(config, name, options.read, trusted=options.base is not None):
        config.base = name
        return
    config.loose_ends.append(f"the base {name}")
    said = next((directive for directive in directives if directive.base == name), None)
    if said is not None or options.base is not None:
        out.problems.append(unknown(name, *((said.start, said.end) if said is not None else (0, 0))))


def _python(out: FileRead, options: ReadOptions) -> FileRead:
    """Recipe functions; any other Python is passed over, and so is Python that does not parse unless it was named."""
    from moelint.read.recipe_entries import looks_like_nemo2, looks_like_recipes

    problems: list[Problem] = []
    text = out.source.text
    try:
        if looks_like_recipes(text):
            from moelint.read.bases import recipe
            from moelint.read.models import provider
            from moelint.read.recipes import read_recipes

            out.configs, problems, document = read_recipes(out.source, options.read, provider, recipe, options.defaults)
        elif looks_like_nemo2(text):
            from moelint.read.nemo2 import read_nemo2

            out.configs, document = read_nemo2(out.source, options.read)
        else:
            out.skipped = "no recipe of Megatron Bridge or NeMo 2"
            return out
    except TextError as error:
        return _unreadable(out, error, options)
    out.documents = [document]
    directives, said = read_directives(out.source, document.comments)
    out.problems += [*problems, *said]
    if not out.configs:
        out.skipped = "no recipe function that could be followed"
        return out
    _direct(out, directives, min(config.start for config in out.configs))
    for config in out.configs:
        config.completeness = judge(config, tables()[config.dialect], config.complete_env)
    return out


def is_script(path: str, text: str) -> bool:
    """Whether a file is a shell script, by its ending or by its first line."""
    if path.endswith((".sh", ".sbatch", ".bash", ".slurm")):
        return True
    return text.startswith("#!") and "." not in path.rpartition("/")[2] and "sh" in text[:80].partition("\n")[0]


def _script(out: FileRead, options: ReadOptions) -> FileRead:
    """The commands of a shell script that start a training."""
    from moelint.read.shell import finish, owners, read_script

    out.configs, problems, reader, out.skipped = read_script(out.source, options)
    if reader is None:
        return out
    out.documents = list(reader.documents)
    directives, said = read_directives(out.source, reader.layout.comments)
    if out.configs or directives:
        out.problems += [*problems, *said]
    else:
        out.problems += [problem for problem in problems if problem.kind == "limit"]
    _direct(out, directives, 0, owners)
    for config in out.configs:
        _stand(out, config, options, directives)
        finish(config, reader)
    return out


def _first(document: Document) -> int:
    """Where a document's first key stands."""
    sections: Mapping[Path, tuple[int, int]] = getattr(document, "sections", {})
    starts = [span[0] for span in sections.values()]
    if getattr(document, "in_order", False):
        return min(starts[:1] + [setting.key_start for setting in islice(document.settings.values(), 1)])
    starts += [setting.key_start for setting in document.settings.values()]
    return min(starts, default=len(document.source.text))


def _direct(
    out: FileRead,
    directives: list[Directive],
    first: int,
    owners: Callable[[FileRead, Directive], list[Config]] | None = None,
) -> None:
    """Gives each directive to the config that it stands in or directly above, else to the whole file."""
    for directive in directives:
        found: list[Config] = []
        if owners is not None:
            found = owners(out, directive)
        elif directive.start >= first and (one := _owner(out, directive)) is not None:
            found = [one]
        for config in found or out.configs:
            for key, value in directive.stated.items():
                config.stated[key] = (value, "directive")
            if directive.complete:
                config.complete_env = True
            if directive.base is not None:
                config.base = directive.base
        for ignore in directive.ignores:
            if not found or ignore.whole_file:
                ignore.whole_file = True
                out.ignores.append(ignore)
            for config in () if ignore.whole_file else found:
                config.ignores.append(ignore)


def _owner(out: FileRead, directive: Directive) -> Config | None:
    text = out.source.text
    for config in out.configs:
        start = _start(config)
        if start <= directive.start < config.end:
            return config
        if directive.end <= start:
            between = text[directive.end : start]
            if all(not line.strip() or line.lstrip().startswith("#") for line in between.splitlines()):
                return config
    return None


def _start(config: Config) -> int:
    """Where a config begins: at the key of its block, if it is one of several."""
    if not config.root:
        return int(getattr(config.document, "start", config.start))
    sections: Mapping[Path, tuple[int, int]] = getattr(config.document, "sections", {})
    return sections[config.root][0] if config.root in sections else config.start


def _unknown_dialect(name: str, directives: list[Directive]) -> Problem:
    from difflib import get_close_matches

    close = get_close_matches(name, list(tables()), 1)
    message = f"unknown dialect {name}" + (f": did you mean {close[0]}?" if close else "")
    at = next((d for d in directives if d.dialect == name), None)
    return Problem("directive", message, at.start if at else 0, at.end if at else 0)


def _unreadable(out: FileRead, error: TextError, options: ReadOptions) -> FileRead:
    text = out.source.text
    if re.search(_TEMPLATE, text) and not re.search(r"^#\s*moelint:", text, re.MULTILINE):
        out.skipped = "a template, not YAML"
        return out
    starts = out.source.line_starts()
    line = min(max(error.line, 1), len(starts))
    start = min(starts[line - 1] + max(error.column - 1, 0), len(text))
    kind, out.skipped = ("limit", "too large") if isinstance(error, TooLarge) else ("syntax", "broken")
    out.problems.append(Problem(kind, error.message, start, min(start + 1, len(text))))
    return out


def _not_a_config(document: Document) -> str:
    """Why a document is passed over, in words for -v."""
    look = Look(document.settings)
    if not document.settings:
        return "empty"
    if look.has(("apiVersion",)) and look.has(("kind",)):
        return "a Kubernetes manifest"
    if (look.has(("spec",)) and look.has(("products",))) or look.has(("jobs",)) or look.has(("stages",)):
        return "a list of CI jobs"
    return "no training config that moelint knows"
