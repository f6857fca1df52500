"""The layers under the rewrites: what is written, what the framework fills in, what the trainer's own default is."""

from __future__ import annotations

from moelint.lang.names import FRAMEWORKS
from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.trainer.key_data import renames
from moelint.trainer.spelling import normal
from moelint.trainer.tables import Table
from moelint.trainer.target import Target
from moelint.typed import Any

# dialects in which an absent key has the trainer's own default; other frameworks fill in their own
OWN = frozenset(
    (
        "bridge",
        "bridge-resolved",
        "bridge-python",
        "bridge-shell",
        "megatron-core",
        "megatron-lm-yaml",
        "megatron-lm-shell",
    )
)
# dumps of the trainer itself: their defaults, old spellings and release are not the author's doing
DUMPS = frozenset(("bridge-resolved",))
# sections of ConfigContainer that are None unless a config states them
OPTIONAL = frozenset(
    (
        "comm_overlap",
        "mixed_precision",
        "ft",
        "straggler",
        "nvrx_straggler",
        "peft",
        "tensor_inspect",
        "inprocess_restart",
    )
)
ONLY_BRIDGE = frozenset(("comm_overlap", "mixed_precision", "peft", "bridge"))
MLA_CLASSES = ("MLAModelProvider", "MLATransformerConfig", "DeepSeek", "Kimi")

VALUE, ASSUMED, ABSENT = 0, 1, 2  # how sure a layer is of what it gives

MOST_KINDS = 256
"""Kinds of configs of which something is remembered: a project has a few."""
_fine: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}  # written keys and values that have been found right
_shared: dict[tuple[Any, ...], dict[str, tuple[Any, int]]] = {}


class Layers:
    """``get(key)`` gives (value, state): VALUE (certain), ASSUMED (a default that may not be what runs), ABSENT
    (unknown)."""

    __slots__ = (
        "config",
        "default_state",
        "fine",
        "framework",
        "kind",
        "named",
        "recipe",
        "sections",
        "shared",
        "table",
        "target",
        "together",
        "variants",
        "written",
    )

    def __init__(self, config: Config, target: Target, table: Table) -> None:
        self.config, self.target, self.table = config, target, table
        self.written = config.written
        self.sections = {key.partition(".")[0] for key in config.written}
        fragment = config.completeness == "fragment" or bool(config.loose_ends)
        self.default_state = ABSENT if fragment else VALUE if config.completeness == "complete" else ASSUMED
        self.framework: dict[str, Any] | None = None if config.dialect in OWN else framework_defaults(config.dialect)
        self.variants = self._variants()
        self.named = False  # mixed_precision names a recipe
        self.together = frozenset[str]()  # keys that follow written ones
        self.recipe = self._mixed_precision()
        # What is not written hangs on nothing but these: files of one kind share it.
        kind = (
            table.trainer, table.release, self.variants, self.default_state, config.dialect, config.complete_env,
            bool(config.loose_ends), config.switches, frozenset(self.sections) if table.trainer == "core" else None,
        )  # fmt: skip
        if kind not in _shared and len(_shared) >= MOST_KINDS:
            _shared.clear()
            _fine.clear()
        self.kind, self.shared, self.fine = kind, _shared.setdefault(kind, {}), _fine.setdefault(kind, set())

    def get(self, key: str) -> tuple[Any, int]:
        """The value below all rewrites. An expression default comes as ('expr', tree) with its state: see View."""
        written = self.written.get(key)
        if written is not None:
            value = normal(written.value, self.table.spec(key, self.variants))
            return value, VALUE if written.assumed is None or value is UNKNOWN else ASSUMED
        found = self.shared.get(key)
        if found is None:
            found = self._unwritten(key)
            if "." in key and not key.startswith("mixed_precision."):
                self.shared[key] = found
        return found

    def _unwritten(self, key: str) -> tuple[Any, int]:
        section, dot, _ = key.partition(".")
        if not dot:
            return self._section(key)
        if section in FRAMEWORKS:
            return self._framework_key(key, section)
        if section == "recipe":
            return None, VALUE  # what is known of an official recipe is written
        if self.default_state == ABSENT:
            if section == "mixed_precision" and self.recipe is not None and (self.named or key in self.together):
                return self.recipe.get(key, UNKNOWN), VALUE
            if self.nowhere(key):
                return None, VALUE
            return UNKNOWN, ABSENT
        if section == "env_vars":
            return (None, VALUE) if self.config.complete_env else (UNKNOWN, ABSENT)
        if section == "mixed_precision" and self.recipe is not None and key in self.recipe:
            return self.recipe[key], VALUE if self.named or key in self.together else self.default_state
        if section == "mixed_precision" and self.recipe is None and "mixed_precision" in self.written:
            return UNKNOWN, ABSENT  # a recipe of a release or a team that we do not know
        if self.framework is not None:
            if key in self.framework:
                return self.framework[key], ASSUMED
            if not passes_on(self.config.dialect):
                return UNKNOWN, ABSENT
        value = self.default(key)
        if (
            self.default_state == ASSUMED
            and (value is None or value is False)
            and (self.config.switches or self.nowhere(key) or key in renames())
        ):
            return value, VALUE  # not there at all, or an old spelling: what is not written so is not set so
        return value, ABSENT if value is UNKNOWN else self.default_state

    def _framework_key(self, key: str, section: str) -> tuple[Any, int]:
        """What is not written of a framework's own settings: nothing where another framework runs, else the default
        that its table lists, even if the file leaves the model open."""
        if not _speaks(self.config.dialect, section):
            return None, VALUE
        if self.framework is None or key not in self.framework or self.config.loose_ends:
            return UNKNOWN, ABSENT
        return self.framework[key], VALUE if self.default_state == VALUE else ASSUMED

    def default(self, key: str) -> Any:
        """The trainer's own default in the target release: UNKNOWN if its source does not tell, None for what this
        release or this trainer does not have at all, a tuple ('expr', tree) for one that hangs on the target."""
        table = self.table
        section = key.partition(".")[0]
        if table.trainer == "core" and section not in ("model", *ONLY_BRIDGE, "lm") and section not in self.sections:
            return UNKNOWN  # a plain TransformerConfig says nothing of the optimizer
        for name in self.variants:
            other = table.variants.get(name)
            if other is not None and key in other:
                found = other[key]
                if found is None:
                    return None
                kind, value, _ = found
                return value if kind == "value" else UNKNOWN if kind == "unknown" else ("expr", value)
        value = table.defaults.get(key, table)
        if value is not table:
            return value
        tree = table.exprs.get(key)
        if tree is not None:
            return ("expr", tree)
        if key in table.elsewhere:
            return None
        if (section in ONLY_BRIDGE and table.trainer != "bridge") or (section == "lm" and table.trainer != "lm"):
            return None
        if table.trainer == "core" and section != "model":
            return UNKNOWN
        return None  # only another class of model or dataset has such a field

    def nowhere(self, key: str) -> bool:
        """Whether no release of the trainer has the key: it is not there, whatever else an incomplete file leaves
        open."""
        section = key.partition(".")[0]
        if section in ("env_vars", "target", "hw", "walls") or (self.table.trainer == "core" and section != "model"):
            return False
        return key not in self.table.elsewhere and not self.table.knows(key)

    def _section(self, name: str) -> tuple[Any, int]:
        """A whole section: 'set' when anything of it is written, None when it is absent, its name for
        mixed_precision."""
        if name in self.sections:
            return "set", VALUE
        if name in ONLY_BRIDGE and self.table.trainer != "bridge":
            return None, VALUE
        if self.default_state == ABSENT:
            return (None, ASSUMED) if name in OPTIONAL and not self.config.loose_ends else (UNKNOWN, ABSENT)
        if name in OPTIONAL:
            return None, self.default_state
        return "set", self.default_state

    def _variants(self) -> tuple[str, ...]:
        """Which model class and dataset class hold the defaults."""
        out: list[str] = []
        target = _class_of(self.written.get("model._target_"))
        mla = self.written.get("model.multi_latent_attention")
        if target.startswith("Mamba"):
            out.append("mamba")
        if target.startswith(("Hybrid", "Mamba", "NemotronH")):
            out.append("hybrid")
        elif (mla is not None and mla.value is True) or any(c in target for c in MLA_CLASSES):
            out.append("mla")
        dataset = _class_of(self.written.get("dataset._target_"))
        if "Finetuning" in dataset or "SFT" in dataset:
            out.append("sft")
        return tuple(out)

    def _mixed_precision(self) -> dict[str, Any] | None:
        if self.table.trainer != "bridge" or "mixed_precision" not in self.sections:
            return None
        from moelint.trainer.precision import fields, together

        self.together = together({k for k in self.written if k.startswith("mixed_precision.")})
        named = self.written.get("mixed_precision") or self.written.get("mixed_precision._recipe")
        value = named.value if named is not None else None
        self.named = named is not None
        if named is not None and not isinstance(value, str):
            return None
        return fields(value, {k: w.value for k, w in self.written.items() if k.startswith("mixed_precision.")})


def _speaks(dialect: str, framework: str) -> bool:
    """Whether a dialect is one of a framework's: ``nemo-rl`` of nemo_rl, ``verl-shell`` of verl."""
    return dialect.replace("-", "_").startswith(framework)


def _class_of(written: Any) -> str:
    """The last name of a ``_target_``."""
    value = written.value if written is not None else None
    return value.rsplit(".", 1)[-1] if isinstance(value, str) else ""


def passes_on(dialect: str) -> bool:
    """Whether a framework leaves what a file does not set to the trainer's own parser."""
    from moelint.read.tables import tables

    found = tables().get(dialect)
    return found is not None and found["absent"] == "trainer"


def is_typed(dialect: str) -> bool:
    """Whether a framework hands values on as YAML reads them: no parser turns text into numbers."""
    from moelint.read.tables import tables

    found = tables().get(dialect)
    return found is not None and bool(found["typed"])


def framework_defaults(dialect: str) -> dict[str, Any]:
    """What a framework on top of the trainer fills in, by dialect; empty where nothing is known of it."""
    from moelint.read.tables import tables

    found = tables().get(dialect)
    return dict(found.get("defaults") or {}) if found else {}
