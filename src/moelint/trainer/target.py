"""What a config is judged for: releases, GPU, counts. Each value knows where it was stated, and whether it is only
assumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version
from moelint.trainer.releases import MAIN, PINNED_CORE, RELEASES, TRAINER_PACKAGE, nearest, version
from moelint.typed import Any

# where a value may come from, first wins
SOURCES = ("cli", "directive", "configuration", "config", "checkout")
COUNTS = frozenset(("gpus", "gpus_per_node", "nvlink_domain"))
SIZES = frozenset(("hbm_gb", "host_gb"))
WORDS = frozenset(("gpu", "container"))
ASSUMED = {
    "deep_ep": "installed",
    "hybrid_ep": "installed",
    "nccl_ep": None,
    "apex": None,
    "deep_gemm": None,
    "transformer_engine": "installed",
    "torch": "installed",  # some release: a gate on its version stays unknown
}
# libraries that a complete directive, which states the whole environment, leaves out for want of them
OPTIONAL = frozenset(("nccl_ep", "apex", "deep_gemm"))
# not a target: they stand among a directive's words but say something of the file
NOT_TARGETS = frozenset(("base", "complete", "dialect"))


class TargetError(ValueError):
    """A target value that means nothing, with a message for the user."""


class Value:
    """``value``: a Version, a number, a name, 'installed', or None (not installed, no GPU). ``origin``: one of SOURCES,
    'implied' (by another value) or 'assumed'. ``hangs_on``: the target name of the assumption, None if it is stated."""

    __slots__ = ("hangs_on", "note", "origin", "value")

    def __init__(self, value: Any, origin: str, hangs_on: str | None = None, note: str = "") -> None:
        self.value, self.origin, self.hangs_on, self.note = value, origin, hangs_on, note

    def shown(self) -> Any:
        return str(self.value) if isinstance(self.value, Version) else self.value


class Target:
    """``release``: the release whose field table judges. ``contradictions``: (name, value and origin that won, that
    lost)
    where two sources state different things. ``notes``: what was replaced or taken as something near. Configs of which
    the same is stated share one target: it does not change any more."""

    __slots__ = ("_shown", "contradictions", "notes", "release", "trainer", "values")

    def __init__(self, trainer: str) -> None:
        self.trainer = trainer
        self.release = "main"
        self.values: dict[str, Value] = {}
        self.contradictions: list[tuple[str, Value, Value]] = []
        self.notes: list[str] = []
        self._shown: dict[str, dict[str, Any]] | None = None

    def get(self, name: str) -> Any:
        """The value of a name such as ``transformer_engine``; UNKNOWN if nobody states it."""
        found = self.values.get(name)
        return UNKNOWN if found is None else found.value

    def release_stated(self) -> bool:
        """Whether somebody states the trainer's release: else the newest is assumed, and an older one may be meant."""
        found = self.values.get("megatron_bridge" if self.trainer == "bridge" else "megatron_core")
        return found is not None and found.origin != "assumed"

    def stated(self) -> dict[str, dict[str, Any]]:
        """As the JSON report shows it; one dict for all who ask."""
        if self._shown is None:
            self._shown = {
                name.replace("_", "-"): {"value": v.shown(), "from": v.origin}
                for name, v in sorted(self.values.items())
                if name not in ASSUMED or v.origin != "assumed"
            }
        return self._shown


def convert(name: str, raw: Any) -> Any:
    """The typed value of a target name (underscores). Raises TargetError with a message."""
    text = str(raw).strip()
    if raw is None or text.lower() in ("none", "null", "~", ""):
        return None
    if name in COUNTS:
        if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 1_000_000:
            raise TargetError(f"{name.replace('_', '-')} must be a whole number of at least 1, not {text!r}")
        return int(text)
    if name in SIZES:
        try:
            size = float(text)
        except ValueError:
            raise TargetError(f"{name.replace('_', '-')} must be a number of GB, not {text!r}") from None
        return size if size > 0 else None
    if name in WORDS:
        return text
    if text.lower() in ("installed", "true", "yes"):
        return "installed"
    if text.lower() in ("false", "no"):
        return None
    found = version(name.replace("_", "-"), text.removeprefix("v"))
    if found is None:
        raise TargetError(f"{text!r} is not a version of {name.replace('_', '-')} (a version, none or installed)")
    return found


_MOST = 1000  # targets that are remembered, and what checkouts say for one of them
_known: dict[tuple[Any, ...], Target | dict[Any, Target]] = {}  # a dict: by what the checkout says


def resolve(
    config: Any,
    cli: Mapping[str, Any] | None = None,
    configuration: Mapping[str, Any] | None = None,
    checkout: Callable[[], Mapping[str, Any]] | None = None,
) -> Target:
    """The target of a config: command line, directive, configuration by path, what the config states, the checkout, and
    the newest known releases at last. ``checkout`` is called only if a package is left open. Raises TargetError for a
    value of the command line or the configuration that means nothing; a bad directive is left to the room that reads
    it. Thousands of files state the same few things: what they come to is remembered."""
    at = (config.trainer, config.complete_env, _typed(config.stated), _typed(cli), _typed(configuration), checkout is None)
    try:
        found = _known.get(at)
    except TypeError:  # a value that no dict takes for a key
        return _resolve(config, cli, configuration, checkout)
    if isinstance(found, Target):
        return found
    says: list[Mapping[str, Any]] = []

    def ask() -> Mapping[str, Any]:
        if not says and checkout is not None:
            says.append(checkout())
        return says[0]

    if found is None:
        target = _resolve(config, cli, configuration, None if checkout is None else ask)
        if len(_known) >= _MOST:
            _known.clear()
        _known[at] = {_typed(says[0]): target} if says else target
        return target
    inside = _typed(ask())
    known = found.get(inside)
    if known is None:
        if len(found) >= _MOST:
            found.clear()
        known = found[inside] = _resolve(config, cli, configuration, ask)
    return known


def _typed(stated: Mapping[str, Any] | None) -> tuple[Any, ...]:
    """What is stated, told apart by type too: ``1`` is not ``true``. A value may be a pair (value, where)."""
    if not stated:
        return ()
    return tuple((k, v, v[0].__class__ if v.__class__ is tuple and v else v.__class__) for k, v in stated.items())


def _resolve(
    config: Any,
    cli: Mapping[str, Any] | None,
    configuration: Mapping[str, Any] | None,
    checkout: Callable[[], Mapping[str, Any]] | None,
) -> Target:
    target = Target(config.trainer)
    stated: Mapping[str, tuple[Any, str]] = config.stated or {}
    by_source: dict[str, Mapping[str, Any]] = {
        "cli": cli or {},
        "directive": {k: v for k, (v, where) in stated.items() if where == "directive"},
        "configuration": configuration or {},
        "config": {k: v for k, (v, where) in stated.items() if where not in ("directive", "assumed")},
    }
    for source in SOURCES:
        if source == "checkout":
            if checkout is None or not _open(target):
                continue
            by_source[source] = checkout()
        for key, raw in by_source[source].items():
            name = str(key).replace("-", "_")
            if name not in NOT_TARGETS:
                _state(target, name, raw, source)
        _container(target)
    for name, (text, where) in stated.items():  # the release of a framework that can be meant
        if where == "assumed" and name not in target.values:
            target.values[name] = Value(convert(name, text), "assumed", "target." + name)
    _trainers(target)
    whole = config.complete_env
    for name, value in ASSUMED.items():
        if name not in target.values:
            sure = whole and name in OPTIONAL
            target.values[name] = Value(value, "assumed", None if sure else "target." + name)
    return target


def _open(target: Target) -> bool:
    """Whether a version is left open that a checkout may tell."""
    trainer = "megatron_bridge" if target.trainer == "bridge" else "megatron_core"
    return any(name not in target.values for name in (trainer, "transformer_engine", "torch"))


def _state(target: Target, name: str, raw: Any, source: str) -> None:
    try:
        value = convert(name, raw)
    except TargetError:
        if source in ("cli", "configuration"):
            raise
        return
    new = Value(value, source, "target." + name if source == "checkout" else None)
    old = target.values.get(name)
    if old is None:
        target.values[name] = new
    elif old.value != value and source in ("directive", "config") and old.origin != "cli":
        target.contradictions.append((name, old, new))


def _container(target: Target) -> None:
    """A known container states the versions of what it holds."""
    found = target.values.get("container")
    if found is None or not isinstance(found.value, str):
        return
    from moelint.trainer.containers import holds

    for name, text in holds(found.value).items():
        inside = Value(convert(name, text), "implied", found.hangs_on, f"container {found.value}")
        stated = target.values.setdefault(name, inside)
        if stated.origin in ("directive", "configuration", "config") and found.hangs_on is None:
            _differ(target, name, stated, inside)


def _differ(target: Target, name: str, stated: Value, implied: Value) -> None:
    """A stated version beside one that another stated value implies: a contradiction unless they are patches of one
    release."""
    if isinstance(stated.value, Version) and isinstance(implied.value, Version):
        one, other = stated.value.key[1], implied.value.key[1]
        if (*one, 0)[:2] != (*other, 0)[:2] and all(known[0] != name for known in target.contradictions):
            target.contradictions.append((name, stated, implied))


def _trainers(target: Target) -> None:
    """Core and Bridge: Bridge implies the Core that it ships with; what nobody states is the newest release."""
    values = target.values
    core, bridge = values.get("megatron_core"), values.get("megatron_bridge")
    package = TRAINER_PACKAGE[target.trainer]
    if target.trainer == "bridge":
        if bridge is None or not isinstance(bridge.value, Version):
            bridge = _bridge_of(core) or _newest("megatron-bridge")
            values["megatron_bridge"] = bridge
        release, exact = nearest("megatron-bridge", bridge.value)
        if core is None or not isinstance(core.value, Version):
            text = PINNED_CORE[release]
            values["megatron_core"] = Value(
                version("megatron-core", text),
                "implied" if bridge.hangs_on is None else "assumed",
                bridge.hangs_on,
                f"megatron-bridge {bridge.value}",
            )
        elif bridge.hangs_on is None and core.hangs_on is None and bridge.origin != "implied":
            _differ(target, "megatron_core", core, Value(version("megatron-core", PINNED_CORE[release]), "implied"))
        wanted: Version = bridge.value
    else:
        if core is None or not isinstance(core.value, Version):
            core = values["megatron_core"] = _newest("megatron-core")
        wanted = core.value
        release, exact = nearest(package, wanted)
    target.release = release
    if not exact and str(wanted) not in RELEASES["megatron-core" if package == "megatron-lm" else package]:
        target.notes.append(
            f"{package.replace('-lm', '-core')} {wanted} is not a release that moelint knows: judged by {release}"
        )


def _bridge_of(core: Value | None) -> Value | None:
    """The newest Bridge that ships a stated Core, so that a Core version alone picks the right tables."""
    if core is None or not isinstance(core.value, Version):
        return None
    release, _ = nearest("megatron-core", core.value)
    for bridge in reversed(RELEASES["megatron-bridge"]):
        if nearest("megatron-core", version("megatron-core", PINNED_CORE[bridge]) or core.value)[0] == release:
            return Value(version("megatron-bridge", bridge), "implied", core.hangs_on, f"megatron-core {core.value}")
    return None


def _newest(package: str) -> Value:
    name = package.replace("-", "_")
    return Value(Version("main", same_as=MAIN[package]), "assumed", "target." + name, "the newest release known")
