"""The compatibility matrix: its job, its features, what cells say, and how it is printed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from moelint.cli.matrix import command
from moelint.matrix.cells import STATES, Matrix
from moelint.matrix.features import joined, load
from moelint.matrix.html import page
from moelint.matrix.show import ASCII, MEANS, SIGN, data, markdown
from moelint.policy.load import load as load_packs

PACKS = load_packs()
BRIDGE = Matrix(PACKS, {"megatron-bridge": "0.7.0", "gpu": "h100", "transformer-engine": "2.16.0", "torch": "2.9.0"})
CORE = Matrix(PACKS, {"megatron-core": "0.16.1", "gpu": "h100", "transformer-engine": "2.10.0", "torch": "2.9.0"})
BY_ID = {feature.id: feature for feature in BRIDGE.features}


def state(a: str, b: str, matrix: Matrix = BRIDGE) -> str:
    by_id = {feature.id: feature for feature in matrix.features}
    return matrix.cell(by_id[a], by_id[b]).state


@pytest.mark.parametrize("matrix", [BRIDGE, CORE], ids=["bridge", "core"])
def test_the_job_itself_is_fine(matrix: Matrix) -> None:
    """What a cell says must come from its two features."""
    job = matrix.job
    assert not job.errors and not job.ignored and not job.warnings and not job.undecided


def test_features_are_ones_of_the_newest_release() -> None:
    assert len(BY_ID) == len(load()["features"]) >= 50
    for feature in BRIDGE.features:
        assert BRIDGE.settings(feature), f"{feature.id}: no alternative has keys that the newest release knows"


def test_every_state_has_a_sign_and_words() -> None:
    assert set(SIGN) == set(ASCII) == set(MEANS) == set(STATES)
    assert len(set(SIGN.values())) == len(set(ASCII.values())) == len(STATES)


@pytest.mark.parametrize(
    ("a", "b", "wanted", "rule"),
    [
        ("ep-overlap", "vpp", "compatible", None),
        ("ep-overlap", "pp", "conditional", "OVL006"),
        ("ep-overlap", "recompute-full", "refused", "OVL007"),
        ("ep-overlap", "shared-expert-overlap", "refused", "OVL004"),
        ("ep-overlap", "allgather", "refused", "OVL002"),
        ("ep-overlap", "no-ep", "refused", "OVL001"),
        ("ep-overlap", "delay-wgrad", "compatible", None),
        ("deepep", "hybridep", "same", None),
        ("ep-overlap", "nvfp4", "alone", "VER005"),
    ],
)
def test_cells(a: str, b: str, wanted: str, rule: str | None) -> None:
    for one, other in ((a, b), (b, a)):
        cell = BRIDGE.cell(BY_ID[one], BY_ID[other])
        assert cell.state == wanted
        assert rule is None or rule in [said.rule for said in cell.said]


def test_a_condition_keeps_both_features_and_helps() -> None:
    cell = BRIDGE.cell(BY_ID["ep-overlap"], BY_ID["pp"])
    assert cell.condition == {"model.virtual_pipeline_model_parallel_size": 2}
    assert not BRIDGE.ask({**cell.settings, **cell.condition}).errors
    assert not set(cell.condition) & set(cell.settings)


def test_releases_and_gpus_differ() -> None:
    assert state("mxfp8", "mxfp8") == "compatible" or state("mxfp8", "mxfp8") == "alone"
    gb200 = Matrix(PACKS, {"megatron-bridge": "0.7.0", "gpu": "gb200"})
    assert state("nvfp4", "tp", gb200) == "compatible" and state("nvfp4", "tp") == "alone"
    by_id = {feature.id: feature for feature in CORE.features}
    assert "grad-reduce-overlap" not in by_id, "Core alone has no such setting"
    assert CORE.cell(by_id["paged-stash"], by_id["tp"]).state == "absent"
    assert CORE.cell(by_id["graph-te-attn"], by_id["tp"]).settings["model.cuda_graph_scope"] == ["attn"]


def test_lists_are_joined_and_contradictions_seen() -> None:
    key = "model.recompute_modules"
    assert joined({key: ["a"], "x": 1}, {key: ["a", "b"], "x": 1}) == {key: ["a", "b"], "x": 1}
    assert joined({"x": 1}, {"x": 2}) is None


# ---- printing -------------------------------------------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(command, words, prog_name="moelint matrix")


def test_one_cell_in_words() -> None:
    result = run("ep-overlap", "pp")
    assert result.exit_code == 0 and "OVL006" in result.output
    assert "works with model.virtual_pipeline_model_parallel_size: 2" in result.output


def test_one_row_in_words() -> None:
    result = run("ep-overlap", "--gpu", "gb200")
    assert result.exit_code == 0 and "Refused by the trainer" in result.output and "gpu gb200" in result.output


def test_grid_and_json_agree() -> None:
    grid, whole = run("ep-overlap", "vpp", "cp"), json.loads(run("ep-overlap", "vpp", "cp", "--format", "json").output)
    assert whole["version"] == 1 and len(whole["cells"]) == 3 * len(whole["features"])
    row = next(line for line in grid.output.split("\n") if " ep-overlap " in line)
    signs = row[row.index("ep-overlap") + len("ep-overlap") :].lstrip()
    states = [cell["state"] for cell in whole["cells"] if cell["a"] == "ep-overlap"]
    assert signs == "".join(SIGN[name] for name in states)


def test_markdown_and_page() -> None:
    rows = list(BRIDGE.rows([BY_ID["ep-overlap"]]))
    table = markdown(BRIDGE, rows)
    assert (
        table.count("\n| 12 EP overlap |") == 1 and "**EP overlap** with **pipeline parallelism** ◐: [OVL006]" in table
    )
    html = page(BRIDGE, rows, "rules/{id}/")
    assert "src=" not in html and "href='http" not in html, "nothing from elsewhere"
    cells = json.loads(html.partition("id='cells'>")[2].partition("</script>")[0])
    assert ["OVL006", "rules/OVL006/"] in [[rule, url] for cell in cells for rule, _, url in cell["said"]]
    assert html.count("data-cell=") == len(cells)
    assert json.dumps(data(BRIDGE, rows))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ep-overlapp",), "did you mean ep-overlap?"),
        (("--target", "gpu"), "is not KEY=VALUE"),
        (("--target", "megatron-brigde=0.6"), "did you mean"),
        (("--gpu", "h10"), "did you mean"),
        (("ep-overlap", "pp", "--format", "json", "--output", "/nowhere/x"), "No such file"),
    ],
)
def test_mistakes_are_one_clear_line(words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2 and said in result.stderr


def test_list_names_every_feature() -> None:
    result = run("--list")
    assert all(feature.id in result.output for feature in BRIDGE.features)
