"""What ``--help`` shows below the options of each command: command lines that work, with what they do."""

from __future__ import annotations

from moelint.typed import Any

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "check": (
        ("moelint", "the current folder: what git tracks"),
        ("moelint --diff configs/", "what --fix would do, as a patch"),
        ("moelint --fix configs/", "apply safe fixes"),
        ("moelint --gpu h100 --gpus 64 train.yaml", "state what it runs on"),
        ("moelint --since origin/main --format github", "what a pull request brings"),
        ("moelint --baseline old.json --write-baseline", "freeze what is there"),
        ("cat train.yaml | moelint -", "from stdin"),
    ),
    "explain": (
        ("moelint explain OVL004", "a rule: why, when, sources, example"),
        ("moelint explain moe_router_dtype", "a key: types, defaults and spellings by release"),
        ("moelint explain --moe-router-dtype", "the same by its flag"),
        ("moelint explain configs/a.yaml:12", "a line: what of it runs, and who reads it"),
    ),
    "rules": (
        ("moelint rules", "all rules"),
        ("moelint rules OVL DSP", "those of two topics"),
        ("moelint rules --json", "for scripts"),
    ),
    "policy": (
        ("moelint policy new my-pack", "start a pack"),
        ("moelint policy check my-pack", "validate it"),
        ("moelint policy test my-pack", "run its examples"),
        ("moelint --policy my-pack configs/", "use it"),
    ),
    "schema": (
        ("moelint schema policy", "of rules"),
        ("moelint schema config", "of .moelint.yaml"),
        ("moelint schema report", "of the JSON report"),
    ),
    "walls": (
        ("moelint walls train.yaml --gpu h100 --gpus 64", "a page of text"),
        ("moelint walls a.yaml b.yaml", "side by side"),
        ("moelint walls train.yaml --format html --output walls.html", "a page with charts"),
    ),
    "compare": (
        ("moelint compare a.yaml b.yaml", "is this a matched A/B?"),
        ("moelint compare main:train.yaml train.yaml", "against another revision"),
        ("moelint compare a.yaml b.yaml --rollback back.yaml", "the override that takes B back to A"),
    ),
    "init": (("moelint init", "write .moelint.yaml, the pre-commit hook and the workflow; nothing is overwritten"),),
    "completion": (
        ('eval "$(moelint completion bash)"', "in ~/.bashrc"),
        ('eval "$(moelint completion zsh)"', "in ~/.zshrc"),
        ("moelint completion fish | source", "in ~/.config/fish/config.fish"),
    ),
}


def command_of(name: str) -> Any:
    """The click command of a name, with its examples."""
    from importlib import import_module

    command = import_module(f"moelint.cli.{name}").command
    command.epilog = command.epilog or epilog(name)
    return command


def epilog(name: str) -> str:
    """The examples of a command as click prints them; empty if it has none here."""
    lines = EXAMPLES.get(name, ())
    if not lines:
        return ""
    width = max(len(line) for line, _ in lines)
    return "\n".join(["\b", "Examples:", *(f"  {line:<{width}}  {what}" for line, what in lines)])
