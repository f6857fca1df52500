"""Writes the README's example output anew: ``python tools/readme.py`` from the top of the checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    block = re.search(r"```console\n(.*?)```", text, re.DOTALL)
    if block is None:
        sys.exit("README.md has no console block")
    commands = re.findall(r"^\$ moelint (.*)$", block[1], re.MULTILINE)
    out = ""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "examples"
        shutil.copytree(ROOT / "examples", work)
        for command in commands:
            words = [sys.executable, "-m", "moelint", *command.split()]
            printed = subprocess.run(words, cwd=work, capture_output=True, check=False).stdout.decode("utf-8")
            out += f"$ moelint {command}\n{printed}"
    readme.write_text(text[: block.start(1)] + out + text[block.end(1) :], encoding="utf-8")


if __name__ == "__main__":
    main()
