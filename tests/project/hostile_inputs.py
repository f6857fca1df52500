"""Files that somebody might write to hurt a linter: name → (file name, bytes). All carry one mistake that is told where
the file can be read at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

MODEL = "model:\n  num_moe_experts: 8\n  expert_model_parallel_size: 3\n"


def _aliases() -> str:
    levels = (f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    return "a0: &a0 [x, x, x, x]\n" + "".join(levels) + MODEL


def _merges() -> str:
    levels = (f"a{i}: &a{i}\n  <<: [*a{i - 1}, *a{i - 1}]\n  k{i}: 1\n" for i in range(1, 2000))
    return "a0: &a0 {x: 1}\n" + "".join(levels) + MODEL


TEXTS: dict[str, str] = {
    "alias bomb": _aliases(),
    "merge bomb": _merges(),
    "100,000 deep list": f"{MODEL}x: {'[' * 100_000}{']' * 100_000}\n",
    "100,000 deep mapping": f"{MODEL}x: {'{a: ' * 100_000}1{'}' * 100_000}\n",
    "100,000 deep dashes": f"{MODEL}x:\n{'- ' * 100_000}1\n",
    "deep blocks": MODEL + "".join(" " * i + "k:\n" for i in range(2500)),
    "many keys": MODEL + "".join(f"k{i}: {i}\n" for i in range(250_000)),
    "many unknown settings": MODEL + "".join(f"  k{i}: {i}\n" for i in range(90_000)),
    "many duplicates": MODEL + "  num_layers: 8\n" * 90_000,
    "many documents": "---\n".join([MODEL] * 15_000),
    "many values": f"{MODEL}  x: [\n" + "   1,\n" * 500_000 + "   1]\n",
    "many anchors": MODEL + "".join(f"k{i}: &a{i} {i}\n" for i in range(40_000)) + f"z: [{','.join(f'*a{i}' for i in range(40_000))}]\n",
    "one long line": f'{MODEL}  x: "{"a" * 3_000_000}"\n',
    "one long comment": f"# moelint: {'gpus=8 ' * 500_000}\n{MODEL}",
    "quotes": f"{MODEL}x: '{chr(39) * 2_000_000}'\n",
    "huge integers": MODEL + f"  num_layers: {'9' * 100_000}\n  hidden_size: 0x{'f' * 100_000}\n",
    "sexagesimal": f"{MODEL}  num_layers: {'1:' * 50_000}1\n",
    "huge sizes": "# moelint: gpus=1000000000 gpu=h100\n" + MODEL + "  num_layers: 1000000000\n  pipeline_model_parallel_size: 1000000000\n"
    "  hidden_size: 7168\n  num_attention_heads: 128\n  ffn_hidden_size: 100\n  moe_layer_freq: ([0]*99999999999+[1]*9999999)\n"
    '  pipeline_model_parallel_layout: "(t*999999999|)*99999999"\n',
    "python tags": MODEL + "x: !!python/object/apply:os.system ['touch pwned']\ny: !!python/name:os.system\n",
    "cyclic anchor": f"{MODEL}  more: &a\n    self: *a\n    <<: *a\n",
    "cyclic defaults": f"defaults: config.yaml\n{MODEL}",
    "includes outside": f"defaults: ../../../../../../etc/passwd\nextends:\n  - /etc/shadow\n  - /dev/zero\n{MODEL}",
    "cyclic interpolation": f"{MODEL}a: ${{b}}\nb: ${{a}}\nc0: x\n" + "".join(f"c{i + 1}: ${{c{i}}}${{c{i}}}\n" for i in range(60)),
    "deep interpolation": f"{MODEL}c: {'${' * 50_000}x{'}' * 50_000}\n",
    "escapes": f'{MODEL}  moe_token_dispatcher_type: "\\e]0;title\\a\\n::error::forged\\n\\u202eevil"\n',
}
BYTES: dict[str, bytes] = {
    **{name: text.encode() for name, text in TEXTS.items()},
    "100 MB": MODEL.encode() + b'  x: "' + b"a" * (100 << 20) + b'"\n',
    "NUL": MODEL.encode() + b"x: \0\n",
    "lone surrogate": MODEL.encode() + b"x: \xed\xa0\x80\n",
    "surrogate escape": MODEL.encode() + b'x: "\\ud800"\n',
    "no UTF-8": MODEL.encode() + b"x: \xff\xfe\xfd\n",
    "UTF-16": MODEL.encode("utf-16"),
    "UTF-32": MODEL.encode("utf-32"),
    "control characters": MODEL.encode() + b"x: \x1b[31mred\x07\n",
}
PYTHON: dict[str, str] = {
    "deep expression": f"import x\ndef a_config():\n    cfg = base()\n    cfg.model.x = {'(' * 5_000}1{')' * 5_000}\n    return cfg\n",
    "long function": "def a_config():\n    cfg = base()\n" + "    cfg.model.x = 1\n" * 100_000 + "    return cfg\n",
    "huge values": "def a_config():\n    cfg = base()\n    cfg.model.num_layers = 10**10**10**10\n    cfg.model.x = 'a' * 10**12\n"
    "    cfg.model.y = [0] * 10**12\n    return cfg\n",
    "recursion": "def a_config():\n    return b_config()\ndef b_config():\n    return a_config()\n",
    "endless loops": "def a_config():\n    cfg = ConfigContainer()\n    while True:\n        cfg.model.x = 1\n    for i in range(10**12):\n"
    "        for j in range(10**12):\n            cfg.model.y = i * j\n    return cfg\n",
}
FILES: dict[str, tuple[str, bytes]] = {
    **{name: ("config.yaml", data) for name, data in BYTES.items()},
    **{f"recipe: {name}": ("recipe.py", text.encode()) for name, text in PYTHON.items()},
}


def _odd_name(folder: Path) -> str:
    (folder / "new\nline\x1b[31m.yaml").write_text(MODEL, encoding="utf-8")
    return "new\nline\x1b[31m.yaml"


def _pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.yaml")
    return "pipe.yaml"


def _link(target: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        os.symlink(target, folder / "link.yaml")
        return "link.yaml"

    return make


SPECIAL: dict[str, Callable[[Path], str]] = {
    "a pipe": _pipe,
    "a link to itself": _link("link.yaml"),
    "a link to an endless device": _link("/dev/zero"),
    "a name with a newline and an escape": _odd_name,
}
"""What is no plain file, or has no plain name: makes it in a folder and gives its name."""
