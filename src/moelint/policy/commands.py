"""What ``moelint policy`` does: check that packs load, run their examples, start a new one."""

from __future__ import annotations

import os
from collections.abc import Iterable

from moelint.errors import UsageError
from moelint.policy.errors import PolicyError
from moelint.policy.load import Packs, files, folders, is_shipped, load
from moelint.words import plural

STARTER_PACK = """\
# A policy pack: this file, rules/*.yaml and, if you like, facts.yaml (name: expression).
name: {name}
version: "{version}"
requires: "moelint>={needs}"
"""
STARTER_RULES = """\
# yaml-language-server: $schema=https://moelint.dev/schemas/policy.schema.json
- id: TEAM001
  name: expert-parallel-size-within-a-node
  effect: advice
  about: [model.expert_model_parallel_size]
  when: [model.num_moe_experts is not None, model.num_moe_experts > 0]
  require: model.expert_model_parallel_size <= 8
  message: "{{model.expert_model_parallel_size}} spreads the experts over several nodes."
  why: |
    Say what goes wrong and when not to follow the rule.
  fix:
    - {{set: {{model.expert_model_parallel_size: 8}}, safety: unsafe, why: all experts of a layer fit one node}}
  sources: [{{what: our measurements}}]
  evidence: inferred
  since: "{version}"
  examples:
    - bad: {{model: {{num_moe_experts: 64, expert_model_parallel_size: 16, add_bias_linear: false}}}}
      fixed: {{model: {{num_moe_experts: 64, expert_model_parallel_size: 8, add_bias_linear: false}}}}
    - good: {{model: {{num_moe_experts: 64, expert_model_parallel_size: 8, add_bias_linear: false}}}}
"""


def check(policies: Iterable[str] = ()) -> tuple[int, list[str]]:
    """Validate packs (the shipped ones if none is named) against the schema and the field tables, whatever the cache
    holds. Gives (exit code: 0 or 2, lines to print)."""
    from moelint.policy.compile import compile_packs

    names = list(policies)
    try:
        wanted = folders(names, _beside_shipped(names))
        checked = {folder for folder in wanted if not names or folder in folders(names, False)}
        core, _, _ = compile_packs(wanted, checked)
    except PolicyError as error:
        return 2, [*(str(p) for p in error.problems), plural(len(error.problems), "fault")]
    packs = ", ".join(f"{name} {version}".strip() for name, version in core["packs"].items())
    return 0, [f"{packs}: {plural(len(core['ids']), 'rule')}, {plural(len(core['cases']), 'case')}, no faults"]


def test(policies: Iterable[str] = (), rules: Iterable[str] = (), verbose: bool = False) -> tuple[int, list[str]]:
    """Run the examples of the named packs (of all shipped ones if none is named), or of some rules. Gives (exit code:
    0, 1 a failing example, 2 a pack that does not load; lines to print)."""
    from moelint.policy import examples

    names, wanted = list(policies), list(rules)
    code, lines = check(names)
    if code:
        return code, lines
    packs = load(names, shipped=_beside_shipped(names))
    ids = wanted or _ids_of(packs, names)
    if unknown := [id_ for id_ in ids if id_ not in packs.ids]:
        from moelint.lang.suggest import nearest

        near = nearest(unknown[0], packs.ids)
        raise UsageError(f"no rule is called {unknown[0]!r}" + (f": did you mean {near}?" if near else ""))
    count, failures, untested = examples.test(packs, ids)
    lines = [str(f) for f in failures]
    if verbose:
        lines += [f"note: {f}" for f in untested]
    if untested and not verbose:
        lines.append(f"no bad example fires {plural(len(untested), 'case')} (-v lists them)")
    result = f"{len(failures)} failed" if failures else "all pass"
    lines.append(f"{plural(count, 'example')} of {plural(len(ids), 'rule')}: {result}")
    return (1 if failures else 0), lines


def new(folder: str) -> list[str]:
    """Start a pack in a folder that does not exist or is empty. Gives the files written. Raises UsageError."""
    from moelint.version import __version__

    try:
        if os.path.isdir(folder) and os.listdir(folder):
            raise UsageError(f"{folder} is not empty")
        os.makedirs(os.path.join(folder, "rules"), exist_ok=True)
        name = os.path.basename(os.path.abspath(folder))
        needs = ".".join(__version__.split(".")[:2])
        written = []
        for path, text in (("pack.yaml", STARTER_PACK), ("rules/team.yaml", STARTER_RULES)):
            written.append(os.path.join(folder, path))
            with open(written[-1], "x", encoding="utf-8") as stream:
                stream.write(text.format(name=name, version=__version__, needs=needs))
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror}") from None
    return written


def _beside_shipped(policies: list[str]) -> bool:
    """Whether the shipped packs are loaded under the named ones: not if these are shipped themselves."""
    return not policies or not all(is_shipped(folder) for folder in folders(policies, False))


def _ids_of(packs: Packs, policies: list[str]) -> list[str]:
    """Rules of the named packs, of all if none is named."""
    if not policies:
        return list(packs.ids)
    paths = {path for folder in folders(policies, False) for path in files(folder)}
    return [id_ for id_, text in packs.texts.items() if text["path"] in paths]
