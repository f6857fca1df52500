"""moelint: a linter for mixture-of-experts training configs on NVIDIA Megatron.

``moelint.check`` and ``moelint.fix`` are the Python API (``moelint.preflight``), imported when they are first used.
"""

from moelint.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from moelint.errors import UsageError
    from moelint.preflight import FixResult, MoelintError, Result, check, fix

__all__ = ["FixResult", "MoelintError", "Result", "UsageError", "__version__", "check", "fix"]


def __getattr__(name: str) -> object:
    if name == "UsageError":
        from moelint.errors import UsageError

        return UsageError
    if name in __all__:
        from moelint import preflight

        return getattr(preflight, name)
    raise AttributeError(f"module 'moelint' has no attribute {name!r}")
