"""Pipeline layouts and MoE layer patterns as lists that expressions can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moelint.lang.unknown import UNKNOWN

if TYPE_CHECKING:
    from moelint.trainer.view import Scope


def stages(scope: Scope) -> Any:
    return UNKNOWN


def moe_layers(scope: Scope) -> Any:
    return UNKNOWN
