"""From the walls to names of the policy language.

A scope makes one ``Walls(scope.get)`` and asks it for names that begin with ``walls.``. Nothing is computed before a
rule asks, and the formulas are not even imported while the number of GPUs is unknown. A figure whose inputs are not
known is UNKNOWN; ``missing`` says which they are.
"""

from __future__ import annotations

from moelint.lang.unknown import UNKNOWN
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Literal

    from moelint.trainer.walls_reader import Get, Reader
    from moelint.walls.estimate import Estimate
    from moelint.walls.model import Layout, Machine, Shape

# What the inputs say of themselves, beside the figures of ``walls.estimate.FIGURES``.
ASKED = {
    "memory.trains_all": "every parameter is trained: neither adapters nor frozen parts nor a fine-tuning dataset",
    "memory.modelled": "the attention variant is one that the formulas know",
}
# Figures that no config has while the GPU is unknown, and those for which its memory is enough.
OF_GPU = frozenset((
    "communication.ep_ms_per_layer", "communication.ep_share", "communication.layer_ms", "communication.dp_s",
    "compute.ridge_rows", "compute.tflops", "compute.tflops_low", "compute.tflops_high", "compute.step_s",
    "host.launch_ratio",
))  # fmt: skip
OF_HBM = frozenset(("memory.hbm_gib", "memory.headroom_gib"))
_KNOWN_VARIANTS = (None, "gdn", "gated_delta_net", "dsa")


# The same config is asked again under every mask of assumptions, most often with the same inputs.
_KEPT = 16
_recent: dict[tuple[Shape, Layout, Machine], Estimate] = {}


class Walls:
    """Answers ``walls.*`` for one scope. Built once per scope; figures are computed when first asked."""

    __slots__ = ("_estimate", "assumptions", "get_setting", "missing", "problem")

    def __init__(self, get: Get) -> None:
        self.get_setting = get
        self._estimate: Estimate | Literal[False] | None = None
        self.missing: list[str] = []
        self.assumptions: list[str] = []
        self.problem: str | None = None

    @property
    def estimate(self) -> Estimate | None:
        """The estimate, or None where an input is missing (``missing``) or impossible (``problem``)."""
        if self._estimate is None:
            self._estimate = self._build() or False
        return self._estimate or None

    def _build(self) -> Estimate | None:
        from moelint.trainer.walls_reader import Reader
        from moelint.walls.model import ShapeError, check

        reader = Reader(self.get_setting)
        self.missing, self.assumptions = reader.missing, reader.assumptions
        try:
            shape = self.read_shape(reader)
            layout = self.read_layout(reader, shape) if shape else None
            if shape is None or layout is None:
                return None
            check(shape, layout)
        except ShapeError as error:
            self.problem = str(error)
            return None
        return self.estimate_of(shape, layout, self.read_machine(reader))

    def estimate_of(self, shape: Shape, layout: Layout, machine: Machine) -> Estimate:
        from moelint.walls.estimate import Estimate

        inputs = shape, layout, machine
        found = _recent.get(inputs)
        if found is None:
            if len(_recent) >= _KEPT:
                _recent.clear()
            found = _recent[inputs] = Estimate(*inputs)
        return found

    def read_shape(self, reader: Reader) -> Shape | None:
        from moelint.trainer.walls_inputs import read_shape

        return read_shape(reader)

    def read_layout(self, reader: Reader, shape: Shape) -> Layout | None:
        from moelint.trainer.walls_inputs import read_layout

        return read_layout(reader, shape)

    def read_machine(self, reader: Reader) -> Machine:
        from moelint.trainer.walls_inputs import read_machine

        return read_machine(reader.get)

    def get(self, name: str) -> Any:
        """The value of a figure (``memory.total_gib``), or UNKNOWN."""
        if name in ASKED:
            return self._asked(name)
        if self._estimate is None and self._hopeless(name):
            return UNKNOWN
        estimate = self.estimate
        if estimate is None:
            return UNKNOWN
        try:
            value = estimate.figure(name)
        except KeyError:
            return UNKNOWN
        return UNKNOWN if value is None else value

    def _hopeless(self, name: str) -> bool:
        """Whether a figure is sure to be unknown, found out without the estimate."""
        get = self.get_setting
        if get("target.gpus") is UNKNOWN:
            return True
        if name not in OF_GPU and name not in OF_HBM:
            return False
        return get("target.gpu") is UNKNOWN and (name in OF_GPU or get("target.hbm_gb") is UNKNOWN)

    def _asked(self, name: str) -> Any:
        get = self.get_setting
        if name == "memory.modelled":
            variant = get("model.experimental_attention_variant")
            return variant if variant is UNKNOWN else variant in _KNOWN_VARIANTS
        peft = get("peft")
        if peft not in (UNKNOWN, None, False) or get("model.freeze_language_model") is True:
            return False
        dataset = get("dataset._target_")
        text = dataset if isinstance(dataset, str) else ""
        return not any(word in text for word in ("SFT", "Finetuning", "HFDataset", "Energon"))
