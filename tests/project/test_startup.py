"""Start-up is the product: what a plain check of one file may import, and what it must not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TEXT = """\
# moelint: gpus=8 megatron-bridge=0.6.0 torch=2.9
model:
  num_layers: 8
  num_moe_experts: 8
  expert_model_parallel_size: 8
  moe_shared_expert_intermediate_size: 2048
  moe_shared_expert_overlap: true
  moe_token_dispatcher_type: alltoall
  add_bias_linear: false
  bf16: true
comm_overlap:
  overlap_moe_expert_parallel_comm: true
"""
# Each costs more than evaluating all rules.
BANNED = {
    "argparse", "ast", "asyncio", "click", "contextlib", "concurrent", "concurrent.futures", "csv", "dataclasses", "datetime", "decimal", "difflib",
    "fractions", "hashlib", "http", "importlib.metadata", "importlib.resources", "inspect", "json", "jsonschema", "logging",
    "multiprocessing", "packaging", "pathlib", "pickle", "platform", "random", "ruamel", "ruamel.yaml", "shlex", "shutil", "socket",
    "ssl", "string", "subprocess", "tempfile", "textwrap", "threading", "tomllib", "traceback", "typing", "unittest", "urllib", "urllib.parse",
    "uuid", "yaml.constructor", "yaml.loader", "yaml.representer", "zipfile",
}
PROGRAM = """
import sys
sys.argv = ["moelint", "a.yaml"]
before = set(sys.modules)
from moelint.cli import main
try:
    main()
except SystemExit as end:
    code = end.code
print("\\n".join(sorted(set(sys.modules) - before)), file=sys.stderr)
sys.exit(code)
"""


def modules(folder: Path, text: str) -> tuple[int, set[str]]:
    (folder / "a.yaml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{PROGRAM}"]
    for _ in range(2):  # the first run compiles policies and tables
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, set(done.stderr.split())


def test_a_check_imports_little(tmp_path: Path) -> None:
    code, imported = modules(tmp_path, TEXT)
    assert code == 1
    assert not imported & BANNED, sorted(imported & BANNED)
    ours = {name for name in imported if name.startswith("moelint")}
    assert len(ours) < 125, f"{len(ours)} modules of ours: each costs some 0.2 ms"


def test_a_file_without_configs_imports_less(tmp_path: Path) -> None:
    code, imported = modules(tmp_path, "a: 1\n")
    assert code == 0 and not imported & BANNED
    assert not {"moelint.policy.evaluate", "moelint.trainer.effective"} & imported
