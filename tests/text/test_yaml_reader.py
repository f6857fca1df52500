"""What the reader gives for YAML's corners: values, spans, problems, limits."""

from __future__ import annotations

from typing import Any

import pytest
from shapes import read_both

from moelint.text import libyaml, yaml_builder, yaml_reader
from moelint.text.scalars import Opaque, plain
from moelint.text.source import Source, TextError
from moelint.text.yaml_document import YamlDocument
from moelint.text.yaml_reader import read_yaml


def read(text: str) -> YamlDocument:
    """What libyaml reads; the reader of lines gives the same or nothing."""
    read_both(text)
    return read_yaml(Source("a.yaml", text), by_line=False)[0]


def values(text: str) -> dict[tuple[Any, ...], Any]:
    return {path: setting.value for path, setting in read(text).settings.items()}


def error(text: str) -> TextError:
    with pytest.raises(TextError) as caught:
        read_yaml(Source("a.yaml", text))
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("010", 8),
        ("0x1F", 31),
        ("0b101", 5),
        ("1_000", 1000),
        ("1:30", 90),
        ("-1:00:00", -3600),
        ("1:30.5", 90.5),
        ("1e-4", "1e-4"),
        ("1.0e-4", 1e-4),
        ("3.25e+05", 325000.0),
        ("1.0e4", "1.0e4"),
        ("1.0e-", "1.0e-"),
        ("1.e-4.0", "1.e-4.0"),
        ("1.e+5", 1e5),
        ("1e5", "1e5"),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("yes", True),
        ("No", False),
        ("ON", True),
        ("oFF", "oFF"),
        ("y", "y"),
        ("~", None),
        ("NULL", None),
        ("nuLL", "nuLL"),
        ("08", "08"),
        ("0o7", "0o7"),
        ("+12", 12),
        ("2020-01-01", "2020-01-01"),
        ("0b_", "0b_"),
        ("=", "="),
        ("", None),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_plain_scalars_are_yaml_1_1(text: str, value: Any) -> None:
    assert plain(text) == value
    assert type(plain(text)) is type(value)


def test_explicit_tags_of_the_core_are_honoured() -> None:
    text = "a: !!str 8\nb: !!int '010'\nc: !!float 1\nd: !!bool 'no'\ne: ! 8\nf: !!null x\n"
    assert values(text) == {("a",): "8", ("b",): 8, ("c",): 1.0, ("d",): False, ("e",): "8", ("f",): None}


def test_nothing_is_built_from_other_tags() -> None:
    text = "a: !!python/object/apply:os.system ['touch x']\nb: !Env ${X}\nc: !!set {x, y}\nd: !T\n  k: &k 1\ne: *k\n"
    found = values(text)
    assert all(isinstance(value, Opaque) for value in found.values())
    assert found[("b",)].tag == "!Env"
    assert read(text).settings[("d",)].raw == "k: &k 1"


def test_lists_of_scalars_are_one_setting_and_lists_of_mappings_are_not() -> None:
    text = "a: [1, [x, 'y']]\nb:\n- 1\n- k: v\n- [z]\nc: []\nd: [[1, {e: 2}], 3]\n"
    assert values(text) == {
        ("a",): [1, ["x", "y"]],
        ("b", 0): 1,
        ("b", 1, "k"): "v",
        ("b", 2): ["z"],
        ("c",): [],
        ("d", 0, 0): 1,
        ("d", 0, 1, "e"): 2,
        ("d", 1): 3,
    }
    items = read(text).settings[("a",)].items
    assert items is not None and [item.raw for item in items] == ["1", "[x, 'y']"]


def test_a_block_list_ends_with_its_last_element() -> None:
    setting = read("a:\n  - x  # one\n  - 'y'  # two\n\n# next\nb: 1\n").settings[("a",)]
    assert setting.raw == "- x  # one\n  - 'y'" and setting.style == "block"


def test_sections_have_the_spans_of_their_keys() -> None:
    text = "model:\n  deep: {a: 1}\nlist:\n- b: 1\n"
    document = read(text)
    assert {path: text[start:end] for path, (start, end) in document.sections.items()} == {
        ("model",): "model",
        ("model", "deep"): "deep",
        ("list",): "list",
    }


def test_an_absent_value_stands_right_after_its_colon() -> None:
    text = "a:\nb:   # c\nd: &x\ne: {f: , g}\n"
    found = read(text).settings
    assert [text[: found[path].value_start][-2:] for path in ((("a",)), ("b",), ("d",), ("e", "f"), ("e", "g"))] == [
        "a:",
        "b:",
        "&x",
        "f:",
        " g",
    ]
    assert all(setting.value is None and setting.raw == "" for setting in found.values())


def test_properties_are_not_part_of_the_value() -> None:
    assert read("a: &x !!int '8'\n").settings[("a",)].raw == "'8'"
    assert read("a: &x # c\n  [1]\n").settings[("a",)].raw == "[1]"


# ---- duplicates, aliases, merge keys


def test_of_two_equal_keys_the_last_wins_and_the_first_is_named() -> None:
    document = read("a: 1\nb:\n  x: 1\n  y: 1\na: 2\nb: {x: 3}\nc: {q: 1, 'q': 2}\n")
    assert {path: s.value for path, s in document.settings.items()} == {("a",): 2, ("b", "x"): 3, ("c", "q"): 2}
    assert [(p.kind, p.path) for p in document.problems] == [
        ("duplicate-key", path) for path in (("a",), ("b",), ("c", "q"))
    ]
    assert "line 1" in document.problems[0].message


def test_an_alias_shows_its_value_at_its_own_place() -> None:
    document = read("n: &n 8\ntp: *n\nl: &l [1, 2]\nm: *l\n*n : key\n")
    setting = document.settings[("tp",)]
    assert (setting.value, setting.style, setting.raw) == (8, "alias", "*n")
    assert document.settings[("m",)].value == [1, 2]
    assert document.settings[("8",)].value == "key"


def test_an_alias_to_a_mapping_shows_its_settings() -> None:
    document = read("d: &d\n  tp: 8\n  o: {x: 1}\nm: *d\n")
    assert {p: s.value for p, s in document.settings.items() if p[0] == "m"} == {("m", "tp"): 8, ("m", "o", "x"): 1}
    assert document.settings[("m", "o", "x")].raw == "*d"


def test_merge_keys_fill_in_what_the_mapping_does_not_write() -> None:
    text = (
        "d: &d {tp: 8, o: {x: 1}, q: 1}\ne: &e {q: 2, r: 3}\n"
        "a:\n  <<: *d\n  o: {z: 2}\nb:\n  <<: [*d, *e]\nc:\n  <<: *d\n  <<: *e\nf: {<<: {tp: 4}, x: 1}\n"
    )
    found = values(text)
    below = {name: {p[1:]: v for p, v in found.items() if p[0] == name} for name in "abcf"}
    assert below == {
        "a": {("o", "z"): 2, ("tp",): 8, ("q",): 1},
        "b": {("tp",): 8, ("o", "x"): 1, ("q",): 1, ("r",): 3},
        "c": {("tp",): 8, ("o", "x"): 1, ("q",): 2, ("r",): 3},
        "f": {("x",): 1, ("tp",): 4},
    }
    assert read("a:\n  <<: 5\n").problems[0].kind == "merge"


def test_a_quoted_merge_key_is_a_key() -> None:
    assert values("a: {'<<': 1}\n") == {("a", "<<"): 1}


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"k{i}: &{'b' * i} [{', '.join(['*' + ('b' * (i - 1) or 'a')] * 10)}]\n" for i in range(1, 14)),
        "a: &a {" + ", ".join(f"k{i}: 1" for i in range(10)) + "}\n"
        + "".join(
            f"k{i}: &{'b' * i} {{{', '.join(f'x{j}: *' + ('b' * (i - 1) or 'a') for j in range(10))}}}\n"
            for i in range(1, 14)
        ),
    ],
)
def test_aliases_of_aliases_are_not_unfolded(text: str) -> None:
    document = read(text)
    assert len(document.settings) < 3 * yaml_builder.MAX_ALIASED
    assert [problem.kind for problem in document.problems] == ["limit"]
    assert sum(len(repr(setting.value)) for setting in document.settings.values()) < 100 * yaml_builder.MAX_ALIASED


def test_an_alias_inside_its_own_anchor_is_opaque() -> None:
    assert read("a: &a [1, *a]\n").settings[("a",)].value == [1, Opaque("*")]
    assert read("a: &a {b: *a}\n").settings[("a", "b")].value == Opaque("*")


# ---- documents and comments


def test_several_documents_with_their_own_comments() -> None:
    text = "# one\na: 1\n...\n# between\n---\nb: 2 # two\n--- {c: 3}\n"
    documents = read_yaml(Source("a.yaml", text))
    assert [list(document.settings) for document in documents] == [[("a",)], [("b",)], [("c",)]]
    assert [[text[a:b] for a, b in document.comments] for document in documents] == [
        ["# one", "# between"],
        ["# two"],
        [],
    ]
    assert documents[0].end == documents[1].start


def test_a_hash_is_not_always_a_comment() -> None:
    text = 'a: "x # y" # 1\nb: \'# z\'\nc: |  # 2\n  # text\n  more\n# 3\nd: a#b\ne: >\n  # folded\nf: [a, # 4\n  "#"]\r\n"k # k": 1 # 5\r\n'
    document = read(text)
    assert [text[a:b] for a, b in document.comments] == ["# 1", "# 2", "# 3", "# 4", "# 5"]


def test_only_comments_are_no_document() -> None:
    assert read_yaml(Source("a.yaml", "# nothing\n")) == []
    assert read_yaml(Source("a.yaml", "")) == []


# ---- what is not YAML


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: [1\nb: 2\n", 2, 2, "flow sequence"),
        ("a:\n\tb: 1\n", 2, 1, "spaces, not tabs"),
        ("a: 1\nb: x\x07\n", 2, 5, "U+0007"),
        ("a: *x\n", 1, 4, "no anchor"),
        ("a: 'x\n", 2, 1, "quoted scalar"),
        ("a: 1\n b: 2\n", 2, 3, "mapping values"),
    ],
)
def test_broken_text_says_where(text: str, line: int, column: int, words: str) -> None:
    found = error(text)
    assert (found.line, found.column) == (line, column)
    assert words in found.message


@pytest.mark.parametrize(
    "text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "\n".join(" " * i + "a:" for i in range(500)), "? " * 9000]
)
def test_nesting_is_bounded(text: str) -> None:
    assert "nest" in error(text).message or "depth" in error(text).message


def test_length_is_bounded() -> None:
    assert "characters" in error("#" * (yaml_reader.MAX_CHARACTERS + 1)).message


def test_many_sections_written_twice_are_refused() -> None:
    assert "written twice" in error("".join(f"s{i}: {{x: 1}}\n" for i in range(200)) * 2).message


def test_a_list_as_a_key_is_a_problem() -> None:
    document = read("? [a, b]\n: 1\nc: 2\n")
    assert [problem.kind for problem in document.problems] == ["complex-key"]
    assert document.settings[("c",)].value == 2


def test_without_libyaml_the_outcome_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &x [1, 'b # c']  # c\nc: *x\nd:\ne: {f: , g: !!int '8'}\nh: |+\n  t # no\n\n# end\ni: {<<: {k: 1}}\nl:\n- a: 1\n- \n"

    def shape() -> Any:
        document = read(text)
        return (
            [(p, s.value, s.raw, s.style, s.key_start, s.value_start) for p, s in document.settings.items()],
            document.comments,
            document.sections,
        )

    fast = shape()
    monkeypatch.setattr(libyaml, "parser", libyaml._python_parser)
    assert shape() == fast
    assert error("a: [1\nb: 2\n").line == 2
