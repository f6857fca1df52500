"""Values: list expressions, OmegaConf's numbers, interpolation of each kind, arguments of flags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moelint.lang.unknown import UNKNOWN
from moelint.read import flags
from moelint.read.interpolation import Interpolation
from moelint.read.values import list_expression, omegaconf_scalar
from moelint.text.document import Setting
from moelint.text.scalars import plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("([0]*3+[1]*2)", [0, 0, 0, 1, 1]),
        ("[0] + [1,0]*2", [0, 1, 0, 1, 0]),
        ("2*[1]", [1, 1]),
        ("[1, 2, 3,]", [1, 2, 3]),
        ("[[0]*2]", [[0, 0]]),
        ("3", None),
        ("[0]*", None),
        ("[0]-[1]", None),
        ("__import__('os')", None),
        ("[0]*1000000000", None),
        ("[1] + 2", None),
        ("(" * 5000, None),
        ("", None),
    ],
)
def test_list_expression(text, value):
    assert list_expression(text) == value


@given(st.text(alphabet="[]()*+,0123 ", max_size=40))
def test_list_expression_never_fails(text):
    assert list_expression(text) is None or isinstance(list_expression(text), list)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-4", 1e-4),
        ("1.5e3", 1500.0),
        ("2E5", 2e5),
        (".5", 0.5),
        ("8", 8),
        ("true", True),
        ("~", None),
        ("1e", "1e"),
        ("e5", "e5"),
        ("inf", float("inf")),
        ("none", "none"),
        ("1_000", 1000),
        ("12:30:00", 45000),
    ],
)
def test_omegaconf_scalar(text, value):
    assert omegaconf_scalar(text) == value and type(omegaconf_scalar(text)) is type(value)


def settings(**flat):
    return {
        tuple(key.split("__")): Setting(tuple(key.split("__")), value, str(value), "plain", 0, 0, 0, 0)
        for key, value in flat.items()
    }


@pytest.mark.parametrize(
    ("kind", "text", "value", "assumed", "waits"),
    [
        ("omegaconf", "${a.b}", 4, False, ()),
        ("omegaconf", "${.c}", 8, False, ()),
        ("omegaconf", "x-${a.b}", "x-4", False, ()),
        ("omegaconf", "${mul:${a.b},2}", 8, False, ()),
        ("omegaconf", "${div:${a.c},${a.b}}", 2, False, ()),
        ("omegaconf", "${oc.env:X,16}", 16, True, ()),
        ("omegaconf", "${oc.env:X}", UNKNOWN, False, ("X",)),
        ("omegaconf", "${oc.select:a.b,1}", 4, False, ()),
        ("omegaconf", "${oc.select:a.zz,1}", 1, False, ()),
        ("omegaconf", "${oc.select:a.zz,${a.b}}", 4, False, ()),
        ("omegaconf", "${a.zz}", UNKNOWN, False, ("a.zz",)),
        ("omegaconf", "${a.loop}", UNKNOWN, False, None),
        ("omegaconf", "${art:data,path}", UNKNOWN, False, ("art",)),
        ("omegaconf", "${D}", 3, False, ()),
        ("omegaconf", "???", UNKNOWN, False, ("???",)),
        ("omegaconf", "price: 5$", "price: 5$", False, ()),
        ("omegaconf", "${unclosed", "${unclosed", False, ()),
        ("shell", "${X:-8}", 8, True, ()),
        ("shell", "${X-8}", 8, True, ()),
        ("shell", "$D", 3, False, ()),
        ("shell", "${X:-${D}}", 3, True, ()),
        ("shell", "a/${X}/b", UNKNOWN, False, ("X",)),
        ("primus", "${X:4}", 4, True, ()),
        ("primus", "${X:null}", None, True, ()),
        ("primus", "${X:deepseek}.yaml", "deepseek.yaml", True, ()),
        ("primus", "${D:9}", 3, False, ()),
    ],
)
def test_interpolation(kind, text, value, assumed, waits):
    known = settings(a__b=4, a__c=8, a__loop="${a.loop}")
    found = Interpolation(kind, known, {"D": "3"}, omegaconf_scalar if kind == "omegaconf" else plain).resolve(
        text, ("a", "x")
    )
    assert found.value is value if value is UNKNOWN else found.value == value
    assert bool(found.assumed) is assumed
    assert waits is None or found.waits == waits


@given(st.text(alphabet="${}:-,.abX8 ", max_size=30))
def test_interpolation_never_fails(text):
    for kind in ("omegaconf", "shell", "primus"):
        Interpolation(kind, settings(a__b=4), {}, plain).resolve(text, ("a", "x"))


@pytest.mark.parametrize(
    ("flag", "value", "expected"),
    [
        ("--num-layers", "12", 12),
        ("--num-layers", "many", "many"),
        ("--lr", "1e-4", 1e-4),
        ("--lr", 1, 1.0),
        ("--bf16", flags.BARE, True),
        ("--no-bias-swiglu-fusion", flags.BARE, False),
        ("--moe-aux-loss-coeff", 0.01, 0.01),
        ("--moe-aux-loss-coeff", "0.01 0.02", [0.01, 0.02]),
        ("--recompute-modules", "moe_act", ["moe_act"]),
        ("--recompute-modules", "[moe_act layernorm]", ["moe_act", "layernorm"]),
        ("--moe-layer-freq", "([0]*1+[1]*2)", [0, 1, 1]),
        ("--moe-layer-freq", "2", 2),
        ("--num-layers", None, None),
        ("--num-layers", UNKNOWN, UNKNOWN),
    ],
)
def test_flag_values(flag, value, expected):
    found = flags.value_of(flags.entry(flag), value)
    assert found is expected if expected is UNKNOWN else (found == expected and type(found) is type(expected))


def test_arguments_by_name():
    assert flags.argument("num_experts")[0] == "model.num_moe_experts"
    assert flags.argument_value(flags.argument("untie_embeddings_and_output_weights"), True) is False
    assert flags.argument_of("model.num_layers_in_first_pipeline_stage") == "decoder_first_pipeline_num_layers"
    assert flags.is_of_other_program("--num-tokens-to-generate") and not flags.is_of_other_program("--num-layers")
