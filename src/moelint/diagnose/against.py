"""The config that a log printed, held against the one that was meant (``--for``)."""

from __future__ import annotations

from moelint.diagnose.dump import Logged
from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN
from moelint.typed import Any

# Keys whose story a run is about: said also where all is as asked.
FEATURES = (
    "overlap_moe_expert_parallel_comm",
    "delay_wgrad_compute",
    "moe_token_dispatcher_type",
    "moe_flex_dispatcher_backend",
    "cuda_graph_impl",
    "recompute_granularity",
    "tp_comm_overlap",
    "fp8_recipe",
    "expert_model_parallel_size",
)
_SECTIONS = ("model.", "comm_overlap.", "ddp.", "optimizer.", "train.", "mixed_precision.", "rng.", "dist.")
# Sections that are copied over others before a run: where their keys are printed.
_PUSHED = {"comm_overlap.": ("model.", "ddp."), "mixed_precision.": ("model.", "ddp.", "optimizer.")}


class Difference:
    """``asked`` is what the file says at ``line``, ``logged`` what the log says at ``log_line``; ``rules`` are the
    rewrites that explain it; ``named``: a backend that is named and, with another dispatcher, never used."""

    __slots__ = ("asked", "key", "line", "log_line", "logged", "path", "rules", "why")

    def __init__(self, key: str, asked: Any, logged: Any, log_line: int) -> None:
        self.key, self.asked, self.logged, self.log_line = key, asked, logged, log_line
        self.path, self.line = "", 0
        self.rules: list[str] = []
        self.why = ""


def compare(effective: Any, logged: Logged) -> tuple[list[Difference], list[str]]:
    """(what is not as asked, features that are as asked)."""
    given, scope, entry = effective.scope("given"), effective.scope(), effective.scope("bridge-entry")
    overrides = {override.key: override for override in effective.overrides()}
    out: list[Difference] = []
    same: list[str] = []
    for key, written in effective.config.written.items():
        if written.origin not in ("file", "inherited", "base") or not key.startswith(_SECTIONS):
            continue
        asked = given.get(key)
        if asked is UNKNOWN:
            continue
        found = _logged(key, logged, effective)
        if found is None:
            continue
        value, number = found
        leaf = key.rpartition(".")[2]
        if same_value(asked, value) or (asked is None and value is not None):
            if leaf in FEATURES and asked is not None:
                same.append(key)
            continue
        difference = Difference(key, asked, value, number)
        if written.setting is not None and written.document is not None:
            source = written.document.source
            difference.path, difference.line = source.path, source.position(written.setting.key_start)[0]
        override = overrides.get(key)
        if override is not None and same_value(override.after, value):
            difference.rules, difference.why = [override.rewrite.id], _reason(override.rewrite.message, scope)
        elif same_value(scope.get(key), value) or same_value(entry.get(key), value):
            difference.why = "the trainer rewrites it"
        out.append(difference)
    return out, same


def _reason(message: str, scope: Any) -> str:
    from moelint.findings.overrides import reason

    return reason(message, scope)


def _logged(key: str, logged: Logged, effective: Any) -> tuple[Any, int] | None:
    """The value that the log has for a key, there or where its section is copied to."""
    section, _, leaf = key.partition(".")
    for name in (key, *(f"{other}{leaf}" for other in _PUSHED.get(f"{section}.", ()))):
        if name in logged.values:
            return logged.values[name]
        target = name.partition(".")[0]
        if target in logged.whole:
            default = effective.scope().default(name)
            if default is not UNKNOWN:
                return default, logged.line
    return None


def same_value(asked: Any, logged: Any) -> bool:
    """Whether two values are one: enum and dtype spellings, lists of one, numbers as text."""
    if equal(asked, logged) is True:
        return True
    return bool(_plain(asked) == _plain(logged))


_DTYPES = {"torch.bfloat16": "bf16", "torch.float16": "fp16", "torch.float32": "fp32", "bfloat16": "bf16"}


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value] if len(value) != 1 else _plain(value[0])
    if isinstance(value, str):
        text = value.rpartition(".")[2] if value.startswith(("torch.nn.", "AttnBackend.", "CudaGraph")) else value
        text = _DTYPES.get(text, text)
        try:
            return float(text)
        except ValueError:
            return text.lower()
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, (int, float)) else value
