"""Pipeline layouts and MoE layer patterns as lists that expressions can read.

``stages``: one record per model chunk, in the order in which the layers run: ``stage`` (its number), ``decoder``
(layers),
``moe`` (of them with experts), ``mtp`` (MTP depths), ``embedding`` and ``loss`` (counts). With a layout it is the
layout as
written, whatever the pipeline sizes; else the split over pipeline and virtual stages. UNKNOWN where a size is unknown
or
the split does not come out even: what the trainer says of that is a rule's matter.

``moe_layers``: one 0 or 1 per decoder layer. ``layout_fault``: what no trainer can read in a layout, else None.
Each stage also has ``layers``: what it holds in order, a letter each (E embedding, t decoder, m MTP, L loss).
"""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.trainer.view import Scope

_TEXT = frozenset("EtmL|,()*0123456789 ")
_LAYERS = frozenset(("embedding", "decoder", "mtp", "loss"))
LIMIT = 10_000  # layers, or layers times repetitions, beyond which a pattern is not read


def provided(name: str, scope: Scope) -> Any:
    """The value of a provided name: ``stages``, ``moe_layers`` or ``layout_fault``."""
    return {"stages": stages, "moe_layers": moe_layers, "layout_fault": layout_fault}[name](scope)


def layout_fault(scope: Scope) -> Any:
    """The first letter, name or element of a written layout that stands for no layer; None if there is none."""
    layout = scope.get("model.pipeline_model_parallel_layout")
    if layout is UNKNOWN:
        return UNKNOWN
    if isinstance(layout, str):
        return next((letter for letter in layout if letter not in _TEXT), None)
    if not isinstance(layout, (list, tuple)):
        return None if layout is None else str(layout)
    for stage in layout:
        if not isinstance(stage, (list, tuple)):
            return str(stage)
        for item in stage:
            if not isinstance(item, str) or item.strip().lower() not in _LAYERS:
                return str(item)
    return None


def moe_layers(scope: Scope) -> Any:
    """Which decoder layers have experts; an empty list of ones and zeros never arises."""
    layers = scope.get("model.num_layers")
    experts = scope.get("model.num_moe_experts")
    if not _count(layers):
        return UNKNOWN
    if experts is None or experts == 0:
        return [0] * layers
    found = pattern(scope.get("model.moe_layer_freq"), layers)
    if found is None or experts is UNKNOWN:
        return UNKNOWN
    return found


def pattern(freq: Any, layers: int) -> list[int] | None:
    """``moe_layer_freq`` (every n-th layer, a list, or the text of a list expression) over a number of layers; None:
    unreadable, or a list of another length."""
    if isinstance(freq, str):
        from moelint.read.values import list_expression

        text = freq.strip()
        freq = int(text) if text.isascii() and text.isdigit() else list_expression(text)
    if isinstance(freq, int) and not isinstance(freq, bool) and freq > 0:
        return [1 if n % freq == 0 else 0 for n in range(layers)]
    if isinstance(freq, (list, tuple)) and len(freq) == layers and all(f in (0, 1) for f in freq):
        return [int(f) for f in freq]
    return None


def stages(scope: Scope) -> Any:
    layout = scope.get("model.pipeline_model_parallel_layout")
    if layout is UNKNOWN:
        return UNKNOWN
    chunks = _of_layout(layout) if layout is not None else _of_sizes(scope)
    if chunks is None:
        return UNKNOWN
    experts = moe_layers(scope)
    at, out = 0, []
    for number, (decoder, mtp, embedding, loss, letters) in enumerate(chunks):
        moe = UNKNOWN if experts is UNKNOWN or at + decoder > len(experts) else sum(experts[at : at + decoder])
        at += decoder
        out.append({"stage": number, "decoder": decoder, "moe": moe, "mtp": mtp, "embedding": embedding, "loss": loss,
                    "layers": letters})
    return out


def _of_layout(layout: Any) -> list[tuple[int, int, int, int, str]] | None:
    from moelint.walls.stages import parse

    read = parse(layout)
    if read is None:
        return None
    return [(s.count("t"), s.count("m"), s.count("E"), s.count("L"), s) for s in read]


def _of_sizes(scope: Scope) -> list[tuple[int, int, int, int, str]] | None:
    get = scope.get
    layers, pp, vpp = (
        get("model.num_layers"),
        get("model.pipeline_model_parallel_size"),
        get("model.virtual_pipeline_model_parallel_size"),
    )
    first, last = get("model.num_layers_in_first_pipeline_stage"), get("model.num_layers_in_last_pipeline_stage")
    with_embedding, with_loss = (
        get("model.account_for_embedding_in_pipeline_split"),
        get("model.account_for_loss_in_pipeline_split"),
    )
    mtp = get("model.mtp_num_layers")
    if UNKNOWN in (first, last, with_embedding, with_loss, vpp, mtp) or not _count(layers) or not _count(pp):
        return None
    vpp = vpp if _count(vpp) else 1
    if pp * vpp > LIMIT or any(x is not None and not _count(x, 0) for x in (first, last)):
        return None
    ranks = _ranks(layers + (1 if with_embedding else 0) + (1 if with_loss else 0), pp, first, last)
    if ranks is None or any(r % vpp for r in ranks):
        return None
    chunks = [[ranks[r] // vpp, 0, 0, 0] for _ in range(vpp) for r in range(pp)]
    chunks[0][2] = chunks[-1][3] = 1
    chunks[0][0] -= 1 if with_embedding else 0
    chunks[-1][0] -= 1 if with_loss else 0
    chunks[-1][1] = mtp if _count(mtp) else 0
    return [(c[0], c[1], c[2], c[3], "E" * c[2] + "t" * c[0] + "m" * c[1] + "L" * c[3]) for c in chunks]


def _ranks(layers: int, pp: int, first: Any, last: Any) -> list[int] | None:
    """Layers of each pipeline rank; None where the split does not come out even."""
    ends = (first is not None) + (last is not None)
    middle, rest = pp - ends, layers - (first or 0) - (last or 0)
    if rest < 0 or middle < 0 or (middle == 0 and rest) or (middle and rest % middle):
        return None
    each = rest // middle if middle else 0
    return [*([first] if first is not None else []), *[each] * middle, *([last] if last is not None else [])]


def _count(value: Any, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LIMIT
