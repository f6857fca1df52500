"""Keys and values against the field table of the target release: unknown, not yet, no longer, renamed, of a wrong type.

Results are plain; the room of findings gives them their place. The pages of their rules are in ``key_rules``.
"""

from __future__ import annotations

from moelint.lang.functions import equal
from moelint.lang.unknown import UNKNOWN
from moelint.trainer.key_data import other_names, renames
from moelint.trainer.layers import DUMPS, OWN, is_typed
from moelint.trainer.releases import TRAINER_PACKAGE
from moelint.trainer.tables import Spec, all_releases
from moelint.trainer.values import Fault, any_fits, fault
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.read.config import Written
    from moelint.text.document import Setting
    from moelint.trainer.effective import Effective

# model and dataset classes whose fields the tables hold; any other may have more
CLASSES = frozenset(
    (
        "",
        "GPTModelProvider",
        "MLAModelProvider",
        "MambaModelProvider",
        "HybridModelProvider",
        "GPTModelConfig",
        "HybridModelConfig",
        "TransformerConfig",
        "MLATransformerConfig",
        "GPTDatasetConfig",
        "GPTSFTDatasetConfig",
        "FinetuningDatasetConfig",
        "LoRA",
    )
)
FREE = frozenset(("env_vars", "lm", "bridge", "recipe", "cluster"))  # sections without a table


class KeyProblem:
    """``rule``: KEY001 …; ``key``: canonical; ``written``: the setting, or ``setting`` for one that got no canonical
    key.
    ``sets``, ``unset``, ``renames``: one repair, with its ``safety`` and ``why``; all empty if there is none."""

    __slots__ = (
        "certain",
        "effect",
        "key",
        "message",
        "renames",
        "rule",
        "safety",
        "sets",
        "setting",
        "unset",
        "why",
        "written",
    )

    def __init__(
        self, rule: str, effect: str, key: str, written: Written | None, message: str, certain: bool = True
    ) -> None:
        self.rule, self.effect, self.key, self.written, self.message, self.certain = (
            rule,
            effect,
            key,
            written,
            message,
            certain,
        )
        self.setting: Setting | None = None
        self.sets: dict[str, Any] = {}
        self.unset: list[str] = []
        self.renames: dict[str, str] = {}
        self.safety, self.why = "unsafe", ""


def check(effective: Effective) -> list[KeyProblem]:
    """All that is to be said of the keys and values that a file itself writes, in its order."""
    config = effective.config
    if config.dialect not in OWN:
        return _Checker(effective).types() if is_typed(config.dialect) else []
    # What is known to be right is nearly all, and needs no checker.
    fine: Any = () if config.dialect == "megatron-lm-yaml" else effective.layers.fine
    strange = []
    for key, written in config.written.items():
        value = written.value
        kind = value.__class__
        if (key, kind) in fine or (kind is str and (key, kind, value) in fine):
            continue
        if written.origin == "file" and written.setting is not None:
            strange.append((key, written))
    if not strange and not config.unread:
        return []
    checker = _Checker(effective)
    out: list[KeyProblem] = []
    for key, written in strange:
        found = checker.one(key, written)
        if found is not None:
            out.append(found)
            if len(out) > MAX_TOLD:
                break
    said = set()
    for setting in config.unread:
        unread = checker.unread(setting)
        if unread is not None and unread.message not in said:
            said.add(unread.message)
            out.append(unread)
    return out


_HANDED_ON = frozenset(("model", "ddp", "optimizer", "train"))  # sections that frameworks hand to the trainer
MAX_FINE = 10_000
"""Values of one kind of config that are remembered as right."""
MAX_TOLD = 1000
"""Keys of one config that are told."""
MAX_SEARCHED = 100
"""Unknown names of one config for which a near one is looked for."""


class _Checker:
    def __init__(self, effective: Effective) -> None:
        self.effective, self.table = effective, effective.table
        self.layers, self.trainer = effective.layers, effective.config.trainer
        stated = effective.target.values.get(TRAINER_PACKAGE[self.trainer].replace("-", "_").replace("_lm", "_core"))
        self.certain = stated is None or stated.hangs_on is None
        self.searched = 0
        self.heads: dict[str, str | None] = {}
        self.homes: dict[str, list[str]] | None = None
        self.package = TRAINER_PACKAGE[self.trainer]
        self.dump = effective.config.dialect in DUMPS
        self.python = effective.config.dialect == "bridge-python"  # an attribute of a Python object, not an override
        # Core's constructor and the argument parser raise; Bridge logs a line and goes on without the setting
        self.unknown_effect = "ignored" if self.trainer == "bridge" else "refuses"

    @property
    def release(self) -> str:
        return f"{self.package} {self.table.release}"

    def types(self) -> list[KeyProblem]:
        """Texts where the trainer wants a number or null, in a framework's file: whatever else it has is its affair."""
        out = []
        for key, written in self.effective.config.written.items():
            if written.origin != "file" or written.setting is None or written.derived:
                continue
            if not isinstance(written.value, str) or key.partition(".")[0] not in _HANDED_ON:
                continue
            if key.endswith("_freq"):
                continue  # patterns of layers, which frameworks let one write as an expression
            spec = self.table.specs.get(key)
            if spec is not None and "list" in spec[0]:  # a list of one is often written as that one
                kind = next((k for k in ("float", "int") if k in spec[0]), None)
                spec = None if kind is None else (kind, *spec[1:])
            found = None if spec is None else self.value(key, written, spec)
            if found is not None and found.rule == "KEY005":
                out.append(found)
        return out

    def one(self, key: str, written: Written) -> KeyProblem | None:
        if self.trainer == "lm" and self.effective.config.dialect == "megatron-lm-yaml":
            surplus = self.surplus(key, written)
            if surplus is not None:
                return surplus
        table = self.table
        spec = table.specs.get(key)
        if spec is None:
            section, _, name = key.partition(".")
            if not name or section in FREE or name.startswith("_") or "._" in name:
                return None
            spec = table.spec(key, self.layers.variants) or table.spec(key)
            if spec is None:
                return self.stranger(key, section, name, written)
        renamed = None if self.dump else renames().get(key)
        if renamed is not None and renamed.get("to") not in self.layers.written:
            found = self.renamed(key, written, renamed, "KEY004", "deprecated")
            if found is not None:
                return found
        return self.value(key, written, spec, renamed is None)

    def stranger(self, key: str, section: str, name: str, written: Written) -> KeyProblem | None:
        """A key that the target release does not have."""
        bits = self.table.elsewhere.get(key)
        if bits is not None:
            return None if self.dump else self.other_release(key, written, bits)
        head = name.partition(".")[0]
        parent = self.table.spec(f"{section}.{head}")
        if "." in name and (
            parent is None or parent[0] not in ("bool", "int", "float", "str", "list[int]", "list[str]")
        ):
            return None  # a part of a setting that holds a structure
        if section not in self.table.sections:
            return None
        if self._class(section) not in CLASSES or name in other_names(section):
            return None
        problem = KeyProblem(
            "KEY001",
            self.unknown_effect,
            key,
            written,
            f"{written.spelling} is not a setting of {self.release} ({section})",
        )
        home = self._home(section, name)
        if home is not None:
            problem.rule = "KEY009"
            moved = f"{home}.{name}"
            if " " not in home and moved not in self.layers.written and written.value is not UNKNOWN:
                problem.sets, problem.unset = {moved: written.value}, [key]
                problem.why, problem.safety = "the section that has it; the setting then takes effect", "unsafe"
            problem.message = (
                f"{written.spelling} stands under {section}, where {self.release} has no such setting: "
                f"it belongs to {home}"
            )
            return self._said(problem)
        near = self._near(section, name)
        if near is not None:
            problem.message += f": did you mean {near}?"
            problem.renames = {key: f"{section}.{near}"}
            problem.why = "the name nearest to it"
        return self._said(problem)

    def _said(self, problem: KeyProblem) -> KeyProblem:
        problem.message += "" if problem.message.endswith("?") else "."
        if self.unknown_effect == "ignored":
            if self.python:
                problem.message += " The object takes it all the same; only code that asks for this name would see it."
            else:
                problem.message += " It is skipped with a line in the log."
        return problem

    def _class(self, section: str) -> str:
        written = self.layers.written.get(section + "._target_")
        value = written.value if written is not None else ""
        return value.rsplit(".", 1)[-1] if isinstance(value, str) else "?"

    def _home(self, section: str, name: str) -> str | None:
        if self.homes is None:
            self.homes = {}
            for home, names in sorted(self.table.sections.items()):
                for other in names:
                    self.homes.setdefault(other, []).append(home)
        homes = [home for home in self.homes.get(name, ()) if home != section]
        return homes[0] if len(homes) == 1 else " or ".join(homes) if homes else None

    def _near(self, section: str, name: str) -> str | None:
        if self.searched >= MAX_SEARCHED:
            return None
        self.searched += 1
        from moelint.lang.suggest import nearest

        return nearest(name, self.table.sections[section])

    def other_release(self, key: str, written: Written, bits: int) -> KeyProblem | None:
        """A key that only other releases have: not yet, or no longer."""
        releases = all_releases(self.trainer)
        having = [release for n, release in enumerate(releases) if bits >> n & 1]
        here = releases.index(self.table.release)
        renamed = renames().get(key)
        if bits >> (here + 1) and not bits & ((1 << here) - 1):
            problem = KeyProblem(
                "KEY002",
                self.unknown_effect,
                key,
                written,
                f"{written.spelling} came with {self.package} {having[0]}; {self.release} does not know it",
                self.certain,
            )
        else:
            if renamed is not None:
                found = self.renamed(key, written, renamed, "KEY003", self.unknown_effect)
                if found is not None:
                    return found
            older = [release for release in having if releases.index(release) < here]
            last = older[-1] if older else having[-1]
            problem = KeyProblem(
                "KEY003",
                self.unknown_effect,
                key,
                written,
                f"{written.spelling} is gone: {self.package} {last} was the last release with it, {self.release} "
                f"does not know it",
                self.certain,
            )
        return self._said(problem)

    def renamed(self, key: str, written: Written, entry: dict[str, Any], rule: str, effect: str) -> KeyProblem | None:
        """An old spelling, if the target release has the new one; nothing for one that stands at its default."""
        if written.value is UNKNOWN or equal(written.value, self.layers.default(key)) is True or written.value is None:
            return None
        release = self.effective.target.get(entry["package"].replace("-", "_"))
        from moelint.lang.versions import Version

        if not isinstance(release, Version) or release < Version(entry["since"]):
            return None
        problem = KeyProblem(rule, effect, key, written, f"{written.spelling}: {entry['message']}.", self.certain)
        new = entry.get("to")
        if new is None or not self.table.knows(new) or ("when" in entry and written.value != entry["when"]):
            return problem
        if new not in self.layers.written:
            problem.sets, problem.unset = {new: entry.get("value", written.value)}, [key]
            problem.safety, problem.why = "safe", "the new spelling means the same"
            problem.message = f"{written.spelling} is an old spelling of {new}: {entry['message']}."
        return problem

    def value(self, key: str, written: Written, spec: Spec, keep: bool = True) -> KeyProblem | None:
        """A value that the field cannot hold. ``keep``: where it can, this is all that is to be said of the key, in any
        config of this kind."""
        value, fine = written.value, self.layers.fine
        kind = value.__class__
        if value is UNKNOWN or (key, kind) in fine or (kind is str and (key, kind, value) in fine):
            return None
        reader = "core" if self.trainer == "lm" and is_typed(self.effective.config.dialect) else self.trainer
        found: Fault | None = fault(value, spec, self.layers.default(key), reader, key)
        if found is None:
            if keep and len(fine) < MAX_FINE:
                if any_fits(kind, spec):
                    fine.add((key, kind))
                elif kind is str and len(value) < 1000:  # long texts are seldom written twice
                    fine.add((key, kind, value))
            return None
        problem = KeyProblem(found.rule, found.effect, key, written, f"{written.spelling}: {found.message}.")
        if found.instead is not UNKNOWN:
            # what stops the trainer cannot have been meant; a text that counts as true may be relied on
            sure = found.rule == "KEY005" and (found.effect != "ignored" or found.instead is True)
            problem.sets, problem.why = {key: found.instead}, "the value that is meant"
            problem.safety = "safe" if sure else "unsafe"
        return problem

    def surplus(self, key: str, written: Written) -> KeyProblem | None:
        """Words behind a flag that its parser leaves over, and then refuses."""
        from moelint.read import flags

        assert written.setting is not None
        name, raw = str(written.setting.path[-1]), written.setting.value
        entry = flags.entry(name)
        if entry is None or not isinstance(raw, (str, int, float, list)) or isinstance(raw, bool) or raw == "":
            return None
        if written.value is UNKNOWN or "$" in str(raw):  # a variable may be empty, or true
            return None
        if entry[3]:
            said = f"it stands alone and takes no value, and {raw} is left over"
        elif entry[2] == "one" and isinstance(raw, str) and raw[:1] == "[" and raw[-1:] == "]" and " " in raw[1:-1].strip():
            if "list" in entry[1]:  # an expression
                return None
            said = f"it takes one value, and {raw} is several words"
        else:
            return None
        return KeyProblem("KEY005", "refuses", key, written, f"{written.spelling}: {said}.")

    def unread(self, setting: Setting) -> KeyProblem | None:
        """A setting that the dialect has no key for: a flag that no release has, or a misspelt section."""
        name = str(setting.path[-1])
        if self.trainer == "lm":
            return self._flag(name, setting)
        head = str(setting.path[0]) if setting.path else ""
        if head not in self.heads:
            self.heads[head] = self._section_like(head)
        near = self.heads[head]
        if near is None:
            return None
        problem = KeyProblem(
            "KEY001",
            "ignored",
            ".".join(str(p) for p in setting.path),
            None,
            f"{head} is not a section of the configuration: did you mean {near}?",
        )
        problem.setting = setting
        return problem

    def _section_like(self, head: str) -> str | None:
        """The section that a name may be meant for."""
        if len(head) <= 3 or self.searched >= MAX_SEARCHED:
            return None
        self.searched += 1
        from moelint.lang.suggest import distance

        likely = (s for s in sorted(self.table.sections) if s != head)
        return next((s for s in likely if distance(head, s, 2) <= (1 if len(s) < 6 else 2)), None)

    def _flag(self, name: str, setting: Setting) -> KeyProblem | None:
        if not name.startswith("--") or self.searched >= MAX_SEARCHED:
            return None
        self.searched += 1
        from moelint.lang.suggest import nearest
        from moelint.read import flags

        plain = {flag.lstrip("-").replace("-", "_"): flag for flag in flags.names()}
        near = plain.get(nearest(name.lstrip("-"), plain) or "")
        problem = KeyProblem(
            "KEY001",
            "refuses",
            name,
            None,
            f"no release of Megatron-LM has the argument {name}" + (f": did you mean {near}?" if near else "."),
        )
        problem.setting = setting
        return problem
