"""Every format on one report made by hand: snapshots, and the properties that a snapshot does not show."""

from __future__ import annotations

import io
import json
import os
import re
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest
from sample import TEXT, look, overlap_finding, sample
from syrupy.assertion import SnapshotAssertion

from moelint import report as reports
from moelint.data import folder
from moelint.report import escape
from moelint.report.text import changed_lines
from moelint.results import ConfigReport, FileReport, Fix, Report
from moelint.text.edits import Edit
from moelint.text.source import Source


def written(format: str, report: Report | None = None, **options: object) -> str:
    stream = io.StringIO()
    reports.write(format, report or sample(), stream, look(**options))
    return stream.getvalue()


@pytest.mark.parametrize("format", reports.FORMATS)
def test_snapshot(format: str, snapshot: SnapshotAssertion) -> None:
    assert written(format) == snapshot


def test_text_narrow(snapshot: SnapshotAssertion) -> None:
    text = written("text", width=48)
    assert text == snapshot
    code = [line for line in text.splitlines() if "|" in line]
    assert code and all(len(line) <= 48 for line in code)


def test_text_verbose_and_undecided(snapshot: SnapshotAssertion) -> None:
    assert written("text", verbose=1, show_undecided=True, show_facts=True, statistics=True, show_files=True) == snapshot


def test_colour_only_adds_escapes() -> None:
    assert re.sub(r"\x1b\[[0-9;]*m", "", written("text", color=True)) == written("text")


def test_quiet_is_findings_only() -> None:
    quiet = written("text", quiet=True)
    assert "OVL004" in quiet and "waits" not in quiet and "in 2 files" not in quiet


def test_ascii_terminal() -> None:
    text = TEXT.replace("pretraining", "prétraining").replace("true\n  rec", "true  # größer → 漢字\n  rec")
    report = sample(text=text)
    report.files[0].findings[0].message = "größer → 漢字"
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    reports.write("text", report, stream, look())
    stream.flush()
    assert b"\\u6f22" in raw.getvalue()


@pytest.mark.parametrize("format", reports.FORMATS)
def test_control_characters_never_come_out(format: str) -> None:
    evil = "a\x1b[31mb\x07\x9b\u202e"
    path = f"configs/{evil}.yaml"
    report = sample(path)
    for item in report.files[0].findings:
        item.message += evil
    out = written(format, report)
    assert not set(out) & set("\x1b\x07\x9b\u202e")


def test_tabs_keep_carets_under_their_columns() -> None:
    text = TEXT.replace("  moe_shared_expert_overlap: true", "\t\tmoe_shared_expert_overlap:\ttrue")
    report = Report()
    file = FileReport("a.yaml")
    file.source = Source("a.yaml", text)
    item = overlap_finding("a.yaml", TEXT)
    item.place.column, item.place.end_column = 3, 3 + len("moe_shared_expert_overlap:\ttrue")
    item.fixes, item.related = [], []
    file.findings = [item]
    report.files = [file]
    lines = written("text", report).splitlines()
    at = next(i for i, line in enumerate(lines) if "moe_shared_expert_overlap: true" in line and "|" in line)
    assert lines[at].index("moe_shared") == lines[at + 1].index("^")


def test_markdown_escapes_once() -> None:
    from html import unescape

    from moelint.report.markdown import cell

    assert unescape(cell("a_b*c#d & <e> | `f`")) == "a_b*c#d & <e> | `f`"


def test_waiting_is_one_line_a_file() -> None:
    """A script of twenty commands does not say twenty times what it waits for."""
    report = sample()
    file = report.files[0]
    other = ConfigReport("other", 20, "bridge", "bridge", "fragment")
    other.undecided = {
        "count": 2, "errors": 2,
        "waiting_for": [{"key": "target.gpus", "name": "gpus", "line": None, "rules": ["PAR003"], "how": None}],
    }
    file.configs = [*file.configs, other]
    said = [line for line in written("text", report).splitlines() if "wait" in line]
    assert said == [
        "configs/moe.yaml: 5 checks in 2 configs wait for TP (line 12), a setting that the file leaves out: --define TP=8"
    ]


def test_json_follows_its_schema() -> None:
    with open(os.path.join(folder("schemas"), "report.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(json.loads(written("json")))] == []
    assert [error.message for error in validator.iter_errors(json.loads(written("json", Report())))] == []


def test_json_edits_are_lines_and_columns() -> None:
    found = json.loads(written("json"))["findings"][0]
    assert found["fixes"][0]["edits"] == [{"line": 5, "column": 30, "end_line": 5, "end_column": 34, "text": "false"}]


def test_sarif_uris_are_relative_to_the_root(tmp_path: os.PathLike[str]) -> None:
    inside = os.path.join(tmp_path, "configs", "a b#1.yaml")
    report = sample(inside)
    report.root = str(tmp_path)
    result = json.loads(written("sarif", report))["runs"][0]["results"][0]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "configs/a%20b%231.yaml", "uriBaseId": "SRCROOT"}


def test_junit_is_xml_and_one_failure_a_case() -> None:
    suite = ElementTree.fromstring(written("junit"))[0]
    assert suite.attrib["tests"] == "2" and suite.attrib["failures"] == "1"
    assert [len(case.findall("failure")) for case in suite] == [1, 0]


def test_gitlab_fingerprints_are_unique() -> None:
    issues = json.loads(written("gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 3


def test_rdjson_columns_are_bytes() -> None:
    text = TEXT.replace("  moe_shared", '  "é": 1\n  moe_shared', 1)
    report = sample(text=text.replace("moe_shared_expert_overlap: true", "moe_shared_expert_overlap: true"))
    first = json.loads(written("rdjson", report))["diagnostics"][0]
    assert first["location"]["range"]["start"] == {"line": 6, "column": 3}
    assert first["suggestions"][0]["text"] == "false"


@pytest.mark.parametrize(
    ("text", "edits", "lines"),
    [
        ("a: 1\nb: 2\n", [Edit(3, 4, "7")], [(1, "-", "a: 1"), (1, "+", "a: 7")]),
        ("a: 1\nb: 2\n", [Edit(5, 5, "x: 0\n")], [(2, "+", "x: 0")]),
        ("a: 1\nb: 2\n", [Edit(0, 5, "")], [(1, "-", "a: 1")]),
        ("a: 1\nb: 2", [Edit(9, 9, "\nc: 3")], [(3, "+", "c: 3")]),
        (
            "a: 1\nb: 2\nc: 3\n", [Edit(0, 5, ""), Edit(13, 14, "4")],
            [(1, "-", "a: 1"), (3, "-", "c: 3"), (2, "+", "c: 4")],
        ),
    ],
)
def test_changed_lines(text: str, edits: list[Edit], lines: list[tuple[int, str, str]]) -> None:
    fix = Fix(1, "safe", {}, [], "")
    fix.edits = edits
    assert changed_lines(text, fix) == lines


def test_escape_keeps_what_is_readable() -> None:
    assert escape.line("größer → 漢字") == "größer → 漢字"
    assert escape.line("a\tb\n\x00") == "a\\tb\\n\\x00"
