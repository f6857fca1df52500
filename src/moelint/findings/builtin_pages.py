"""Pages of the rules that no policy holds: what ``explain``, ``rules`` and rich reports print of them."""

from __future__ import annotations

from moelint.findings.builtin import KINDS
from moelint.results import EFFECT_SEVERITY, RuleInfo

# kind → (summary, text)
_TEXTS: dict[str, tuple[str, str]] = {
    "syntax": (
        "The file cannot be parsed.",
        "The trainer's loader stops at the same place. Nothing else in the file was checked.",
    ),
    "duplicate-key": (
        "A key stands twice in one mapping: the last one wins.",
        "PyYAML takes the last of several equal keys without a word; the others are lost. Stricter loaders "
        "refuse the file. One of the two values is not what the author believes to run.",
    ),
    "limit": (
        "The file is larger or deeper than moelint reads.",
        "The reader is bounded so that no file can stall a commit hook. What lies beyond the bound was not checked.",
    ),
    "decode": (
        "The file is not text in UTF-8.",
        "YAML files are UTF-8 (or UTF-16 with a byte order mark). A loader stops at the first byte that is not.",
    ),
    "directive": (
        "A moelint directive that is not understood.",
        "A directive with a word that moelint does not know is not obeyed, so the check did not run under the "
        "conditions that its author meant.",
    ),
    "ignore-without-reason": (
        "An ignore without a reason suppresses nothing.",
        "Write why the rule does not hold here: `# moelint: ignore[OVL004] because …`. The next reader cannot "
        "tell a decision from an oversight otherwise.",
    ),
    "unused-ignore": (
        "An ignore that suppresses nothing.",
        "The finding that it was written for is gone, or it names another rule. Left in place, it would hide "
        "the next one. It is reported only if the rule ran here and came to a result.",
    ),
    "unknown-rule": (
        "An ignore names a rule that does not exist.",
        "Rules and prefixes of rules can be ignored: `moelint rules` lists them.",
    ),
    "target": (
        "A stated target that moelint has no facts of.",
        "Checks that hang on memory sizes, bandwidths or what a machine supports did not run.",
    ),
    "inheritance": (
        "A file inherits from itself.",
        "The chain of `defaults:` or `extends:` leads back to the file, so the framework never gets to its end. "
        "What it would inherit was not checked.",
    ),
    "astray": (
        "A setting of Megatron stands where the framework does not look for it.",
        "Frameworks hand a list of settings to the trainer, or a section of them. The same name beside it is read "
        "by nobody: the trainer's default runs, and nothing says so. The message names the place that counts.",
    ),
    "dropped-flag": (
        "A flag that never reaches its command.",
        "A shell command ends with its line unless a backslash is the very last character. A blank behind the backslash, a "
        "comment or an empty line in the middle, or no backslash at all end it too: the shell then takes the next flag for a "
        "program, prints one line that it cannot find it, and the training runs without all flags that follow.",
    ),
    "repeated-flag": (
        "A flag that stands twice in one command, with two values.",
        "The parser keeps the last one without a word. Where arrays and files are put together, the one that the author "
        "reads may not be the one that runs.",
    ),
    "stray-word": (
        "A word in a command that belongs to no flag.",
        "Switches such as `--sequence-parallel` take no value: the parser of Megatron-LM stops at `true` behind one, and at "
        "any other word that it has no place for.",
    ),
    "odd-number": (
        "A value that begins like a number and is none.",
        "Where a whole number is wanted, `1B` or two assignments that run together (`A=1B=2`) are text: the library that reads "
        "the variable stops, or silently takes another value.",
    ),
    "contradiction": (
        "Two stated targets contradict each other.",
        "The directive, the project's configuration and the config itself may each say what the job runs on. "
        "Where they differ, the first of them holds: command line, directive, configuration, the config "
        "itself. One of them is out of date.",
    ),
}


def ids() -> list[str]:
    """All built-in rules."""
    from moelint.trainer.key_rules import BY_ID

    return [*BY_ID, *(entry[0] for entry in KINDS.values())]


def info(id: str) -> RuleInfo | None:
    """The page of a built-in rule; None if it is none."""
    from moelint.trainer.key_rules import BY_ID

    if id in BY_ID:
        _, name, effect, summary, text = BY_ID[id]
        severity = EFFECT_SEVERITY[effect]
    else:
        kind = next((kind for kind, entry in KINDS.items() if entry[0] == id), None)
        if kind is None:
            return None
        (_, name, effect, severity), (summary, text) = KINDS[kind], _TEXTS[kind]
    out = RuleInfo(id, name, effect, severity, summary, text)
    out.evidence = "documented"
    return out
