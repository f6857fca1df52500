"""What lock files, requirements, project files and Dockerfiles say of the installed packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from trainer_configs import make

from moelint.trainer import checkout
from moelint.trainer.target import resolve


@pytest.fixture(autouse=True)
def forget() -> None:
    checkout._folders.clear()


def test_sources_in_one_folder(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(
        '[[package]]\nname = "megatron-core"\nversion = "0.16.1"\n\n[[package]]\nname = "numpy"\nversion = "1.0"\n'
    )
    (tmp_path / "requirements-gpu.txt").write_text("transformer_engine[pytorch]==2.9.0  # pinned\ntorch>=2.6\n")
    (tmp_path / "pyproject.toml").write_text('dependencies = [\n  "torch==2.9.1",\n  "megatron-core==0.1",\n]\n')
    (tmp_path / "Dockerfile").write_text("FROM --platform=linux/amd64 nvcr.io/nvidia/nemo:26.02 AS base\n")
    assert checkout.around(str(tmp_path / "config.yaml")) == {
        "megatron-core": "0.16.1",
        "transformer-engine": "2.9.0",
        "torch": "2.9.1",
        "container": "nvcr.io/nvidia/nemo:26.02",
    }


def test_the_nearest_folder_wins_up_to_the_root_of_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "configs" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("megatron-bridge==0.1.0\n")
    (tmp_path / "repo" / "requirements.txt").write_text("torch==2.6.0\nmegatron-core==0.14.0\n")
    (inner / "requirements.txt").write_text("torch==2.9.0\n")
    assert checkout.around(str(inner / "a.yaml")) == {"torch": "2.9.0"}  # no repository: its own folder only
    (tmp_path / "repo" / ".git").mkdir()
    assert checkout.around(str(inner / "a.yaml")) == {"torch": "2.9.0", "megatron-core": "0.14.0"}


def test_what_is_no_pin(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.*\n# megatron-core==0.14.0\nmegatron-bridge @ git+https://x\n")
    (tmp_path / "Dockerfile").write_text("FROM ubuntu:24.04\n")
    assert checkout.around(str(tmp_path / "a.yaml")) == {}
    assert checkout.around(str(tmp_path / "missing" / "a.yaml")) == {}


def test_a_checkout_is_an_assumption() -> None:
    target = resolve(make("bridge", {}), checkout=lambda: {"container": "nemo:26.04", "torch": "2.11"})
    assert target.release == "0.4.0"
    assert target.values["megatron_bridge"].hangs_on == "target.container"
    assert (target.values["torch"].origin, target.values["torch"].hangs_on) == ("checkout", "target.torch")
    stated = {"megatron-bridge": "0.6.0", "transformer-engine": "2.9", "torch": "2.9"}
    asked = []
    resolve(make("bridge", {}, stated=stated), checkout=lambda: asked.append(1) or {})
    assert asked == []


def test_a_stated_container_wins_over_the_checkout() -> None:
    target = resolve(
        make("bridge", {}, stated={"container": "nemo:26.04"}), checkout=lambda: {"transformer-engine": "2.9"}
    )
    assert str(target.get("transformer_engine")) == "2.14"


def test_a_dockerfile_whose_image_is_an_argument(tmp_path: Path) -> None:
    (tmp_path / "docker").mkdir()
    (tmp_path / "docker" / "Dockerfile.train").write_text(
        'ARG REGISTRY=nvcr.io/nvidia\nARG TAG="26.04"\nFROM ${REGISTRY}/nemo:$TAG\nRUN pip install torch==9.9\n'
    )
    assert checkout.around(str(tmp_path / "a.yaml")) == {"container": "nvcr.io/nvidia/nemo:26.04"}


def test_requirements_in_a_folder_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "gpu.txt").write_text("megatron-core==0.17.1\n")
    assert checkout.around(str(tmp_path / "a.yaml")) == {"megatron-core": "0.17.1"}


def test_images_in_launch_scripts(tmp_path: Path) -> None:
    (tmp_path / "launch.sbatch").write_text("srun --container-image=nvcr.io#nvidia/nemo:26.02.01 bash train.sh\n")
    (tmp_path / "train.sh").write_text("python pretrain_gpt.py\n")
    assert checkout.around(str(tmp_path / "a.yaml")) == {"container": "nvcr.io#nvidia/nemo:26.02.01"}
    checkout._folders.clear()
    (tmp_path / "other.sh").write_text("IMAGE=nvcr.io/nvidia/nemo:25.11\ndocker run $IMAGE\n")
    assert checkout.around(str(tmp_path / "a.yaml")) == {}  # two containers: which one is meant is not known
    own = checkout.around(str(tmp_path / "other.sh"))
    assert own == {"container": "nvcr.io/nvidia/nemo:25.11"}


def test_a_lock_file_decides_which_release_judges(tmp_path: Path) -> None:
    """The way from the checkout to the verdict: the setting is unknown to the locked release."""
    from moelint.engine import Engine
    from moelint.options import Options
    from moelint.text.source import Source

    (tmp_path / "uv.lock").write_text('[[package]]\nname = "megatron-bridge"\nversion = "0.4.2"\n')
    options = Options()
    options.no_config = True
    text = "model:\n  num_layers: 8\n  num_moe_experts: 8\n  cuda_graph_modules: [attn]\n"
    report = Engine(options).lint(Source(str(tmp_path / "a.yaml"), text), True)
    assert report.configs[0].target["megatron-bridge"] == {"value": "0.4.2", "from": "checkout"}
    assert [item.rule for item in report.findings if item.key == "model.cuda_graph_modules"] == ["KEY002"]
