"""Which releases a config may be meant for when nobody states one: those that know every key that it writes."""

from __future__ import annotations

from moelint.lang.versions import Version
from moelint.trainer.layers import OWN
from moelint.trainer.releases import MAIN, PINNED_CORE
from moelint.trainer.tables import all_releases
from moelint.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from moelint.trainer.effective import Effective

PACKAGES = {"bridge": "megatron_bridge", "core": "megatron_core", "lm": "megatron_core"}


def candidates(effective: Effective, name: str) -> list[Version]:
    """Versions of ``megatron_core`` or ``megatron_bridge`` that may be meant; empty for other packages."""
    trainer = effective.config.trainer
    if name not in ("megatron_core", "megatron_bridge") or (trainer != "bridge" and name == "megatron_bridge"):
        return []
    releases = all_releases(trainer)
    bits = (1 << len(releases)) - 1
    elsewhere = effective.table.elsewhere
    if effective.config.dialect in OWN:  # other frameworks run forks, and presets that fit several releases
        for key in effective.config.written:
            bits &= elsewhere.get(key, bits)
    fitting = [release for n, release in enumerate(releases) if bits >> n & 1] or [releases[-1]]
    if trainer == "bridge" and name == "megatron_core":
        fitting = [PINNED_CORE[release] for release in fitting]
    package = name.replace("_", "-")
    return [Version("main", same_as=MAIN[package]) if r == "main" else Version(r) for r in fitting]
