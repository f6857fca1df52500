"""Packs from strangers: nothing outside of them is read, and whatever is wrong ends in one clear error."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import yaml
from tests.policy.hostile_packs import CONDITIONS, HEAD, TEXTS, pack

from moelint.policy.errors import PolicyError
from moelint.policy.load import load

SECONDS = 3 if yaml.__with_libyaml__ else 15  # the shipped packs are compiled too


def refused(folder: Path) -> str:
    began = time.process_time()
    with pytest.raises(PolicyError) as caught:
        load([str(folder)], cache=False)
    assert time.process_time() - began < SECONDS
    return str(caught.value)


def test_a_link_out_of_the_pack_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("password: hunter2\n")
    folder = pack(tmp_path / "p")
    os.symlink(tmp_path / "secret.yaml", folder / "rules" / "b.yaml")
    said = refused(folder)
    assert "leads out of its pack" in said and "hunter2" not in said


def test_a_folder_of_rules_that_is_a_link(tmp_path: Path) -> None:
    other = pack(tmp_path / "other")
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "pack.yaml").write_text(HEAD)
    os.symlink(other / "rules", folder / "rules")
    assert "leads out of its pack" in refused(folder)


def test_extending_leaves_no_repository(tmp_path: Path) -> None:
    pack(tmp_path / "outside")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    folder = pack(tmp_path / "repository" / "packs" / "p", head=HEAD + "extends: ../../../outside\n")
    assert "outside of its repository" in refused(folder)


def test_extending_a_neighbour_and_oneself(tmp_path: Path) -> None:
    pack(tmp_path / "base", when="model.fp16")
    folder = pack(tmp_path / "p", head=HEAD + "extends: ../base\n")
    assert "TST001" in refused(folder)  # the same id twice, without override: both packs were read
    assert "extends itself" in refused(pack(tmp_path / "q", head=HEAD + "extends: ../q\n"))


def test_pipes_and_long_files_are_refused(tmp_path: Path) -> None:
    folder = pack(tmp_path / "p")
    os.mkfifo(folder / "rules" / "b.yaml")
    assert "not a file" in refused(folder)
    folder = pack(tmp_path / "q")
    (folder / "rules" / "b.yaml").write_text("# " + "x" * (5 << 20))
    assert "longer than" in refused(folder)


@pytest.mark.parametrize("when", CONDITIONS.values(), ids=CONDITIONS)
def test_expressions_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert "rules/a.yaml:" in refused(pack(tmp_path / "p", when))
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_that_are_no_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    folder = pack(tmp_path / "p")
    (folder / "rules" / "a.yaml").write_text(text, encoding="utf-8")
    assert "a.yaml" in refused(folder)
    assert not (tmp_path / "pwned").exists()
