"""The pages of the rules about keys and values: id, name, effect, summary, text. The checks are in ``keys``."""

from __future__ import annotations

PAGES: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "KEY001",
        "unknown-key",
        "refuses",
        "A setting that no release of the trainer has.",
        "Megatron Core's configuration classes and Megatron-LM's argument parser stop at a name that they do not "
        "know. Megatron "
        "Bridge logs a line when an override names nothing, and trains on without it, which is worse: the run looks "
        "right and "
        "lacks what its author wanted.",
    ),
    (
        "KEY002",
        "key-not-yet",
        "refuses",
        "A setting that came with a later release than the target.",
        "The field tables of all supported releases are compared. State the release that really runs, "
        "`# moelint: megatron-core=…`, or drop the setting.",
    ),
    (
        "KEY003",
        "key-removed",
        "refuses",
        "A setting that the target release no longer has.",
        "A removed setting is unknown like a misspelt one. Where it has a new home the message names it.",
    ),
    (
        "KEY004",
        "old-spelling",
        "deprecated",
        "A setting that has a newer spelling in the target release.",
        "Old spellings are translated for some releases, then dropped. The new one also says what is meant to "
        "whoever reads "
        "the config next.",
    ),
    (
        "KEY005",
        "wrong-type",
        "crashes",
        "A value of a type that the field cannot hold.",
        'YAML decides types by spelling: "8" in quotes is text, and `1e-4` without a dot is text to YAML 1.1 loaders. '
        "Dataclasses "
        "do not check types, so the run ends at the first comparison or arithmetic with the value, after the start; "
        "text where a "
        "truth value belongs counts as true, whatever it says.",
    ),
    (
        "KEY006",
        "not-a-choice",
        "ignored",
        "A value outside those that the field names.",
        "The field is declared with a fixed set of values. Megatron-LM's parser refuses another one; a dataclass "
        "takes it, and the "
        "code that compares it finds no match, which means the feature is off or the layer fails when it is built.",
    ),
    (
        "KEY009",
        "wrong-section",
        "refuses",
        "A setting under a section that does not have it.",
        "The name exists in another section of the configuration. Where it stands now it is unknown.",
    ),
)
BY_ID = {page[0]: page for page in PAGES}
