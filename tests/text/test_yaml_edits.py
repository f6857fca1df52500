"""Edits of YAML as a reviewer would see them: the whole text before and after."""

from __future__ import annotations

from typing import Any

import pytest

from moelint.text.document import EditError
from moelint.text.edits import apply
from moelint.text.source import Source
from moelint.text.yaml_reader import read_yaml


def edited(text: str, operation: str, *arguments: Any, index: int = 0) -> str:
    document = read_yaml(Source("a.yaml", text))[index]
    return apply(text, getattr(document, operation)(*arguments))


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("tp: 8  # tensor\n", 4, "tp: 4  # tensor\n"),
        ("tp: True\n", False, "tp: False\n"),
        ("tp: ON # x\n", False, "tp: OFF # x\n"),
        ("tp: yes\n", False, "tp: no\n"),
        ("tp: 'a'\n", "b", "tp: 'b'\n"),
        ('tp: "a"\n', "it's", 'tp: "it\'s"\n'),
        ("tp: a\n", "8", "tp: '8'\n"),
        ("tp: a\n", "1e-4", "tp: '1e-4'\n"),
        ("tp: '8'\n", 8, "tp: 8\n"),
        ("tp: 0.1\n", 1e-05, "tp: 1.0e-05\n"),
        ("tp: ~ # none\n", 8, "tp: 8 # none\n"),
        ("tp:   # nothing yet\n", 8, "tp: 8   # nothing yet\n"),
        ("tp:", 8, "tp: 8"),
        ("tp: &a 8\n", 4, "tp: &a 4\n"),
        ("tp: !!str 8\n", 4, "tp: 4\n"),
        ("tp: !!int 8\n", 4, "tp: !!int 4\n"),
        ("tp: {}\n", 4, "tp: 4\n"),
        ("tp: >-\n  a\n  b\n", "c", "tp: c\n"),
        ("tp: a b\n  c # end\n", "d", "tp: d # end\n"),
        ("tp: a\n", ["x", "yes"], "tp: [x, 'yes']\n"),
        ("tp: [a, 'b', c]\n", ["a", "c"], "tp: [a, c]\n"),
        ("tp: [a, 'b']  # c\n", ["a", "b", "d"], "tp: [a, 'b', 'd']  # c\n"),
        ("tp: [a, b]\n", [], "tp: []\n"),
        ("tp: [[1, 2], [3]]\n", [[1, 2], [4]], "tp: [[1, 2], [4]]\n"),
        ("tp: [\n  a,  # first\n  b\n]\n", ["a", "b", "c"], "tp: [\n  a,  # first\n  b,\n  c\n]\n"),
        ("tp:\n- a  # one\n# two\n- b\n", ["b"], "tp:\n# two\n- b\n"),
        ("tp:\n  - a  # one\n  - b\n", ["a", "c", "d"], "tp:\n  - a  # one\n  - c\n  - d\n"),
        ("tp: # list\n  - a\nx: 1\n", [], "tp: [] # list\nx: 1\n"),
        ("tp:\n- a\n- b", "all", "tp: all"),
    ],
)
def test_set(old: str, value: Any, new: str) -> None:
    assert edited(old, "set", ("tp",), value) == new
    assert edited("a: 1\r\n" + old.replace("\n", "\r\n"), "set", ("tp",), value) == "a: 1\r\n" + new.replace(
        "\n", "\r\n"
    )


@pytest.mark.parametrize(
    ("old", "path", "after", "new"),
    [
        ("m:\n  a: 1\n  b: 2\n# next\nn: 1\n", ("m", "z"), None, "m:\n  a: 1\n  b: 2\n  z: 9\n# next\nn: 1\n"),
        ("m:\n  a: 1 # c\n  b: 2\n", ("m", "z"), ("m", "a"), "m:\n  a: 1 # c\n  z: 9\n  b: 2\n"),
        ("m:\n    a: 1", ("m", "z"), None, "m:\n    a: 1\n    z: 9"),
        (
            "m:\n  a:\n    x: 1\n    # inside a\n  b: 1\n",
            ("m", "z"),
            ("m", "a"),
            "m:\n  a:\n    x: 1\n    # inside a\n  z: 9\n  b: 1\n",
        ),
        ("m:  # to be filled\nn: 1\n", ("m", "z"), None, "m:  # to be filled\n  z: 9\nn: 1\n"),
        ("m: ~ # c\n", ("m", "z"), None, "m: # c\n  z: 9\n"),
        ("m: {}\n", ("m", "z"), None, "m: {z: 9}\n"),
        ("m: {a: 1}\n", ("m", "z"), None, "m: {a: 1, z: 9}\n"),
        ('m: {"a": 1}\n', ("m", "z"), None, 'm: {"a": 1, "z": 9}\n'),
        ("m: {\n  a: 1,  # one\n  b: 2,\n}\n", ("m", "z"), None, "m: {\n  a: 1,  # one\n  b: 2,\n  z: 9,\n}\n"),
        ("m: {a: }\n", ("m", "a", "z"), None, "m: {a: {z: 9} }\n"),
        ("a: 1\n", ("m", "k", "z"), None, "a: 1\nm:\n  k:\n    z: 9\n"),
        ("a:\n    b: 1\n", ("m", "z"), None, "a:\n    b: 1\nm:\n    z: 9\n"),
        ("l:\n- a: 1\n- b: 2\n", ("l", 0, "z"), None, "l:\n- a: 1\n  z: 9\n- b: 2\n"),
        ("a: |\n  text\n\nb: 1\n", ("z",), ("a",), "a: |\n  text\nz: 9\n\nb: 1\n"),
        ("a: |+\n  text\n\nb: 1\n", ("z",), ("a",), "a: |+\n  text\n\nz: 9\nb: 1\n"),
        ("d: &d\n  tp: 8\nm:\n  <<: *d\n  a: 1\n", ("m", "z"), None, "d: &d\n  tp: 8\nm:\n  <<: *d\n  a: 1\n  z: 9\n"),
        ("---\n", ("z",), None, "---\nz: 9\n"),
    ],
)
def test_insert(old: str, path: Any, after: Any, new: str) -> None:
    assert edited(old, "insert", path, 9, after) == new
    assert edited(old.replace("\n", "\r\n"), "insert", path, 9, after) == new.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("old", "path", "new"),
    [
        ("m:\n  # about a\n  a: 1 # c\n  # about b\n  b: 2\n", ("m", "a"), "m:\n  # about a\n  # about b\n  b: 2\n"),
        ("m:  # c\n  a: 1\nn: 2\n", ("m", "a"), "m: {}  # c\nn: 2\n"),
        ("m: &x\n  a: 1\n", ("m", "a"), "m: &x {}\n"),
        ("a: 1\nb: 2", ("b",), "a: 1"),
        ("a: 1\n", ("a",), "{}\n"),
        ("a:\n- x\n- y\nb: 1\n", ("a",), "b: 1\n"),
        ("l:\n- a: 1 # c\n  b: 2\n", ("l", 0, "a"), "l:\n- b: 2\n"),
        ("l:\n- a: 1 # c\n  # about b\n  b: 2\n", ("l", 0, "a"), "l:\n-\n  # about b\n  b: 2\n"),
        ("l:\n- a: 1\n", ("l", 0, "a"), "l:\n- {}\n"),
        ("m: {a: 1, b: 2, c: 3}\n", ("m", "a"), "m: {b: 2, c: 3}\n"),
        ("m: {a: 1, b: 2, c: 3}\n", ("m", "b"), "m: {a: 1, c: 3}\n"),
        ("m: {a: 1, b: 2, c: 3}\n", ("m", "c"), "m: {a: 1, b: 2}\n"),
        ("m: { a: 1 }\n", ("m", "a"), "m: {}\n"),
        ("m: {\n  a: 1, # one\n  b: 2  # two\n}\n", ("m", "b"), "m: {\n  a: 1 # one\n}\n"),
        ("m: {\n  a: 1, # one\n  b: 2  # two\n}\n", ("m", "a"), "m: {\n  b: 2  # two\n}\n"),
    ],
)
def test_remove(old: str, path: Any, new: str) -> None:
    assert edited(old, "remove", path) == new
    assert edited(old.replace("\n", "\r\n"), "remove", path) == new.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("l: [a, b]  # c\n", "l: [a, b, z]  # c\n"),
        ("l: []\n", "l: [z]\n"),
        ("l:\n", "l: [z]\n"),
        ("l: ['a']\n", "l: ['a', 'z']\n"),
        ("l:\n- a # c\n# next\nm: 1\n", "l:\n- a # c\n- z\n# next\nm: 1\n"),
        ("l:\n  - a", "l:\n  - a\n  - z"),
        ("l: [z]\n", "l: [z]\n"),
    ],
)
def test_add(old: str, new: str) -> None:
    assert edited(old, "add", ("l",), "z") == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("l: [z, b]  # c\n", "l: [b]  # c\n"),
        ("l: [z]\n", "l: []\n"),
        ("l: [ a, z ]\n", "l: [ a ]\n"),
        ("l: [z, a, 'z']\n", "l: [a]\n"),
        ("l:\n- a # c\n# about z\n- z # d\nm: 1\n", "l:\n- a # c\n# about z\nm: 1\n"),
        ("l: # c\n  - z\nm: 1\n", "l: [] # c\nm: 1\n"),
        ("l: [a]\n", "l: [a]\n"),
    ],
)
def test_discard(old: str, new: str) -> None:
    assert edited(old, "discard", ("l",), "z") == new


def test_rename_keeps_quotes_and_refuses_a_name_that_is_there() -> None:
    assert edited("a: {'x' : 1} # x\n", "rename", ("a", "x"), "y") == "a: {'y' : 1} # x\n"
    assert edited("x:\n  a: 1\n", "rename", ("x",), "model") == "model:\n  a: 1\n"
    with pytest.raises(EditError, match="already"):
        edited("x: 1\ny: 2\n", "rename", ("x",), "y")


def test_the_right_one_of_several_documents() -> None:
    text = "a: 1\n---\na: 1 # second\n---\na: 1\n"
    assert edited(text, "set", ("a",), 2, index=1) == "a: 1\n---\na: 2 # second\n---\na: 1\n"
    assert edited(text, "insert", ("b",), 2, index=0) == "a: 1\nb: 2\n---\na: 1 # second\n---\na: 1\n"


def test_a_merged_value_is_overridden_beside_the_merge_key() -> None:
    text = "d: &d\n  tp: 8\nm:\n  <<: *d\n  ep: 1\n"
    assert edited(text, "set", ("m", "tp"), 4) == "d: &d\n  tp: 8\nm:\n  <<: *d\n  ep: 1\n  tp: 4\n"


@pytest.mark.parametrize(
    ("text", "operation", "arguments", "words"),
    [
        ("n: &n 8\ntp: *n\n", "set", (("tp",), 4), "alias"),
        ("n: &n 8\ntp: *n\n", "set", (("n",), 4), "also change tp"),
        ("d: &d {tp: 8}\nm: *d\n", "set", (("m", "tp"), 4), "anchor"),
        ("d: &d {tp: 8}\nm: *d\n", "insert", (("m", "x"), 4), "alias"),
        ("d: &d {tp: 8}\nm: {<<: *d}\n", "remove", (("m", "tp"),), "anchor"),
        ("d: &d {o: {x: 1}}\nm:\n  <<: *d\n", "insert", (("m", "o", "y"), 4), "merge"),
        ("tp: !Env 8\n", "set", (("tp",), 4), "tag"),
        ("m: !Model {tp: 8}\n", "insert", (("m", "x"), 4), "tag"),
        ("m: 5\n", "insert", (("m", "x"), 4), "value where a section should be"),
        ("m: [1]\n", "insert", (("m", "x"), 4), "list"),
        ("a: 1\n", "insert", (("a",), 2), "already"),
        ("m: {a: 1}\n", "insert", (("m",), 2), "section"),
        ("a: 1\n", "set", (("b",), 2), "not written"),
        ("a: 1\n", "remove", (("b",),), "not written"),
        ("a: 1\n", "add", (("a",), 2), "not a list"),
        ("? a\n: 1\n? b\n: 2\n", "remove", (("a",),), "shares its line"),
        ("a: | # note\n  text\n", "set", (("a",), "x"), "comment"),
        ("l:\n- - a\n  - b\n", "discard", (("l", 0), "a"), "shares its line"),
        ("a: 1\n", "set", (("a",), object()), "no YAML text"),
    ],
)
def test_what_the_text_cannot_take_is_refused_with_the_reason(
    text: str, operation: str, arguments: Any, words: str
) -> None:
    with pytest.raises(EditError, match=words):
        edited(text, operation, *arguments)
