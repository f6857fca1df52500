"""The line reader gives what libyaml gives, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from awkward import texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapes import document_shape, read_both

from moelint.text import yaml_lines
from moelint.text.edits import apply
from moelint.text.source import Source
from moelint.text.yaml_lines import read_lines
from moelint.text.yaml_reader import read_yaml

ROOT = Path(__file__).parents[2]
PROFILE = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
KEYS = [*"abc", "model", "--x", "a.b", "a/b", "a-b", "_u", "1", "true", "null", "n"]
ODD_KEYS = ['"q"', "'s'", "<<", "a b", "größe", "? a", ".x", "a:b", "", "-y", "&k a", "*k", "!t a", "[a]", "{a}", "---", "%a", "k" * 300]
VALUES = [
    "1", "010", "0x1f", "1_000", "1e-4", "3.0e-4", "-3", "-.inf", ".NaN", ".5", "true", "No", "~", "null", "x", "a b", "a  b", "a#b", "a:b",
    ":4096:8", "http://h:1/p", '"q"', "'s'", '"a # b"', "'a # b'", '""', "''", "[a, b]", "[]", "[ ]", '[a, "b"]', "['a b', c]", "[-1, -a]",
    "[ a , b ]", "[1.0, 010, yes, _z]", "{}", "???", "<<", "${a:-8}", "x é", "(a)", "a,b", "a]", "a}", "a|b", "a\\b", 'a"b', "a'b", "a&b",
    "1:30", "2020-01-01", "^x", "\\x", "y" * 300,
]  # fmt: skip
ODD_VALUES = [
    "a #b", "a: b", "a:", '"a\\n"', "'it''s'", '"x', "'y", '"a" b', '"a"#c', "[1,2,]", "[a,,b]", "[a: b]", "[[1]]", '["a]", b]', "[a", "[a]#c",
    "[a] b", '["#"]', "[é]", "{ }", "{a: 1}", "{}x", "&x 1", "*x", "!t 1", "!!str 1", "|", ">", "|-", "- a", "-", "---", "...", "?", "? a", "?a",
    "%x", "@x", "`x", "${a: b}", "*", "&", "!", "|x", "x\u2028y", "x\xa0y", "x\ty", "\x7f", "x\x85", "\ufeffx", "''' '''", "\"'\"", "[--a]", "=", "é", "--a", "[~]",
    "\ud800",
]  # fmt: skip
ODD_LINES = [
    "", "  ", "      ", "#", "# c", "    # é c", "#c: 1", "---", "...", "--- ", "--- a", "%YAML 1.1", "  ---", "\t", "\ufeff", "# a\tb", "? a", ": b",
    "&a x", "x", '"x"', "{a: 1}", "[a]", "<<: {a: 1}", "- a", "  - b: 1", "-", "a: |", " b: >-", "    text",
]  # fmt: skip
TAILS = ["", "", "", "", " ", "   ", " # c", "   # c: d", " #"]
ODD_TAILS = ["# c", "  \t", "\r", " #\x07"]

word = st.sampled_from


@st.composite
def any_line(draw: st.DrawFn) -> str:
    """A line that fits nowhere in particular."""
    if draw(st.integers(0, 9)) == 0:
        return draw(word(ODD_LINES))
    indent = draw(word(["", "", "", "  ", "  ", "    ", " ", "   ", "\t"]))
    tail = draw(word(TAILS + ODD_TAILS[: draw(st.integers(0, 4))]))
    value = draw(word(VALUES) | word(VALUES) | word(ODD_VALUES))
    if draw(st.integers(0, 3)) == 0:
        return indent + draw(word(["- ", "- ", "-  ", "-", "- - "])) + value + tail
    colon = draw(word([": ", ": ", ": ", ": ", ":", ":  ", " : ", ":\t"]))
    key = draw(word(KEYS) | word(KEYS) | word(KEYS) | word(ODD_KEYS))
    return indent + key + (draw(word([":", ":", " :"])) if draw(st.integers(0, 2)) == 0 else colon + value) + tail


@st.composite
def plain_lines(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> list[str]:
    """Lines of a mapping as people write them."""
    out: list[str] = []
    for key in draw(st.lists(word(KEYS), min_size=1, max_size=5, unique=True)):
        pad, tail = " " * indent, draw(word(TAILS))
        if draw(st.integers(0, 5)) == 0:
            out.append(draw(word(["", "   ", "# c", pad + "# c", pad + "     # d"])))
        kind = draw(st.integers(0, 9))
        if kind < 3 and depth < 4:
            out += [f"{pad}{key}:{tail}", *draw(plain_lines(indent + draw(word([1, 2, 2, 4])), depth + 1))]
        elif kind < 4:
            inner = pad + " " * draw(word([0, 2, 3]))
            out += [f"{pad}{key}:{tail}", *(f"{inner}- {v}{tail}" for v in draw(st.lists(word(VALUES[:21]), max_size=3)))]
        elif kind < 5:
            out.append(f"{pad}{key}:{tail}")
        else:
            out.append(f"{pad}{key}: {draw(word(VALUES))}{tail}")
    return out


@st.composite
def plain_texts(draw: st.DrawFn) -> str:
    head = draw(word([[], [], [], ["---"], ["# c", ""]]))
    return "\n".join(head + draw(plain_lines())) + draw(word(["\n", "", "\n\n", "\n  "]))


@st.composite
def changed_texts(draw: st.DrawFn) -> str:
    """A plain text with a few slips in it."""
    lines = draw(plain_texts()).split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        how, line = draw(st.integers(0, 5)), lines[at]
        if how == 0:
            lines[at] = " " * draw(st.integers(0, 5)) + line.lstrip(" ")
        elif how == 1:
            lines.insert(at, draw(any_line()))
        elif how == 2:
            place = draw(st.integers(0, len(line)))
            lines[at] = line[:place] + draw(word(list(" :#-\"'[]{},|>&*!?%@`\t\r\x00é~<"))) + line[place:]
        elif how == 3:
            lines.insert(draw(st.integers(0, len(lines))), line)
        elif how == 4:
            lines[at] = line + draw(word(ODD_TAILS))
        elif len(lines) > 1:
            del lines[at]
    return draw(word(["\n"] * 9 + ["\r\n"])).join(lines)


@PROFILE
@given(plain_texts())
def test_what_people_write_is_taken(text: str) -> None:
    assert read_both(text)


@PROFILE
@given(changed_texts())
def test_slips_are_left_or_read_alike(text: str) -> None:
    read_both(text)


@PROFILE
@given(st.lists(any_line(), min_size=1, max_size=7).map("\n".join))
def test_any_lines_are_left_or_read_alike(text: str) -> None:
    read_both(text)


@settings(PROFILE, max_examples=100)
@given(texts())
def test_awkward_texts_are_left_or_read_alike(text: str) -> None:
    read_both(text)


@pytest.mark.parametrize("value", VALUES)
def test_values_are_taken(value: str) -> None:
    assert read_both(f"a:\n  b: {value}  # why\n  c:\n")


@pytest.mark.parametrize("value", ODD_VALUES)
@pytest.mark.parametrize("shape", ["k: {}\n", "- {}\n", "k:\n  - {}\n", "k: [a, {}]\n", "k: [{}, 'b']\n"])
def test_odd_values_are_left_or_read_alike(value: str, shape: str) -> None:
    read_both(shape.format(value))


@pytest.mark.parametrize("key", [*KEYS, *ODD_KEYS])
@pytest.mark.parametrize("shape", ["{}: 1\n", "{}:\n  a: 1\n", "a:\n  {}: [1]\n", "a: 1\n{}: 1\n", "a:\n- b\n{}:\n"])
def test_keys_are_left_or_read_alike(key: str, shape: str) -> None:
    read_both(shape.format(key))


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n", "a: 1\nb: 2\na:\n  c: 1\n", "a:\n  b: 1\na:\n  c: 1\n", "a:\na:\n", "a: {}\na:\n  b: 1\n", "x: {}\na: 1\na:\n  b: 1\n",
        "a: [1]\na: {}\n", "a:\n- 1\na:\n- 1\n",
    ],
)  # fmt: skip
def test_keys_written_twice_are_left(text: str) -> None:
    assert read_lines(Source("a.yaml", text)) is None
    assert [p.kind for p in read_yaml(Source("a.yaml", text))[0].problems] == ["duplicate-key"]


@pytest.mark.parametrize(
    "text",
    [
        "", "# c\n", "---\n", "  a: 1\n", "a: 1\n  b: 2\n", "a:\n    b: 1\n  c: 2\n", "a:\n  - b\n - c\n", "a:\n  - b\n    c\n", "a: 1\n- b\n",
        "a: b\n  c\n", "- a\n", "a: 1\n---\nb: 1\n", "---\n---\na: 1\n", "a: &x 1\n", "a: *x\n", "a: |\n  b\n", "a: !t b\n", "<<: {a: 1}\n",
        "a: {b: 1}\n", "? a\n: b\n", "a:\tb\n", "a: 1\r\n", "%YAML 1.1\n---\na: 1\n", "a:\n  - b: 1\n", "a:\n-\n", 'a: "b\n  c"\n', "a: [b,\n  c]\n",
        "\n".join(" " * i + "a:" for i in range(30)), "a: 1\n" + "#" * yaml_lines.MAX_CHARACTERS,
    ],
)  # fmt: skip
def test_what_takes_more_than_lines_is_left(text: str) -> None:
    assert read_lines(Source("a.yaml", text)) is None


def test_the_usual_files_are_taken() -> None:
    paths = [ROOT / "benchmarks" / "sixty_lines.yaml", *sorted((ROOT / "examples").glob("[!.]*/**/*.yaml"))]
    taken = [read_both(path.read_text(encoding="utf-8")) for path in paths]
    assert len(taken) > 15 and sum(taken) >= 0.9 * len(taken)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither many different lines nor long ones add up; and what is forgotten is read as before."""
    monkeypatch.setattr(yaml_lines, "_memory", yaml_lines._Memory())
    monkeypatch.setattr(yaml_lines, "MAX_LINES", 400)
    monkeypatch.setattr(yaml_lines, "MAX_REMEMBERED", 9_000)
    for number in range(60):
        text = f"s{number}:\n" + "".join(f"  k{number}_{n}: {n}\n" for n in range(100))
        assert read_both(text)
        memory = yaml_lines._memory
        assert sum(len(state.lines) for state in memory.states) <= memory.lines <= 400 + 102
        assert memory.characters <= 9_000 + len(text)
        assert len(memory.states) <= 2 + 2 * memory.lines


def test_lines_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: 1\nb:\n  c: [x]\n  d:\n  - e\n# f\n"
    first = read_lines(Source("a.yaml", text))
    monkeypatch.setattr(yaml_lines, "_learn", None)  # what is not remembered would have to ask it
    again = read_lines(Source("b.yaml", text))
    assert first is not None and again is not None
    assert document_shape(first) == document_shape(again)
    assert again.settings["b", "c"].value is not first.settings["b", "c"].value, "a list is nobody else's"


def test_edits_are_those_of_any_document() -> None:
    text = "# top\na:\n  b: 1  # one\n  c:\n  - x\n  - y\n  d: [p, q]\ne:\nf: {}\n"
    for change in (
        lambda d: d.set(("a", "b"), 2), lambda d: d.set(("a", "b"), "x: y"), lambda d: d.remove(("a", "b")), lambda d: d.insert(("a", "n"), 1),
        lambda d: d.insert(("e", "n"), 1), lambda d: d.insert(("f", "n"), 1), lambda d: d.insert(("g", "n"), 1), lambda d: d.rename(("a", "b"), "z"),
        lambda d: d.add(("a", "c"), "z"), lambda d: d.add(("a", "d"), "r"), lambda d: d.discard(("a", "c"), "x"), lambda d: d.set(("e",), True),
    ):  # fmt: skip
        [one], [two] = read_yaml(Source("a.yaml", text)), read_yaml(Source("a.yaml", text), by_line=False)
        assert one.in_order and not two.in_order
        assert apply(text, change(one)) == apply(text, change(two))


def test_long_texts_of_which_no_two_lines_are_alike_are_left_to_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_lines, "_memory", yaml_lines._Memory())
    texts = ["".join(f"key_{number}_{line}: {line}\n" for line in range(900)) for number in range(6)]
    taken = [yaml_lines.read_lines(Source("a.yaml", text)) is not None for text in texts]
    assert not any(taken)
    assert yaml_lines._memory.lines <= 3 * 601  # the last three were not even begun
    short = "".join(f"key_{line}: {line}\n" for line in range(50))
    assert yaml_lines.read_lines(Source("a.yaml", short)) is not None
    again = yaml_lines._Memory()
    monkeypatch.setattr(yaml_lines, "_memory", again)
    sweep = ["".join(f"key_{line}: {line + number * (line == 7)}\n" for line in range(500)) for number in range(4)]
    assert all(yaml_lines.read_lines(Source("a.yaml", text)) is not None for text in sweep)
    assert again.lines < 510
