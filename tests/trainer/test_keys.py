"""Key checks: what is said of a name and of a value, and which repair is offered."""

from __future__ import annotations

from typing import Any

import pytest
from trainer_configs import effective, make

from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import parse
from moelint.text.document import Setting
from moelint.trainer import layers, view
from moelint.trainer.effective import Effective
from moelint.trainer.key_data import renames
from moelint.trainer.key_rules import BY_ID
from moelint.trainer.keys import KeyProblem, check
from moelint.trainer.tables import known_anywhere
from moelint.trainer.target import resolve
from moelint.trainer.values import fault

BRIDGE = {"megatron-bridge": "0.4.2"}


def problems(
    trainer: str, written: dict[str, Any], stated: dict[str, Any] | None = None, dialect: str | None = None
) -> list[KeyProblem]:
    return check(effective(trainer, written, "complete", stated, dialect))


def only(trainer: str, written: dict[str, Any], stated: dict[str, Any] | None = None) -> KeyProblem:
    found = problems(trainer, written, stated)
    assert len(found) == 1
    assert found[0].rule in BY_ID
    return found[0]


def test_a_misspelt_key() -> None:
    found = only("bridge", {"model.tensor_model_paralel_size": 8}, BRIDGE)
    assert (found.rule, found.effect) == ("KEY001", "ignored")  # Bridge logs a line and goes on
    assert found.renames == {"model.tensor_model_paralel_size": "model.tensor_model_parallel_size"}
    assert "tensor_model_parallel_size" in found.message and found.safety == "unsafe"
    assert only("core", {"model.tensor_model_paralel_size": 8}).effect == "refuses"


def test_a_key_of_another_section() -> None:
    found = only("bridge", {"model.use_distributed_optimizer": True}, BRIDGE)
    assert found.rule == "KEY009" and "ddp or optimizer" in found.message


def test_not_yet_and_no_longer() -> None:
    found = only("core", {"model.moe_flex_dispatcher_backend": "hybridep"}, {"megatron-core": "0.14.0"})
    assert (found.rule, found.effect, found.certain) == ("KEY002", "refuses", True) and "0.16.0" in found.message
    found = only("core", {"model.moe_extended_tp": True}, {"megatron-core": "0.17.1"})
    assert found.rule == "KEY003" and "expert_tensor_parallel_size" in found.message
    assert only("core", {"model.moe_extended_tp": True}).certain is False  # nobody states the release


def test_an_old_spelling() -> None:
    found = only("core", {"model.moe_enable_deepep": True}, {"megatron-core": "0.16.0"})
    assert (found.rule, found.effect) == ("KEY004", "deprecated")
    assert (found.sets, found.unset) == ({"model.moe_flex_dispatcher_backend": "deepep"}, ["model.moe_enable_deepep"])
    assert problems("core", {"model.moe_enable_deepep": True}, {"megatron-core": "0.15.3"}) == []
    assert problems("core", {"model.moe_enable_deepep": False}) == []
    assert problems("core", {"model.moe_enable_deepep": True, "model.moe_flex_dispatcher_backend": "deepep"}) == []


@pytest.mark.parametrize(
    ("key", "value", "rule", "instead"),
    [
        ("model.num_layers", "8", "KEY005", 8),
        ("model.num_layers", 8.0, "KEY005", 8),
        ("model.num_layers", True, "KEY005", 1),
        ("model.num_layers", [8], "KEY005", UNKNOWN),
        ("model.num_layers", "eight", "KEY005", UNKNOWN),
        ("optimizer.lr", "1e-4", "KEY005", 1e-4),
        ("model.sequence_parallel", "false", "KEY005", False),
        ("model.virtual_pipeline_model_parallel_size", "None", "KEY005", None),
        ("model.fp8", "None", "KEY005", None),
        ("model.recompute_modules", "moe", "KEY005", ["moe"]),
        ("model.params_dtype", "bfloat17", "KEY006", UNKNOWN),
        ("model.moe_token_dispatcher_type", "altoall", "KEY006", "alltoall"),
    ],
)
def test_wrong_values(key: str, value: Any, rule: str, instead: Any) -> None:
    found = only("bridge", {key: value}, BRIDGE)
    assert found.rule == rule
    assert found.sets == ({} if instead is UNKNOWN else {key: instead})
    for kept in found.sets.values():
        assert type(kept) is type(instead)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model.num_layers", 8),
        ("model.num_layers", None),
        ("optimizer.lr", 1),
        ("model.rotary_base", 10000.0),
        ("model.moe_layer_freq", [0, 1]),
        ("model.moe_router_load_balancing_type", ["aux_loss", "seq_aux_loss"]),
        ("model.params_dtype", "torch.bfloat16"),
        ("model.activation_func", "silu"),
        ("model.attention_backend", "flash"),
        ("model.num_layers", UNKNOWN),
        ("model.fp8", "hybrid"),
        ("model.pipeline_model_parallel_layout", "Et|L"),
        ("env_vars.ANYTHING", "1"),
        ("checkpoint.save", "/checkpoints/x"),
        ("model.moe_token_dispatcher_type", "flex"),
    ],
)
def test_right_values(key: str, value: Any) -> None:
    assert problems("bridge", {key: value}, BRIDGE) == []


def test_the_argument_parser_converts_words_itself() -> None:
    assert problems("lm", {"optimizer.lr": "1e-4", "model.recompute_modules": "moe"}) == []
    found = only("lm", {"model.moe_router_topk": "two"})
    assert (found.rule, found.effect) == ("KEY005", "refuses")
    assert only("lm", {"model.fp8": "e5m2"}).effect == "refuses"


def test_classes_with_more_fields_are_left_alone() -> None:
    assert problems("bridge", {"model._target_": "my.OwnProvider", "model.own_field": 1}) == []
    assert problems("bridge", {"model.freeze_vision_model": True}) == []
    assert problems("bridge", {"dataset._target_": "x.EnergonDatasetConfig", "dataset.path": "x"}) == []


def test_a_dump_of_the_trainer_is_not_blamed_for_its_release() -> None:
    written = {"model.moe_enable_deepep": True, "model.moe_extended_tp": True}
    assert problems("bridge", written, None, "bridge-resolved") == []


def test_other_frameworks_have_their_own_keys() -> None:
    assert problems("lm", {"model.tensor_model_paralel_size": "8"}, None, "primus") == []


def test_inherited_keys_are_said_where_they_stand() -> None:
    config = make("bridge", {"model.num_layers": "8"})
    config.written["model.num_layers"].origin = "inherited"
    assert check(Effective(config, resolve(config))) == []


def test_unread_settings() -> None:
    config = make("bridge", {})
    config.unread += [Setting(("trian", name), 1, "1", "plain", 0, 0, 0, 0) for name in ("a", "b")]
    config.unread.append(Setting(("something_else", "a"), 1, "1", "plain", 0, 0, 0, 0))
    found = check(Effective(config, resolve(config)))
    assert [p.message for p in found] == ["trian is not a section of the configuration: did you mean train?"]
    config = make("lm", {})
    config.unread.append(Setting(("--num-expert",), 1, "1", "plain", 0, 0, 0, 0))
    assert "--num-experts" in check(Effective(config, resolve(config)))[0].message


def test_renames_name_keys_that_exist() -> None:
    known = known_anywhere("core") | known_anywhere("bridge")
    for key, entry in renames().items():
        assert key in known, key
        assert entry.get("to") is None or entry["to"] in known, key
        assert parse(entry["since"]) is not None and entry["message"]


def test_open_types_take_anything() -> None:
    for kind in ("any", "callable", "object", "str|list|object", "enum:AttnBackend", "dict"):
        assert fault("x", (kind, False, None, ""), None, "core") is None
        assert fault([1], (kind, False, None, ""), None, "core") is None


def _yaml_refusals(*lines: str) -> list[tuple[str, str]]:
    from moelint.engine import Engine
    from moelint.options import Options
    from moelint.text.source import Source

    options = Options()
    options.no_config = True
    head = ["# moelint: complete", "MODEL_ARGS:", "  --num-layers: 8", "  --num-experts: 8"]
    report = Engine(options).lint(Source("a.yaml", "\n".join([*head, *(f"  {line}" for line in lines)]) + "\n"), True)
    return [(item.rule, item.message) for item in report.findings if item.rule.startswith("KEY")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('--sequence-parallel: "yes"', "it stands alone and takes no value"),
        ("--external-cuda-graph: 3", "it stands alone and takes no value"),
        ('--moe-permute-fusion: "[1 2]"', "it stands alone and takes no value"),
        ('--tokenizer-model: "[a b]"', "it takes one value"),
    ],
)
def test_words_that_the_parser_leaves_over(line: str, said: str) -> None:
    assert [rule for rule, message in _yaml_refusals(line) if said in message] == ["KEY005"]


@pytest.mark.parametrize("line", ["--sequence-parallel: true", "--moe-grouped-gemm: ${GROUPED}", '--recompute-modules: "[moe_act mlp]"'])
def test_words_that_it_takes(line: str) -> None:
    assert _yaml_refusals(line) == []


def test_what_is_right_is_remembered_and_what_is_wrong_is_told_each_time() -> None:
    """Values of one type where the field takes them all, texts one by one."""
    written: list[tuple[str, Any, list[str]]] = [
        ("num_layers", 8, []), ("num_layers", 9, []), ("num_layers", 8.5, ["KEY005"]), ("num_layers", "8", ["KEY005"]),
        ("num_layers", True, ["KEY005"]), ("num_layers", None, []), ("recompute_granularity", "full", []),
        ("recompute_granularity", "fulll", ["KEY006"]), ("bf16", True, []), ("bf16", "true", ["KEY005"]), ("bf16", 1, []),
        ("init_method_std", 0.01, []), ("init_method_std", 1, []), ("init_method_std", "1", ["KEY005"]),
        ("moe_layer_freq", [1, 0], []), ("no_such_thing", 1, ["KEY001"]),
    ]  # fmt: skip
    for _ in range(2):
        for name, value, rules in written:
            found = check(effective("bridge", {"model.num_layers": 4, f"model.{name}": value}))
            assert [problem.rule for problem in found] == rules, (name, value)


def test_what_is_remembered_of_kinds_and_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "MOST_KINDS", 3)
    monkeypatch.setattr(view, "_MOST", 50)
    for module, name in ((layers, "_shared"), (layers, "_fine"), (view, "_settings")):
        monkeypatch.setattr(module, name, {})
    for completeness in ("complete", "standing", "fragment"):
        for trainer in ("bridge", "core", "lm"):
            config = effective(trainer, {"model.num_layers": 4}, completeness=completeness)
            check(config)
            for number in range(60):
                config.get(f"model.name_{number}")
            assert len(layers._shared) <= 3 and len(layers._fine) <= 3 and len(view._settings) <= 50
