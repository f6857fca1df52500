"""The name table that packs are checked against: the field tables of all releases, facts, groups. Compile time only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from moelint import data
from moelint.lang.names import ANY, Info, NameTable
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.lang.facts import FactError
    from moelint.policy.errors import PolicyProblem
    from moelint.policy.yaml_tree import YamlTree

TRAINERS = ("core", "bridge", "lm")
_PLAIN = {
    "bool": "bool", "int": "int", "float": "float", "str": "str", "dtype": "str", "callable": "str", "dict": "record",
}

# Packages that gates usually name; any other is taken as it is, unless it is nearly one of these.
PACKAGES = (
    "megatron-core", "megatron-bridge", "transformer-engine", "torch", "apex", "deep-ep", "hybrid-ep", "nccl-ep",
    "nvshmem", "flash-attn", "cudnn", "nccl", "cuda", "deep-gemm", "python", "nemo-toolkit", "emerging-optimizers",
)


def gpus() -> set[str]:
    """Everything that ``applies: {gpu: …}`` may name: GPUs with their other names, architectures, generations."""
    from moelint.trainer import hardware

    out = hardware.spellings()
    for name in hardware.names():
        about = hardware.facts(name) or {}
        out |= {name.lower(), str(about.get("arch")).lower(), f"sm{about.get('sm_arch')}"}
    return out


def shipped() -> NameTable:
    """Keys of every release of every trainer, with the shipped facts and groups."""
    from moelint.lang.facts import FactError, compile_facts
    from moelint.policy.errors import PolicyError
    from moelint.policy.yaml_tree import read

    names = NameTable({**keys(), **provided()}, groups=groups()[0], closed=("hw.", "walls."))
    tree, problems = read(os.path.join(data.folder("trainers"), "facts.yaml"))
    if problems:
        raise PolicyError(problems)
    texts = plain_facts(tree.value)
    try:
        compile_facts(texts, names)
    except FactError as error:
        raise PolicyError([fact_problem(tree, texts, error)]) from None
    return names


def provided() -> dict[str, Info]:
    """What the machine (``hw.*``) and the analytical model (``walls.*``) can be asked for."""
    from moelint.trainer import hardware
    from moelint.trainer.walls_adapter import ASKED
    from moelint.walls.estimate import FIGURES

    out = {f"walls.{name}": ANY for name in (*FIGURES, *ASKED)}
    for machine in hardware.names():
        for name in hardware.facts(machine) or {}:
            out[f"hw.{name}"] = ANY
    return out


def fact_problem(tree: YamlTree, texts: Mapping[str, str], error: FactError) -> PolicyProblem:
    """A fact's error at its place in a facts.yaml."""
    path = (error.name, "is") if (error.name, "is") in tree.places else (error.name,)
    return tree.expression_problem(path, texts[error.name], error.column, error.message, error.suggestion)


def keys() -> dict[str, Info]:
    """Canonical key → type over all trainers and releases."""
    from moelint.trainer.tables import read_json

    found: dict[str, list[tuple[str, list[dict[str, Any]]]]] = {}
    for trainer in TRAINERS:
        try:
            table = read_json(trainer)
        except OSError:
            continue
        for part in (table["keys"], *table.get("variants", {}).values()):
            for key, ranges in part.items():
                specs = [r[2] for r in ranges if not r[2].get("absent")]
                if specs:
                    found.setdefault(key, []).append((trainer, specs))
    return {key: _info(entries) for key, entries in found.items()} | _nested()


def _nested() -> dict[str, Info]:
    """Keys below the field tables: the class that a section names, and the packing specs of an SFT dataset."""
    out = {f"{section}._target_": Info("str", True) for section in ("model", "dataset")}
    for specs in ("offline_packing_specs", "packed_sequence_specs"):
        out[f"dataset.{specs}.packed_sequence_size"] = Info("int", True)
        out[f"dataset.{specs}.pad_cu_seqlens"] = Info("bool", True)
        out[f"dataset.{specs}.pad_seq_to_mult"] = Info("int", True)
    for field in ("packing_buffer_size", "micro_batch_size"):  # EnergonDatasetConfig
        out[f"dataset.{field}"] = Info("int", True)
    for field in ("enable_in_batch_packing", "pack_sequences_in_batch", "pad_to_max_length"):
        out[f"dataset.{field}"] = Info("bool", True)
    out["dataset.dataset_kwargs.pad_to_max_length"] = Info("bool", True)
    return out


def _info(entries: list[tuple[str, list[dict[str, Any]]]]) -> Info:
    specs = [spec for _, list_ in entries for spec in list_]
    kinds = {_kind(spec["type"]) for spec in specs}
    kind = kinds.pop() if len(kinds) == 1 else "number" if kinds == {"int", "float"} else "any"
    # Choices hold if some trainer lists them for each of its releases; older tables leave them out.
    whole = any(all(spec.get("choices") for spec in list_) for _, list_ in entries)
    choices: list[Any] = []
    for spec in specs:
        choices += [c for c in spec.get("choices") or () if c not in choices]
    return Info(kind, any(spec.get("null") for spec in specs), tuple(choices) if whole else None)


def _kind(type_: str) -> str:
    if type_.startswith("list") and "|" not in type_:
        return "list"
    return "str" if type_.startswith("enum:") and "|" not in type_ else _PLAIN.get(type_, "any")


def groups() -> tuple[dict[str, list[str]], list[frozenset[str]]]:
    """Named groups of keys, and the sets of keys that spell one thing (an assumed one of them is one assumption)."""
    from moelint.policy.yaml_tree import read

    path = os.path.join(data.folder("trainers"), "groups.yaml")
    if not os.path.exists(path):
        return {}, []
    value = read(path)[0].value or {}
    return dict(value.get("groups") or {}), [frozenset(g) for g in value.get("assumed_groups") or ()]


def plain_facts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    out = {}
    for name, entry in value.items():
        text = entry.get("is") if isinstance(entry, Mapping) else entry
        out[str(name)] = str(text) if text is not None else ""
    return out


def add_groups(names: NameTable, extra: Mapping[str, Iterable[str]]) -> None:
    for name, members in extra.items():
        names.groups[name] = tuple(members)
