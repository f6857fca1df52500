"""The version as a literal: importlib.metadata costs more than a whole check."""

__version__ = "2026.11.0"
