"""Scripts that would take long, grow without end or nest too deep: read in bounded time, without an exception."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from moelint.read.files import FileRead

Read = Callable[..., FileRead]

COMMAND = "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16 --micro-batch-size 1\n"

SCRIPTS = {
    "nested substitutions": "X=" + "$(echo " * 3000 + "1" + ")" * 3000 + "\n",
    "nested parameters": "X=" + "${A:-" * 3000 + "1" + "}" * 3000 + "\n",
    "nested brackets": "X=$((" + "(" * 5000 + "1" + ")" * 5000 + "))\n",
    "nested statements": "if true; then " * 2000 + ":" + "; fi" * 2000 + "\n",
    "nested braces": "{ " * 3000 + ":" + "; }" * 3000 + "\n",
    "long list": " && ".join(["true"] * 5000) + "\n",
    "doubling text": "X=aaaaaaaaaaaaaaaa\n" + "X=$X$X\n" * 60,
    "doubling array": "A=(1 2)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60,
    "endless loop": "while true; do X=$X-; done\n",
    "counting loop": "for ((i=0; i<100000000; i++)); do A+=($i); done\n",
    "loops in loops": "for a in $(seq 2000); do for b in $(seq 2000); do for c in $(seq 2000); do X=1; done; done; done\n",
    "recursion": "f() { f; f; f; }\nf\n",
    "mutual recursion": "f() { g $1$1; }\ng() { f $1$1; }\nf aaaa\n",
    "eval of itself": 'X=\'eval "$X"\'\neval "$X"\n',
    "shell of itself": "X='bash -c \"$X\"'\nbash -c \"$X\"\n",
    "powers": "X=$((9**9**9**9)) Y=$((1<<9999999)) Z=$((1/0))\n",
    "huge sequence": "A=($(seq 1 1000000000))\n",
    "many branches": "".join(f"[ $Q{n} ] && A+=(--a{n} {n})\n" for n in range(1500)) + "run ${A[@]}\n",
    "many patterns": "X=" + "a" * 3000 + "\nY=${X//*a*a*a*a*b/x}\ncase $X in *a*a*a*a*a*b) ;; esac\n",
    "open quote": "X='\n",
    "open bracket": "X=${A\nY=$((1+\nZ=$(\n",
    "nul and bom": "\x00\ufeffX=1\x00\n",
    "one long line": "X=" + "a" * 300_000 + "\n",
    "many flags": "run " + " ".join(f"--flag-{n} {n}" for n in range(20_000)) + "\n",
    "heredoc without end": "cat <<EOF\n--a 1\n",
    "many quotes": '"' * 20_001 + "\n",
    "many backticks": "`" * 2_001 + "\n",
    "not a script": "\x7fELF" + "\udc80\udcff" * 500 + "\n",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_bounded(read: Read, name: str) -> None:
    start = time.process_time()
    found = read(SCRIPTS[name] + COMMAND)
    assert time.process_time() - start < 6
    assert found.skipped != ""


def test_too_large_is_said(read: Read) -> None:
    found = read(COMMAND + "# filler\n" * 60_000)
    assert [config.name for config in found.configs] == ["pretrain_gpt.py"]
    assert [problem.kind for problem in found.problems] == ["limit"]


def test_a_script_without_a_sign_is_not_parsed(read: Read) -> None:
    assert read("echo hello\n", named=False).skipped == "no sign of a training config"
