"""A file's report is what it would be if no other file were checked: what a run remembers of others makes no difference.

``MOELINT_EXAMPLES=20000`` (``make nightly``) tries a hundred random folders of each kind instead of one.
"""

from __future__ import annotations

import difflib
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from moelint.policy.names import keys

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = max(1, int(os.environ.get("MOELINT_EXAMPLES", "0")) // 200)


def told_apart(folder: Path, seed: int = 0, *more: str) -> str:
    """Where files of a folder get another report in a batch than alone; empty if nowhere."""
    command = [sys.executable, str(Path(__file__).with_name("alone_run.py")), str(folder), str(seed), *more]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    said = []
    for path, alone, batch in json.loads(done.stdout)[:3]:
        said += [path, *list(difflib.unified_diff(alone.splitlines(), batch.splitlines(), "alone", "batch", lineterm=""))[:40]]
    return "\n".join(said)


# ---- what once went wrong


def test_a_rewrite_that_could_not_happen_before(tmp_path: Path) -> None:
    """``fp32_residual_connection`` makes a later rewrite of ``pipeline_dtype`` possible."""
    for number in range(24):
        more = "  fp32_residual_connection: true\n" if number % 8 == 7 else ""
        text = f"model:\n  num_layers: 48\n  num_moe_experts: 8\n  pipeline_dtype: bf16\n{more}mixed_precision: bf16_mixed\noptimizer:\n  lr: {number}.0\n"
        (tmp_path / f"c{number:02}.yaml").write_text(f"# moelint: gpus=64 megatron-bridge=0.6.0\n{text}", encoding="utf-8")
    assert told_apart(tmp_path) == ""


def test_values_that_are_equal_and_not_the_same(tmp_path: Path) -> None:
    values = ["0.0", "-0.0", "0", "-0", "false", ".nan", "1.0", "1", "true", '"1"', "[0.0]", "[-0.0]", "[false]", "[0]"]
    for number, value in enumerate(values * 2):
        names = ("loss_scale", "initial_loss_scale", "min_loss_scale", "hysteresis", "weight_decay")
        settings = "".join(f"  {name}: {value}\n" for name in names)
        text = f"model:\n  num_layers: 48\n  num_moe_experts: 8\n  moe_aux_loss_coeff: {value}\nmixed_precision: fp16_mixed\noptimizer:\n{settings}"
        (tmp_path / f"c{number:02}.yaml").write_text(text, encoding="utf-8")
    assert told_apart(tmp_path, 1) == ""


OFFICIAL = "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"


def recipe(*lines: str, before: str = "", name: str = OFFICIAL) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"from megatron.bridge.recipes import {name}\n{before}\n\ndef our_config():\n    cfg = {name}()\n{body}    return cfg\n"


def test_recipes_see_the_modules_of_their_own_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for number in range(4):
        (tmp_path / f"d{number}").mkdir()
        (tmp_path / f"d{number}" / "common.py").write_text(f"EP = {2 * number + 1}\n", encoding="utf-8")
        text = recipe("cfg.model.expert_model_parallel_size = EP", before="from common import EP\n")
        (tmp_path / f"d{number}" / "ours.py").write_text(text, encoding="utf-8")
    assert told_apart(tmp_path) == ""


def test_recipes_do_not_see_what_others_change(tmp_path: Path) -> None:
    (tmp_path / "common.py").write_text("SIZES = {'ep': 8}\nMODULES = ['moe_act']\n", encoding="utf-8")
    more = "from common import MODULES, SIZES\n"
    use = ("cfg.model.expert_model_parallel_size = SIZES['ep']", "cfg.model.recompute_modules = MODULES")
    for number in range(4):
        change = ["SIZES['ep'] = 3", "MODULES.append('moe')"] if number % 2 else []
        (tmp_path / f"r{number}.py").write_text(recipe(*change, *use, before=more), encoding="utf-8")
    listed = "deepseek_v2_lite_pretrain_8gpu_h100_bf16_config"  # a list of the shipped table
    for number in range(4):
        change = ["cfg.model.gtp_remat_opt_in_modules.append('strange')"] if number % 2 else []
        keep = "cfg.model.gtp_remat_opt_in_modules = cfg.model.gtp_remat_opt_in_modules"
        (tmp_path / f"t{number}.py").write_text(recipe(*change, keep, name=listed), encoding="utf-8")
    assert told_apart(tmp_path, 2) == ""


# ---- folders of configs that are near each other

COMMON = [
    "model.num_moe_experts", "model.expert_model_parallel_size", "model.tensor_model_parallel_size", "model.bf16",
    "model.fp8", "model.num_layers", "model.pipeline_model_parallel_size",
    "model.virtual_pipeline_model_parallel_size", "model.moe_token_dispatcher_type", "model.hidden_size",
    "model.recompute_granularity", "model.recompute_modules", "model.moe_shared_expert_overlap",
    "model.cuda_graph_impl", "model.cuda_graph_modules", "model.enable_cuda_graph", "model.sequence_parallel",
    "model.multi_latent_attention", "model.moe_layer_freq", "model.pipeline_dtype", "model.fp32_residual_connection",
    "model.gradient_accumulation_fusion", "model.moe_flex_dispatcher_backend", "model.moe_layer_recompute",
    "comm_overlap.overlap_moe_expert_parallel_comm", "comm_overlap.tp_comm_overlap",
    "comm_overlap.overlap_grad_reduce", "ddp.use_megatron_fsdp", "ddp.megatron_fsdp_version",
    "ddp.use_distributed_optimizer", "ddp.overlap_grad_reduce", "ddp.overlap_param_gather",
    "optimizer.overlap_param_gather", "optimizer.use_distributed_optimizer", "optimizer.lr",
    "optimizer.use_precision_aware_optimizer", "mixed_precision.fp8_recipe", "train.micro_batch_size",
    "train.global_batch_size", "dataset.seq_length", "model._target_", "peft._target_",
]  # fmt: skip
ODD = ["model.hiden_size", "modle.num_layers", "strange.key", "ddp.hidden_size", "model.moe_foo", "model.deprecated_name"]
VALUES = [
    "true", "false", "1", "0", "1.0", "0.0", "-0.0", '"true"', '"1"', "null", "~", "[]", "[1]", "[true]", "8", "8.0",
    '"8"', "2", "4", "64", "1e-4", "1.0e-4", "none", "None", "full", "selective", "bf16", "flex", "alltoall", "yes",
    ".inf", ".nan", "-1", "[moe,mla_up_proj]", "[mla_up_proj,moe]", "[moe_router]", "!a", "!b", "{}", "48", "2048",
    "0x10", "1_000", "a.b.LoRA", "a.b.MLAModelProvider",
]  # fmt: skip
RECIPES = ["bf16_mixed", "fp16_mixed", "bf16_with_mxfp8_mixed", "strange_mixed", "null", "1"]
SAID = [
    "gpus=64", "gpus=64 gpu=h100", "gpus=8 gpu=gb200", "gpus=64 hbm-gb=80", "megatron-bridge=0.4.2", "megatron-bridge=0.4.7 gpus=16",
    "complete", "megatron-core=0.16.1", "transformer-engine=2.9", "deep-ep=none gpus=32", "ignore[KEY, RWB] because so", "gpsu=8",
    "ignore[*] because no", "gpu=h10", "base=qwen3_30b_a3b_pretrain_config", "dialect=megatron-core", "nvlink-domain=8 gpus=64 gpu=h100",
]  # fmt: skip
MODEL = {
    "model.num_layers": "48", "model.hidden_size": "2048", "model.num_attention_heads": "32", "model.num_moe_experts": "128",
    "model.moe_router_topk": "8", "model.moe_ffn_hidden_size": "768", "model.bf16": "true", "train.micro_batch_size": "1",
    "train.global_batch_size": "512", "dataset.seq_length": "4096",
}  # fmt: skip


def random_value(rng: random.Random, key: str) -> str:
    info = keys().get(key)
    if key == "mixed_precision":
        return rng.choice(RECIPES)
    if info is not None and info.choices and rng.random() < 0.6:
        value = rng.choice(info.choices)
        text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return f"[{text}]" if info.type == "list" else text
    if info is not None and info.type == "bool" and rng.random() < 0.6:
        return rng.choice(["true", "false"])
    return rng.choice(VALUES)


def random_key(rng: random.Random) -> str:
    where = rng.random()
    return rng.choice(COMMON if where < 0.7 else sorted(keys()) if where < 0.9 else [*ODD, "mixed_precision"])


def near(rng: random.Random, values: dict[str, str]) -> dict[str, str]:
    """The same settings but for a few."""
    out = dict(values)
    for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
        key = rng.choice(sorted(out)) if out and rng.random() < 0.5 else random_key(rng)
        if rng.random() < 0.15:
            out.pop(key, None)
        else:
            out[key] = random_value(rng, key)
    return out


def text_of(values: dict[str, str]) -> str:
    sections: dict[str, str] = {}
    for key, value in values.items():
        section, dot, name = key.partition(".")
        if dot:
            sections[section] = sections.get(section, "") + f"  {name}: {value}\n"
    top = "".join(f"{key}: {value}\n" for key, value in values.items() if "." not in key and key not in sections)
    return top + "".join(f"{section}:\n{inside}" for section, inside in sections.items())


def sweep(rng: random.Random, folder: Path, count: int = 16) -> None:
    base = {**(MODEL if rng.random() < 0.8 else {}), **{(key := random_key(rng)): random_value(rng, key) for _ in range(12)}}
    if rng.random() < 0.4:
        base["mixed_precision"] = rng.choice(RECIPES)
    for number in range(count):
        text = text_of(near(rng, base))
        if rng.random() < 0.1:
            text += "---\n" + text_of(near(rng, base))
        if rng.random() < 0.1:
            text = text.replace("\n", "  # moelint: ignore[KEY] because we know\n", 1)
        said = f"# moelint: {rng.choice(SAID[:2] if rng.random() < 0.6 else SAID)}\n"
        (folder / f"c{number:02}.yaml").write_text(said + text, encoding="utf-8")


def of_a_dialect(rng: random.Random, folder: Path) -> None:
    """An example of a dialect with some of its lines changed or left out, and parents that differ by folder."""
    path = rng.choice(sorted((ROOT / "examples" / "dialects").iterdir()))
    example = path.read_text(encoding="utf-8").splitlines()
    for number in range(16):
        below = folder / f"d{number % 2}"
        below.mkdir(exist_ok=True)
        lines = list(example)
        for _ in range(rng.choice([0, 1, 2, 4])):
            at = rng.randrange(len(lines))
            if found := re.match(r"( *[\w.-]+: +)\S+$", lines[at]):
                lines[at] = found[1] + rng.choice(VALUES)
            else:
                lines[at] = re.sub(r"\b\d+\b", rng.choice(["1", "2", "8", "16"]), lines[at])
        text = "\n".join(lines) + "\n"
        if path.suffix == ".yaml" and number < 2:
            (below / "_base.yaml").write_text(text, encoding="utf-8")
        elif path.suffix == ".yaml" and number % 3 == 0:
            text = rng.choice(["defaults: _base.yaml\n", "extends: _base.yaml\n", "defaults:\n  - _base\n"]) + text
        (below / f"c{number:02}{path.suffix}").write_text(text, encoding="utf-8")


def of_several_projects(rng: random.Random, folder: Path) -> None:
    """The same files under configurations that differ."""
    seed = rng.random()
    for name in ("target: {gpus: 64}", "target: {gpus: '64', gpu: h100}\nstrict: true", "severity: {KEY001: note}\nignore: {RWB: ok}"):
        below = folder / f"p{len(name)}"
        below.mkdir()
        sweep(random.Random(seed), below, 8)
        (below / ".moelint.yaml").write_text(name + "\n", encoding="utf-8")


MAKERS = {"sweep": sweep, "dialect": of_a_dialect, "projects": of_several_projects}


@pytest.mark.hypothesis  # with the properties in ``make nightly``
@pytest.mark.parametrize("kind", MAKERS)
def test_random_folders(tmp_path: Path, kind: str) -> None:
    for seed in range(FOLDERS):
        folder, rng = tmp_path / str(seed), random.Random(f"{kind}{seed}")
        folder.mkdir()
        MAKERS[kind](rng, folder)
        said = told_apart(folder, seed, *(["fix"] if rng.random() < 0.5 else []))
        assert said == "", f"seed {seed}\n{said}"
