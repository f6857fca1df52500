"""Which pipeline rank holds which layers, the embedding, the head and the MTP depths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Layer, Layout, Shape


def even_chunks(layers: int, pp: int, vpp: int) -> tuple[tuple[int, ...], ...]:
    """Layers per pipeline rank and chunk, chunks in model order going round the ranks; the first take a remainder."""
    count = pp * vpp
    base, rest = divmod(layers, count)
    sizes = [base + (1 if i < rest else 0) for i in range(count)]
    return tuple(tuple(sizes[r + v * pp] for v in range(vpp)) for r in range(pp))


def first_last_chunks(
    layers: int, pp: int, vpp: int, first: int | None, last: int | None
) -> tuple[tuple[int, ...], ...]:
    """Layers per rank and chunk where the first or last pipeline rank has a stated number; others share the rest."""
    middle = pp - (first is not None) - (last is not None)
    rest = layers - (first or 0) - (last or 0)
    share, extra = divmod(max(rest, 0), middle) if middle > 0 else (0, 0)
    ranks = [share + (1 if i < extra else 0) for i in range(max(middle, 0))]
    if first is not None:
        ranks.insert(0, first)
    if last is not None:
        ranks.append(last)
    return tuple(tuple(size // vpp + (1 if v < size % vpp else 0) for v in range(vpp)) for size in ranks[:pp])


def accounted_chunks(layers: int, pp: int, vpp: int, embedding: bool, loss: bool) -> tuple[tuple[int, ...], ...]:
    """Even split in which the embedding and the loss each count as one layer."""
    chunks = [list(c) for c in even_chunks(layers + embedding + loss, pp, vpp)]
    if embedding:
        chunks[0][0] -= 1
    if loss:
        chunks[-1][-1] -= 1
    return tuple(tuple(max(n, 0) for n in c) for c in chunks)


class LayoutText(ValueError):
    """A pipeline layout that cannot be read."""


def expand(text: str) -> list[str]:
    """A layout string (``Et*3|(tt|)*29,m|L``) as one string of E, t, m, L per stage. Letters follow Megatron Core: E
    embedding, t decoder layer, m MTP depth, L loss; ``*n`` repeats what stands before it; commas only separate.

    Raises:
        LayoutText: an unbalanced bracket, an unknown letter, or a repetition that is out of hand.
    """
    position = 0

    def group(depth: int) -> str:
        nonlocal position
        out = ""
        while position < len(text):
            letter = text[position]
            position += 1
            if letter == ")":
                if not depth:
                    raise LayoutText("unbalanced )")
                return out
            if letter in ", \n\t":
                continue
            if letter == "(":
                unit = group(depth + 1)
            elif letter in "EtmL|":
                unit = letter
            else:
                raise LayoutText(f"unknown letter {letter!r}")
            if position < len(text) and text[position] == "*":
                end = position + 1
                while end < len(text) and text[end].isdigit():
                    end += 1
                times = int(text[position + 1 : end] or "1")
                if times * max(len(unit), 1) > 10_000:
                    raise LayoutText("too many stages")
                unit, position = unit * times, end
            out += unit
        if depth:
            raise LayoutText("unbalanced (")
        return out

    return group(0).split("|")


_LETTER = {"embedding": "E", "decoder": "t", "mtp": "m", "loss": "L"}


def parse(value: object) -> list[str] | None:
    """A layout as written (string, or list of lists of names, flat or per rank) as letters per stage; None:
    unreadable."""
    if isinstance(value, str):
        try:
            return expand(value)
        except LayoutText:
            return None
    if not isinstance(value, Sequence):
        return None
    stages: list[str] = []
    for stage in value:
        if isinstance(stage, str):
            stages.append(stage)
        elif isinstance(stage, Sequence):
            letters = []
            for item in stage:
                name = getattr(item, "name", item)
                letter = _LETTER.get(name.strip().lower()) if isinstance(name, str) else None
                if letter is None:
                    return None
                letters.append(letter)
            stages.append("".join(letters))
        else:
            return None
    return stages


def layout_chunks(stages: Sequence[str], pp: int) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]] | None:
    """Chunks and MTP depths per pipeline rank of a parsed layout; None where stages do not divide over ranks."""
    if not stages or len(stages) % pp:
        return None
    vpp = len(stages) // pp
    chunks = tuple(tuple(stages[r + v * pp].count("t") for v in range(vpp)) for r in range(pp))
    mtp = tuple(sum(stages[r + v * pp].count("m") for v in range(vpp)) for r in range(pp))
    return chunks, mtp


class Stage:
    """One pipeline rank: layer numbers in model order by chunk, how many there are of each kind, and what else it
    holds."""

    __slots__ = ("chunks", "counts", "embedding", "head", "layers", "mtp", "rank")

    def __init__(self, shape: Shape, rank: int, chunks: list[range], embedding: bool, head: bool, mtp: int) -> None:
        self.rank, self.chunks, self.embedding, self.head, self.mtp = rank, chunks, embedding, head, mtp
        self.layers = [n for chunk in chunks for n in chunk]
        self.counts = kinds(shape.layers[chunk.start : chunk.stop] for chunk in chunks)


def kinds(parts: Iterable[tuple[Layer, ...]]) -> dict[Layer, int]:
    """How many layers there are of each kind, in order of first appearance."""
    found: dict[Layer, int] = {}
    for part in parts:
        rest = part
        while rest:
            first = rest[0]
            count = rest.count(first)
            found[first] = found.get(first, 0) + count
            rest = () if count == len(rest) else tuple(pair for pair in rest if pair != first)
    return found


def stages(shape: Shape, layout: Layout) -> list[Stage]:
    """The pipeline ranks with their layers in model order."""
    chunks = layout.chunks or even_chunks(len(shape.layers), layout.pp, layout.vpp)
    pp, vpp = len(chunks), max(len(c) for c in chunks)
    held: list[list[range]] = [[] for _ in range(pp)]
    at, limit = 0, len(shape.layers)
    for v in range(vpp):
        for r in range(pp):
            size = chunks[r][v] if v < len(chunks[r]) else 0
            held[r].append(range(min(at, limit), min(at + size, limit)))
            at += size
    mtp = layout.mtp_ranks or tuple(shape.mtp_depth if r == pp - 1 else 0 for r in range(pp))
    return [Stage(shape, r, held[r], r == 0, r == pp - 1, mtp[r] if r < len(mtp) else 0) for r in range(pp)]
