"""Errors that end a run with exit code 2."""

from __future__ import annotations


class UsageError(Exception):
    """Something that the user asked for cannot be done; the text says what and, where one exists, file:line:col."""


class RevisionError(UsageError):
    """The revisions to compare cannot be had. The files can still be checked as they are."""
