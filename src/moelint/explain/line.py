"""A line of a file: the key that it writes, what of it runs and why, who reads it."""

from __future__ import annotations

from moelint.engine import Engine
from moelint.explain.rule import scalar
from moelint.findings.anchor import fact, plain
from moelint.lang.template import show
from moelint.options import Options
from moelint.read.config import Config
from moelint.text.source import Source
from moelint.typed import Any


def explain(path: str, line: int, options: Options) -> list[str]:
    """The lines to print. Raises UsageError or TextError if the file or the line cannot be explained."""
    from moelint.errors import UsageError
    from moelint.text.files import read

    source = read(path)
    engine = Engine(options)
    configs = engine.configs(source)
    if not configs:
        raise UsageError(f"{path}: no training config that moelint knows")
    out: list[str] = []
    for config in configs:
        for key, written in config.written.items():
            setting = written.setting
            if written.origin != "file" or setting is None or written.document is None:
                continue
            first, last = (written.document.source.position(at)[0] for at in (setting.key_start, setting.value_end))
            if first <= line <= last:
                out += [*([""] if out else []), *_key(key, config, engine, source)]
    if not out:
        count = len(source.line_starts())
        if line > count:
            raise UsageError(f"{path}: the file has {count} lines")
        raise UsageError(f"{path}:{line}: no setting that a trainer reads stands here")
    return out


def _key(key: str, config: Config, engine: Engine, source: Source) -> list[str]:
    from moelint.findings.overrides import reason

    effective, packs = engine.effective(config, source)
    scope = effective.scope()
    said = fact(key, scope, config)
    out = [f"{source.path}:{said['line']}: {key} ({config.dialect}, {config.completeness})"]
    out.append(f"  written    {show(plain(effective.scope('given').get(key)))}")
    value = scope.get(key)
    out.append(f"  runs as    {show(value)}  ({said['origin']})")
    default = scope.default(key)
    out.append(f"  default    {scalar(plain(default))} in {config.trainer} {effective.table.release}")
    for override in effective.overrides():
        if override.key == key:
            out.append(f"  because    {override.rewrite.id} {reason(override.rewrite.message, scope)}")
    out.append(f"  target     {_target(effective.target)}")
    readers = packs.readers(key)
    out.append(f"  read by    {', '.join(readers) or 'no rule'}")
    return out


def _target(target: Any) -> str:
    parts = [f"{name}={entry['value']} ({entry['from']})" for name, entry in target.stated().items()]
    return ", ".join(parts)
