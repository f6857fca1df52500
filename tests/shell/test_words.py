"""What commands are given: quotes, variables, arrays, arithmetic, choices, loops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Words = Callable[..., list[list[str | None]]]

EXPANSIONS = [
    ("X=a; run $X", ["run", "a"]),
    ("X='a b'; run $X", ["run", "a", "b"]),
    ("X='a b'; run \"$X\"", ["run", "a b"]),
    ("X=; run $X end", ["run", "end"]),
    ("X=; run \"$X\" end", ["run", "", "end"]),
    ("run 'a  b' \"c\\\"d\" e\\ f $'g\\th'", ["run", "a  b", 'c"d', "e f", "g\th"]),
    ("run a\\\nb", ["run", "ab"]),
    ("run --a=1 \\\n  --b 2", ["run", "--a=1", "--b", "2"]),
    ("N=4; run x${N}y$N.z", ["run", "x4y4.z"]),
    ("A=(1 2 3); run ${A[@]}", ["run", "1", "2", "3"]),
    ("A=('1 x' 2); run \"${A[@]}\"", ["run", "1 x", "2"]),
    ("A=('1 x' 2); run ${A[@]}", ["run", "1", "x", "2"]),
    ("A=(1 2); run \"${A[*]}\"", ["run", "1 2"]),
    ("A=(1 2); A+=(3); run ${A[@]} ${#A[@]} ${A[1]} ${A[-1]}", ["run", "1", "2", "3", "3", "2", "3"]),
    ("A=(); run \"${A[@]}\" end", ["run", "end"]),
    ("A=(\n  --a 1 # why\n  # --b 2\n  --c\n); run ${A[@]}", ["run", "--a", "1", "--c"]),
    ("A=(a b c d); run ${A[@]:1:2}", ["run", "b", "c"]),
    ("S='--a 1'; S+=' --b 2'; S=\"$S --c 3\"; run $S", ["run", "--a", "1", "--b", "2", "--c", "3"]),
    ("N=8; M=$((N * 2 + 1)); run $M $((M % 4)) $(( N > 4 ? 1 : 0 )) $((2**10))", ["run", "17", "1", "1", "1024"]),
    ("N=3; N=$((N+1)); ((N++)); let N=N*2; run $N", ["run", "10"]),
    ("P=/a/b/model.tar.gz; run ${P##*/} ${P%.*} ${P%%.*} ${P#*/} ${P/model/x} ${P//a/A}",
     ["run", "model.tar.gz", "/a/b/model.tar", "/a/b/model", "a/b/model.tar.gz", "/a/b/x.tar.gz", "/A/b/model.tAr.gz"]),
    ("X=abc; run ${X^^} ${X:1} ${X:0:2} ${#X}", ["run", "ABC", "bc", "ab", "3"]),
    ("X=1; run ${X:-2} ${X:+3}", ["run", "1", "3"]),
    ("X=; run ${X:-2} ${X-3}", ["run", "2"]),
    ("run $(seq 2 2 6) $(basename /a/b.sh .sh) $(dirname /a/b.sh) $(echo x y)", ["run", "2", "4", "6", "b", "/a", "x", "y"]),
    ("S='--a 1\n --b  2'; C=\"run $(echo \"$S\" | tr '\\n' ' ' | sed 's/  \\+/ /g')\"; $C",
     ["run", "--a", "1", "--b", "2"]),
    ("S='x\ny'; run \"$(echo \"$S\" | tr '\\n' ' ')z\" \"$(echo \"a   b\" | tr -s ' ')\"", ["run", "x y z", "a b"]),
    ("A=(0 0); A+=(1); printf -v L '[%s]' \"$(IFS=', '; echo \"${A[*]}\")\"; run \"$L\"", ["run", "[0,0,1]"]),
    ("IFS=',' read -r A B C <<< '4,2,True'; run $A $B $C", ["run", "4", "2", "True"]),
    ("f() { local X=$1; run $X $2; }; X=9; f 1 2; echo $X", ["run", "1", "2"]),
    ("opts() { local N=$1; echo \"--a $N\"; }; run $(opts 4)", ["run", "--a", "4"]),
    ("set -- a b; run \"$@\" $# $1", ["run", "a", "b", "2", "a"]),
    ("T=train; eval \"run --mode $T\"", ["run", "--mode", "train"]),
    ("CMD='run --a 1'; $CMD --b", ["run", "--a", "1", "--b"]),
    ("export X=1; X=2 run $X", ["run", "1"]),
]


@pytest.mark.parametrize(("script", "expected"), EXPANSIONS, ids=[script[:40] for script, _ in EXPANSIONS])
def test_expansion(words: Words, script: str, expected: list[str]) -> None:
    assert words(script) == [expected]


def test_unknown_words(words: Words) -> None:
    assert words("run $1 \"$TP\" x$TP $(nproc) $(( TP * 2 ))") == [["run", None, None, None, None, None]]


def test_a_filter_that_changes_more_than_blanks_is_not_followed(words: Words) -> None:
    assert words("run $(echo a | tr a b) $(echo a | sed 's/a/b/' | tr -s ' ')") == [["run", None, None]]


def test_what_others_print_is_not_known(words: Words) -> None:
    assert words("f() { date; echo 1; }; run $(f) $(date; echo 2)") == [["run", None, None]]


def test_definitions_are_the_environment(words: Words) -> None:
    assert words("X=${TP:-1}; Y=4; run $TP $X $Y", TP="8", Y="9") == [["run", "8", "8", "4"]]


def test_definition_fills_what_is_not_known(words: Words) -> None:
    assert words("TP=$1; N=$(nvidia-smi -L | wc -l); run $TP $N", TP="8", N="4") == [["run", "8", "4"]]


CHOICES = [
    ("X=1; if [ $X = 1 ]; then A=yes; else A=no; fi; run $A", ["run", "yes"]),
    ("X=3; if (( X > 4 )); then A=big; elif [[ $X -ge 3 && -n $X ]]; then A=mid; fi; run $A", ["run", "mid"]),
    ("case gpt-8b in llama*) A=1;; gpt-*) A=2;; *) A=3;; esac; run $A", ["run", "2"]),
    ("X=; [ -z \"$X\" ] && A=empty; run $A", ["run", "empty"]),
    ("[ 1 = 2 ] && A=1 || A=2; run $A", ["run", "2"]),
    ("cd /x || exit 1; run a", ["run", "a"]),
    ("if [ -n \"$Q\" ]; then A=1; else A=1; fi; run $A", ["run", "1"]),
    ("if [ -n \"$Q\" ]; then A=1; else A=2; fi; run $A b", ["run", None, "b"]),
    ("A=(--a 1); if [ -n \"$KEY\" ]; then A+=(--key $KEY --c 3); fi; run ${A[@]} --d", ["run", "--a", "1", "?--key", "?None", "?--c", "?3", "--d"]),
    ("if [ \"$Q\" = 1 ]; then A=(--x 1 --y 2); else A=(--x 3 --y 2); fi; run ${A[@]}", ["run", "?--x", "?1", "?--x", "?3", "--y", "2"]),
    ("if [ $# -lt 1 ]; then echo usage; exit 1; fi; run a", ["run", "a"]),
    ("for I in 1 2 3; do A+=($I); done; run ${A[@]}", ["run", "1", "2", "3"]),
    ("for ((i=0; i<3; i++)); do if (( i < 1 )); then A+=(0); else A+=(1); fi; done; run ${A[@]}", ["run", "0", "1", "1"]),
    ("I=0; while [ $I -lt 3 ]; do I=$((I+1)); done; run $I", ["run", "3"]),
    ("I=0; for F in $(ls); do I=$((I+1)); done; run $I", ["run", None]),
    ("TP=8; while [ $# -gt 0 ]; do case $1 in --tp) TP=$2; shift 2;; *) shift;; esac; done; run $TP", ["run", "8"]),
    ("for TP in 2 4; do run --tp $TP --pp 2; done", ["run", "?--tp", "?2", "?--tp", "?4", "--pp", "2"]),
    ("while true; do run a; break; done", ["run", "a"]),
]


@pytest.mark.parametrize(("script", "expected"), CHOICES, ids=[script[:40] for script, _ in CHOICES])
def test_choices_and_loops(words: Words, script: str, expected: list[str | None]) -> None:
    assert words(script) == [expected]


INNER = [
    "bash -c 'python x.py --a 1'",
    "srun --nodes 2 bash -lc \"python x.py --a 1\"",
    "CMD='python x.py'; srun bash -c \"$CMD --a 1\"",
    "bash <<EOF\npython x.py --a 1\nEOF",
    "cat > job.sh <<'EOF'\npython x.py --a 1\nEOF",
    "N=1\nsbatch <<EOF\n#!/bin/bash\npython x.py --a $N\nEOF",
    "sbatch --wrap 'python x.py --a 1'",
    "ssh host \"cd /w && python x.py --a 1\"",
    "docker run image bash -c 'export A=1; python x.py --a $A'",
]


@pytest.mark.parametrize("script", INNER)
def test_scripts_inside_scripts(words: Words, script: str) -> None:
    assert ["python", "x.py", "--a", "1"] in words(script)


def test_a_prefix_is_seen_by_its_command_only(read: Callable[..., object]) -> None:
    found = read(
        """
        NCCL_NVLS_ENABLE=1 python pretrain_gpt.py --num-layers 4 --hidden-size 8 --micro-batch-size 1
        python pretrain_gpt.py --num-layers 4 --hidden-size 8 --micro-batch-size 1
        """
    )
    first, second = found.configs  # type: ignore[attr-defined]
    assert first.written["env_vars.NCCL_NVLS_ENABLE"].value == "1"
    assert "env_vars.NCCL_NVLS_ENABLE" not in second.written
