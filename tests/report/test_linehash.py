"""The line fingerprint against a direct reading of its definition, unit by unit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moelint.report.linehash import line_hashes


def slow(text: str) -> list[str]:
    """For each line: the 100 units from its start on, blanks left out, the end mark, then zeros; a polynomial in 37."""
    units: list[int] = []
    data = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "surrogatepass")
    for at in range(0, len(data), 2):
        unit = data[at] + 256 * data[at + 1]
        if unit not in (9, 32):
            units.append(unit)
    units.append(65535)
    starts = [0] + [i + 1 for i, unit in enumerate(units) if unit == 10]
    seen: dict[str, int] = {}
    out = []
    for start in starts:
        window = (units[start:] + [0] * 100)[:100]
        value = 0
        for unit in window:
            value = value * 37 + unit
        digits = f"{value % 2**64:x}"
        seen[digits] = seen.get(digits, 0) + 1
        out.append(f"{digits}:{seen[digits]}")
    return out


@given(st.text(alphabet="ab \t\n\r\U0001f600é:", max_size=400))
def test_agrees_with_the_definition(text: str) -> None:
    assert line_hashes(text) == slow(text)


def test_values_of_the_reference_implementation() -> None:
    # From the tests of github/codeql-action: the same lines, repeated lines, all line ends alike.
    assert line_hashes("") == ["c129715d7a2bc9a3:1"]
    expected = ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]
    for end in ("\n", "\r\n", "\r"):
        assert line_hashes(f" a{end}b{end}  \t\tc{end} d") == expected
    greeting = " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End"
    assert line_hashes(greeting) == [
        "8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1", "c6805c5e1288b612:1", "b86d3392aea1be30:1",
        "e6ceba753e1a442:1",
    ]
    closed = [
        "e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1",
        "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
    ]
    for text in (
        greeting + "\n",
        " hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r",
        " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n",
        " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
    ):
        assert line_hashes(text) == closed
    assert line_hashes("Lorem ipsum dolor sit amet.\n" * 10) == [
        *(f"a7f2ff13bc495cf2:{n}" for n in range(1, 7)), "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1",
        "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1",
    ]
    assert line_hashes("x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n") == [
        "e54938cc54b302f1:1", "bb609acbe9138d60:1", "1131fd5871777f34:1", "5c482a0f8b35ea28:1", "54517377da7028d2:1",
        "2c644846cb18d53e:1", "f1b89f20de0d133:1", "c129715d7a2bc9a3:1",
    ]


def test_surrogate_pairs_are_two_units_and_a_byte_order_mark_counts() -> None:
    pair = "\U0001f680" * 60 + "x\nnext\n"  # the 100th unit lies inside a pair
    assert line_hashes(pair) == slow(pair)
    assert line_hashes("\ufeffa\n")[0] != line_hashes("a\n")[0] and line_hashes("\ufeffa\n") == slow("\ufeffa\n")


def test_line_ends_do_not_matter_and_repeats_are_numbered() -> None:
    assert line_hashes("x\r\ny\r\n") == line_hashes("x\ny\n") == line_hashes("x\ry\r")
    lines = line_hashes("abc\n" * 130)
    assert lines[0].endswith(":1") and lines[1].endswith(":2")
