"""Pipeline stages and MoE layers as rules read them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trainer_configs import effective

from moelint.lang.unknown import UNKNOWN
from moelint.trainer.layouts import pattern


@pytest.mark.parametrize(
    ("freq", "layers", "expected"),
    [
        (1, 3, [1, 1, 1]),
        (2, 4, [1, 0, 1, 0]),
        ([0, 1, 1], 3, [0, 1, 1]),
        ("([0]*1+[1]*2)", 3, [0, 1, 1]),
        ("2", 2, [1, 0]),
        ([0, 1], 3, None),
        (0, 3, None),
        (True, 3, None),
        ("[2]*3", 3, None),
        ("__import__('os')", 3, None),
        (None, 3, None),
        (UNKNOWN, 3, None),
    ],
)
def test_patterns(freq: Any, layers: int, expected: list[int] | None) -> None:
    assert pattern(freq, layers) == expected


def stages(written: dict[str, Any]) -> Any:
    return effective("core", {"model.num_layers": 8, "model.num_moe_experts": 4, **written}).get("stages")


def decoder(found: Any) -> list[int]:
    return [stage["decoder"] for stage in found]


def test_even_split() -> None:
    found = stages({"model.pipeline_model_parallel_size": 2, "model.virtual_pipeline_model_parallel_size": 2})
    assert decoder(found) == [2, 2, 2, 2]
    assert [s["embedding"] for s in found] == [1, 0, 0, 0] and [s["loss"] for s in found] == [0, 0, 0, 1]
    assert [s["moe"] for s in found] == [2, 2, 2, 2]


def test_first_and_last() -> None:
    written = {"model.pipeline_model_parallel_size": 4, "model.num_layers_in_first_pipeline_stage": 1}
    assert stages(written) is UNKNOWN  # seven layers do not split over three ranks
    assert decoder(stages({**written, "model.num_layers_in_last_pipeline_stage": 3})) == [1, 2, 2, 3]


def test_embedding_and_loss_count_as_layers() -> None:
    written = {
        "model.num_layers": 6,
        "model.pipeline_model_parallel_size": 4,
        "model.account_for_embedding_in_pipeline_split": True,
        "model.account_for_loss_in_pipeline_split": True,
    }
    assert decoder(stages(written)) == [1, 2, 2, 1]


def test_layout() -> None:
    found = stages({"model.pipeline_model_parallel_layout": "Ettt|(tt|)*2tmL", "model.pipeline_model_parallel_size": 2})
    assert decoder(found) == [3, 2, 2, 1]
    assert [s["mtp"] for s in found] == [0, 0, 0, 1]
    assert stages({"model.pipeline_model_parallel_layout": "Etx|L"}) is UNKNOWN


def test_moe_layers_of_a_stage() -> None:
    found = stages({"model.pipeline_model_parallel_size": 2, "model.moe_layer_freq": [0, 0, 1, 1, 1, 1, 1, 1]})
    assert [s["moe"] for s in found] == [2, 4]


def test_dense_model() -> None:
    found = effective("core", {"model.num_layers": 2})
    assert found.get("moe_layers") == [0, 0]


def test_unknown_sizes() -> None:
    assert effective("core", {"model.num_layers": 8}, "fragment").get("stages") is UNKNOWN
    assert effective("core", {"model.num_layers": 10**9}).get("stages") is UNKNOWN


@given(
    st.integers(1, 40),
    st.integers(1, 8),
    st.integers(1, 4),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 9),
    st.booleans(),
    st.booleans(),
    st.none() | st.integers(0, 2),
)
def test_no_layer_is_lost(
    layers: int,
    pp: int,
    vpp: int,
    first: int | None,
    last: int | None,
    embedding: bool,
    loss: bool,
    mtp: int | None,
) -> None:
    found = (
        effective(
            "core",
            {
                "model.num_layers": layers,
                "model.pipeline_model_parallel_size": pp,
                "model.virtual_pipeline_model_parallel_size": vpp,
                "model.num_layers_in_first_pipeline_stage": first,
                "model.num_layers_in_last_pipeline_stage": last,
                "model.account_for_embedding_in_pipeline_split": embedding,
                "model.account_for_loss_in_pipeline_split": loss,
                "model.mtp_num_layers": mtp,
            },
        )
        .scope("given")
        .get("stages")
    )
    if found is not UNKNOWN:
        assert len(found) == pp * vpp
        assert sum(s["decoder"] for s in found) == layers
        assert sum(s["embedding"] for s in found) == sum(s["loss"] for s in found) == 1
        assert sum(s["mtp"] for s in found) == (mtp or 0)
