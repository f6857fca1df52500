"""Scripts that start a training: each command that does is a config. Nothing of a script is ever run."""

from __future__ import annotations

import os
from collections.abc import Callable

from moelint.lang.unknown import UNKNOWN
from moelint.read.completeness import judge
from moelint.read.config import Config
from moelint.read.configs import ReadOptions
from moelint.read.shell_configs import Reader
from moelint.read.tables import tables
from moelint.text.document import Problem
from moelint.text.edits import apply
from moelint.text.source import Source, TextError
from moelint.typed import Any

_REPAIRS = 3  # problems of one text whose repair is worked out
_FAR = 5  # folders above the script in which a relative path may start


def owners(out: Any, directive: Any) -> list[Config]:
    """The configs whose command, or an array or text of it, a directive stands in or directly above; none if it stands
    before all of them, or elsewhere."""
    text = out.source.text
    regions: list[tuple[int, int, Config]] = []
    for config in out.configs:
        regions += [(start, end, config) for start, end in config.document.regions if end > start]
    inside = [config for start, end, config in regions if start <= directive.start < end]
    if inside:
        return list({id(config): config for config in inside}.values())
    if all(start > directive.start for start, _, _ in regions):
        return []
    above: list[Config] = []
    for start, _, config in regions:
        line = text.rfind("\n", 0, start) + 1
        between = text[directive.end : line] if directive.end <= line else "x"
        if all(not part.strip() or part.lstrip().startswith("#") for part in between.splitlines()):
            above.append(config)
    return list({id(config): config for config in above}.values())


def hints() -> list[str]:
    """Words of which a script must have at least one to be worth following."""
    return ["moelint:", *{word for table in tables().values() if table["form"] == "shell" for word in table["hints"]}]


def read_script(source: Source, options: ReadOptions) -> tuple[list[Config], list[Problem], Reader | None, str | None]:
    """(configs, problems of the text, what was read of it, why there are none)."""
    text = source.text
    if not options.named and not any(word in text for word in hints()):
        return [], [], None, "no sign of a training config"
    try:
        reader = Reader(source, options, opener(source, options.read or _plain))
    except ImportError:
        return [], [], None, "shell scripts need tree-sitter and tree-sitter-bash"
    configs = reader.configs()
    for config in configs:
        finish(config, reader)
    for problem in [problem for problem in reader.problems if problem.edits][:_REPAIRS]:
        _repair(problem, source, options, configs)
    return configs, reader.problems, reader, None if configs else reader.reason or "no command that starts a training"


def _repair(problem: Problem, source: Source, options: ReadOptions, configs: list[Config]) -> None:
    """Works out what the edits of a problem would set, by reading the text with them; forgets them if more changes."""
    text = apply(source.text, problem.edits)
    reader = Reader(
        Source(source.path, text, source.encoding, source.bom), options, opener(source, options.read or _plain)
    )
    after = reader.configs()
    sets: dict[str, Any] = {}
    for old, new in zip(configs, after, strict=False):
        for key, found in new.written.items():
            was = old.written.get(key)
            if found.origin == "file" and (was is None or was.value != found.value):
                sets[key] = found.value
    if len(after) != len(configs) or any(value is UNKNOWN for value in sets.values()):
        sets = {}
    problem.sets = sets
    if not sets:
        problem.edits = []


def finish(config: Config, reader: Reader) -> None:
    """How much of a config its command states."""
    table = tables()[config.dialect]
    _same_length(config)
    config.completeness = judge(config, table, config.complete_env)
    if config.complete_env:
        return
    waiting = reader.waiting(config)
    if waiting:
        _may_be_overridden(config, waiting[0])
    if config.completeness != "complete":
        return
    if waiting:
        config.completeness = "standing" if _stands(config) else "fragment"
    elif _is_excerpt(config):
        config.switches = not table["defaults"]
        config.completeness = "standing" if config.switches or _stands(config) else "fragment"


def _may_be_overridden(config: Config, name: str) -> None:
    """Words that are not known are there to override the base: its values hold only if they do not."""
    for found in config.written.values():
        if found.origin == "base" and found.assumed is None:
            found.assumed = f"{name} may override the base, and is not known"


def _same_length(config: Config) -> None:
    """Bridge's run_recipe.py gives the model the dataset's sequence length, after all overrides."""
    if not config.name.startswith("run_recipe.py"):
        return
    model, data = config.written.get("model.seq_length"), config.written.get("dataset.seq_length")
    if model is None or data is None or model.value == data.value or UNKNOWN in (model.value, data.value):
        return
    setting = model.setting
    if model.origin == "file" and setting is not None and setting.key_end > setting.key_start:
        message = (
            f"run_recipe.py sets model.seq_length to dataset.seq_length={data.value} after all overrides: "
            f"{model.value} does not hold"
        )
        config.problems.append(Problem("astray", message, setting.key_start, setting.value_end, setting.path))
    model.value, model.derived = data.value, True


def _is_excerpt(config: Config) -> bool:
    """Whether a command lacks what Megatron-LM's parser demands: then it is an example with the rest left out."""
    return config.trainer == "lm" and "model.hidden_size" not in config.written


def _stands(config: Config) -> bool:
    return config.base is not None or (
        "model.num_layers" in config.written
        and any(key in config.written for key in ("model.num_moe_experts", "model.num_experts"))
    )


def opener(source: Source, read: Callable[[str], Source]) -> Callable[[str, Source], Source | None]:
    """What opens a sourced file: of the same checkout only, relative to the script that names it or to a folder above
    (a script may be started from any of them)."""
    here = os.path.dirname(os.path.abspath(source.path))
    top = os.path.realpath(checkout(here))

    def find(path: str, by: Source) -> Source | None:
        folder = os.path.dirname(os.path.abspath(by.path))
        candidates = [path] if os.path.isabs(path) else []
        at = folder
        for _ in range(_FAR):
            if candidates and os.path.isabs(path):
                break
            candidates.append(os.path.join(at, path))
            if os.path.realpath(at) == top or os.path.dirname(at) == at:
                break
            at = os.path.dirname(at)
        beside = os.path.dirname(by.path)
        if beside and path.startswith(beside + os.sep):  # from ${BASH_SOURCE[0]}: as we were told the script's own path
            candidates.append(os.path.abspath(path))
        for candidate in candidates:
            real = os.path.realpath(candidate)
            if not real.startswith(top + os.sep) or not os.path.isfile(real):
                continue
            try:
                return read(os.path.normpath(candidate))
            except (OSError, TextError):
                return None
        return None

    return find


def checkout(folder: str) -> str:
    """The repository that holds a folder; without one, the folder itself, or the one above it."""
    at = folder
    while not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above
    return at


def _plain(path: str) -> Source:
    from moelint.text.files import read

    return read(path)
