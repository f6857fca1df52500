"""Files for the benchmarks: training configs, GitHub workflows, a JSON Schema and a pack of rules, all generated."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

_BASE = Path(__file__).with_name("sixty_lines.yaml")


def configs(folder: Path, count: int, every: int = 2) -> None:
    """``count`` configs of about 60 lines, 100 a folder, that differ in sizes and layout. One in ``every`` has a
    mistake with a fix."""
    chance = random.Random(60)
    text = _BASE.read_text(encoding="utf-8")
    for number in range(count):
        layers, pp = chance.choice([(32, 1), (48, 2), (64, 4), (48, 1), (96, 2)])
        changes = {
            "num_layers: 48": f"num_layers: {layers}",
            "pipeline_model_parallel_size: 2": f"pipeline_model_parallel_size: {pp}",
            "virtual_pipeline_model_parallel_size: 4": f"virtual_pipeline_model_parallel_size: {4 if pp > 1 else 'null'}",
            "moe_shared_expert_overlap: true": f"moe_shared_expert_overlap: {'true' if number % every == every - 1 else 'false'}",
            "hidden_size: 2048": f"hidden_size: {chance.choice([2048, 4096, 5120, 7168])}",
            "moe_ffn_hidden_size: 768": f"moe_ffn_hidden_size: {chance.choice([768, 1024, 1536, 2048])}",
            "expert_model_parallel_size: 8": f"expert_model_parallel_size: {chance.choice([4, 8])}",
            "global_batch_size: 512": f"global_batch_size: {chance.choice([256, 512, 1024, 2048])}",
            "train_iters: 1000": f"train_iters: {1000 + number}",
            "lr: 3.0e-4": f"lr: {chance.randint(10, 99) / 10}e-4",
            "save_interval: 500": f"save_interval: {chance.randint(100, 2000)}",
        }
        made = text
        for old, new in changes.items():
            assert old in made, old
            made = made.replace(old, new, 1)
        path = folder / f"d{number // 100:03}" / f"c{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(made, encoding="utf-8")


def long_config(lines: int, kind: str = "list") -> str:
    """One config of that many lines. Beyond sixty, they are a ``list`` of data files, ``keys`` of a section of the team's
    own, or a blend of datasets as ``maps`` in a list."""
    text = _BASE.read_text(encoding="utf-8").rstrip("\n") + "\n"
    rest = lines - text.count("\n") - 1
    if kind == "list":
        return text + "data_files:\n" + "".join(f"  - corpus/shard-{n:05}.bin\n" for n in range(rest))
    if kind == "keys":
        return text + "notes:\n" + "".join(f"  of_{n}: {n}\n" for n in range(rest))
    return text + "blend:\n" + "".join(f"  - path: shard-{n:05}\n    weight: 0.{n + 1}\n" for n in range(rest // 2))


def workflows(folder: Path, count: int) -> None:
    """GitHub workflows of about 60 lines; one in two has a finding of zizmor's defaults (a credential that stays)."""
    head = "name: build {n}\non:\n  push:\n    branches: [main]\npermissions:\n  contents: read\nconcurrency:\n  group: build-{n}\n  cancel-in-progress: true\njobs:\n"
    job = (
        "  job{j}:\n    name: job {j}\n    runs-on: ubuntu-latest\n    timeout-minutes: {m}\n    steps:\n"
        "      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2\n        with:\n"
        "          persist-credentials: {keep}\n      - name: test {j}\n        run: |\n          python -m pip install -e .\n"
        "          python -m pytest -q tests/{j}\n"
    )
    (folder / ".github" / "workflows").mkdir(parents=True, exist_ok=True)
    for number in range(count):
        jobs = (
            job.format(j=j, m=10 + number % 50, keep="true" if j == 1 and number % 2 else "false") for j in range(4)
        )
        (folder / ".github" / "workflows" / f"w{number}.yml").write_text(
            head.format(n=number) + "".join(jobs), encoding="utf-8"
        )


def schema(path: Path) -> None:
    """What check-jsonschema holds the configs against: types of the sections and of some settings."""
    integers = ("num_layers", "hidden_size", "num_attention_heads", "num_moe_experts", "moe_router_topk", "moe_ffn_hidden_size",
                "tensor_model_parallel_size", "pipeline_model_parallel_size", "expert_model_parallel_size")  # fmt: skip
    model = {"type": "object", "properties": {name: {"type": "integer", "minimum": 1} for name in integers}}
    sections = {
        name: {"type": "object"} for name in ("comm_overlap", "ddp", "optimizer", "dataset", "train", "checkpoint")
    }
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"model": model, **sections},
    }
    path.write_text(json.dumps(made), encoding="utf-8")


def rules_pack(folder: Path, count: int) -> Path:
    """A pack of generated rules of the usual kind: a feature that is switched on, beside another setting."""
    switches = (
        "model.moe_shared_expert_overlap", "model.moe_permute_fusion", "model.tp_comm_overlap", "model.fp8_param",
        "model.overlap_moe_expert_parallel_comm", "model.recompute_granularity == 'full'", "model.recompute_granularity == 'selective'",
        "model.moe_token_dispatcher_type == 'flex'", "model.cuda_graph_impl == 'local'", "model.sequence_parallel",
        "optimizer.optimizer_cpu_offload", "ddp.use_megatron_fsdp", "ddp.check_for_nan_in_grad", "model.multi_latent_attention",
        "model.moe_router_pre_softmax", "model.moe_pad_expert_input_to_capacity", "model.delay_wgrad_compute", "model.fp16",
        "model.moe_use_legacy_grouped_gemm", "model.deterministic_mode", "optimizer.use_precision_aware_optimizer", "model.cpu_offloading",
    )  # fmt: skip
    others = (
        "model.tensor_model_parallel_size > {n}", "model.pipeline_model_parallel_size > {n}", "model.expert_model_parallel_size > {n}",
        "model.context_parallel_size > {n}", "default(model.num_layers, 8) < {n}", "default(model.moe_router_topk, 2) > {n}", "default(train.micro_batch_size, 1) > {n}",
    )  # fmt: skip
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "pack.yaml").write_text(
        'name: generated\nversion: "2026.11.0"\nrequires: "moelint>=2026.11"\n', encoding="utf-8"
    )
    rules = []
    for number in range(count):
        switch, other = switches[number % len(switches)], others[number % len(others)].format(n=3 + number // 50)
        key = switch.split(" ")[0]
        rules.append(
            f"- id: TST{number + 1:03}\n  name: generated-{number + 1}\n  effect: advice\n  about: [{key}]\n"
            f'  when: ["{switch}", "{other}"]\n  message: "Generated rule {number + 1}: {{{key}}}."\n'
            '  why: A rule that a benchmark counts.\n  evidence: inferred\n  since: "2026.11.0"\n'
            '  sources: [{what: "a generator", url: "https://example.org/"}]\n'
        )
    (folder / "rules" / "generated.yaml").write_text("\n".join(rules), encoding="utf-8")
    for path in (folder / "pack.yaml", folder / "rules" / "generated.yaml"):
        os.utime(path, (time.time() - 3600,) * 2)  # files of the last seconds may still change: they are read each time
    return folder
