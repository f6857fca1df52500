"""Prints every argparse action of a Megatron-LM tree as JSON. Run it with the interpreter of a training environment:

    PYTHONPATH=<Megatron-LM> python tools/fields/dump_lm_args.py > megatron-lm-<release>.json

It needs what ``megatron.training.arguments`` imports (a CPU build of torch is enough) and nothing of moelint.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any


def actions() -> list[dict[str, Any]]:
    import typing

    import typing_extensions  # torch brings it

    if not hasattr(typing, "override"):  # the trainers want Python 3.12 for nothing but this name
        typing.override = typing_extensions.override  # type: ignore[attr-defined]
    from megatron.training import arguments  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser(allow_abbrev=False)
    arguments.add_megatron_arguments(parser)
    return [
        {
            "opts": list(action.option_strings),
            "dest": action.dest,
            "nargs": action.nargs,
            "act": type(action).__name__,
            "type": getattr(action.type, "__name__", str(action.type)),
            "default": repr(action.default),
            "const": repr(action.const),
            "choices": action.choices and [getattr(c, "name", c) for c in action.choices],
        }
        for action in parser._actions
    ]


if __name__ == "__main__":
    json.dump(actions(), sys.stdout, indent=0)
