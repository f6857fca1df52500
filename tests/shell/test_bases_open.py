"""A command with words that nobody knows may override its base: what the base says is then assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from moelint.read.configs import ReadOptions
from moelint.read.files import read_file
from moelint.text.files import read

COMMAND = "#!/bin/bash\npython scripts/training/run_recipe.py --recipe deepseek_v3_pretrain_config {words}train.global_batch_size=100\n"


@pytest.mark.parametrize(("words", "assumed"), [("$OVERRIDES ", True), ('"$@" ', True), ("", False)])
def test_values_of_a_base_under_unknown_words(tmp_path: Path, words: str, assumed: bool) -> None:
    file = tmp_path / "run.sh"
    file.write_text(COMMAND.format(words=words))
    config = read_file(read(str(file)), ReadOptions(named=True, read=read)).configs[0]
    base = config.written["model.pipeline_model_parallel_size"]
    own = config.written["train.global_batch_size"]
    assert (base.origin, base.assumed is not None) == ("base", assumed)
    assert (own.origin, own.value, own.assumed) == ("file", 100, None)
