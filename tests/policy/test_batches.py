"""What one config costs is not taken from the next: rules see lists in the last file of a batch as in the first."""

from __future__ import annotations

import pytest

from moelint.engine import Engine
from moelint.lang import limits
from moelint.options import Options
from moelint.text.source import Source

HEAD = "# moelint: complete dialect=megatron-core\nmodel:\n  fine_grained_activation_offloading: true\n"


@pytest.fixture
def engine() -> Engine:
    options = Options()
    options.no_config = True
    return Engine(options)


def test_long_lists_of_one_file_do_not_silence_rules_in_the_next(engine: Engine) -> None:
    """The second file's mistake is in a list of one element."""
    modules = ", ".join(f"m{number}" for number in range(limits.LIST // 2))
    for number in range(3):
        engine.lint(
            Source(f"long{number}.yaml", f"{HEAD}  num_layers: {number + 2}\n  offload_modules: [{modules}]\n"), True
        )
    found = engine.lint(Source("short.yaml", HEAD + "  num_layers: 2\n  offload_modules: [attn_proj]\n"), True).findings
    assert "OFF003" in [item.rule for item in found]
