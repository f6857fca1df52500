"""Hypothesis strategies: YAML as people write it, awkward on purpose."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ["tp", "ep", "name", "flag", "kinds", "lr", "model", "x", "moe_router", "größe"]
SCALARS = [
    "8",
    "0",
    "-1",
    "010",
    "0x10",
    "1_000",
    "1:30",
    "1e-4",
    "1.0e-4",
    ".5",
    "-.inf",
    ".NaN",
    "true",
    "False",
    "yes",
    "OFF",
    "~",
    "null",
    "",
    "alltoall",
    "a b c",
    "Et*3|(tt|)*2L",
    "'quoted # not a comment'",
    '"double \\"q\\" # no"',
    "'it''s'",
    '""',
    "größe 😀",
    "2020-01-01",
    "${X:-8}",
    "http://host:8080/a?b=c#d",
    "'8'",
    '"None"',
    "x" * 200,
    "!!str 8",
    "!!int '7'",
]
FLOW_SCALARS = [s for s in SCALARS if s and ":" not in s and not s.startswith("!") and not any(c in s for c in "{[|")]
LISTS = ["[]", "[1, 2]", "[a, 'b', \"c\"]", "[ a,b ]", "[[1, 2], [x]]", "[a, b,]", "[~, yes]"]
COMMENTS = ["", "", "", "  # a comment", " # 'quote", "   # [x]: {y}"]

names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)


@st.composite
def flow_maps(draw: st.DrawFn, depth: int = 0) -> str:
    parts = []
    for name in draw(names)[:3]:
        value = draw(st.sampled_from(FLOW_SCALARS))
        if depth == 0 and draw(st.integers(0, 3)) == 0:
            value = draw(flow_maps(1))
        parts.append(f"{name}: {value}")
    return draw(st.sampled_from(["{%s}", "{ %s }"])) % ", ".join(parts)


@st.composite
def blocks(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> list[str]:
    step = draw(st.sampled_from([2, 2, 4]))
    lines: list[str] = []
    pad = " " * indent
    for name in draw(names):
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["", pad + "# above", "# at the left", pad + "    # far right"])))
        comment = draw(st.sampled_from(COMMENTS))
        kind = draw(st.sampled_from(["scalar"] * 4 + ["map", "map", "flow", "list", "dashes", "maps", "literal"]))
        if kind == "map" and depth < 2:
            lines.append(f"{pad}{name}:{comment}")
            lines += draw(blocks(indent + step, depth + 1))
        elif kind == "flow":
            lines.append(f"{pad}{name}: {draw(flow_maps())}{comment}")
        elif kind == "list":
            lines.append(f"{pad}{name}: {draw(st.sampled_from(LISTS))}{comment}")
        elif kind == "dashes":
            inner = pad + " " * draw(st.sampled_from([0, 2]))
            lines.append(f"{pad}{name}:{comment}")
            for value in draw(st.lists(st.sampled_from(["a", "'b'", "3", "x: y", "[1]"]), min_size=1, max_size=3)):
                value = "'x: y'" if value == "x: y" else value
                lines.append(f"{inner}- {value}{draw(st.sampled_from(COMMENTS))}")
        elif kind == "maps" and depth < 2:
            lines.append(f"{pad}{name}:{comment}")
            for _ in range(draw(st.integers(1, 2))):
                lines.append(f"{pad}- a: 1{draw(st.sampled_from(COMMENTS))}")
                if draw(st.booleans()):
                    lines.append(f"{pad}  b: {draw(st.sampled_from(['2', '[x]', '{c: 3}']))}")
        elif kind == "literal":
            lines.append(f"{pad}{name}: {draw(st.sampled_from(['|', '>-', '|+']))}")
            lines += [f"{pad}  text # no comment", "", f"{pad}  more"]
        else:
            value = draw(st.sampled_from(SCALARS))
            lines.append(f"{pad}{name}: {value}{comment}" if value else f"{pad}{name}:{comment}")
    if draw(st.integers(0, 5)) == 0:
        lines.append(pad + "# at the end of the block")
    return lines


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(blocks())
    if draw(st.integers(0, 4)) == 0:
        lines = ["# moelint: gpu=h100", *lines]
    if draw(st.integers(0, 6)) == 0:
        lines = ["---", *lines]
    if draw(st.integers(0, 6)) == 0:
        lines += draw(st.sampled_from([["..."], ["---", "other: 1"], ["", "", "# end"]]))
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    end = draw(st.sampled_from(["", newline, newline * 3]))
    if not end and lines[-1].endswith("  more"):  # what follows a block scalar would give it a line break
        lines.append("last: 1")
    return newline.join(lines) + end
