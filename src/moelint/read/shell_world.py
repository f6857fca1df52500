"""How many GPUs a script asks for: launcher options, the header of a batch job, the framework's own flags."""

from __future__ import annotations

import re

from moelint.read.config import Config
from moelint.read.shell_arguments import is_flag, split
from moelint.read.shell_launch import Launch
from moelint.text.shell.commands import Command
from moelint.text.shell.pieces import Word
from moelint.text.source import Source

_LINE = re.compile(r"#SBATCH\s+(.*)")
_GRES = re.compile(r"gpu(?::[\w.-]+)?:(\d+)\Z")


class Header:
    """``nodes``, ``each`` (GPUs a node), ``tasks`` (a node) of a batch job, None where not said; ``variables`` that
    Slurm sets from them; ``span``: the first of its lines."""

    __slots__ = ("each", "nodes", "span", "tasks", "variables")

    def __init__(self) -> None:
        self.nodes: int | None = None
        self.each: int | None = None
        self.tasks: int | None = None
        self.variables: dict[str, str] = {}
        self.span = (0, 0)


def header(source: Source, comments: list[tuple[int, int]]) -> Header:
    """What the ``#SBATCH`` lines say."""
    out = Header()
    for start, end in comments:
        found = _LINE.match(source.text[start:end])
        if found is None:
            continue
        out.span = (start, end) if out.span == (0, 0) else out.span
        words = found[1].split("#")[0].split()
        for at, word in enumerate(words):
            name, equals, value = word.partition("=")
            if not equals and at + 1 < len(words):
                value = words[at + 1]
            if not equals and name[:2] == "-N" and len(name) > 2:
                name, value = "-N", name[2:]
            _option(out, name, value)
    if out.nodes:
        out.variables["SLURM_NNODES"] = out.variables["SLURM_JOB_NUM_NODES"] = str(out.nodes)
    if out.each:
        out.variables["SLURM_GPUS_PER_NODE"] = out.variables["SLURM_GPUS_ON_NODE"] = str(out.each)
    if out.tasks:
        out.variables["SLURM_NTASKS_PER_NODE"] = str(out.tasks)
        if out.nodes:
            out.variables["SLURM_NTASKS"] = str(out.nodes * out.tasks)
    return out


def _option(out: Header, name: str, value: str) -> None:
    gpus = _GRES.match(value) if name in ("--gres", "--gpus-per-node") else None
    number = int(gpus[1]) if gpus else int(value) if value.isdigit() and len(value) < 7 else None
    if number is None:
        return
    if name in ("--nodes", "-N"):
        out.nodes = number
    elif name in ("--gpus-per-node", "--gres"):
        out.each = number
    elif name in ("--ntasks-per-node",):
        out.tasks = number


def world(config: Config, found: Launch, command: Command, said: Header) -> None:
    """States the GPUs of a command, as far as they are certain: a default of a variable is none."""
    options = _options(found.launcher)
    each = _first(options, ("nproc_per_node", "nproc-per-node", "gpus_per_node", "num_gpus_per_node", "num_gpus"))
    nodes = _first(options, ("nnodes", "num_nodes"))
    torchrun = any(name in options for name in ("nproc_per_node", "nproc-per-node"))
    if torchrun:
        if not ("nnodes" in options or "num_nodes" in options):
            nodes = said.nodes or 1
    else:
        environment = command.environment
        each = each or _number(environment.get("NPROC_PER_NODE")) or said.each
        nodes = nodes or _number(environment.get("NNODES")) or said.nodes
        if found.dialect == "swift-shell" and each and nodes is None and "NNODES" not in environment:
            nodes = 1
    if found.dialect == "slime":
        flags = _options(found.arguments)
        each, nodes = _first(flags, ("actor-num-gpus-per-node",)), _first(flags, ("actor-num-nodes",))
    if found.dialect == "verl-shell":
        return  # ``trainer`` says it
    if each:
        config.stated.setdefault("gpus-per-node", (each, "config"))
        if nodes:
            config.stated.setdefault("gpus", (each * nodes, "config"))


def _options(words: list[Word]) -> dict[str, Word | None]:
    out: dict[str, Word | None] = {}
    for at, word in enumerate(words):
        pair = split(word)
        if pair is not None and pair[0].startswith("-"):
            out[pair[0].lstrip("-")] = pair[1]
            continue
        text = word.certain_text
        if text is not None and is_flag(text):
            out[text.lstrip("-")] = words[at + 1] if at + 1 < len(words) and not word.maybe else None
    return out


def _first(options: dict[str, Word | None], names: tuple[str, ...]) -> int | None:
    return next((number for name in names if (number := _number(options.get(name)))), None)


def _number(word: Word | None) -> int | None:
    if word is None or word.assumed is not None:
        return None
    text = word.text
    return int(text) if text is not None and text.isdigit() and 0 < len(text) < 7 and int(text) > 0 else None
