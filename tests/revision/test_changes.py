"""Where change findings stand, and how they join with everything else."""

from __future__ import annotations

import pytest

from .conftest import BASE, OVERLAP, Repo

SAFE = BASE + OVERLAP + "  delay_wgrad_compute: false\nddp:\n  check_for_nan_in_grad: true\n"


def changes(repo: Repo, old: str, new: str, *words: str) -> list[dict[str, object]]:
    repo.write("a.yaml", old)
    repo.commit()
    repo.write("a.yaml", new)
    found = repo.since("HEAD", "--select", "CHG", *words).json["findings"]
    assert isinstance(found, list)
    return found


def test_at_the_line_that_changed(repo: Repo) -> None:
    (item,) = changes(repo, SAFE, SAFE.replace("moe_router_dtype: fp32", "moe_router_dtype: null"))
    assert (item["rule"], item["case"], item["line"], item["key"]) == ("CHG011", "router-precision", 8, "model.moe_router_dtype")
    assert item["new"] is True and item["facts"]["model.moe_router_dtype"]["before"] == "fp32"  # type: ignore[index]


def test_at_the_parent_of_what_was_taken_out(repo: Repo) -> None:
    (item,) = changes(repo, SAFE, SAFE.replace("  moe_router_dtype: fp32\n", ""))
    assert (item["line"], item["column"], item["end_column"]) == (2, 1, 6), "at model:"
    repo.commit()
    (item,) = changes(repo, SAFE, SAFE.replace("ddp:\n  check_for_nan_in_grad: true\n", ""))
    assert (item["rule"], item["line"]) == ("CHG011", 3), "the section is gone too: the config's first setting"


def test_unchanged_settings_are_no_part_of_it(repo: Repo) -> None:
    (item,) = changes(repo, SAFE, SAFE.replace("alltoall", "allgather").replace("bf16: true", "bf16: true\n  recompute_granularity: selective"))
    assert item["rule"] == "CHG001"
    keys = {item["key"], *(related["key"] for related in item["related"])}  # type: ignore[attr-defined]
    assert keys == {"model.moe_token_dispatcher_type", "model.recompute_granularity"}


@pytest.mark.parametrize(
    "new",
    [
        SAFE,
        "# a comment\n" + SAFE,
        SAFE.replace("moe_router_dtype: fp32", "moe_router_dtype: 'fp32'"),
        SAFE.replace("bf16: true", "bf16: true\n  recompute_granularity: null\n  moe_router_force_load_balancing: false"),
        SAFE.replace("num_layers: 48", "num_layers: 24"),
    ],
)
def test_what_is_no_change_of_the_contract(repo: Repo, new: str) -> None:
    assert changes(repo, SAFE, new) == []


def test_without_a_revision_the_pack_says_nothing(repo: Repo) -> None:
    repo.write("a.yaml", SAFE)
    found = repo.moelint("a.yaml", "--select", "CHG", "--show-undecided", "--format", "json")
    assert found.json["findings"] == [] and found.json["summary"]["undecided"] == 0


def test_severities_and_ignores_hold(repo: Repo) -> None:
    new = SAFE.replace("check_for_nan_in_grad: true", "check_for_nan_in_grad: false")
    assert repo.moelint("--since", "HEAD").code == 2, "no commit yet"
    assert [item["severity"] for item in changes(repo, SAFE, new)] == ["warning"]
    assert repo.moelint("--since", "HEAD").code == 0 and repo.moelint("--since", "HEAD", "--fail-on", "warning").code == 1
    repo.write(".moelint.yaml", "severity: {CHG011: error}\n")
    assert repo.moelint("--since", "HEAD").code == 1
    repo.write("a.yaml", new.replace("ddp:", "# moelint: ignore[CHG011] because it is a benchmark\nddp:"))
    assert repo.moelint("--since", "HEAD").code == 0


def test_a_change_in_a_parent_is_told_at_the_parent(repo: Repo) -> None:
    base = "policy:\n  megatron_cfg:\n    enabled: true\n    expert_model_parallel_size: 8\n    moe_router_dtype: fp32\n"
    repo.write("base.yaml", base)
    repo.write("child.yaml", "defaults: base.yaml\npolicy:\n  megatron_cfg:\n    tensor_model_parallel_size: 1\n")
    repo.commit()
    repo.write("base.yaml", base.replace("fp32", "null"))
    found = repo.since("HEAD", "--select", "CHG011").json["findings"]
    assert [item["path"] for item in found] == ["base.yaml"]
