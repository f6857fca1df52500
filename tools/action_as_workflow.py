"""action.yml as a workflow, for linters that read workflows only (actionlint).

python tools/action_as_workflow.py > workflow.yml && actionlint workflow.yml
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml


def workflow(action: dict[str, Any]) -> dict[str, Any]:
    """The steps of a composite action as a callable workflow with the same inputs and outputs."""
    inputs = {
        name: {"description": spec["description"], "type": "string", "default": spec.get("default", "")}
        for name, spec in action["inputs"].items()
    }
    outputs = {
        name: {"description": spec["description"], "value": f"${{{{ jobs.run.outputs.{name} }}}}"}
        for name, spec in action["outputs"].items()
    }
    job = {
        "runs-on": "ubuntu-latest",
        "outputs": {name: spec["value"] for name, spec in action["outputs"].items()},
        "steps": action["runs"]["steps"],
    }
    return {
        "name": action["name"],
        "on": {"workflow_call": {"inputs": inputs, "outputs": outputs}},
        "permissions": {},
        "jobs": {"run": job},
    }


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[1] / "action.yml"
    yaml.safe_dump(workflow(yaml.safe_load(path.read_text(encoding="utf-8"))), sys.stdout, sort_keys=False, width=1000)
