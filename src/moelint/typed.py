"""Names of ``typing`` that annotations need. Importing ``typing`` itself costs a twentieth of a check, and nothing here
is used but by type checkers, which see the real ones."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any
else:
    Any = IO = object

__all__ = ["IO", "TYPE_CHECKING", "Any"]
