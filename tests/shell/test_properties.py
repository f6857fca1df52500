"""Properties of the shell reader over generated scripts: places say what they are said to, edits change one thing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from moelint.lang.unknown import UNKNOWN
from moelint.read.config import Config
from moelint.read.files import ReadOptions, read_file
from moelint.text.document import EditError
from moelint.text.edits import apply
from moelint.text.shell.document import ENV, ShellDocument
from moelint.text.source import Source

FLAGS = {
    "--num-layers": ["4", "48"],
    "--hidden-size": ["64"],
    "--num-experts": ["8", "128"],
    "--moe-router-topk": ["2"],
    "--lr": ["1e-4"],
    "--moe-aux-loss-coeff": ["0.01"],
    "--sequence-parallel": [],
    "--bf16": [],
    "--moe-grouped-gemm": [],
    "--recompute-modules": ["moe layernorm", "mlp"],
    "--tensor-model-parallel-size": ["2"],
}
NAMES = list(FLAGS)


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """A command with flags in arrays, in texts, behind continuations, with variables and comments in between."""
    chosen = draw(st.lists(st.sampled_from(NAMES), min_size=4, max_size=len(NAMES), unique=True))
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    head: list[str] = ["#!/bin/bash"]
    words: list[str] = []
    here: list[str] = []
    for number, name in enumerate(chosen):
        value = draw(st.sampled_from(FLAGS[name])) if FLAGS[name] else ""
        form = draw(st.sampled_from(["plain", "plain", "variable", "default", "array", "text", "joined", "quoted"]))
        flag = f"{name} {value}".strip()
        if form == "variable" and value and " " not in value:
            head.append(f"V{number}={value}")
            flag = f"{name} " + draw(st.sampled_from([f"$V{number}", f'"${{V{number}}}"']))
        elif form == "default" and value and " " not in value:
            flag = f"{name} ${{W{number}:-{value}}}"
        elif form == "joined" and value and " " not in value:
            flag = f"{name}={value}"
        elif form == "quoted" and value and " " not in value:
            flag = f"{name} '{value}'"
        if form == "array":
            comment = draw(st.sampled_from(["", " # because", f"{newline}  # --mtp-num-layers 1"]))
            head.append(f"A{number}=({newline}  {flag}{comment}{newline})")
            words.append(draw(st.sampled_from([f"${{A{number}[@]}}", f'"${{A{number}[@]}}"'])))
        elif form == "text":
            head.append(f'T{number}="{flag} "' if "'" not in flag and '"' not in flag else f"T{number}=''; X=1")
            words.append(f"$T{number}" if "'" not in flag and '"' not in flag else flag)
        else:
            here.append(flag)
    gap = draw(st.sampled_from([" ", f" \\{newline}  ", f" \\{newline}\t"]))
    command = gap.join(["python pretrain_gpt.py", *words, *here, "--micro-batch-size 1"])
    tail = draw(st.sampled_from(["", newline, f" \\{newline}", f"  # end{newline}"]))
    return newline.join([*head, command]) + tail


def configs(text: str) -> list[Config]:
    return read_file(Source("train.sh", text), ReadOptions(named=True)).configs


def known(config: Config) -> dict[str, object]:
    return {key: "?" if found.value is UNKNOWN else found.value for key, found in config.written.items()}


@settings(max_examples=120, deadline=None)
@given(scripts())
def test_every_setting_stands_where_it_says(text: str) -> None:
    (config,) = configs(text)
    assert not config.document.problems
    for written in config.written.values():
        setting = written.setting
        assert setting is not None
        name = text[setting.key_start : setting.key_end]
        assert name == (setting.path[-1] if setting.path[0] != ENV else setting.path[1])
        assert text[setting.value_start : setting.value_end] == setting.raw
        assert setting.key_end <= setting.value_start or setting.style == "bare"


@settings(max_examples=120, deadline=None)
@given(scripts(), st.data())
def test_set_changes_one_value(text: str, data: st.DataObject) -> None:
    (config,) = configs(text)
    document = config.document
    assert isinstance(document, ShellDocument)
    valued = [key for key, found in config.written.items() if found.setting is not None and found.setting.style != "bare"]
    key = data.draw(st.sampled_from(valued))
    setting = config.written[key].setting
    assert setting is not None
    new: object = ["core_attn", "moe"] if key == "model.recompute_modules" else 0.5 if "." in str(setting.value) or "e" in str(setting.value) else 16
    after = apply(text, document.set(setting.path, new))
    (changed,) = configs(after)
    assert {**known(config), key: new} == known(changed), after


@settings(max_examples=120, deadline=None)
@given(scripts(), st.sampled_from(NAMES))
def test_remove_takes_one_flag(text: str, name: str) -> None:
    (config,) = configs(text)
    if (name,) not in config.document.settings:
        return
    setting = config.document.settings[(name,)]
    try:
        after = apply(text, config.document.remove((name,)))
    except EditError:
        return
    gone = {key for key, found in config.written.items() if found.setting is setting}
    (changed,) = configs(after)
    assert {key: value for key, value in known(config).items() if key not in gone} == known(changed), after


@settings(max_examples=120, deadline=None)
@given(scripts(), st.data())
def test_insert_adds_one_flag(text: str, data: st.DataObject) -> None:
    (config,) = configs(text)
    beside = data.draw(st.sampled_from([path for path in config.document.settings if path[0] != ENV]))
    after = apply(text, config.document.insert(("--context-parallel-size",), 2, beside))
    (changed,) = configs(after)
    assert {**known(config), "model.context_parallel_size": 2} == known(changed), after


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from(list("ab1 \n\t\\\"'`$(){}[]<>|&;=#-+*@!~:/%^?,.")), max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    read_file(Source("x.sh", text + "\npython pretrain_gpt.py --num-layers 4 --hidden-size 8 --bf16 " + text), ReadOptions(named=True))
