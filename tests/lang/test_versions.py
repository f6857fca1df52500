"""Versions in packaging's order, and gates over them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import InvalidVersion
from packaging.version import Version as Reference

from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version, gate, holds, key, parse

SAMPLES = [
    "0.12.0",
    "0.16",
    "0.16.0",
    "0.16.1",
    "0.20.0rc0",
    "0.20.0rc",
    "0.20.0.dev1",
    "0.20.0a1.dev3",
    "0.20",
    "1!0.1",
    "2.9.0a0",
    "2.9.0a0+gitabc",
    "2.9.0+cu128",
    "2.9.0",
    "2.9.0.post1",
    "2.9.0-1",
    "2.9.0b2",
    "2.9.0.rc.3",
    "v1.0",
    "1.0.0.0",
    "1.0+a.1",
    "1.0+a.b",
    "1.0+1",
    "1.0+2",
    "1.0+10",
    "1.0.post1.dev2",
    "1.0a",
    "1.0alpha1",
    "1.0-preview_3",
    "1.0c4",
    "1.0rev2",
    "0.1.0rc4",
]


@pytest.mark.parametrize("a", SAMPLES)
def test_order_is_that_of_packaging(a: str) -> None:
    for b in SAMPLES:
        mine = (key(a) > key(b)) - (key(a) < key(b))
        theirs = (Reference(a) > Reference(b)) - (Reference(a) < Reference(b))
        assert mine == theirs, (a, b)


numbers = st.integers(0, 30).map(str)
versions = st.builds(
    lambda release, pre, post, dev, local: ".".join(release) + pre + post + dev + local,
    st.lists(numbers, min_size=1, max_size=4),
    st.one_of(
        st.just(""), st.builds(lambda s, n: s + n, st.sampled_from(["a", "b", "rc", ".dev", "-alpha", "c"]), numbers)
    ),
    st.one_of(st.just(""), numbers.map(".post".__add__)),
    st.one_of(st.just(""), numbers.map(".dev".__add__)),
    st.one_of(
        st.just(""),
        st.lists(st.sampled_from(["1", "abc", "12", "0"]), min_size=1, max_size=3).map(
            lambda parts: "+" + ".".join(parts)
        ),
    ),
)


@given(versions, versions)
def test_order_of_random_versions(a: str, b: str) -> None:
    try:
        x, y = Reference(a), Reference(b)
    except InvalidVersion:
        return
    assert (key(a) < key(b)) == (x < y)
    assert (key(a) == key(b)) == (x == y)


@given(st.text(max_size=30))
def test_what_packaging_refuses_is_no_version(text: str) -> None:
    found = parse(text)
    try:
        Reference(text)
    except InvalidVersion:
        assert found is None or text.strip().lower() == "main"
    else:
        assert found is not None or not text.isascii()


def test_main_is_newer_than_any_release_unless_it_says_what_it_becomes() -> None:
    assert Version("main") > Version("99.0")
    main = Version("main", same_as="0.20.0")
    assert Version("0.19.9") < main and main >= Version("0.20.0rc1")
    assert main != Version("0.20.0")
    assert Version("2.7") == Version("2.7.0") and hash(Version("2.7")) == hash(Version("2.7.0"))


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        (">=0.14", "0.14.0", True),
        (">=0.14", "0.13.9", False),
        (">=0.14", "0.14.0rc1", False),
        ("<0.14", "0.14.0rc1", True),
        (">=0.14,<0.19", "0.18.2", True),
        (">=0.14,<0.19", "0.19", False),
        ("0.16.*", "0.16.1", True),
        ("0.16.*", "0.17", False),
        ("!=0.16.*", "0.16.1", False),
        ("==0.16", "0.16.0", True),
        ("!=0.16", "0.16.0", False),
        ("0.16", "0.16.0", True),
        ("main", "main", True),
        ("main", "0.19", False),
        ("!=main", "0.19", True),
        (">=2.9", "2.9.0a0", False),
        (">2.8", "2.9.0a0", True),
        ("<=2.8", "2.8", True),
        ("none", "1.0", False),
        ("installed", "1.0", True),
    ],
)
def test_gate(text: str, value: str, wanted: bool) -> None:
    assert holds(gate(text), Version(value)) is wanted
    assert holds(gate(text), value) is wanted


def test_gate_of_what_is_not_installed_or_not_known() -> None:
    assert holds(gate(">=1"), None) is False
    assert holds(gate("none"), None) is True
    assert holds(gate("installed"), None) is False
    assert holds(gate(">=1"), UNKNOWN) is UNKNOWN
    assert holds(gate(">=1"), "installed") is UNKNOWN
    assert holds(gate(">=1"), 3) is UNKNOWN


@pytest.mark.parametrize("text", ["", ">=", ">=x", "~=1.0", "1.0,", "1..0", ">=1.*", "a.*", "9" * 300])
def test_what_is_no_gate(text: str) -> None:
    with pytest.raises(ValueError):
        gate(text)
