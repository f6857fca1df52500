"""The commands of one script → configs: words become settings with places, settings become canonical keys."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from moelint.read.config import Config
from moelint.read.configs import ReadOptions, finish
from moelint.read.mapping import Layer, config_at, interpolation
from moelint.read.plan import roots
from moelint.read.shell_arguments import Arguments, Item, megatron, overrides
from moelint.read.shell_launch import Launch, is_telling, launch
from moelint.read.shell_values import BARE_OPTIONS, environment_items, hydra_value, json_variables, odd_number
from moelint.read.shell_world import header, world
from moelint.read.structure import structure_of
from moelint.read.tables import tables
from moelint.text.document import Problem
from moelint.text.shell.commands import Command
from moelint.text.shell.document import ENV, ShellDocument, ShellSetting
from moelint.text.shell.expansion import Builder
from moelint.text.shell.hazards import dropped
from moelint.text.shell.interpreter import Interpreter
from moelint.text.shell.pieces import FUEL, MAX_WORK, OutOfBudget, Piece, Pieces, Word
from moelint.text.shell.places import Layout
from moelint.text.shell.script import MAX_SIZE, Script
from moelint.text.shell.state import State
from moelint.text.source import Source

_HYDRA = ("bridge-shell", "verl-shell")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*\Z")
_MAX_CONFIGS = 200
_ENOUGH = 4  # flags of Megatron-LM that make an array one of its arguments


class Reader:
    """All that is read of one script. ``reason``: why it has no config, if something looked like one."""

    def __init__(self, source: Source, options: ReadOptions, open_file: Callable[[str, Source], Source | None]) -> None:
        self.source, self.options = source, options
        self.problems: list[Problem] = []
        self.reason: str | None = None
        self.documents: list[ShellDocument] = []
        self._open: dict[int, list[str]] = {}
        self._layouts: dict[int, Layout] = {}
        script = Script(source)
        if len(source.text) > MAX_SIZE:
            self.problems.append(Problem("limit", f"only the first {MAX_SIZE:,} characters are read", 0, 1))
            cut = source.text.rfind("\n", 0, MAX_SIZE) + 1
            script = Script(source, source.text[:cut], [(0, cut, ((source, 0, cut),), True)])
        root = script.parse()
        self.layout = self._layouts[id(source)] = Layout(source, script, root)
        from moelint.read.shell import checkout

        top = checkout(os.path.dirname(os.path.abspath(source.path)))
        self.interpreter = Interpreter(source, dict(options.define), open_file, top)
        state = State()
        self.header = header(source, self.layout.comments)
        for name, text in self.header.variables.items():
            state.variables[name] = (Piece(text, ((source, *self.header.span),)),)
        try:
            self.interpreter.block(script, root.children, state)
        except OutOfBudget:
            self.problems.append(Problem("limit", "the script takes more steps than moelint follows", 0, 1))
        self.state = state
        self.problems += dropped(self.layout, self.interpreter.commands)

    def configs(self) -> list[Config]:
        """The configs of all commands that start a training."""
        FUEL.left = MAX_WORK
        out: list[Config] = []
        try:
            self._configs(out)
        except OutOfBudget:
            self.problems.append(Problem("limit", "the commands are longer than moelint reads", 0, 1))
        return out

    def _configs(self, out: list[Config]) -> None:
        names: dict[str, int] = {}
        for command in list(self.interpreter.commands.values()):
            found = launch(command.words)
            if isinstance(found, str):
                self.reason = self.reason or found
            elif found is not None and len(out) < _MAX_CONFIGS:
                out += self._command(command, found, names)
        if not out:
            out += self._loose_arguments(names)

    def _loose_arguments(self, names: dict[str, int]) -> list[Config]:
        """Arrays and texts of flags that another script takes: each is a part of a config."""
        out: list[Config] = []
        for name, held in self.state.variables.items():
            words = held if isinstance(held, list) else [Word([p]) for p in _split(held)]
            telling = sum(1 for word in words if (text := word.text) is not None and is_telling(text))
            if telling < _ENOUGH or len(out) >= _MAX_CONFIGS:
                continue
            found = Launch("megatron-lm-shell", name, [], words)
            spans = [s for word in words for piece in word.pieces for s in piece.spans[:1] if s[0] is self.source]
            if not spans:
                continue
            command = Command([], {}, (self.source, spans[0][1], spans[-1][2]), (), None)
            configs = self._command(command, found, names)
            for config in configs:
                config.loose_ends.append(f"the command that takes {name}")
                config.document.regions += self._regions(Command(words, {}, command.span, (), None))  # type: ignore[attr-defined]
                config.unread = []
            out += configs
        return out

    def waiting(self, config: Config) -> list[str]:
        """What may bring the command more flags than are known."""
        return self._open.get(id(config.document), [])

    # ---- one command
    def _command(self, command: Command, found: Launch, names: dict[str, int]) -> list[Config]:
        table = tables()[found.dialect]
        hydra = found.dialect in _HYDRA
        if hydra:
            arguments = overrides(found.arguments, BARE_OPTIONS)
        else:
            arguments = megatron(found.arguments, found.dialect != "megatron-lm-shell")
        start, end = self._place(command)
        document = ShellDocument(self.layout, start, end, "hydra" if hydra else "words")
        document.regions += self._regions(command)
        self.documents.append(document)
        others: dict[int, ShellDocument] = {}
        self._fill(found, arguments, command, document, others)
        merged = {path: s for d in (*others.values(), document) for path, s in d.settings.items()}
        resolver = interpolation(table, merged, self.options.define)
        stack = [Layer(other, other.settings, "inherited", resolver) for other in others.values()]
        stack.append(Layer(document, document.settings, "file", resolver))
        out = []
        for root in roots(table, structure_of(merged), merged):
            number = names[found.name + str(root)] = names.get(found.name + str(root), 0) + 1
            label = ".".join(str(part) for part in root) or found.name
            config = config_at(table, document, root, label if number == 1 else f"{label}-{number}", stack)
            config.line = self.source.position(start)[0]
            config.start, config.end = start, end
            world(config, found, command, self.header)
            finish(config, table, merged, stack)
            if not found.own:
                config.unread = [s for s in config.unread if not str(s.path[0]).startswith("-")]
            out.append(config)
        waiting = [name for word in arguments.open for name in word.waits or ("a word that is not known",)]
        waiting += command.loose
        if command.tilted:
            waiting.append(command.tilted)
        self._open[id(document)] = waiting
        self._say(found, arguments, document, out)
        return out

    def _place(self, command: Command) -> tuple[int, int]:
        source, start, end = command.span
        if source is self.source:
            return start, end
        return 0, 0

    def _regions(self, command: Command) -> list[tuple[int, int]]:
        found: dict[tuple[int, int], None] = {}
        for word in command.words:
            for piece in word.pieces:
                for source, start, _ in piece.spans:
                    if source is self.source and (region := self.layout.region(start)) is not None:
                        found[region] = None
        return list(found)

    def _document(self, word: Word, document: ShellDocument, others: dict[int, ShellDocument]) -> ShellDocument:
        """The document of the file in which a word stands."""
        source = next((piece.spans[0][0] for piece in word.pieces if piece.spans), self.source)
        if source is self.source:
            return document
        if id(source) not in others:
            if id(source) not in self._layouts:
                script = Script(source)
                self._layouts[id(source)] = Layout(source, script, script.parse())
            others[id(source)] = ShellDocument(self._layouts[id(source)], 0, 0, document.style)
        return others[id(source)]

    def _fill(
        self,
        found: Launch,
        arguments: Arguments,
        command: Command,
        document: ShellDocument,
        others: dict[int, ShellDocument],
    ) -> None:
        table = tables()[found.dialect]
        for name, word in command.environment.items():
            if _VARIABLE.match(name):
                problem = odd_number(document.add_variable(name, word))
                if problem is not None and all(problem.start != other.start for other in self.problems):
                    self.problems.append(problem)
        for name, key, value in json_variables([*found.launcher, *found.arguments]):
            setting = self._document(key, document, others).add((ENV, name), key, [value])
            if isinstance(setting.value, int):
                setting.value = str(setting.value)
        items = arguments.items
        if found.dialect == "bridge-shell" and not found.perf:
            items = [i for i in items if i.name.startswith("-")] + [i for i in items if not i.name.startswith("-")]
        elif found.dialect == "bridge-shell":
            items = [i for i in items if not i.name.startswith("-")] + [i for i in items if i.name.startswith("-")]
        for item in items:
            for path, values in self._paths(found, item, table):
                owner = self._document(item.key, document, others)
                for other in (document, *others.values()):
                    old = other.settings.get(path)
                    if isinstance(old, ShellSetting):
                        self._repeated(old, item, other, owner, found)
                        if other is not owner:
                            del other.settings[path]
                setting = owner.add(path, item.key, values, item.joined)
                if found.dialect in _HYDRA and setting.style == "plain":
                    setting.value = hydra_value(setting.value)
                if path[0] == "env_vars" and isinstance(setting.value, int):
                    setting.value = str(setting.value)

    def _paths(self, found: Launch, item: Item, table: dict[str, object]) -> list[tuple[tuple[str, ...], list[Word]]]:
        """The paths of the settings that an item makes, with the words of their values."""
        name = item.name
        if found.dialect == "swift-shell":
            return [((name.lstrip("-"),), item.values)]
        if found.dialect not in _HYDRA:
            from moelint.read import flags

            if found.dialect == "slime" and flags.entry(name) is None:
                return [(("slime", name.lstrip("-").replace("-", "_")), item.values)]
            return [((name,), item.values)]
        if name in ("-E", "--env", "-ce", "--custom_env_vars"):
            return [(("env_vars", variable), [word]) for variable, word in environment_items(item.values)]
        if name.startswith("-"):
            return [((name,), item.values)]
        if item.sign == "~":
            return []
        return [(tuple(part for part in re.split(r"[./]", name) if part), item.values)]

    # ---- what is wrong with a command
    def _repeated(
        self, old: ShellSetting, item: Item, there: ShellDocument, here: ShellDocument, found: Launch
    ) -> None:
        if there.source is not self.source or here.source is not self.source or old.maybe or item.key.maybe:
            return
        values = [word.text for word in item.values]
        before = [word.text for word in old.words]
        if None in values or None in before or values == before or old.key_end <= old.key_start:
            return
        shown = " ".join(text for text in values if text is not None)
        name = self.source.text[old.key_start : old.key_end].strip("+")
        message = f"{name} is given twice, and the last one counts" + (f": {shown} runs" if shown else "")
        if any(problem.start == old.key_start for problem in self.problems):
            return
        self.problems.append(
            Problem("repeated-flag", message, old.key_start, max(old.key_end, old.value_end), old.path)
        )

    def _say(self, found: Launch, arguments: Arguments, document: ShellDocument, configs: list[Config]) -> None:
        """Words that the trainer's parser stops at."""
        if not found.own or not configs:
            return
        said: set[str] = set()
        for word in arguments.stray:
            text = word.text
            span = next((s for piece in word.pieces for s in piece.spans[:1] if s[0] is self.source), None)
            if text is None or span is None or any(p.maybe for p in word.pieces):
                continue
            before = max(
                (s for s in document.settings.values() if s.key_end <= span[1] and s.path[0] != ENV),
                key=lambda s: s.key_end,
                default=None,
            )
            flag = str(before.path[0]) if before is not None else found.name
            if flag in said:
                continue
            said.add(flag)
            message = f"{flag} takes no {text}: the parser stops at a word that belongs to no flag"
            configs[0].problems.append(Problem("stray-word", message, span[1], span[2], (flag,)))


def _split(pieces: Pieces) -> list[Piece]:
    builder = Builder(True)
    builder.unquoted(pieces)
    builder.close()
    return [word[0] for word in builder.words if len(word) == 1]
