"""Policy packs that a stranger might bring: conditions that are none, and texts that hold no rules. All are refused."""

from __future__ import annotations

from pathlib import Path

HEAD = 'name: t\nversion: "2026.11.0"\nrequires: "moelint>=2026.11"\n'
RULE = """\
- id: TST001
  name: a-rule
  effect: advice
  about: [model.num_layers]
  when: {when}
  message: {message}
  why: so
  evidence: inferred
  since: "2026.11.0"
  sources: [{{what: x, url: "https://example.org/"}}]
"""
CONDITIONS = {
    "a call of os.system": "\"__import__('os').system('touch pwned')\"",
    "an attribute of Python's": "model.num_layers.__class__",
    "a lambda": '"(lambda: 1)()"',
    "loops in loops": '"[x for x in range(10) for y in range(10)]"',
    "an opened file": "\"open('/etc/passwd')\"",
    "3,000 parentheses": '"' + "(" * 3000 + "1" + ")" * 3000 + '"',
    "5,000 conditions": '"' + " and ".join(["model.fp16"] * 5000) + '"',
    "a number of 5,000 digits": '"' + "9" * 5000 + ' > 1"',
    "a formatted text": "\"f'{model.fp16}'\"",
    "a % format": "\"'%s' % model.fp16\"",
}
TEXTS = {
    "cyclic anchor": "a: &a [*a]\n",
    "5,000 deep": "- " * 5000 + "x\n",
    "python tags": "x: !!python/object/apply:os.system ['touch pwned']\n",
    "NUL": "\x00",
    "5,000 braces": "{" * 5000,
    "broken YAML": "a: [b\n",
    "no rules": "- 1\n- 2\n",
    "alias bomb": "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40)),
}
RULES = {
    **{f"condition: {name}": RULE.format(when=when, message="m") for name, when in CONDITIONS.items()},
    **{f"rules: {name}": text for name, text in TEXTS.items()},
}


def pack(folder: Path, when: str = "model.moe_permute_fusion", message: str = "m", head: str = HEAD) -> Path:
    """A pack of one rule, sound but for what is given."""
    return write(folder, RULE.format(when=when, message=message), head)


def write(folder: Path, rules: str, head: str = HEAD) -> Path:
    (folder / "rules").mkdir(parents=True)
    (folder / "pack.yaml").write_text(head, encoding="utf-8")
    (folder / "rules" / "a.yaml").write_text(rules, encoding="utf-8")
    return folder
