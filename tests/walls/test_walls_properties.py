"""Whatever a config says: no crash, no division by zero, no figure that is no number, none without its unit."""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as trying
from hypothesis import strategies as st
from test_walls_pages import DEEPSEEK_256, QWEN_16, page_of
from walls_models import DEEPSEEK_V3, QWEN3_30B
from walls_published import machines, rows
from walls_settings import effective_of, settings

from moelint.data import folder
from moelint.policy.examples import example_config
from moelint.report.walls_html import html
from moelint.report.walls_text import text
from moelint.trainer.effective import Effective
from moelint.trainer.target import resolve
from moelint.trainer.walls_adapter import OF_GPU, OF_HBM
from moelint.trainer.walls_page import page
from moelint.walls.estimate import FIGURES, Estimate
from moelint.walls.model import Layout

QUICK = (Phase.explicit, Phase.generate)  # a page takes milliseconds, shrinking one takes minutes
SETTINGS = settings(QWEN3_30B, QWEN_16)
SIZES = sorted(key for key, value in SETTINGS.items() if isinstance(value, int) and not isinstance(value, bool))
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        0,
        -1,
        1,
        2,
        3,
        7,
        64,
        10**9,
        10**30,
        None,
        True,
        "",
        "many",
        0.5,
        -2.5,
        float("nan"),
        float("inf"),
        [],
        [0, 1],
        {},
    ]
)
SWITCHES = {
    "model.recompute_granularity": ["none", "selective", "full", "broken"],
    "model.recompute_method": ["uniform", "block"],
    "model.recompute_num_layers": [None, 0, 1, 10**6],
    "model.pipeline_model_parallel_layout": [None, "Et*24|t*24L", "t|", "nonsense", [["decoder"]]],
    "model.num_layers_in_first_pipeline_stage": [None, 0, 5, 500],
    "model.moe_layer_freq": [0, 1, 3, [0, 1], [], "([0]*1+[1]*47)"],
    "model.window_size": [None, [127, 0], [], 128, -1],
    "model.hybrid_layer_pattern": [None, "MEM*E-", "zzz", ""],
    "model.moe_expert_capacity_factor": [None, 0, 1.5, -1.0],
    "model.cuda_graph_impl": ["none", "transformer_engine", "full_iteration", 3],
    "optimizer.optimizer_offload_fraction": [0.0, 0.5, 7, None],
    "optimizer.optimizer_cpu_offload": [True, False],
    "ddp.use_megatron_fsdp": [True, False],
    "model.fp8": [None, "hybrid"],
    "model.multi_latent_attention": [True, False],
    "model.experimental_attention_variant": [None, "gdn", "dsv4_hybrid"],
    "peft": [None, {"dim": 16}],
}


def schema() -> Any:
    with open(os.path.join(folder("schemas"), "walls.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [n for inner in value.values() for n in numbers(inner)]
    if isinstance(value, (list, tuple)):
        return [n for inner in value for n in numbers(inner)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def ask(values: dict[str, Any], target: dict[str, Any]) -> dict[str, Any]:
    config = example_config(values, target)
    return page(Effective(config, resolve(config)).scope().get, "any", "any.yaml", 1, {})


def well_formed(one: dict[str, Any]) -> None:
    jsonschema.validate(json.loads(json.dumps({"version": 1, "pages": [one]})), schema())
    knobs = [{k: v for k, v in knob.items() if k not in ("change", "before")} for knob in one.get("knobs", ())]
    for figure in numbers({**one, "knobs": knobs}):
        assert math.isfinite(figure)
    for width in (80, 120):
        said = text([one], False, False, True, width)
        assert one["problem"] or not re.search(r"\b(nan|inf|None)\b", said)
    assert len(html([one], False).encode()) < 200_000


@trying(max_examples=80, deadline=None, phases=QUICK, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(SIZES), ODD, max_size=4),
    st.fixed_dictionaries({}, optional={key: st.sampled_from(found) for key, found in SWITCHES.items()}),
    st.sampled_from(["h100", "gb200", "v100", None]),
    st.sampled_from([1, 8, 16, 48, 1024]),
)
def test_no_config_breaks_the_page(sizes: dict[str, Any], switches: dict[str, Any], gpu: str | None, gpus: int) -> None:
    target: dict[str, Any] = {"gpus": gpus} if gpu is None else {"gpus": gpus, "gpu": gpu}
    one = ask({**SETTINGS, **sizes, **switches}, target)
    well_formed(one)
    assert one["problem"] or one["missing"] or "memory" in one


@trying(max_examples=30, deadline=None, phases=QUICK, suppress_health_check=list(HealthCheck))
@given(st.sets(st.sampled_from(sorted(SETTINGS)), max_size=12))
def test_no_gap_breaks_the_page(left_out: set[str]) -> None:
    well_formed(ask({key: value for key, value in SETTINGS.items() if key not in left_out}, {"gpus": 16}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model.hidden_size", -2048),
        ("model.num_layers", -4),
        ("model.num_moe_experts", -8),
        ("model.moe_router_topk", 0),
        ("model.tensor_model_parallel_size", 0),
        ("model.expert_model_parallel_size", 0),
        ("model.pipeline_model_parallel_size", -1),
        ("model.tensor_model_parallel_size", 3),
        ("model.expert_model_parallel_size", 64),
    ],
)
def test_an_impossible_size_is_one_line_that_names_it(key: str, value: int) -> None:
    one = ask({**SETTINGS, key: value}, {"gpus": 16, "gpu": "h100"})
    assert one["problem"] is not None
    assert "\n" not in one["problem"]
    assert str(value).lstrip("-") in one["problem"]
    assert "memory" not in one


@pytest.mark.parametrize("key", ["model.hidden_size", "model.num_attention_heads", "model.num_layers"])
def test_a_missing_shape_is_named_with_how_to_give_it(key: str) -> None:
    one = ask({**SETTINGS, key: 0}, {"gpus": 16, "gpu": "h100"})
    assert one["problem"] is None
    assert [entry["key"] for entry in one["missing"]] == [key]
    said = text([one], False, False, True)
    assert f"{key} would decide" in said
    assert "--base RECIPE" in said


def test_pages_follow_the_schema() -> None:
    for shape, layout, gpu in ((QWEN3_30B, QWEN_16, "h100"), (DEEPSEEK_V3, DEEPSEEK_256, "gb200")):
        well_formed(page_of(shape, layout, gpu))
    for row in rows()[::20]:
        get = effective_of(row.shape, row.layout, row.gpu).scope().get
        well_formed(page(get, row.model, "row.yaml", 1, {}))


# Figures whose name has no unit are counts, fractions of one or words.
UNITS = ("_gib", "_gb", "_ms", "_s", "_b", "_ms_per_layer")
PLAIN = frozenset((
    "memory.worst_stage", "memory.largest", "memory.selective_modules", "communication.ep_ranks",
    "communication.ep_nodes", "communication.crosses_nvlink", "communication.ep_share", "compute.rows_per_expert",
    "compute.ridge_rows", "compute.expert_width", "compute.bubble", "compute.flops_per_token", "compute.moe_layers",
    "compute.dense_layers", "compute.mamba_layers", "compute.imbalance", "compute.tflops", "compute.tflops_low",
    "compute.tflops_high", "host.kernels", "host.launch_ratio",
))  # fmt: skip


def test_every_figure_has_its_unit_in_its_name() -> None:
    assert [name for name in FIGURES if not name.endswith(UNITS) and name not in PLAIN] == []
    estimate = Estimate(QWEN3_30B, Layout(16, ep=8, global_batch=256), machines()["H100"])
    for name in FIGURES:
        value = estimate.figure(name)
        assert value is None or isinstance(value, (str, bool)) or math.isfinite(value), name


SAID = {"gib": "GiB", "ms": "ms", "s": "s", "b": "B", "gb": "GB", "gbs": "GB/s", "ms_per_layer": "ms"}
FIGURE = re.compile(r"\{(?:walls\.\w+|hw)\.\w*?_(gib|gbs|ms_per_layer|ms|gb|b|s)(?::[^}]*)?\}")


GPU_NAMES = re.compile(r"\bhw\.\w+|" + "|".join(rf"walls\.{re.escape(name)}\b" for name in sorted(OF_GPU | OF_HBM)))


def test_no_message_speaks_of_a_gpu_that_may_be_unknown() -> None:
    """A figure of the GPU in a message is one that the condition hangs on too, so it is known where the rule fires."""
    unsure = []
    for pack in ("walls", "hardware"):
        root = os.path.join(folder("policies"), pack, "rules")
        for name in sorted(os.listdir(root)):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                rules = yaml.safe_load(file)
            for rule in rules:
                for case in rule.get("cases") or ({},):
                    message = case.get("message", rule.get("message", ""))
                    asked = [part.get(key) for part in (rule, case) for key in ("when", "require")]
                    if GPU_NAMES.search(message) and not GPU_NAMES.search(str(asked)):
                        unsure.append((rule["id"], case.get("case")))
    assert unsure == []


def messages() -> list[tuple[str, str]]:
    found = []
    for pack in ("walls", "hardware"):
        root = os.path.join(folder("policies"), pack, "rules")
        for name in sorted(os.listdir(root)):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                for rule in yaml.safe_load(file):
                    found += [
                        (rule["id"], one["message"]) for one in (rule, *rule.get("cases", ())) if "message" in one
                    ]
    return found


def test_no_figure_in_a_message_lacks_its_unit() -> None:
    """Either the unit follows, or ``to`` or ``of`` and another figure with its unit."""
    lacking = []
    for rule, message in messages():
        for match in FIGURE.finditer(message):
            rest = FIGURE.sub("#", message[match.end() :])
            if not re.match(rf"( (to|of) #)? {SAID[match.group(1)]}\b", rest):
                lacking.append((rule, match.group(0)))
    assert lacking == []
