"""The quick reader of the command line agrees with click, or leaves the words to it."""

from __future__ import annotations

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moelint.cli.argv import parse
from moelint.cli.check import command
from moelint.cli.options import OPTIONS

NAMES = [name for names, *_ in OPTIONS for name in names]
VALUES = ["json", "json=a", "xml=a", "error", "gpu=h100", "a=b=c", "=x", "x=", "8", "0", "-1", "always", "OVL,PAR", "", "-", "--", "a.yaml"]
WORDS = st.one_of(
    st.sampled_from(NAMES), st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(NAMES), st.sampled_from(VALUES)), st.sampled_from(["--fi", "-qv", "-j4", "--help"]),
)


def by_click(words: list[str]) -> tuple[list[str], dict[str, object]]:
    context = command.make_context("moelint", list(words))
    given_ = dict(context.params)
    del given_["version"]
    return list(given_.pop("paths")), given_


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=6))
def test_what_it_reads_click_reads_alike(words: list[str]) -> None:
    quick = parse(words)
    if quick is not None:
        assert quick == by_click(words)


@pytest.mark.parametrize("name", NAMES)
def test_every_option_has_the_quick_road(name: str) -> None:
    kind = next(kind for names, _, kind, _, _ in OPTIONS if name in names)
    good = {"flag": [], "count": [], "text": ["x"], "number": ["3"], "texts": ["x"], "rules": ["OVL"], "pairs": ["a=b"],
            "outputs": ["json=f"]}
    words = ["a.yaml", name, *(good[kind] if isinstance(kind, str) else [kind[0]]), "b.yaml"]
    quick = parse(words)
    assert quick is not None and quick == by_click(words)


@pytest.mark.parametrize("words", [["--nope"], ["--gpus", "0"], ["--format"], ["--target", "x"], ["--fix=1"], ["-x"]])
def test_mistakes_are_left_to_click(words: list[str]) -> None:
    assert parse(words) is None
    with pytest.raises(click.ClickException):
        by_click(words)
