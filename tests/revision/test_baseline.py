"""The baseline: adopting moelint on a messy repository, entry by entry."""

from __future__ import annotations

import json

import pytest

from .conftest import BASE, BROKEN_PAIR, Repo


def entries(repo: Repo, name: str = ".moelint-baseline.json") -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((repo.folder / name).read_text(encoding="utf-8"))["findings"]
    return found


def test_adopt_live_with_and_prune(repo: Repo) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    repo.write("b.yaml", BROKEN_PAIR)
    assert repo.moelint().code == 1
    found = repo.moelint("--write-baseline")
    assert found.code == 0 and "OVL004 2" in found.out and "wrote .moelint-baseline.json" in found.out
    assert {e["path"] for e in entries(repo) if e["rule"] == "OVL004"} == {"a.yaml", "b.yaml"}
    known = ("--baseline", ".moelint-baseline.json")
    found = repo.moelint(*known, "--format", "json")
    assert found.code == 0 and found.json["findings"] == [] and found.json["summary"]["baselined"] == len(entries(repo))
    # moved lines and other values are the same finding; a new one is not
    repo.write("a.yaml", "# a comment\n\n" + BROKEN_PAIR.replace("global_batch_size: 512", "global_batch_size: 1024"))
    assert repo.moelint(*known).code == 0
    repo.write("c.yaml", BROKEN_PAIR)
    found = repo.moelint(*known, "--format", "json")
    assert found.code == 1 and {f["path"] for f in found.json["findings"]} == {"c.yaml"}
    # what was repaired, and what is gone altogether, is stale
    repo.write("a.yaml", BASE)
    (repo.folder / "b.yaml").unlink()
    found = repo.moelint(*known, "c.yaml", "a.yaml")
    assert "2 entries are stale" in found.out and "OVL004 2" in found.out and "--write-baseline takes them out" in found.out
    found = repo.moelint(*known, "--write-baseline", "c.yaml")
    assert found.code == 0 and "1 stale taken out" in found.out
    assert {e["path"] for e in entries(repo) if e["rule"] == "OVL004"} == {"a.yaml", "c.yaml"}, "a.yaml was not looked at"
    repo.moelint(*known, "--write-baseline")
    assert {e["path"] for e in entries(repo) if e["rule"] == "OVL004"} == {"c.yaml"}


def test_paths_are_those_of_the_baselines_folder(repo: Repo) -> None:
    repo.write("sub/a.yaml", BROKEN_PAIR)
    assert repo.moelint("--baseline", "known.json", "--write-baseline").code == 0
    assert {e["path"] for e in entries(repo, "known.json")} == {"sub/a.yaml"}
    assert repo.moelint("--baseline", "../known.json", cwd=repo.folder / "sub").code == 0
    assert repo.moelint("--baseline", "known.json", repo.folder / "sub").code == 0


def test_written_the_same_each_time(repo: Repo) -> None:
    for number in range(5):
        repo.write(f"{number}.yaml", BROKEN_PAIR)
    repo.moelint("--write-baseline")
    first = (repo.folder / ".moelint-baseline.json").read_bytes()
    repo.moelint("--write-baseline", "-j", "2", *(f"{n}.yaml" for n in (3, 1, 4, 0, 2)))
    assert (repo.folder / ".moelint-baseline.json").read_bytes() == first


def test_beside_since(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.commit()
    repo.write("a.yaml", BROKEN_PAIR)
    repo.moelint("--write-baseline")
    found = repo.moelint("--since", "HEAD", "--baseline", ".moelint-baseline.json", "--format", "json")
    assert found.code == 0 and found.json["summary"]["new"] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "the baseline cannot be read: No such file or directory"),
        ("{", "known.json:1:2: the baseline is not JSON"),
        ("[]", "this is no baseline of moelint"),
        ('{"version": 2, "findings": []}', "the baseline has version 2, and this moelint reads 1: write it anew with --write-baseline"),
        ('{"version": 1, "findings": [{"path": 3}]}', "an entry of the baseline has no path or fingerprint"),
        ("\udcff", "the baseline is not JSON"),
    ],
)
def test_a_baseline_that_is_no_good(repo: Repo, text: str | None, said: str) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    if text is not None:
        repo.write("known.json", text.encode("utf-8", "surrogateescape"))
    found = repo.moelint("--baseline", "known.json", "--output", "json=out.json")
    assert found.code == 2 and said in found.err and found.err.count("\n") == 1
    assert "OVL004" in found.out and "OVL004" in (repo.folder / "out.json").read_text(), "what was found is still told"


def test_a_baseline_that_cannot_be_written(repo: Repo) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    found = repo.moelint("--baseline", "no/folder/known.json", "--write-baseline", "--output", "json=out.json")
    assert found.code == 2 and "no/folder/known.json: the baseline cannot be written" in found.err
    assert "OVL004" in (repo.folder / "out.json").read_text()
    repo.write("notes.json", "{}")
    found = repo.moelint("--baseline", "notes.json", "--write-baseline")
    assert found.code == 2 and "this is no baseline" in found.err and (repo.folder / "notes.json").read_text() == "{}"
    repo.write("old.json", '{"version": 0, "findings": []}')
    assert repo.moelint("--baseline", "old.json", "--write-baseline").code == 0


@pytest.mark.parametrize("words", [["--fix"], ["--since", "HEAD"], ["--staged"]])
def test_what_does_not_go_with_writing(repo: Repo, words: list[str]) -> None:
    found = repo.moelint("--write-baseline", *words)
    assert found.code == 2 and "--write-baseline lists" in found.err
