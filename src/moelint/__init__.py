"""moelint: a linter for mixture-of-experts training configs on NVIDIA Megatron."""

from moelint.version import __version__

__all__ = ["__version__"]
