"""``hw.*``: facts of the GPU that a config is judged for; ``walls.*``: what the analytical model says of it."""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.trainer.view import Scope

# what a directive may state of the machine, over the profile's own figure
STATED = ("hbm_gb", "host_gb", "nvlink_domain", "gpus_per_node")


def fact(scope: Scope, name: str) -> Any:
    """A fact of the GPU: UNKNOWN where the GPU is unknown, None where there is none or it has no such thing."""
    view = scope.view
    if name in STATED and name in view.effective.target.values:
        return view.target(name)
    gpu = view.target("gpu")
    if gpu is UNKNOWN:
        return UNKNOWN
    if gpu is None:
        return None
    from moelint.trainer.hardware import facts

    profile = facts(gpu)
    return UNKNOWN if profile is None else profile.get(name, UNKNOWN)


def wall(scope: Scope, name: str) -> Any:
    """A figure of the analytical model; UNKNOWN until enough of the config is known."""
    known = scope.view.effective.known
    if known is not None and scope.view.trace is None:  # other configs have been read that share most settings with this one
        return known.scope_like(scope).get("walls." + name)
    found = scope.memo.get(" walls")  # one model a scope; no name of the language has a space
    if found is None:
        from moelint.trainer.walls_adapter import Walls

        found = scope.memo[" walls"] = Walls(scope.get)
    return found.get(name)
