"""Properties that hold for any YAML: what is read is what PyYAML reads, and an edit changes what it says and no more."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
import yaml
from awkward import texts
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from moelint.text.document import EditError
from moelint.text.edits import apply
from moelint.text.source import Source
from moelint.text.yaml_document import YamlDocument
from moelint.text.yaml_reader import read_yaml

PROFILE = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
VALUES = [
    0,
    8,
    -3,
    1e-05,
    2.5,
    1e22,
    float("inf"),
    True,
    False,
    None,
    "alltoall",
    "yes",
    "8",
    "1e-4",
    "",
    "a: b",
    "x #y",
    "- z",
    "größe",
    "it's",
    'say "no"',
    "two\nlines",
    [],
    ["a", "b"],
    [1, 2, 3],
    [[0, 1], [2]],
]


def documents(text: str) -> list[YamlDocument]:
    return read_yaml(Source("a.yaml", text))


def loaded(text: str) -> list[Any]:
    return list(yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def flat(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], str]:
    """Leaves as PyYAML sees them, by path; repr tells 1 from True, and finds NaN equal to itself."""
    if isinstance(value, dict) and value:
        return {k: v for key, item in value.items() for k, v in flat(item, (*path, str(key))).items()}
    if isinstance(value, list) and has_mapping(value):
        return {k: v for i, item in enumerate(value) for k, v in flat(item, (*path, i)).items()}
    return {path: repr(value.isoformat() if isinstance(value, date) else value)}


def has_mapping(value: list[Any]) -> bool:
    return any(isinstance(item, dict) or (isinstance(item, list) and has_mapping(item)) for item in value)


def ours(document: YamlDocument) -> dict[tuple[Any, ...], str]:
    return {path: repr(setting.value) for path, setting in document.settings.items()}


@PROFILE
@given(texts())
def test_reads_what_pyyaml_reads(text: str) -> None:
    assert [ours(document) for document in documents(text)] == [flat(value) for value in loaded(text)]


@PROFILE
@given(texts())
def test_spans_cut_out_the_key_and_the_value(text: str) -> None:
    for document in documents(text):
        for path, setting in document.settings.items():
            assert text[setting.value_start : setting.value_end] == setting.raw
            if isinstance(path[-1], str):
                assert text[setting.key_start : setting.key_end] == path[-1]
            tagged = "!!" in text[setting.key_end : setting.value_start]
            if setting.style not in ("literal", "folded", "block") and setting.raw and not tagged:
                assert repr(setting.value) == flat(yaml.safe_load(setting.raw)).get((), repr(setting.value))
        for start, end in document.comments:
            assert text[start] == "#" and "\n" not in text[start:end]


@PROFILE
@given(texts())
def test_without_its_comments_a_text_means_the_same(text: str) -> None:
    assume("|+" not in text)  # there the line break after a comment would be kept as text
    bare = text
    for start, end in reversed([span for document in documents(text) for span in document.comments]):
        bare = bare[:start] + bare[end:]
    assert [flat(value) for value in loaded(bare)] == [flat(value) for value in loaded(text)]


@PROFILE
@given(texts(), st.data())
def test_set_changes_one_value(text: str, data: st.DataObject) -> None:
    document = documents(text)[0]
    path = data.draw(st.sampled_from(list(document.settings)))
    value = data.draw(st.sampled_from(VALUES))
    new = apply(text, document.set(path, value))
    wanted = flat(loaded(text)[0]) | {path: repr(value)}
    assert flat(loaded(new)[0]) == wanted
    assert_only_near(text, new, document, path)


@PROFILE
@given(texts(), st.data())
def test_insert_adds_one_key(text: str, data: st.DataObject) -> None:
    document = documents(text)[0]
    parents = [(), *(path for path in document.sections if document_has_keys(document, path))]
    parent = data.draw(st.sampled_from(parents))
    siblings = [path for path in document.settings if path[:-1] == parent]
    after = data.draw(st.sampled_from([None, *siblings]))
    path = (*parent, *data.draw(st.sampled_from([("fresh",), ("fresh", "deeper")])))
    value = data.draw(st.sampled_from(VALUES))
    edits = document.insert(path, value, after)
    assert flat(loaded(apply(text, edits))[0]) == flat(loaded(text)[0]) | {path: repr(value)}
    assert all(edit.start == edit.end for edit in edits)


@PROFILE
@given(texts(), st.data())
def test_remove_takes_one_key(text: str, data: st.DataObject) -> None:
    # What comes to stand after a block scalar may become a part of it: refused.
    assume("|+" not in text and not ("far right" in text and "no comment" in text))
    document = documents(text)[0]
    path = data.draw(st.sampled_from([path for path in document.settings if isinstance(path[-1], str)]))
    new = apply(text, document.remove(path))
    wanted = {key: value for key, value in flat(loaded(text)[0]).items() if key != path}
    if not any(key[: len(path) - 1] == path[:-1] for key in wanted):
        wanted[path[:-1]] = "{}"
    assert flat(loaded(new)[0]) == wanted


@PROFILE
@given(texts(), st.data())
def test_rename_keeps_value_and_place(text: str, data: st.DataObject) -> None:
    document = documents(text)[0]
    path = data.draw(st.sampled_from([path for path in document.settings if isinstance(path[-1], str)]))
    setting = document.settings[path]
    assert apply(text, document.rename(path, "fresh")) == text[: setting.key_start] + "fresh" + text[setting.key_end :]


@PROFILE
@given(texts(), st.data(), st.sampled_from(["new", "8", 5, True]))
def test_elements_come_and_go(text: str, data: st.DataObject, value: Any) -> None:
    document = documents(text)[0]
    lists = [path for path, setting in document.settings.items() if setting.items is not None]
    if not lists:
        return
    path = data.draw(st.sampled_from(lists))
    assume(repr(value) not in map(repr, document.settings[path].value))
    new = apply(text, document.add(path, value))
    assert flat(loaded(new)[0]) == flat(loaded(text)[0]) | {path: repr([*document.settings[path].value, value])}
    again = documents(new)[0]
    assert again.add(path, value) == []
    gone = apply(new, again.discard(path, value))
    assert flat(loaded(gone)[0]) == flat(loaded(text)[0])
    for element in document.settings[path].value:
        less = apply(text, document.discard(path, element))
        kept = [other for other in document.settings[path].value if repr(other) != repr(element)]
        assert flat(loaded(less)[0]) == flat(loaded(text)[0]) | {path: repr(kept)}


def test_a_missing_setting_cannot_be_set() -> None:
    with pytest.raises(EditError):
        documents("a: 1\n")[0].set(("b",), 2)


def document_has_keys(document: YamlDocument, path: tuple[Any, ...]) -> bool:
    return any(
        key[: len(path)] == path and len(key) > len(path) and isinstance(key[len(path)], str)
        for key in document.settings
    )


def assert_only_near(old: str, new: str, document: YamlDocument, path: tuple[Any, ...]) -> None:
    """Everything before the key and after the value's last line is as it was."""
    setting = document.settings[path]
    assert new.startswith(old[: setting.key_start])
    if setting.style != "block":  # of a block list, whole lines go
        end = old.find("\n", setting.value_end)
        assert new.endswith(old[end:] if end >= 0 else old[setting.value_end :])
