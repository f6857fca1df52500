"""Which commands of a script start a training, in which dialect, and which of their words are its arguments."""

from __future__ import annotations

import re
from itertools import pairwise

from moelint.read import flags
from moelint.text.shell.pieces import Word

_SECTIONS = (
    "model|train|validation|optimizer|ddp|scheduler|dataset|logger|tokenizer|checkpoint|dist|rng|rerun_state_machine"
    "|mixed_precision|comm_overlap|profiling|peft|env_vars|ft"
)
_BRIDGE_WORD = re.compile(rf"\+{{0,2}}({_SECTIONS})(\.\w+)+=")
_REST = re.compile(r"--?[A-Za-z]|\+{0,2}[a-z_]\w*(\.[A-Za-z_]\w*)+=")
HYDRA_WORD = re.compile(r"(\+{1,2}|~)?[A-Za-z_][\w./@-]*=")
_BRIDGE_PROGRAMS = {"run_recipe.py", "run_script.py", "setup_experiment.py", "launch_with_nemo_run.py"}
_PERF_PROGRAMS = {"run_script.py", "setup_experiment.py"}
_SLIME = re.compile(
    r"--(rollout-(batch-size|num-gpus|num-engines|max-response-len|function-path)|actor-num-(nodes|gpus-per-node)"
    r"|megatron-to-hf-mode|num-rollout|n-samples-per-prompt|max-tokens-per-gpu|use-rollout-routing-replay|train-backend)\Z"
)
_TELLING = re.compile(
    r"--(tensor|pipeline|context|expert)-(model-|tensor-)?parallel-size\Z|--(num-layers|hidden-size|num-attention-heads"
    r"|micro-batch-size|global-batch-size|seq-length|num-experts|train-iters|moe-[a-z0-9-]+|max-position-embeddings"
    r"|use-distributed-optimizer|sequence-parallel|recompute-granularity|overlap-moe-expert-parallel-comm|bf16|fp16)\Z"
)
_OWN = re.compile(r"(pretrain_(gpt|mamba|hybrid|bert|t5|vlm|ict|retro|vision\w*)|train_rl|pretrain)\.py\Z")
_NOT_TRAINING = re.compile(
    r"text_generation|inference|convert|checkpoint|preprocess|evaluate|generate|quantize|export|server|mmlu|prune|merge"
    r"|tokeniz|benchmark_|validate|combine|annotat|feature_extract|roundtrip|compare|(^|/)tasks/|tools/"
)
_LAUNCH_MODULES = {
    "torch.distributed.run",
    "torch.distributed.launch",
    "torch.distributed.launcher",
    "accelerate.commands.launch",
    "deepspeed",
}
_ENOUGH = 3  # telling flags that make a command of an unknown program one of Megatron-LM


class Launch:
    """``dialect``; ``name`` of the program; ``launcher``: the words before it; ``arguments``: those behind it; ``own``:
    it is one of Megatron-LM's programs, whose parser stops at an unknown flag; ``perf``: one of Bridge's benchmarks."""

    __slots__ = ("arguments", "dialect", "launcher", "name", "own", "perf")

    def __init__(self, dialect: str, name: str, launcher: list[Word], arguments: list[Word]) -> None:
        self.dialect, self.name, self.launcher, self.arguments = dialect, name, launcher, arguments
        self.own = dialect == "megatron-lm-shell" and _OWN.search(name) is not None
        self.perf = name in _PERF_PROGRAMS


def launch(words: list[Word]) -> Launch | str | None:
    """The training that a command starts; a text says why one that looks like it is passed over; None: it is no such
    thing at all."""
    texts = [word.certain_text for word in words]
    if texts and texts[0] is not None and _REST.match(texts[0]):
        return None  # the rest of a command that ended before its author meant it to
    at = _program(texts)
    name = ""
    if at is not None:
        text = texts[at] or ""
        name = text.rpartition("/")[2]
        if name == "megatron":
            verb = texts[at + 1] if at + 1 < len(texts) else None
            if verb in ("sft", "pt", "rlhf"):
                return _swift(words, texts, at + 2, f"megatron {verb}")
            return None
        if "_megatron/" in text and name in ("sft.py", "pt.py", "rlhf.py"):
            return _swift(words, texts, at + 1, name)
    start = 0 if at is None else at + 1
    arguments = texts[start:]
    heads = {text.partition("=")[0] for text in (_head(word) for word in words[start:]) if text}
    if any(head.lstrip("+~").startswith("actor_rollout_ref.") or head.startswith("engine=") for head in heads) or (
        name.startswith("verl.trainer")
    ):
        return _verl(words, texts, start, name or "verl", heads)
    bridge = sum(1 for word in words[start:] if _BRIDGE_WORD.match(_head(word) or ""))
    if name in _BRIDGE_PROGRAMS or (bridge >= 2 and "--tensor-model-parallel-size" not in heads):
        if name not in _BRIDGE_PROGRAMS and _NOT_TRAINING.search(texts[at] or "" if at is not None else ""):
            return "no training"
        return Launch("bridge-shell", name or "bridge", words[:start], words[start:])
    if any(_SLIME.match(head) for head in heads) and not _NOT_TRAINING.search(name):
        return Launch("slime", name or "train.py", words[:start], words[start:])
    telling = sum(1 for head in heads if is_telling(head))
    own = _OWN.search(name) is not None
    if not own and telling < _ENOUGH:
        return None
    if not own and at is not None and _NOT_TRAINING.search(texts[at] or ""):
        return "no training"
    if own and not telling and not any(text is None for text in arguments):
        return None
    return Launch("megatron-lm-shell", name or _first(texts), words[:start], words[start:])


def is_telling(flag: str) -> bool:
    """Whether a word is a flag that only Megatron-LM's parser has."""
    return _TELLING.match(flag) is not None and flags.entry(flag) is not None


def _head(word: Word) -> str | None:
    """What is known of a word's beginning: ``model.seq_length=`` of ``model.seq_length=$SEQ``."""
    first = word.pieces[0].text if word.pieces else None
    return first if first is not None else None


def _program(texts: list[str | None]) -> int | None:
    """Where the program's name stands: a Python file, or the module behind ``-m``, which is not a launcher."""
    for at, text in enumerate(texts):
        if text is None:
            continue
        name = text.rpartition("/")[2]
        if name == "megatron" and at + 1 < len(texts) and texts[at + 1] in ("sft", "pt", "rlhf", "export"):
            return at
        if text.endswith(".py") and not text.startswith("-") and "=" not in text:
            return at
        if at and texts[at - 1] in ("-m", "--module") and text not in _LAUNCH_MODULES and "." in text:
            return at
    return None


def _first(texts: list[str | None]) -> str:
    for text in texts:
        if text and not text.startswith("-"):
            return text.rpartition("/")[2]
    return "command"


def _swift(words: list[Word], texts: list[str | None], start: int, name: str) -> Launch | None:
    if start < len(texts) and (texts[start] or "").endswith((".yaml", ".yml", ".json")):
        return None  # its settings are in that file
    return Launch("swift-shell", name, words[:start], words[start:])


def _verl(words: list[Word], texts: list[str | None], start: int, name: str, heads: set[str]) -> Launch | str:
    known = [text for text in texts if text]
    megatron = (
        any(".megatron." in head or head.endswith(".megatron") for head in heads)
        or any("megatron" in text and ("strategy=" in text or "config" in text or "engine=" in text) for text in known)
        or "megatron" in {text for flag, text in pairwise(known) if "config-name" in flag}
    )
    if not megatron:
        return "verl without Megatron"
    return Launch("verl-shell", name, words[:start], words[start:])
