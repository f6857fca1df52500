"""`applies:`: for which trainers, releases, packages, GPUs and containers a rule or a rewrite holds."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN, Unknown
from moelint.lang.versions import Version, gate, holds
from moelint.typed import Any

# compiled: alternatives, any of which must hold; each a tuple of (kind, name, data), all of which must hold
Applies = tuple[tuple[tuple[str, str, Any], ...], ...]
TRAINERS = ("bridge", "lm", "core")


def compile_applies(raw: Any, where: str = "") -> Applies:
    """Compile a mapping, or a list of mappings. Raises ValueError with ``where`` for what means nothing."""
    if raw is None:
        return ()
    return tuple(_mapping(entry, where) for entry in (raw if isinstance(raw, list) else [raw]))


def _mapping(entry: dict[str, Any], where: str) -> tuple[tuple[str, str, Any], ...]:
    out: list[tuple[str, str, Any]] = []
    for key, wanted in entry.items():
        words = [str(w) for w in (wanted if isinstance(wanted, list) else [wanted])]
        if key == "trainer":
            if unknown := [w for w in words if w not in TRAINERS]:
                raise ValueError(f"{where}: no trainer {unknown[0]!r} (bridge, lm, core)")
            out.append(("trainer", "", tuple(words)))
        elif key == "dialect":
            out.append(("dialect", "", tuple(words)))
        elif key in ("gpu", "container"):
            out.append((key, key, tuple(w.lower() for w in words)))
        else:
            try:
                out.append(("package", key.replace("-", "_"), tuple(gate(w) for w in words)))
            except ValueError as error:
                raise ValueError(f"{where}: {key}: {error}") from None
    return tuple(out)


def allows(applies: Applies, view: Any) -> bool | Unknown:
    """Whether a gate lets a config through, for a view (see ``moelint.trainer.effective.View``). Kleene."""
    if not applies:
        return True
    result: bool | Unknown = False
    for alternative in applies:
        found: bool | Unknown = True
        for part in alternative:
            one = _part(part, view)
            if one is False:
                found = False
                break
            if one is UNKNOWN:
                found = UNKNOWN
        if found is True:
            return True
        if found is UNKNOWN:
            result = UNKNOWN
    return result


def _part(part: tuple[str, str, Any], view: Any) -> bool | Unknown:
    kind, name, wanted = part
    if kind == "trainer":
        return bool(view.trainer in wanted)
    if kind == "dialect":
        return bool(view.dialect in wanted)
    value = view.target(name)
    if value is UNKNOWN:
        return _over_releases(name, wanted, view) if kind == "package" else UNKNOWN
    if kind == "package":
        return _any(wanted, value)
    if value is None:
        return bool("none" in wanted)
    if kind == "gpu":
        return _gpu(value, wanted)
    return str(value).lower() in wanted


def _gpu(value: str, wanted: tuple[str, ...]) -> bool:
    """Whether a GPU is one of those: by a name, by its architecture (``hopper``) or by its generation (``sm90``)."""
    from moelint.trainer.hardware import canonical, facts

    mine = canonical(value)
    if value.lower() in wanted:
        return True
    if mine is None:
        return False
    about = facts(mine) or {}
    families = (str(about.get("arch")).lower(), f"sm{about.get('sm_arch')}")
    return any(w in families or canonical(w) == mine for w in wanted)


def _any(gates: tuple[Any, ...], value: Any) -> bool | Unknown:
    result: bool | Unknown = False
    for one in gates:
        found = holds(one, value)
        if found is True:
            return True
        if found is UNKNOWN:
            result = UNKNOWN
    return result


def _over_releases(name: str, gates: tuple[Any, ...], view: Any) -> bool | Unknown:
    """A release that nobody states: the gate is known if it is the same for every release that may be meant."""
    candidates: list[Version] = view.releases(name)
    if not candidates:
        return UNKNOWN
    answers = {_any(gates, value) is True for value in candidates}
    return answers.pop() if len(answers) == 1 else UNKNOWN
