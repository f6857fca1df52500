"""Where a target comes from, and what follows from it."""

from __future__ import annotations

import pytest
from trainer_configs import make

from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version
from moelint.trainer.target import TargetError, convert, resolve


def test_the_first_source_wins() -> None:
    config = make("bridge", {}, stated={"gpus": 16})
    config.stated["gpu"] = ("b200", "config")
    target = resolve(config, {"gpu": "h100"}, {"gpu": "a100", "gpus": 8, "torch": "2.9"}, lambda: {"torch": "2.6"})
    assert {name: (target.values[name].shown(), target.values[name].origin) for name in ("gpu", "gpus", "torch")} == {
        "gpu": ("h100", "cli"),
        "gpus": (16, "directive"),
        "torch": ("2.9", "configuration"),
    }


def test_two_stated_values_that_differ_are_a_contradiction() -> None:
    config = make("core", {}, stated={"gpus": 16})
    config.stated["gpus-per-node"] = (8, "config")
    config.stated["gpus"] = (16, "directive")
    assert resolve(config).contradictions == []
    found = resolve(config, None, {"gpus": 32}).contradictions
    assert found == []  # the configuration by path is a fallback, not a claim of the file
    config.stated = {"gpus": (8, "config")}
    assert resolve(config, {"gpus": 16}).contradictions == []  # the command line wins over all


def test_bridge_implies_its_core() -> None:
    target = resolve(make("bridge", {}, stated={"megatron-bridge": "0.6.0"}))
    assert (target.release, str(target.get("megatron_core"))) == ("0.6.0", "0.19.0")
    assert target.values["megatron_core"].hangs_on is None


def test_a_stated_core_picks_the_bridge_that_ships_it() -> None:
    target = resolve(make("bridge", {}, stated={"megatron-core": "0.17.0"}))
    assert target.release == "0.4.0"
    assert str(target.get("megatron_core")) == "0.17.0"


def test_what_nobody_states_is_the_newest_release_and_assumed() -> None:
    target = resolve(make("bridge", {}))
    assert target.release == "main"
    assert target.values["megatron_core"].hangs_on == "target.megatron_bridge"
    assert resolve(make("lm", {})).values["megatron_core"].hangs_on == "target.megatron_core"


def test_packages_that_nobody_states() -> None:
    target = resolve(make("core", {}))
    assert target.get("deep_ep") == "installed" and target.get("nccl_ep") is None
    assert target.get("gpus") is UNKNOWN and target.get("gpu") is UNKNOWN
    assert target.values["deep_ep"].hangs_on == "target.deep_ep"
    assert "deep-ep" not in target.stated()


def test_an_unknown_release_takes_a_near_one_and_says_so() -> None:
    target = resolve(make("core", {}, stated={"megatron-core": "0.16.4"}))
    assert target.release == "0.16.1"
    assert "0.16.4" in target.notes[0] and "0.16.1" in target.notes[0]


def test_a_container_states_what_it_holds() -> None:
    target = resolve(make("bridge", {}, stated={"container": "nvcr.io/nvidia/nemo:26.04.01"}))
    assert target.release == "0.4.0"
    assert str(target.get("transformer_engine")) == "2.14"
    assert resolve(make("bridge", {}, stated={"container": "nemo:26.041"})).release == "main"


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("gpus", "16", 16),
        ("hbm_gb", "80", 80.0),
        ("apex", "none", None),
        ("apex", "installed", "installed"),
        ("gpu", "H100", "H100"),
        ("transformer_engine", "2.9", Version("2.9")),
        ("gpu", "none", None),
    ],
)
def test_convert(name: str, raw: str, value: object) -> None:
    assert convert(name, raw) == value


@pytest.mark.parametrize(
    ("name", "raw"), [("gpus", "0"), ("gpus", "many"), ("gpus", "8.5"), ("hbm_gb", "x"), ("torch", "two")]
)
def test_convert_refuses(name: str, raw: str) -> None:
    with pytest.raises(TargetError):
        convert(name, raw)


def test_a_bad_value_of_a_directive_is_left_to_its_reader() -> None:
    assert resolve(make("core", {}, stated={"gpus": "many"})).get("gpus") is UNKNOWN
    with pytest.raises(TargetError):
        resolve(make("core", {}), {"gpus": "many"})


def test_what_one_stated_value_implies_may_contradict_another() -> None:
    target = resolve(make("bridge", {}, stated={"megatron-bridge": "0.6.0", "megatron-core": "0.16.1"}))
    assert [(name, won.shown(), lost.shown()) for name, won, lost in target.contradictions] == [
        ("megatron_core", "0.16.1", "0.19.0")
    ]
    assert str(target.get("megatron_core")) == "0.16.1"
    target = resolve(make("bridge", {}, stated={"container": "nemo:26.04", "transformer-engine": "2.9"}))
    assert [name for name, _, _ in target.contradictions] == ["transformer_engine"]
    same = {"container": "nemo:26.04", "megatron-core": "0.17.1", "megatron-bridge": "0.4.2"}
    assert resolve(make("bridge", {}, stated=same)).contradictions == []


def test_a_known_release_is_not_called_unknown() -> None:
    assert resolve(make("lm", {}, stated={"megatron-core": "0.15.0"})).notes == []
    assert resolve(make("lm", {}, stated={"megatron-core": "0.15.9"})).notes != []


def test_configs_of_which_the_same_is_stated_share_a_target() -> None:
    one = resolve(make("bridge", {"model.num_layers": 8}, stated={"gpus": 16}), {"gpu": "h100"})
    assert resolve(make("bridge", {"model.num_layers": 4}, stated={"gpus": 16}), {"gpu": "h100"}) is one
    assert resolve(make("bridge", {}, stated={"gpus": 32}), {"gpu": "h100"}) is not one
    assert resolve(make("bridge", {}, stated={"gpus": 16}), {}, {"gpu": "h100"}).values["gpu"].origin == "configuration"
    assert resolve(make("core", {}, stated={"gpus": 16}), {"gpu": "h100"}).trainer == "core"
    assert resolve(make("bridge", {}, stated={"gpus": 16}), {"gpu": "h100"}, None, lambda: {"torch": "2.6"}).get("torch") != "installed"


def test_true_is_no_1() -> None:
    config = make("bridge", {})
    config.stated = {"deep-ep": (1, "directive")}
    assert isinstance(resolve(config).get("deep_ep"), Version)
    config.stated = {"deep-ep": (True, "directive")}
    assert resolve(config).get("deep_ep") == "installed"


def test_each_checkout_says_its_own() -> None:
    asked: list[str] = []

    def target_in(torch: str) -> str:
        return str(resolve(make("bridge", {}), None, None, lambda: asked.append(torch) or {"torch": torch}).get("torch"))

    assert [target_in(torch) for torch in ("2.6", "2.9", "2.6")] == ["2.6", "2.9", "2.6"]
    assert asked == ["2.6", "2.9", "2.6"]


def test_a_stated_value_of_any_type_is_taken() -> None:
    config = make("core", {})
    config.stated = {"gpus": ([8], "config")}
    assert resolve(config).get("gpus") is UNKNOWN
