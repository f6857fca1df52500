"""--since and --staged on real repositories of every awkward kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import BASE, BROKEN_PAIR, OVERLAP, Repo

CHILD = "defaults: base.yaml\ntrain:\n  micro_batch_size: 2\n"


def counts(found: dict[str, object]) -> tuple[object, object]:
    summary = found["summary"]
    assert isinstance(summary, dict)
    return summary["new"], summary["fixed_by_change"]


def test_new_old_and_fixed(repo: Repo) -> None:
    repo.write("configs/a.yaml", BASE.replace("bf16: true", "bf16: true\n  moe_ruter_topk: 8"))  # KEY: unknown key
    repo.write("configs/b.yaml", BROKEN_PAIR)
    repo.write("configs/c.yaml", BROKEN_PAIR)
    repo.commit("start")
    repo.write("configs/a.yaml", BASE.replace("bf16: true", "bf16: true\n  moe_ruter_topk: 8").replace("alltoall", "allgather") + OVERLAP)
    repo.write("configs/b.yaml", BASE + OVERLAP)
    found = repo.since("HEAD")
    assert found.code == 1
    by_file = {item["path"]: item for item in found.json["findings"] if item["severity"] == "error"}
    assert by_file["configs/a.yaml"]["new"] is True
    assert all(item["new"] is False for item in found.json["findings"] if item["rule"].startswith("KEY"))
    assert any(item["rule"].startswith("KEY") for item in found.json["findings"])
    assert found.json["summary"]["fixed_by_change"] == 1
    assert {file["path"] for file in found.json["files"]} == {"configs/a.yaml", "configs/b.yaml"}, "only what changed is read"
    text = repo.moelint("--since", "HEAD")
    assert "moe_ruter_topk" not in text.out and "older one" in text.out and "1 fixed by the change" in text.out


def test_only_new_findings_decide_the_exit_code(repo: Repo) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    repo.commit()
    repo.write("a.yaml", BROKEN_PAIR.replace("global_batch_size: 512", "global_batch_size: 1024"))
    assert repo.moelint("a.yaml").code == 1
    found = repo.since("HEAD")
    assert found.code == 0 and counts(found.json) == (0, 0) and len(found.json["findings"]) >= 1


def test_merge_base_and_range(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    start = repo.commit()
    repo.git("switch", "-qc", "feature")
    repo.write("a.yaml", BASE + OVERLAP)
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write("b.yaml", BROKEN_PAIR)
    repo.commit()
    repo.git("switch", "-q", "feature")
    assert [f["path"] for f in repo.since("main").json["files"]] == ["a.yaml"], "what main did meanwhile is not this change"
    repo.git("switch", "-q", "main")
    for words in ("main..feature", "main...feature"):
        assert [f["path"] for f in repo.since(words).json["files"]] == ["a.yaml"]
    found = repo.since(f"{start}..main")
    assert found.new == ["OVL004"]
    repo.write("a.yaml", "broken: [")  # the work tree has no say in a range
    assert repo.since("main..feature").code == 0
    assert repo.since("..feature").json["summary"]["files"] == 1


def test_staged_reads_the_index(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.commit()
    repo.write("a.yaml", BROKEN_PAIR)
    repo.git("add", "a.yaml")
    repo.write("a.yaml", BASE)
    assert repo.moelint("--staged").code == 1
    assert repo.moelint("--since", "HEAD").code == 0
    assert repo.moelint("--staged", "a.yaml").code == 1
    repo.git("reset", "-q")
    repo.write("a.yaml", BROKEN_PAIR)
    found = repo.moelint("--staged")
    assert found.code == 0 and "no new findings" in found.out


def test_renames_deletions_and_untracked(repo: Repo) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    repo.write("gone.yaml", BROKEN_PAIR)
    repo.commit()
    repo.git("mv", "a.yaml", "moved.yaml")
    (repo.folder / "gone.yaml").unlink()
    found = repo.since("HEAD")
    assert found.code == 0 and [f["path"] for f in found.json["files"]] == ["moved.yaml"]
    os.rename(repo.folder / "moved.yaml", repo.folder / "plain.yaml")  # git knows nothing of this name
    found = repo.since("HEAD")
    assert found.code == 0 and [f["path"] for f in found.json["files"]] == ["plain.yaml"]
    repo.commit()
    repo.write("new.yaml", BROKEN_PAIR)
    found = repo.since("HEAD")
    assert found.code == 1 and {i["path"] for i in found.json["findings"] if i["new"]} == {"new.yaml"}
    repo.write(".gitignore", "new.yaml\n")
    assert repo.since("HEAD").code == 0


def test_names_that_need_care(repo: Repo) -> None:
    names = ["mit leer zeichen.yaml", "ünï/日本語.yaml", "quo'te\"s.yaml", "-dash.yaml", "tab\there.yaml", "new\nline.yaml"]
    for name in names:
        repo.write(name, BASE)
    repo.commit()
    for name in names:
        repo.write(name, BROKEN_PAIR)
    found = repo.since("HEAD")
    assert sorted(i["path"] for i in found.json["findings"] if i["rule"] == "OVL004") == sorted(names)
    repo.commit()
    found = repo.since("HEAD~1..HEAD")
    assert sorted(i["path"] for i in found.json["findings"] if i["rule"] == "OVL004") == sorted(names)
    found = repo.moelint("--format", "json", "--since", "HEAD~1", "--", "-dash.yaml", names[0])
    assert sorted(i["path"] for i in found.json["findings"] if i["new"]) == sorted(["-dash.yaml", names[0]])


def test_binary_files_links_and_modes(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.write("data.yaml", b"\x00\x01\xff" * 100)
    (repo.folder / "link.yaml").symlink_to("a.yaml")
    repo.commit()
    repo.write("data.yaml", b"\xff\x00\x01" * 100)
    (repo.folder / "link.yaml").unlink()
    (repo.folder / "link.yaml").symlink_to("data.yaml")
    (repo.folder / "a.yaml").chmod(0o755)
    found = repo.since("HEAD")
    assert found.code == 0 and counts(found.json) == (0, 0)


def test_broken_in_one_revision_only(repo: Repo) -> None:
    repo.write("was.yaml", "model: [\n")
    repo.write("is.yaml", BROKEN_PAIR)
    repo.commit()
    repo.write("was.yaml", BROKEN_PAIR)
    repo.write("is.yaml", "model: [\n")
    found = repo.since("HEAD", "was.yaml", "is.yaml")
    new = {(i["path"], i["rule"]) for i in found.json["findings"] if i["new"]}
    assert ("was.yaml", "OVL004") in new and ("is.yaml", "KEY101") in new
    assert found.json["summary"]["fixed_by_change"] == 1, "the syntax error; of a file that is broken now nothing is known"


def test_files_that_inherit(repo: Repo) -> None:
    dump = "policy:\n  megatron_cfg:\n    enabled: true\n    expert_model_parallel_size: {ep}\n    tensor_model_parallel_size: 1\n"
    repo.write("conf/base.yaml", dump.format(ep=8))
    repo.write("conf/middle.yaml", "defaults: base.yaml\npolicy:\n  train_global_batch_size: 64\n")
    repo.write("conf/leaf.yaml", "defaults: middle.yaml\npolicy:\n  megatron_cfg:\n    pipeline_model_parallel_size: 2\n")
    repo.write("conf/other.yaml", "policy:\n  megatron_cfg:\n    enabled: true\n    # not base: base.yaml\n    expert_model_parallel_size: 2\n")
    repo.commit()
    repo.write("conf/base.yaml", dump.format(ep=16))
    found = repo.since("HEAD")
    assert [f["path"] for f in found.json["files"]] == ["conf/base.yaml", "conf/leaf.yaml", "conf/middle.yaml"]
    assert [f["path"] for f in repo.since("HEAD", "conf/leaf.yaml").json["files"]] == ["conf/leaf.yaml"]
    (repo.folder / "conf/base.yaml").unlink()
    assert [f["path"] for f in repo.since("HEAD").json["files"]] == ["conf/leaf.yaml", "conf/middle.yaml"]


def test_shallow_clone(repo: Repo, make: Callable[[str], Repo]) -> None:
    repo.write("a.yaml", BASE)
    repo.commit()
    repo.git("switch", "-qc", "feature")
    repo.write("a.yaml", BROKEN_PAIR)
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write("b.yaml", BASE)
    repo.commit()
    clone = make("clone")
    clone.folder.rmdir()
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{repo.folder}", clone.folder, cwd=repo.folder.parent)
    clone.git("switch", "-q", "feature")
    found = clone.moelint("--since", "origin/main")
    assert (found.code, found.out) == (2, "") and found.err.count("\n") == 1
    assert "shallow clone" in found.err and "fetch-depth: 0" in found.err
    found = clone.moelint("--since", "HEAD~1")
    assert found.code == 2 and "no revision 'HEAD~1' in this shallow clone" in found.err
    clone.git("fetch", "-q", "--unshallow")
    assert clone.moelint("--since", "origin/main").code == 1


def test_detached_head_and_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.yaml", BASE)
    start = repo.commit()
    repo.write("a.yaml", BROKEN_PAIR)
    repo.commit()
    repo.git("switch", "-q", "--detach")
    assert repo.moelint("--since", start).code == 1
    repo.git("worktree", "add", "-q", tmp_path / "tree", start)
    (tmp_path / "tree/a.yaml").write_text(BROKEN_PAIR, encoding="utf-8")
    assert repo.moelint("--since", "HEAD", cwd=tmp_path / "tree").code == 1
    assert repo.moelint("--since", "HEAD", tmp_path / "tree").code == 1, "the repository is that of the paths"


def test_submodule(repo: Repo, make: Callable[[str], Repo]) -> None:
    inner = make("inner").init()
    inner.write("moe.yaml", BASE)
    inner.commit()
    repo.write("a.yaml", BASE)
    repo.git("submodule", "add", "-q", f"file://{inner.folder}", "sub")
    repo.commit()
    (repo.folder / "sub/moe.yaml").write_text(BROKEN_PAIR, encoding="utf-8")
    assert repo.moelint("--since", "HEAD").code == 0, "a submodule is another repository, as for every folder"
    found = repo.since("HEAD", ".", "sub")
    assert found.code == 1 and {i["path"] for i in found.json["findings"] if i["new"]} == {"sub/moe.yaml"}
    assert repo.moelint("--since", "HEAD", cwd=repo.folder / "sub").code == 1


def test_paths_and_folders(repo: Repo, tmp_path: Path) -> None:
    repo.write("one/a.yaml", BASE)
    repo.write("two/a.yaml", BASE)
    repo.write(".moelint.yaml", "exclude: ['two/skip/**']\n")
    repo.write("two/skip/a.yaml", BASE)
    repo.commit()
    for path in ("one/a.yaml", "two/a.yaml", "two/skip/a.yaml"):
        repo.write(path, BROKEN_PAIR)
    assert [f["path"] for f in repo.since("HEAD", "two").json["files"]] == ["two/a.yaml"]
    assert [f["path"] for f in repo.since("HEAD", "two/skip/a.yaml").json["files"]] == ["two/skip/a.yaml"], "a named file is taken"
    assert [f["path"] for f in repo.since("HEAD", cwd=repo.folder / "one").json["files"]] == ["a.yaml"]
    assert [f["path"] for f in repo.since("HEAD", "../two", cwd=repo.folder / "one").json["files"]] == ["../two/a.yaml"]
    found = repo.since("HEAD", repo.folder / "one")
    assert [f["path"] for f in found.json["files"]] == [str(repo.folder / "one/a.yaml")]
    (tmp_path / "link").symlink_to(repo.folder)
    assert len(repo.since("HEAD", tmp_path / "link").json["files"]) == 2


def test_a_new_ignore_fixes_nothing(repo: Repo) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    repo.commit()
    repo.write("a.yaml", "# moelint: ignore-file[OVL004] because the figures are wanted\n" + BROKEN_PAIR)
    found = repo.since("HEAD")
    assert found.code == 0 and counts(found.json) == (0, 0) and found.json["summary"]["suppressed"] == 1


def test_a_severity_that_rises_is_new(repo: Repo) -> None:
    open_ = BROKEN_PAIR.replace(" megatron-bridge=0.6.0 torch=2.9 transformer-engine=2.9", "").replace("  expert_tensor_parallel_size: 1\n", "")
    repo.write("a.yaml", open_)
    repo.write(".moelint.yaml", "paths:\n- {match: a.yaml, severity: {OVL004: warning}}\n")
    repo.commit()
    os.rename(repo.folder / "a.yaml", repo.folder / "b.yaml")
    assert repo.since("HEAD").code == 1


def test_sarif_lists_all_and_stdout_what_is_new(repo: Repo) -> None:
    repo.write("old.yaml", BROKEN_PAIR)
    repo.write("a.yaml", BASE)
    repo.commit()
    repo.write("a.yaml", BROKEN_PAIR)
    import json

    found = repo.moelint("--since", "HEAD", "--format", "github", "--output", "sarif=out.sarif", "--output", "gitlab=out.json")
    assert found.code == 1 and "a.yaml" in found.out and "old.yaml" not in found.out
    sarif = json.loads((repo.folder / "out.sarif").read_text(encoding="utf-8"))
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in sarif["runs"][0]["results"]}
    assert uris == {"a.yaml", "old.yaml"}
    assert {i["location"]["path"] for i in json.loads((repo.folder / "out.json").read_text())} == {"a.yaml", "old.yaml"}


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_many_files_in_several_processes(repo: Repo, jobs: str) -> None:
    for number in range(40):
        repo.write(f"c/{number}.yaml", BASE)
    repo.commit()
    for number in range(40):
        repo.write(f"c/{number}.yaml", BROKEN_PAIR if number % 2 else BASE.replace("512", "1024"))
    found = repo.since("HEAD", "-j", jobs)
    assert found.json["summary"]["new"] == 20


# ---- what cannot be done --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--since", "nope"], "there is no revision 'nope'"),
        (["--since", ""], "there is no revision ''"),
        (["--since=--output=x"], "there is no revision '--output=x'"),
        (["--since", "main..nope"], "there is no revision 'nope'"),
        (["--since", "HEAD:a.yaml"], "there is no revision 'HEAD:a.yaml'"),
        (["--since", "both"], "the revision 'both' is ambiguous: write refs/heads/… or refs/tags/…"),
        (["--since", "HEAD", "-"], "stdin has no revisions"),
        (["--staged", "--since", "main..HEAD"], "--staged compares with one revision"),
        (["--staged", "--fix"], "--staged reads git's index"),
        (["--since", "HEAD~1..HEAD", "--fix"], "--fix writes files of the work tree"),
        (["--since", "HEAD", "missing.yaml"], "missing.yaml: no such file or folder"),
        (["--since", "orphan"], "the two revisions have no common commit"),
        (["--since", "HEAD", "--resume-from", "missing.yaml"], "--resume-from missing.yaml: No such file"),
        (["--since", "HEAD", "--resume-from", "empty.yaml"], "--resume-from empty.yaml: holds no training config"),
    ],
)
def test_what_cannot_be_compared(repo: Repo, words: list[str], said: str) -> None:
    repo.write("a.yaml", BASE)
    repo.write("empty.yaml", "")
    repo.commit()
    repo.git("branch", "both")
    repo.commit()
    repo.git("tag", "both")
    repo.git("switch", "-q", "--orphan", "orphan")
    repo.commit()
    repo.git("switch", "-q", "main")
    found = repo.moelint(*words)
    assert found.code == 2 and said in found.err
    assert len([line for line in found.err.splitlines() if "Usage" not in line and "Try" not in line and line]) == 1


def test_no_git_no_repository_no_commit(repo: Repo, make: Callable[[str], Repo], tmp_path: Path) -> None:
    repo.write("a.yaml", BASE)
    found = repo.moelint("--since", "HEAD")
    assert found.code == 2 and "no commit yet" in found.err
    plain = make("plain")
    plain.write("a.yaml", BROKEN_PAIR)
    found = plain.moelint("--since", "HEAD", env={"GIT_CEILING_DIRECTORIES": str(tmp_path)})
    assert found.code == 2 and "not in a git repository" in found.err and found.err.count("\n") == 1
    repo.commit()
    found = repo.moelint("--since", "HEAD", env={"PATH": str(tmp_path)})
    assert found.code == 2 and "needs git" in found.err


def test_other_outputs_are_still_written(repo: Repo) -> None:
    repo.write("a.yaml", BROKEN_PAIR)
    repo.commit()
    found = repo.moelint("--since", "nope", "--output", "sarif=a.sarif", "--output", "json=no/such/folder.json", "--output", "markdown=a.md")
    assert found.code == 2 and found.err.splitlines()[0] == "moelint: there is no revision 'nope'"
    assert "no/such/folder.json: cannot be written" in found.err
    assert "OVL004" in (repo.folder / "a.sarif").read_text() and "OVL004" in (repo.folder / "a.md").read_text()
    found = repo.moelint("--since", "HEAD", "--output", "json=no/such/folder.json", "--output", "sarif=b.sarif")
    assert found.code == 2 and "no/such/folder.json: cannot be written" in found.err and (repo.folder / "b.sarif").exists()


def test_the_configurations_of_changed_files_are_checked(repo: Repo) -> None:
    repo.write("a.yaml", BASE)
    repo.commit()
    repo.write("sub/b.yaml", BASE)
    repo.write("sub/.moelint.yaml", "ignore: {OVL404: no such rule}\n")
    found = repo.moelint("--since", "HEAD")
    assert found.code == 2 and "sub/.moelint.yaml:1:10: ignore: no rule is called" in found.err.replace(os.sep, "/")
