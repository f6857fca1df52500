"""Commands as configs: dialects, keys and values, GPUs, completeness, directives, files that are sourced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from moelint.read.config import Config
from moelint.read.files import FileRead, ReadOptions, read_file
from moelint.text.files import read as read_text

from .conftest import values

Only = Callable[..., Config]
Read = Callable[..., FileRead]

MIXTRAL = """
    #!/bin/bash
    export CUDA_DEVICE_MAX_CONNECTIONS=1
    NNODES=${SLURM_NNODES:-"2"}
    LAYERS=$((4 * 8))
    LAUNCH=(--nproc_per_node 8 --nnodes $NNODES)
    MODEL=(
        --num-layers $LAYERS
        --hidden-size 4096
        --sequence-parallel   # needs TP
        --no-masked-softmax-fusion
        --untie-embeddings-and-output-weights
        # --mtp-num-layers 1
    )
    MOE="--num-experts 8 --moe-router-topk 2 --moe-layer-freq ([0]*2+[1]*30)"
    MOE="$MOE --moe-router-load-balancing-type aux_loss seq_aux_loss"
    if [ -n "$WANDB_API_KEY" ]; then
        MODEL+=(--wandb-project moe)
    fi
    torchrun ${LAUNCH[@]} pretrain_gpt.py "${MODEL[@]}" $MOE \\
        --micro-batch-size=1 \\
        --lr 1e-4 --bf16
"""


def test_megatron_flags(only: Only) -> None:
    config = only(MIXTRAL)
    found = values(config)
    assert (config.dialect, config.trainer, config.name) == ("megatron-lm-shell", "lm", "pretrain_gpt.py")
    assert found["model.num_layers"] == 32
    assert found["model.sequence_parallel"] is True
    assert found["model.masked_softmax_fusion"] is False
    assert found["model.share_embeddings_and_output_weights"] is False
    assert found["model.moe_layer_freq"] == [0] * 2 + [1] * 30
    assert found["model.moe_router_load_balancing_type"] == ["aux_loss", "seq_aux_loss"]
    assert found["train.micro_batch_size"] == 1
    assert found["optimizer.lr"] == 1e-4
    assert found["env_vars.CUDA_DEVICE_MAX_CONNECTIONS"] == "1"
    assert found["logger.wandb_project"] == "unknown"
    assert "model.mtp_num_layers" not in found
    assert config.completeness == "complete"


def test_places_are_those_of_the_flag(only: Only) -> None:
    config = only(MIXTRAL)
    written = config.written["model.num_layers"]
    text = config.document.source.text
    setting = written.setting
    assert setting is not None
    assert text[setting.key_start : setting.key_end] == "--num-layers"
    assert text[setting.value_start : setting.value_end] == "$LAYERS"
    assert config.written["model.num_moe_experts"].setting.raw == "8"  # type: ignore[union-attr]


def test_a_default_of_the_script_is_assumed_and_no_fact_about_the_machine(only: Only) -> None:
    config = only("torchrun --nproc_per_node ${N:-8} pretrain_gpt.py --num-layers 4 --hidden-size 64 --tensor-model-parallel-size ${TP:-2}\n")
    written = config.written["model.tensor_model_parallel_size"]
    assert (written.value, written.assumed) == (2, "TP is not set, so its default 2 holds")
    assert "gpus" not in config.stated
    assert config.completeness == "standing" or config.completeness == "fragment"


@pytest.mark.parametrize(
    ("launch", "gpus"),
    [
        ("torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py", 32),
        ("torchrun --nproc-per-node=4 pretrain_gpt.py", 4),
        ("python -m torch.distributed.run --nproc_per_node=8 --nnodes=2 pretrain_gpt.py", 16),
        ("#SBATCH --nodes=4 --gpus-per-node=8\nsrun python pretrain_gpt.py", 32),
        ("#SBATCH -N 2\n#SBATCH --gres=gpu:h100:8\nsrun python pretrain_gpt.py", 16),
        ("#SBATCH --nodes=3\ntorchrun --nproc_per_node 8 --nnodes $SLURM_NNODES pretrain_gpt.py", 24),
        ("torchrun --nproc_per_node 8 --nnodes $1 pretrain_gpt.py", None),
    ],
)
def test_world_size(only: Only, launch: str, gpus: int | None) -> None:
    config = only(f"#!/bin/bash\n{launch} --num-layers 4 --hidden-size 64 --micro-batch-size 1\n")
    assert config.stated.get("gpus", (None, ""))[0] == gpus


@pytest.mark.parametrize("extra", ['"$@"', "$@", "${EXTRA_ARGS}", "$1", '"${MORE[@]}"'])
def test_a_word_that_may_be_a_flag_leaves_the_command_open(only: Only, extra: str) -> None:
    config = only(f"torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-experts 8 --bf16 {extra}\n")
    assert config.completeness == "standing"
    assert values(config)["model.num_moe_experts"] == 8


def test_an_unknown_value_is_not_an_open_command(only: Only) -> None:
    config = only("torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-experts 8 --data-path $1 --bf16\n")
    assert config.completeness == "complete"


def test_settings_from_a_checkpoint_leave_it_open(only: Only) -> None:
    config = only("torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --use-checkpoint-args --bf16\n")
    assert config.completeness == "fragment"


def test_an_unread_source_leaves_it_open(only: Only) -> None:
    config = only("source ./machine.sh\ntorchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-experts 8 --bf16\n")
    assert config.completeness == "standing"


def test_the_environment_of_an_activated_tool_does_not(only: Only) -> None:
    config = only("source /opt/venv/bin/activate\ntorchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --bf16\n")
    assert config.completeness == "complete"


def test_several_commands(read: Read) -> None:
    found = read(
        """
        # moelint: megatron-core=0.16.1
        COMMON="--num-layers 4 --hidden-size 64 --micro-batch-size 1"
        # moelint: gpus=8
        torchrun pretrain_gpt.py $COMMON --tensor-model-parallel-size 2
        # moelint: gpus=16
        torchrun pretrain_gpt.py $COMMON --tensor-model-parallel-size 4
        """
    )
    first, second = found.configs
    assert [c.name for c in found.configs] == ["pretrain_gpt.py", "pretrain_gpt.py-2"]
    assert [c.line for c in found.configs] == [5, 7]
    assert first.stated["gpus"][0] == 8 and second.stated["gpus"][0] == 16
    assert first.stated["megatron-core"][0] == second.stated["megatron-core"][0] == "0.16.1"
    assert values(second)["model.tensor_model_parallel_size"] == 4


def test_a_directive_in_an_array_holds_for_its_commands(read: Read) -> None:
    found = read(
        """
        A=(
          --num-layers 4
          # moelint: ignore[CMP003] because the layers are small
          --hidden-size 64
        )
        B=(--num-layers 8 --hidden-size 64)
        python pretrain_gpt.py ${A[@]} --micro-batch-size 1
        python pretrain_gpt.py ${B[@]} --micro-batch-size 1
        """
    )
    first, second = found.configs
    assert len(first.ignores) == 1 and not second.ignores and not found.ignores


def test_the_last_of_two_flags_wins(read: Read) -> None:
    found = read("python pretrain_gpt.py --num-layers 4 --hidden-size 8 --micro-batch-size 1 --num-layers 6\n")
    assert values(found.configs[0])["model.num_layers"] == 6
    assert [(p.kind, found.source.position(p.start)[1]) for p in found.problems] == [("repeated-flag", 24)]


def test_equal_flags_are_no_problem(read: Read) -> None:
    found = read("python pretrain_gpt.py --num-layers 4 --hidden-size 8 --micro-batch-size 1 --num-layers 4\n")
    assert not found.problems


def test_switches_take_no_value(read: Read) -> None:
    config = read("python pretrain_gpt.py --num-layers 4 --hidden-size 8 --sequence-parallel true\n").configs[0]
    assert [p.kind for p in config.problems] == ["stray-word"]


def test_misspelt_flags_of_megatrons_own_programs(read: Read) -> None:
    text = "python {} --num-layers 4 --hidden-size 8 --tensor-model-parallel-sise 2 --micro-batch-size 1\n"
    own = read(text.format("pretrain_gpt.py")).configs[0]
    assert [s.path[0] for s in own.unread] == ["--tensor-model-parallel-sise"]
    assert not read(text.format("my_train.py")).configs[0].unread


# ---- other dialects


def test_bridge_recipe_with_overrides(only: Only) -> None:
    config = only(
        """
        torchrun --nproc_per_node=8 --nnodes=2 scripts/training/run_recipe.py \\
            --recipe qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config -tp 2 \\
            model.expert_model_parallel_size=16 \\
            +model.recompute_modules=[moe,layernorm] \\
            'comm_overlap.overlap_moe_expert_parallel_comm=true' env_vars.NVLINK_DOMAIN_SIZE=8
        """
    )
    found = values(config)
    assert config.dialect == "bridge-shell" and config.base == "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"
    assert found["model.tensor_model_parallel_size"] == 2
    assert found["model.expert_model_parallel_size"] == 16
    assert found["model.recompute_modules"] == ["moe", "layernorm"]
    assert found["comm_overlap.overlap_moe_expert_parallel_comm"] is True
    assert found["env_vars.NVLINK_DOMAIN_SIZE"] == "8"
    assert found["model.num_layers"] == 48  # from the recipe
    assert config.stated["gpus"][0] == 16


def test_overrides_win_over_options_of_run_recipe(only: Only) -> None:
    config = only("python run_recipe.py --recipe x_config model.tensor_model_parallel_size=4 -tp 2\n")
    assert values(config)["model.tensor_model_parallel_size"] == 4


def test_options_win_over_overrides_in_benchmarks(only: Only) -> None:
    config = only("python run_script.py -m qwen -mr x -g h100 -ng 8 model.tensor_model_parallel_size=4 -tp 2\n")
    assert values(config)["model.tensor_model_parallel_size"] == 2


def test_benchmark_options(only: Only) -> None:
    config = only(
        """
        python setup_experiment.py -m qwen -mr qwen3_30b_a3b -g h100 -ng 16 -gn 8 -c bf16 -ep 8 -vp None \\
          --recompute_modules moe,layernorm --moe_a2a_overlap true --cuda_graph_impl transformer_engine \\
          --cuda_graph_scope attn,moe_router -E NVLINK_DOMAIN_SIZE=8 -ce A=1,B=2
        """
    )
    found = values(config)
    assert config.base == "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"
    assert {word: value for word, (value, _) in config.stated.items()} == {"gpus": 16, "gpus-per-node": 8, "gpu": "h100"}
    assert found["model.recompute_granularity"] == "selective"
    assert found["model.recompute_modules"] == ["moe", "layernorm"]
    assert found["comm_overlap.delay_wgrad_compute"] is True
    assert found["model.moe_shared_expert_overlap"] is False
    assert found["model.cuda_graph_modules"] == ["attn", "moe_router"]
    assert found["rng.te_rng_tracker"] is True
    assert found["model.virtual_pipeline_model_parallel_size"] is None
    assert (found["env_vars.NVLINK_DOMAIN_SIZE"], found["env_vars.A"], found["env_vars.B"]) == ("8", "1", "2")


def test_loops_over_tuples_keep_what_is_the_same(only: Only) -> None:
    config = only(
        """
        for CONFIG in "4,1,8" "2,2,8"; do
          IFS=',' read -r TP PP EP <<< "$CONFIG"
          CMD="python run_recipe.py --recipe x_config model.tensor_model_parallel_size=$TP"
          CMD="$CMD model.pipeline_model_parallel_size=$PP model.expert_model_parallel_size=$EP"
          srun bash -c "$CMD"
        done
        """
    )
    found = values(config)
    assert found["model.expert_model_parallel_size"] == 8
    assert found["model.tensor_model_parallel_size"] == found["model.pipeline_model_parallel_size"] == "unknown"


def test_verl_blocks(read: Read) -> None:
    found = read(
        """
        TP=${TP:-4}
        python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer \\
          actor_rollout_ref.actor.megatron.tensor_model_parallel_size=$TP \\
          +actor_rollout_ref.actor.megatron.override_transformer_config.moe_router_dtype=fp32 \\
          actor_rollout_ref.ref.megatron.tensor_model_parallel_size=2 \\
          trainer.nnodes=2 trainer.n_gpus_per_node=8 \\
          trainer.logger='["console","wandb"]' $@
        """
    )
    actor, ref = found.configs
    assert (actor.name, ref.name) == ("actor_rollout_ref.actor", "actor_rollout_ref.ref")
    assert values(actor)["model.tensor_model_parallel_size"] == 4
    assert actor.written["model.tensor_model_parallel_size"].assumed
    assert values(actor)["model.moe_router_dtype"] == "fp32"
    assert values(ref)["model.tensor_model_parallel_size"] == 2
    assert actor.stated["gpus"][0] == 16
    assert values(actor)["verl.trainer.logger"] == ["console", "wandb"]


def test_verl_without_megatron_is_passed_over(read: Read) -> None:
    found = read("python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.strategy=fsdp trainer.nnodes=1\n")
    assert not found.configs and found.skipped == "verl without Megatron"


def test_slime(only: Only) -> None:
    config = only(
        """
        MODEL_ARGS=(--num-layers 48 --hidden-size 2048 --num-experts 128 --moe-router-topk 8)
        PERF_ARGS=(--tensor-model-parallel-size 4 --sequence-parallel --recompute-granularity full)
        ENV_JSON="{\\"env_vars\\": {\\"CUDA_DEVICE_MAX_CONNECTIONS\\": \\"1\\"}}"
        ray job submit --runtime-env-json="$ENV_JSON" -- python3 train.py --actor-num-nodes 2 --actor-num-gpus-per-node 8 \\
          --rollout-batch-size 32 ${MODEL_ARGS[@]} ${PERF_ARGS[@]}
        """
    )
    found = values(config)
    assert config.dialect == "slime" and config.stated["gpus"][0] == 16
    assert found["model.num_moe_experts"] == 128 and found["slime.rollout_batch_size"] == 32
    assert found["env_vars.CUDA_DEVICE_MAX_CONNECTIONS"] == "1"
    assert config.completeness == "complete"


def test_swift(only: Only) -> None:
    config = only(
        """
        NPROC_PER_NODE=8 \\
        megatron sft \\
            --model Qwen/Qwen3-30B-A3B-Base \\
            --expert_model_parallel_size 4 \\
            --sequence_parallel true \\
            --tensor_model_parallel_size 2 \\
            --recompute_granularity none \\
            --max_length 4096 \\
        """
    )
    found = values(config)
    assert config.dialect == "swift-shell" and config.stated["gpus"][0] == 8
    assert found["model.sequence_parallel"] is True
    assert found["model.recompute_granularity"] is None
    assert found["model.seq_length"] == 4096
    assert found["model.num_moe_experts"] == 128  # of the model that is named


def test_arrays_without_a_command_are_a_part(only: Only) -> None:
    config = only("MODEL_ARGS=(\n  --num-layers 4\n  --hidden-size 64\n  --num-experts 8\n  --moe-router-topk 2\n)\n")
    assert (config.name, config.completeness) == ("MODEL_ARGS", "fragment")


@pytest.mark.parametrize(
    "command",
    [
        "python tools/checkpoint/convert.py --num-layers 4 --hidden-size 8 --micro-batch-size 1",
        "torchrun tools/run_text_generation_server.py --num-layers 4 --hidden-size 8 --micro-batch-size 1",
        "python setup.py install",
        "echo --num-layers 4 --hidden-size 8 --micro-batch-size 1",
    ],
)
def test_other_programs_are_passed_over(read: Read, command: str) -> None:
    found = read(command + "\n")
    assert not found.configs and found.skipped


# ---- files of the checkout


def _checkout(tmp_path: Path, files: dict[str, str]) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "repo"


def test_source_of_a_file_in_the_checkout(tmp_path: Path) -> None:
    repo = _checkout(
        tmp_path,
        {
            "repo/models/small.sh": "LAYERS=8\nMODEL_ARGS=(--num-layers $LAYERS --hidden-size 64 --num-experts 8)\n",
            "repo/run.sh": 'DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"\n'
            'source "${DIR}/models/small.sh"\ntorchrun pretrain_gpt.py ${MODEL_ARGS[@]} --micro-batch-size 1\n',
        },
    )
    config = read_file(read_text(str(repo / "run.sh")), ReadOptions(named=True)).configs[0]
    written = config.written["model.num_layers"]
    assert written.value == 8 and written.origin == "inherited"
    assert written.document is not None and written.document.source.path.endswith("models/small.sh")
    assert config.written["train.micro_batch_size"].origin == "file"
    assert config.completeness == "complete"


@pytest.mark.parametrize(("start", "path"), [(".", "repo/run.sh"), ("repo", "run.sh"), ("repo/models", "../run.sh")])
def test_a_source_is_found_from_wherever_one_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, path: str
) -> None:
    _checkout(
        tmp_path,
        {
            "repo/models/small.sh": "LAYERS=8\n",
            "repo/run.sh": 'source "$(dirname "${BASH_SOURCE[0]}")/models/small.sh"\n'
            "torchrun pretrain_gpt.py --num-layers $LAYERS --hidden-size 64 --bf16\n",
        },
    )
    monkeypatch.chdir(tmp_path / start)
    config = read_file(read_text(path), ReadOptions(named=True)).configs[0]
    assert values(config)["model.num_layers"] == 8


def test_source_never_leaves_the_checkout(tmp_path: Path) -> None:
    repo = _checkout(
        tmp_path,
        {
            "secret.sh": "LAYERS=8\n",
            "repo/run.sh": "source ../secret.sh\ntorchrun pretrain_gpt.py --num-layers $LAYERS --hidden-size 64 --bf16\n",
        },
    )
    config = read_file(read_text(str(repo / "run.sh")), ReadOptions(named=True)).configs[0]
    assert values(config)["model.num_layers"] == "unknown"


def test_files_that_source_each_other_end(tmp_path: Path) -> None:
    repo = _checkout(
        tmp_path,
        {
            "repo/a.sh": "source b.sh\nA=1\n",
            "repo/b.sh": "source a.sh\nB=2\n",
            "repo/run.sh": "source a.sh\ntorchrun pretrain_gpt.py --num-layers $B --hidden-size 64 --bf16\n",
        },
    )
    config = read_file(read_text(str(repo / "run.sh")), ReadOptions(named=True)).configs[0]
    assert values(config)["model.num_layers"] == 2


def test_nothing_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"X=$(touch {mark}; echo 4)\n`touch {mark}`\ntouch {mark}\ntorchrun pretrain_gpt.py --num-layers 4 --hidden-size $X --bf16\n"
    path = tmp_path / "run.sh"
    path.write_text(text)
    assert read_file(read_text(str(path)), ReadOptions(named=True)).configs
    assert not mark.exists()
