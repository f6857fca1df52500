"""Whatever stands in a pack: faults are told, nothing else is raised, and what loads can be run."""

from __future__ import annotations

import copy
import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from moelint.policy import examples
from moelint.policy.errors import PolicyError
from moelint.policy.load import files, folders
from moelint.policy.yaml_tree import read

from .mutate import change
from .packs import load_only, write_pack


@pytest.mark.parametrize("seed", range(4))
def test_broken_rules(tmp_path: Path, seed: int) -> None:
    rng, outcomes = random.Random(seed), set()
    paths = [p for folder in folders([]) for p in files(folder) if p.endswith(".yaml") and "rules" in p]
    rules = read(paths[seed % len(paths)])[0].value
    for number in range(25):
        broken = copy.deepcopy(rng.sample(rules, min(3, len(rules))))
        for _ in range(rng.randint(1, 3)):
            change(broken[0], rng)
        folder = write_pack(tmp_path / str(number), yaml.safe_dump(broken, sort_keys=False, allow_unicode=True))
        try:
            packs = load_only(folder)
        except PolicyError as error:
            assert all(p.line or p.column == 0 for p in error.problems)
            outcomes.add("faults")
        else:
            examples.test(packs)
            outcomes.add("loads")
    assert "faults" in outcomes


texts = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                "- ",
                "id: ",
                "TST001",
                "\n",
                "  ",
                "when: ",
                "model.a",
                "[",
                "]",
                "{",
                "}",
                ": ",
                "&a ",
                "*a",
                "|",
                ">",
                "'",
                '"',
                "#",
                "!!python/object:os.system",
                "? ",
                "---\n",
                "2026-01-01",
                "0x",
                "\t",
                "\x00",
                "é",
                "<<: ",
            ]
        ),
        max_size=25,
    ).map("".join),
)


@settings(max_examples=150, deadline=None)
@given(texts)
def test_any_text_as_a_rules_file(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("p")
    write_pack(folder, "", "name: x\n")
    (folder / "rules" / "a.yaml").write_text(text.replace("\ud800", ""), encoding="utf-8", errors="replace")
    tree, problems = read(str(folder / "rules" / "a.yaml"))
    for problem in problems:
        assert str(problem)
    assert (
        tree.value is None
        or problems
        or isinstance(tree.value, (str, int, float, bool, list, dict, bytes))
        or tree.value
    )


def test_yaml_that_repeats_itself_is_bounded(tmp_path: Path) -> None:
    bomb = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    folder = write_pack(tmp_path / "p", bomb)
    with pytest.raises(PolicyError, match="repeats itself too often"):
        load_only(folder)


def test_yaml_nested_too_deeply(tmp_path: Path) -> None:
    for depth in (50, 5000, 200_000):
        folder = write_pack(tmp_path / str(depth), "[" * depth + "]" * depth)
        with pytest.raises(PolicyError):
            load_only(folder)
