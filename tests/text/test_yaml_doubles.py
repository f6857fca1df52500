"""Keys written twice: the first line goes where both say the same and nothing else stands on it."""

from __future__ import annotations

import pytest

from moelint.text.edits import apply
from moelint.text.source import Source
from moelint.text.yaml_reader import read_yaml


def problems(text):
    return [p for document in read_yaml(Source("x.yaml", text)) for p in document.problems if p.kind == "duplicate-key"]


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("a: 1\nb: 2\na: 1\n", "b: 2\na: 1\n"),
        ("m:\r\n  a: x\r\n  # once more\r\n  a: 'x'\r\n", "m:\r\n  # once more\r\n  a: 'x'\r\n"),
    ],
)
def test_equal_values(text, repaired):
    (problem,) = problems(text)
    assert problem.safety == "safe"
    assert apply(text, problem.edits) == repaired


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n",
        "a: 1\na: '1'\n",  # a number and a text
        "a: true\na: 1\n",
        "a: 1  # because\na: 1\n",
        "{a: 1, a: 1}\n",
        "a: [1]\na: [1]\n",
        "a: {b: 1}\na: {b: 1}\n",
    ],
)
def test_nothing_is_taken_out_where_that_is_not_sure(text):
    assert [problem.edits for problem in problems(text)] == [[]]
