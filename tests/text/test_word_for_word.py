"""Replacing one bare word by another is given out untried: it must be what the tried way gives."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moelint.text.document import EditError
from moelint.text.edits import apply
from moelint.text.source import Source, TextError
from moelint.text.yaml_document import YamlDocument
from moelint.text.yaml_reader import read_yaml

WORDS = st.sampled_from([
    "true", "false", "True", "yes", "on", "null", "8", "0", "007", "0x1f", "1_000", "1e3", "1.5", "alltoall", "a-b", "a.b", "y", "N", "'8'", '"x"',
    "~", "!!str 8", "&a 8", "[1]", "_x", "x_1", "1:20", "é", "a b", "9" * 30,
])  # fmt: skip
VALUES = st.sampled_from([True, False, 0, 8, -1, 10**30, "alltoall", "true", "no", "8", "x y", "a#b", "", None, 1.5, "Y", "1e3", "é"])
SHAPES = st.sampled_from([
    "a: {0}\nb: {1}\n", "a: {0} # why\nb: {1}", "{{a: {0}, b: {1}}}\n", "m:\n  a: {0}\n  b: {1}\n", "- a: {0}\n  b: {1}\n", "a:\n  {0}\nb: {1}\n",
    "a: &x {0}\nb: *x\n", "? a\n: {0}\n", "a   :   {0}   \r\nb: {1}\r\n", "'a': {0}\n", "--- \na: {0}\n---\na: {1}\n",
])  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(SHAPES, WORDS, WORDS, VALUES)
def test_it_is_what_trying_gives(shape: str, one: str, two: str, value: object) -> None:
    source = Source("a.yaml", shape.format(one, two))
    try:
        document = read_yaml(source)[0]
    except TextError:  # what was put together is not always YAML
        return
    for path, setting in document.settings.items():
        quick = document._word_for_word(setting, value)
        if quick is None:
            continue
        untouched = read_yaml(source)[0]
        untouched._word_for_word = lambda *_: None  # type: ignore[method-assign]
        assert apply(source.text, [quick]) == apply(source.text, untouched.set(path, value))


def test_it_is_taken_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read_yaml(Source("a.yaml", "model:\n  a: true\n  b: 8 # why\n  c: flex\n"))[0]

    def never(*_: object) -> None:
        raise EditError("tried")

    monkeypatch.setattr(YamlDocument, "_tried", never)
    for name, value in (("a", False), ("b", 16), ("c", "alltoall")):
        assert document.set(("model", name), value)
    with pytest.raises(EditError, match="tried"):
        document.set(("model", "a"), "a: b")
