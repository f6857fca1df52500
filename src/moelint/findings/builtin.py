"""What moelint says without a policy: texts that cannot be read, and directives that do not do what they seem to.

The kinds are those of ``text.document.Problem``. The rules about keys and values (KEY0xx) check the trainers' field tables.
"""

from __future__ import annotations

from moelint.results import EFFECT_SEVERITY, RuleInfo
from moelint.trainer.key_rules import PAGES as _KEY_PAGES

_PAGES: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("syntax", "KEY101", "broken-text", "refuses", "error", "The file cannot be parsed.",
     "The trainer's loader stops at the same place. Nothing else in the file was checked."),
    ("duplicate-key", "KEY102", "duplicate-key", "ignored", "error", "A key stands twice in one mapping: the last one wins.",
     "PyYAML takes the last of several equal keys without a word; the others are lost. Stricter loaders refuse the file. "
     "One of the two values is not what the author believes to run."),
    ("limit", "KEY103", "too-large", "ignored", "warning", "The file is larger or deeper than moelint reads.",
     "The reader is bounded so that no file can stall a commit hook. What lies beyond the bound was not checked."),
    ("decode", "KEY104", "not-text", "refuses", "error", "The file is not text in UTF-8.",
     "YAML files are UTF-8 (or UTF-16 with a byte order mark). A loader stops at the first byte that is not."),
    ("directive", "KEY111", "misspelt-directive", "ignored", "warning", "A moelint directive that is not understood.",
     "A directive with a word that moelint does not know is not obeyed, so the check did not run under the conditions that "
     "its author meant."),
    ("ignore-without-reason", "KEY112", "ignore-without-reason", "ignored", "warning",
     "An ignore without a reason suppresses nothing.",
     "Write why the rule does not hold here: `# moelint: ignore[OVL004] because …`. The next reader cannot tell a decision "
     "from an oversight otherwise."),
    ("unused-ignore", "KEY113", "unused-ignore", "ignored", "warning", "An ignore that suppresses nothing.",
     "The finding that it was written for is gone, or it names another rule. Left in place, it would hide the next one. "
     "It is reported only if the rule ran here and came to a result."),
    ("unknown-rule", "KEY114", "unknown-rule-in-ignore", "ignored", "warning", "An ignore names a rule that does not exist.",
     "Rules and prefixes of rules can be ignored: `moelint rules` lists them."),
    ("target", "KEY115", "unknown-target", "advice", "note", "A stated target that moelint has no facts of.",
     "Checks that hang on memory sizes, bandwidths or what a machine supports did not run."),
    ("contradiction", "VER101", "contradicting-targets", "ignored", "warning", "Two stated targets contradict each other.",
     "The directive, the project's configuration and the config itself may each say what the job runs on. Where they differ, "
     "the first of them holds: command line, directive, configuration, the config itself. One of them is out of date."),
)

RULES = {page[1]: page for page in _PAGES}
RULES.update((id, (id, id, name, effect, EFFECT_SEVERITY[effect], summary, text)) for id, name, effect, summary, text in _KEY_PAGES)
KINDS = {page[0]: page for page in _PAGES}
OTHER = KINDS["directive"]


def info(id: str) -> RuleInfo:
    """The page of a built-in rule."""
    _, id, name, effect, severity, summary, text = RULES[id]
    out = RuleInfo(id, name, effect, severity, summary, text)
    out.evidence = "documented"
    return out
