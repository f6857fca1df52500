"""The short way of the second reader never says more than a reading of the whole texts: only what it can show."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from moelint.fix import second
from moelint.fix.excerpts import excerpts
from moelint.text.source import Source
from moelint.text.yaml_reader import read_yaml

TEXT = """\
# a sweep
model:
  num_layers: 48  # layers
  moe_layers:
  - 1
  - 2
  overlap: true

  dtype: "bf16"
data:
  blends: [a/b, 'c']
  files:
    - name: x
      weight: 0.5
    - name: y
lr: 1.0e-4
"""


def values(text: str) -> list[dict[Any, Any]]:
    return [second._settings(document) for document in read_yaml(Source("a.yaml", text))]


def short(before: str, after: str, meant: str | None = None) -> bool:
    """Whether the short way lets ``after`` pass, if our reader takes it for ``meant``."""
    return second.agree(before, after, [values(before), values(after if meant is None else meant)])


def whole(before: str, after: str, meant: str) -> str | None:
    return second.read_whole(Source("a.yaml", before), Source("a.yaml", after), [values(before), values(meant)])


# ---- what is read


def test_one_value_is_read_with_its_parents_alone() -> None:
    assert excerpts(TEXT, TEXT.replace("true", "false")) == [
        ("model:\n  overlap: true\n\n", "model:\n  overlap: false\n\n")
    ]


def test_a_new_line_is_read_with_the_entry_above_it() -> None:
    new = TEXT.replace("  overlap", "  fusion: true\n  overlap")
    assert excerpts(TEXT, new) == [
        ("model:\n  moe_layers:\n  - 1\n  - 2\n", "model:\n  moe_layers:\n  - 1\n  - 2\n  fusion: true\n")
    ]


def test_of_a_list_the_whole_is_read() -> None:
    found = excerpts(TEXT, TEXT.replace("0.5", "0.25"))
    start, end = TEXT.index("  files"), TEXT.index("lr:")
    old = "data:\n" + TEXT[start:end]
    assert found == [(old, old.replace("0.5", "0.25"))]


def test_two_places_are_two_excerpts_and_nested_ones_are_one() -> None:
    found = excerpts(TEXT, TEXT.replace("48", "32").replace("1.0e-4", "0.0002"))
    assert found is not None and [old.count("\n") for old, _ in found] == [2, 1]
    found = excerpts(TEXT, TEXT.replace("name: x", "name: z").replace("name: y", "name: w"))
    assert found is not None and len(found) == 1


def test_a_block_of_text_goes_with_its_key() -> None:
    text = "run: |\n  a: 'b\n\n\t\n  # c\nlr: 1\n"
    assert excerpts(text, text.replace("lr: 1", "lr: 2")) is None  # a tab where an indentation is wanted
    text = text.replace("\t\n", "")
    assert excerpts(text, text.replace("lr: 1", "lr: 2")) == [("lr: 1\n", "lr: 2\n")]
    block = text.removesuffix("lr: 1\n")
    assert excerpts(text, text.replace("# c", "# d")) == [(block, block.replace("# c", "# d"))]
    assert excerpts(block, block.rstrip()) == [(block, block.rstrip())]  # a line break at the end is part of the text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_agreement(newline: str) -> None:
    text = TEXT.replace("\n", newline)
    for old, new in (("true", "false"), ("48", "32"), ("1.0e-4", "0.0001"), (": 0.5", ": 1"), ("- 2", "- 3"),
                     ("'c'", "'d'"), ('"bf16"', "fp16"), (f"  overlap: true{newline}", ""),
                     (f"lr: 1.0e-4{newline}", f"lr: 1.0e-4{newline}min_lr: 0{newline}")):  # fmt: skip
        assert old in text
        assert short(text, text.replace(old, new)), old


def test_what_yaml_1_2_meant_all_along() -> None:
    assert short("lr: 1e-4\n", "lr: 0.0001\n")
    assert not short("lr: 1e-4\n", "lr: 0.0002\n", "lr: 0.0001\n")
    assert not short("lr: 1\n", "lr: 2\n", "lr: 3\n")
    assert whole("lr: 1\n", "lr: 2\n", "lr: 3\n")


@pytest.mark.parametrize(
    "line",
    ["a: &n 1", "b: *n", "a: !!int 1", "<<: {}", "- a: |", "a: |2", "a: | x", "a: 'x", 'a: "x', 'a: "x\\', "a: [1,", "a: {b: 1}", 
     "...", "%YAML 1.1", "? a", "words", "a:\tb", "a: b: c", "- - a", "true: 1", "'a': 1", "a: \x85b", "a: b\u2028", "a: '",
     f"a: {'x' * 1000}", "@a: 1", "a: `b", "- a:\n    |"],
)  # fmt: skip
def test_a_line_that_is_not_plain_calls_for_the_whole(line: str) -> None:
    assert excerpts(f"{line}\nz: 1\n", f"{line}\nz: 2\n") is None
    assert excerpts("z: 1\n", f"{line}\nz: 2\n") is None


def test_keys_that_stand_twice_call_for_the_whole() -> None:
    assert excerpts(TEXT + "model:\n  a: 1\n", TEXT.replace("48", "32") + "model:\n  a: 1\n") is None
    assert excerpts(TEXT, TEXT.replace("  overlap", "  num_layers: 1\n  overlap")) is None
    assert excerpts(TEXT, TEXT + "lr: 2\n") is None


@pytest.mark.parametrize(
    "line",
    [
        "a: # it's",
        "a: it's",
        "a: b:c",
        "---",
        "a: x'y # 'z",
        "a: -1",
        "a: größe",
        "  # it's",
        'a: "b\\"c\\n"',
        "a: 'it''s'",
        "--a-b: 1",
        "a: :4096:8",
        "a: ???",
        "/a/b@c: d",
        "override a/b: c",
        "a: ${b:c}/{d,e}",
    ],
)
def test_a_line_that_is_plain(line: str) -> None:
    assert excerpts(f"{line}\nz: 1\n", f"{line}\nz: 2\n") == [("z: 1\n", "z: 2\n")]


# ---- wrong edits

MEANT = TEXT.replace("overlap: true", "overlap: false")
WRONG = {
    "the wrong line": TEXT.replace("48", "false"),
    "another line too": MEANT.replace("48", "32"),
    "nothing": TEXT,
    "a quote that is not closed": TEXT.replace("overlap: true", "overlap: 'false"),
    "a quote too many": MEANT.replace("1.0e-4", "1.0e-4'"),
    "a lost key": MEANT.replace("  num_layers: 48  # layers\n", ""),
    "a lost parent": MEANT.replace("data:\n", ""),
    "a neighbour swallowed": MEANT.replace("  dtype", "    dtype"),
    "a section swallowed": MEANT.replace("data:", "  data:"),
    "a section let go": MEANT.replace("\n  dtype", "\ndtype"),
    "an element for a key": TEXT.replace("  overlap: true", "  - overlap: false"),
    "a key that stands twice": MEANT.replace("  dtype", "  overlap: true\n  dtype"),
    "a section that stands twice": MEANT + "model:\n  overlap: true\n",
    "a comment for a value": MEANT.replace("lr: 1.0e-4", "lr: # 1.0e-4"),
    "no blank": TEXT.replace("overlap: true", "overlap:false"),
    "a list that is not closed": MEANT.replace("'c']", "'c'"),
    "a text that goes on": MEANT.replace("# layers\n", "\n    - more\n"),
    "an anchor": MEANT.replace("num_layers: 48", "num_layers: &a 48").replace("- 2", "- *a"),
    "a second document": MEANT.replace("data:", "---\ndata:"),
    "a block of text": MEANT.replace("data:\n", "data: |\n"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_edit_is_refused(name: str) -> None:
    assert whole(TEXT, WRONG[name], MEANT) is not None
    assert not short(TEXT, WRONG[name], MEANT)
    assert whole(TEXT, MEANT, MEANT) is None and short(TEXT, MEANT, MEANT)


KEYS = ["a", "b", "c", "num_layers", "x.y", "lr", "--a", "b c", "../a@b", "on", "true", "'q'", "1"]
VALUES = [
    "1", "0.5", "1e-4", "true", "off", "word", "two words", "-1", "- 1", '"q"', "'q'", "'it''s'", '"a\\"b"', "[1, 2]", "[a, 'b']", "[]", "{}",
    "{a: 1}", "[a: 1]", "null", "~", "|", ">-", "&n 1", "*n", "!!str 1", "a: b", "a:b", "a #b", "#c", "'open", '"open', "[open", "x'", "{", "}", "]",
    "2001-01-01", ":1:2", "a::b", "a:", ": a", "???", "?a", "<a>", "${a:b}", "'a''", '"a\\', '"\\q"', "a,b", "[a,]", "[,]", "[-]", "-", "--", "---", "...", "ä",
    "12:30", "0o7", "010", "=", "<<", "?", "? a", "@x", "%x", "a\tb", "größe", "x\u2028y", "x\x85y",
]  # fmt: skip
USUAL = VALUES[:7]


def written(chance: random.Random, indent: int, depth: int, odd: float) -> list[str]:
    """The lines of a mapping; with a probability of ``odd`` each, values and keys of any kind."""
    out: list[str] = []
    step = chance.choice((2, 2, 2, 4, 1))
    for key in chance.sample(KEYS[:6] if chance.random() > odd else KEYS, chance.randint(1, 4)):
        blank = " " * indent
        kind = chance.random()
        if kind < 0.3 and depth < 3:
            out += [f"{blank}{key}:", *written(chance, indent + step, depth + 1, odd)]
        elif kind < 0.35:
            out.append(f"{blank}{key}: {chance.choice(('|', '>', '|-', '>+', '| # x'))}")
            for _ in range(chance.randint(0, 3)):
                deep = " " * chance.choice((step, step, step, step + 2, 0))
                out.append(
                    chance.choice(
                        ("", f"{blank}{deep}a: 'b", f"{blank}{deep}# c", f"{blank}{deep}- d\t", f"{blank}  e: 1")
                    )
                )
        elif kind < 0.5:
            dashes = " " * (indent + chance.choice((0, step)))
            out.append(f"{blank}{key}:")
            for _ in range(chance.randint(1, 3)):
                if chance.random() < 0.5 or depth > 2:
                    out.append(f"{dashes}- {value(chance, odd)}")
                    continue
                first, *rest = written(chance, len(dashes) + 2, depth + 1, odd)
                out += [f"{dashes}- {first.strip()}", *rest]
        else:
            out.append(f"{blank}{key}: {value(chance, odd)}")
        if chance.random() < 0.15:
            out.append(chance.choice(("", f"{blank}# it's", "# a: 'b")))
    return out


def value(chance: random.Random, odd: float) -> str:
    shown = chance.choice(VALUES if chance.random() < odd else USUAL)
    return shown + ("  # it's" if chance.random() < 0.1 else "")


def changed(chance: random.Random, lines: list[str], odd: float) -> list[str]:
    """The lines after one edit, which may be right or wrong."""
    lines, at = list(lines), chance.randrange(len(lines))
    line = lines[at]
    bare = line.lstrip(" ")
    indent = len(line) - len(bare)
    kind = chance.randrange(10)
    head, colon, _ = line.partition(": ")
    if kind < 4 and colon:
        lines[at] = f"{head}: {value(chance, odd)}"
    elif kind == 4:
        lines.insert(at + 1, f"{' ' * indent}{chance.choice(KEYS)}: {value(chance, odd)}")
    elif kind == 5 and len(lines) > 1:
        del lines[at]
    elif kind == 6:
        lines[at] = " " * max(0, indent + chance.choice((-2, -1, 1, 2, 4))) + bare
    elif kind == 7:
        lines.insert(chance.randrange(len(lines)), line)
    elif kind == 8:
        lines[at] = line + chance.choice(("'", '"', ":", " #", "]", ": 1", " - x", "\t"))
    else:
        lines[at] = (
            f"{' ' * indent}{chance.choice(('- ', '? ', '', '---', '...'))}{bare if chance.random() < 0.5 else chance.choice(KEYS) + ':'}"
        )
    return lines


def pair(chance: random.Random) -> tuple[str, str]:
    """A text, and what one to three edits make of it."""
    odd = chance.choice((0.0, 0.0, 0.0, 0.1, 0.5))
    lines = written(chance, chance.choice((0, 0, 0, 2)), 0, chance.choice((0.0, 0.0, 0.05)))
    if chance.random() < 0.1:
        lines = changed(chance, lines, odd)
    if chance.random() < 0.1:
        lines.insert(0, "---")
    after = lines
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        after = changed(chance, after, odd)
    newline = chance.choice(("\n", "\n", "\r\n"))
    return newline.join(lines) + newline, newline.join(after) + chance.choice((newline, newline, ""))


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 2**40))
def test_excerpts_tell_all_that_a_reading_of_the_whole_tells(seed: int) -> None:
    before, after = pair(random.Random(seed))
    note(f"{before}\n=== becomes ===\n{after}")
    found = excerpts(before, after)
    if found is None:
        event("the whole is read")
        return
    learned = [second._learn(one) for one in found]
    spots = [known[2] for known in learned if known is not None]
    together = set().union(*spots)
    if None in learned or len(together) < sum(map(len, spots)):
        event("the short way gives up")
        return
    try:
        was = second._second(before)
    except second._errors():
        event("broken before")
        return
    now = second._second(after)
    assert second._changed(was, now) == together
    event("the same")
