"""Load-time errors: what they say, where they point, what they suggest."""

from __future__ import annotations

import pytest

from moelint.lang.errors import LangError, frame
from moelint.lang.names import Info, NameTable
from moelint.lang.parse import parse

NAMES = NameTable(
    {
        "model.expert_model_parallel_size": Info("int"),
        "model.num_moe_experts": Info("int", True),
        "model.moe_shared_expert_overlap": Info("bool"),
        "model.moe_token_dispatcher_type": Info("str", False, ("allgather", "alltoall", "flex")),
        "model.recompute_granularity": Info("str", True, ("full", "selective")),
        "model.recompute_modules": Info("list", True, ("moe", "moe_act")),
        "model.cuda_graph_scope": Info("any", True),
        "model.moe_aux_loss_coeff": Info("float"),
        "ddp.overlap_grad_reduce": Info("bool"),
        "target.transformer_engine": Info("version", True),
    },
    facts={"ep": Info("int"), "experts": Info("int", True), "ep_overlap": Info("bool")},
    groups={"overlap": ("ddp.overlap_grad_reduce",)},
)
NAMES.trees = {
    "experts": ("name", "model.num_moe_experts"),
    "moe": ("cmp", "is not", ("name", "model.num_moe_experts"), ("const", None)),
}
NAMES.facts["moe"] = Info("bool")

WRONG = [
    "model.expert_modle_parallel_size > 1",
    "expert_model_parallel_size > 1",
    "ep_overlapp",
    "true and ep_overlap",
    "ep_overlap && ep > 1",
    "!ep_overlap",
    "ep = 1",
    "ep === 1",
    "model.num_moe_experts > 1",
    "experts >= ep",
    "model.moe_shared_expert_overlap == 'on'",
    "model.moe_shared_expert_overlap > 1",
    "model.moe_token_dispatcher_type == 'all2all'",
    "model.moe_token_dispatcher_type in ['alltoall', 'deepep']",
    "'moe_actt' in model.recompute_modules",
    "model.expert_model_parallel_size == '8'",
    "'a' in ep",
    "model.recompute_granularity + 1",
    "target.transformer-engine >= version('2.7')",
    "target.transformer_engine >= 2.7",
    "target.transformer_engine >= version('two')",
    "model.recompute_granularity > 'full'",
    "lenn(model.recompute_modules)",
    "len()",
    "len(1, 2)",
    "default(x=1)",
    "written('model.nope')",
    "written(1)",
    "changed('group:overlapp')",
    "default('group:overlap')",
    "overlaps(ep, ['a'])",
    "all(x > 1 for x in ep)",
    "ep ** 2",
    "ep is 1",
    "{'a': 1}",
    "[x for x in model.recompute_modules]",
    "min(x for x in range(3) for y in range(3))",
    "ep > 1 and",
    "(ep > 1",
    "",
    "   ",
    "value",
    "min",
    "model.",
    "before.model.nope == 1",
    "model.recompute_modules[0:1]",
    "f'{ep}'",
    "ep\n> 'a'",
    "ep_overlap and\n  model.num_moe_experts > ep",
]


def said(text: str) -> str:
    with pytest.raises(LangError) as caught:
        parse(text, NAMES)
    return f"{caught.value}\n{frame(text, caught.value.column)}"


def test_errors(snapshot: object) -> None:
    assert "\n\n".join(f"> {text!r}\n{said(text)}" for text in WRONG) == snapshot


RIGHT = [
    "model.num_moe_experts is not None and model.num_moe_experts > 1",
    "model.num_moe_experts and model.num_moe_experts > 1",
    "not (model.num_moe_experts is None or model.num_moe_experts > 1)",
    "model.num_moe_experts is None or model.num_moe_experts > 1",
    "default(model.num_moe_experts, 1) > 1",
    "(model.num_moe_experts or 1) > 1",
    "model.num_moe_experts > 1 if model.num_moe_experts is not None else False",
    "False if model.num_moe_experts is None else model.num_moe_experts > 1",
    "moe and model.num_moe_experts > 1",  # through a fact
    "moe and experts > 1",  # through a fact that only names a key
    "model.num_moe_experts == 8 and model.num_moe_experts > 1",
    "model.num_moe_experts in [8, 16] and model.num_moe_experts > 1",
    "all(m != 'moe' for m in model.recompute_modules)",
    "model.recompute_granularity == 'full'",
    "value(model.moe_token_dispatcher_type) == 'deepep'",  # a rule about wrong values says so
    "target.transformer_engine >= version('2.7')",
    "target.transformer_engine is None",
    "model.cuda_graph_scope == 3 or model.cuda_graph_scope == 'attn'",
    "model.moe_aux_loss_coeff == 0",
    "experts % ep == 0",
    "given.model.recompute_granularity == 'full'",
    "before.model.expert_model_parallel_size != model.expert_model_parallel_size",
    "changed('group:overlap')",
    "env_vars.NCCL_GRAPH_REGISTER != '1'",
    "written(model.recompute_modules) and written('ddp')",
    "ep_overlap\n  and\n  ep > 1  # a comment",
]


@pytest.mark.parametrize("text", RIGHT)
def test_accepted(text: str) -> None:
    parse(text, NAMES)


def test_an_earlier_condition_proves_a_later_one() -> None:
    with pytest.raises(LangError):
        parse("model.num_moe_experts > 1", NAMES)
    parse("model.num_moe_experts > 1", NAMES, frozenset(("model.num_moe_experts",)))


def test_columns_count_characters() -> None:
    with pytest.raises(LangError) as caught:
        parse("'—ü—' != 'a' and nope", NAMES)
    assert caught.value.column == len("'—ü—' != 'a' and ")
