"""fix"""

from __future__ import annotations

import sys
from types import ModuleType

from moelint.typed import Any


class _Room(ModuleType):
    """This package, called: ``moelint.fix(config)`` is the public function. Importing any module of this room binds the
    package to the name ``moelint.fix``, so the package itself has to answer."""

    def __call__(self, config: Any, **options: Any) -> Any:
        import moelint

        public: Any = moelint.__getattr__("fix")
        return public(config, **options)


sys.modules[__name__].__class__ = _Room
