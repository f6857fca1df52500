"""``moelint.check`` and ``moelint.fix``: the Python API for launchers, tests and notebooks.

>>> import moelint
>>> result = moelint.check(
...     {
...         "model": {
...             "num_layers": 48, "num_moe_experts": 128, "expert_model_parallel_size": 8, "bf16": True,
...             "moe_token_dispatcher_type": "alltoall", "moe_shared_expert_overlap": True,
...             "moe_shared_expert_intermediate_size": 768,
...         },
...         "comm_overlap": {"overlap_moe_expert_parallel_comm": True},
...     },
...     gpu="h100", gpus=64,
... )
>>> result.ok
False
>>> [(finding.rule, finding.severity, finding.key) for finding in result.errors]
[('OVL004', 'error', 'model.moe_shared_expert_overlap')]
>>> result.errors[0].fixes[0].set
{'model.moe_shared_expert_overlap': False}
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from moelint.api import check as check_paths
from moelint.engine import Engine
from moelint.errors import UsageError
from moelint.objects import Live, live
from moelint.options import Options
from moelint.read.config import Config
from moelint.results import FileReport, Finding, Report
from moelint.text.source import Source
from moelint.typed import Any

__all__ = ["FixResult", "MoelintError", "Result", "check", "fix"]


class MoelintError(Exception):
    """A config has findings and the caller asked for none: ``Result.raise_for``."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


class Result:
    """What a check found. ``findings`` are sorted by place; ``report`` is all that the command line would print."""

    __slots__ = ("report",)

    def __init__(self, report: Report) -> None:
        self.report = report

    @property
    def findings(self) -> list[Finding]:
        return self.report.findings()

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "warning"]

    @property
    def notes(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "note"]

    @property
    def ok(self) -> bool:
        """No error was found, and everything could be read."""
        return not self.errors and not self.report.problems

    def raise_for(self, severity: str = "error") -> Result:
        """Raise MoelintError if there is a finding of this severity or above; else the result itself.

        >>> check({"model": {"num_layers": 2}}).raise_for("error").ok
        True
        """
        if self.report.worst(severity) or self.report.problems:
            raise MoelintError(str(self), self)
        return self

    def to_dict(self) -> dict[str, Any]:
        """The JSON report, version 1 (``moelint schema report``)."""
        import io
        import json

        from moelint import report as reports

        stream = io.StringIO()
        reports.write("json", self.report, stream, reports.Options())
        data: dict[str, Any] = json.loads(stream.getvalue())
        return data

    def __str__(self) -> str:
        """One line a finding.

        >>> print(check({"model": {"num_layers": 2, "bf16": True, "fp16": True}}))  # doctest: +ELLIPSIS
        model.fp16: error PRC001 ...
        """
        lines = [f"{finding.key}: {finding.severity} {finding.rule} {finding.message}" for finding in self.findings]
        return "\n".join([*self.report.problems, *lines])


class FixResult:
    """What a fix changed. ``changes``: key → new value; ``removed``: keys that went; ``config``: for a dict the fixed
    copy, else the object or path that was given; ``result``: what is left; ``refused``: fixes that did not go in."""

    __slots__ = ("changes", "config", "refused", "removed", "result")

    def __init__(self, config: Any, result: Result) -> None:
        self.config, self.result = config, result
        self.changes: dict[str, Any] = {}
        self.removed: list[str] = []
        self.refused: list[str] = []


def check(
    config: Any,
    *,
    gpu: str | None = None,
    gpus: int | None = None,
    target: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    complete: bool = False,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    strict: bool = False,
    policies: Iterable[str] = (),
    base: str | None = None,
) -> Result:
    """Check a path, a dict or a live config.

    ``config``: a file or folder, or several; a dict of sections (``{"model": {…}}``), of keys
    (``{"model.num_layers": 2}``) or of TransformerConfig fields; a live ``ConfigContainer``, ``TransformerConfig`` or
    argparse ``Namespace`` (nothing of Megatron is imported). ``target``: any directive key (``{"megatron-core":
    "0.16.1"}``); ``environ``: the job's environment, as ``os.environ``, where it is known; ``complete``: what a dict
    does not say has the trainer's default. The rest is as on the command line.

    Raises moelint.UsageError (a ValueError) for what is no config, and for options that mean nothing.

    >>> check({"num_moe_experts": 8, "expert_model_parallel_size": 3}, complete=True, gpus=6).ok
    False
    >>> check([1, 2])
    Traceback (most recent call last):
    ...
    moelint.errors.UsageError: a list of int is no training config: give paths
    """
    options = _options(gpu, gpus, target, select, ignore, strict, policies, base)
    paths = _paths(config)
    if paths is not None:
        return Result(check_paths(paths, options))
    return Result(checked(live(config, _relevant(environ)), options, complete, environ is not None)[0])


def fix(
    config: Any,
    *,
    unsafe: bool = False,
    write: bool = True,
    gpu: str | None = None,
    gpus: int | None = None,
    target: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    complete: bool = False,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    policies: Iterable[str] = (),
    base: str | None = None,
) -> FixResult:
    """Apply the fixes of a config: safe ones, with ``unsafe`` the others too.

    Files are changed in place, a dict is copied, attributes of a live object are set; with ``write=False`` nothing is
    changed and ``changes`` says what would be.

    >>> done = fix(
    ...     {
    ...         "model": {"num_moe_experts": 8, "expert_model_parallel_size": 1, "bf16": True},
    ...         "comm_overlap": {"overlap_moe_expert_parallel_comm": True},
    ...     },
    ...     complete=True, gpus=8,
    ... )
    >>> done.changes["comm_overlap.overlap_moe_expert_parallel_comm"]
    False
    >>> done.config["comm_overlap"]["overlap_moe_expert_parallel_comm"]
    False
    """
    options = _options(gpu, gpus, target, select, ignore, False, policies, base)
    options.fix, options.write, options.unsafe_fixes = True, write, unsafe
    paths = _paths(config)
    if paths is not None:
        report = check_paths(paths, options)
        out = FixResult(config, Result(report))
        out.refused = [reason for file in report.files for reason in file.refused]
        return out
    return _fixed(live(config, _relevant(environ)), options, complete, environ is not None)


# ---- live configs ---------------------------------------------------------------------------------------------------


class _Engine(Engine):
    """Lints the text of a live config, of which more is known than its text says."""

    __slots__ = ("_complete", "_environment")

    def __init__(self, options: Options, complete: bool, environment: bool) -> None:
        super().__init__(options)
        self._complete, self._environment = complete, environment

    def _read_configs(self, source: Source, named: bool) -> Any:
        found = super()._read_configs(source, named)
        for config in found[0].configs:
            if self._complete:
                config.completeness = "complete"
            config.complete_env = self._environment
        return found


def checked(item: Live, options: Options, complete: bool, environment: bool) -> tuple[Report, list[Config]]:
    """(report, configs) of a live config."""
    engine = _Engine(options, item.complete or complete, environment)
    engine.prepare(".")
    file, configs = engine.lint_read(Source(item.name, item.text), True)
    report = Report()
    report.files = [file]
    engine.finish(report)
    return report, configs


def _fixed(item: Live, options: Options, complete: bool, environment: bool) -> FixResult:
    import copy

    from moelint.fix.engine import fix_source

    engine = _Engine(options, item.complete or complete, environment)
    engine.prepare(".")

    def lint(source: Source) -> tuple[FileReport, list[Config]]:
        return engine.lint_read(source, True)

    source = Source(item.name, item.text)
    before = _values(lint(source)[1])
    outcome = fix_source(source, lint, options.unsafe_fixes)
    report = Report()
    report.files = [outcome.report]
    engine.finish(report)
    after = _values(lint(outcome.source)[1])
    config = item.config
    if item.kind == "dict" and options.write:
        config = copy.deepcopy(dict(item.config))
    out = FixResult(config, Result(report))
    out.refused = outcome.refused
    out.changes = {key: value for key, value in after.items() if key not in before or before[key] != value}
    out.removed = [key for key in before if key not in after]
    if options.write:
        for key, value in out.changes.items():
            _assign(out.config, item, key, value)
        for key in out.removed:
            _assign(out.config, item, key, None if item.kind == "dict" else _default(item, key))
    return out


def _values(configs: list[Config]) -> dict[str, Any]:
    return {
        key: written.value
        for config in configs[:1]
        for key, written in config.written.items()
        if written.origin == "file"
    }


def _default(item: Live, key: str) -> Any:
    """What the trainer has where nobody sets a key."""
    from moelint.lang.unknown import UNKNOWN
    from moelint.trainer.tables import table

    trainer = {"container": "bridge", "transformer": "core", "namespace": "lm"}[item.kind]
    value = table(trainer, "main").defaults.get(key)
    return None if value is UNKNOWN else value


def _assign(config: Any, item: Live, key: str, value: Any) -> None:
    """Set one canonical key in the object that was given. A value of None takes a key out of a dict."""
    if item.kind == "namespace":
        from moelint.read.flags import argument, argument_of

        dest = argument_of(key) or key.rpartition(".")[2]
        found = argument(dest)
        opposite = found is not None and found[3]
        setattr(config, dest, not value if opposite and isinstance(value, bool) else value)
        return
    path = key.split(".")
    if item.kind == "dict" and key in config:
        path = [key]
    elif item.dialect == "megatron-core" and path[0] == "model":
        path = path[1:]
    place = config
    for part in path[:-1]:
        if isinstance(place, dict):
            place = place.setdefault(part, {})
        else:
            inner = getattr(place, part, None)
            if inner is None:
                return  # a section that this object does not have
            place = inner
    if not isinstance(place, dict):
        setattr(place, path[-1], value)
    elif value is None:
        place.pop(path[-1], None)
    else:
        place[path[-1]] = value


# ---- options --------------------------------------------------------------------------------------------------------


def _options(
    gpu: str | None,
    gpus: int | None,
    target: Mapping[str, Any] | None,
    select: Sequence[str],
    ignore: Sequence[str],
    strict: bool,
    policies: Iterable[str],
    base: str | None,
) -> Options:
    options = Options()
    options.target = {str(key).replace("_", "-"): str(value) for key, value in (target or {}).items()}
    if gpu is not None:
        options.target["gpu"] = gpu
    if gpus is not None:
        options.target["gpus"] = str(gpus)
    options.select, options.ignore = list(select), list(ignore)
    options.strict, options.policies, options.base = strict, list(policies), base
    return options


def _paths(config: Any) -> list[str] | None:
    """The paths that a config names; None if it is an object."""
    if isinstance(config, (str, os.PathLike)):
        return [os.fspath(config)]
    if isinstance(config, (list, tuple)):
        if not all(isinstance(item, (str, os.PathLike)) for item in config) or not config:
            kind = type(config[0]).__name__ if config else "nothing"
            raise UsageError(f"a list of {kind} is no training config: give paths")
        return [os.fspath(item) for item in config]
    return None


_MATTERS = (
    "NCCL_",
    "NVTE_",
    "CUDA_",
    "PYTORCH_",
    "TORCH_",
    "NVSHMEM_",
    "NUM_OF_",
    "USE_MNNVL",
    "UCX_",
    "DEEP_EP",
    "OMP_",
)


def _relevant(environ: Mapping[str, str] | None) -> dict[str, str] | None:
    """What of an environment the rules may read; the rest, secrets among it, is left alone."""
    if environ is None:
        return None
    return {key: value for key, value in environ.items() if key.startswith(_MATTERS)}
