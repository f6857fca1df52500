"""Commands of the shell itself that change what is known, and programs that run a script given as text."""

from __future__ import annotations

from collections.abc import Callable

from moelint.text.shell.conditions import Outcome
from moelint.text.shell.pieces import Piece, Pieces, Word, made, text_of, unknown, waits_of
from moelint.text.shell.script import Script
from moelint.text.shell.state import State, Value
from moelint.text.shell.substitution import formatted
from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.text.shell.interpreter import Interpreter
    from moelint.text.shell.statements import Flow

_SHELLS = ("bash", "sh", "zsh", "dash")
_HARMLESS = (
    "activate",
    ".bashrc",
    "bashrc",
    ".profile",
    "profile",
    ".bash_profile",
    "conda.sh",
    "setvars.sh",
    ".zshrc",
    "set_env.sh",
    "modules.sh",
    "hpcx-init.sh",
    ".env",
)  # they set up tools, not the arguments of a training

Builtin = Callable[["Interpreter", "list[Word]", "dict[str, Value]", State, "Pieces | None"], "Flow"]


def inner_script(words: list[Word]) -> Pieces | None:
    """The text that ``… bash -c TEXT`` or ``sbatch --wrap TEXT`` hands to a shell."""
    for at, word in enumerate(words[:-1]):
        name = word.text
        if name is None:
            continue
        if name.rpartition("/")[2] in _SHELLS:
            for number in range(at + 1, min(at + 4, len(words) - 1)):
                option = words[number].text
                if option is None or not option.startswith("-"):
                    break
                if not option.startswith("--") and "c" in option:
                    return words[number + 1].pieces
        if name == "--wrap":
            return words[at + 1].pieces
    for word in words:
        first = word.pieces[0].text if word.pieces else None
        if first is not None and first.startswith("--wrap="):
            return (word.pieces[0].cut(7, len(first)), *word.pieces[1:])
    last = words[-1]
    if len(words) > 2 and words[0].text in ("ssh", "pdsh") and any(" " in (piece.text or "") for piece in last.pieces):
        return last.pieces
    return None


def declare(self: Interpreter, script: Script, node: Any, state: State) -> Flow:
    """``export``, ``local``, ``declare``, ``readonly``, ``typeset``."""
    word = node.children[0].type if node.children else ""
    exports, local = word == "export", word == "local"
    names: list[str] = []
    for child in node.children[1:]:
        if not child.is_named or child.type == "comment":
            continue
        if child.type == "variable_assignment":
            found = self.assign(script, child, state)
            if found is not None:
                _keep(self, found[0], local, state)
                self.store(*found, state)
                names.append(found[0])
            continue
        for piece in self.words(script, [child], state):
            text = piece.text
            if text is None:
                continue
            if text.startswith("-"):
                exports = exports or ("x" in text and word in ("declare", "typeset"))
                local = local or (word in ("declare", "typeset") and bool(self.locals) and "g" not in text)
                continue
            name, equals, _ = text.partition("=")
            if name.isidentifier():
                names.append(name)
                _keep(self, name, local, state)
                if equals:
                    self.store(name, _after_equals(piece), state)
    if exports:
        for name in names:
            state.exported[name] = None
    self.status = Outcome(True)
    return None


def _after_equals(word: Word) -> Pieces:
    out: list[Piece] = []
    seen = False
    for piece in word.pieces:
        if seen:
            out.append(piece)
        elif piece.text is not None and "=" in piece.text:
            seen = True
            at = piece.text.index("=") + 1
            if at < len(piece.text):
                out.append(piece.cut(at, len(piece.text)))
    return tuple(out)


def _keep(self: Interpreter, name: str, local: bool, state: State) -> None:
    if local and self.locals:
        self.locals[-1].setdefault(name, state.variables.get(name))


def _flow(kind: str) -> Builtin:
    def run(
        self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
    ) -> Flow:
        return kind

    return run


def _truth(value: bool) -> Builtin:
    def run(
        self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
    ) -> Flow:
        self.status = Outcome(value)
        return None

    return run


def _quiet(
    self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
) -> Flow:
    """A command that changes nothing that matters here."""
    self.status = Outcome(None)
    return None


def _set(self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None) -> Flow:
    texts = [word.text for word in words]
    if "--" in texts:
        rest = words[texts.index("--") + 1 :]
        state.arguments = None if any(word.free for word in rest) else rest
    elif any(text is not None and text in ("-a", "allexport") for text in texts[1:]):
        self.allexport = "+o" not in texts
    elif "+a" in texts:
        self.allexport = False
    return None


def _shift(
    self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
) -> Flow:
    count = words[1].text if len(words) > 1 else "1"
    if state.arguments is not None:
        state.arguments = state.arguments[int(count) :] if count is not None and count.isdigit() else None
    return None


def _read(self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None) -> Flow:
    """``read NAME… <<< TEXT``, split at IFS."""
    names: list[str] = []
    array = False
    skip = False
    for word in words[1:]:
        text = word.text or ""
        if skip:
            skip = False
        elif text.startswith("-"):
            array = array or "a" in text
            skip = text[-1:] in "pdntu" and not text.endswith("a")
        else:
            names.append(text)
    span = words[0].pieces[0].spans[0]
    said = text_of(given) if given is not None else None
    if said is None:
        waits = waits_of(given or ())
        for name in names:
            state.variables[name] = (
                [Word([unknown(waits or (name,), span).changed(free=True)])]
                if array
                else (unknown(waits or (name,), span),)
            )
        self.status = Outcome(None)
        return None
    separators = set_here.get("IFS") or state.variables.get("IFS")
    ifs = text_of(separators) if separators is not None and not isinstance(separators, list) else None
    parts = _split(said, ifs if ifs is not None else " \t\n")
    assumed = next((piece.assumed for piece in given or () if piece.assumed), None)
    if array and names:
        state.variables[names[0]] = [Word([made(part, span, assumed)]) for part in parts]
        return None
    for number, name in enumerate(names):
        last = number == len(names) - 1
        part = (ifs or " ")[:1].join(parts[number:]) if last else parts[number] if number < len(parts) else ""
        defined = self.expander.define.get(name)
        part = part if defined is None else defined
        state.variables[name] = (made(part, span, assumed),) if part else ()
    return None


def _split(text: str, ifs: str) -> list[str]:
    text = text.rstrip("\n")
    blanks = ifs.strip() == ""
    if blanks:
        return text.split()
    out, current = [], ""
    for sign in text:
        if sign in ifs:
            out.append(current.strip() if " " in ifs else current)
            current = ""
        else:
            current += sign
    return [*out, current.strip() if " " in ifs else current]


def _mapfile(
    self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
) -> Flow:
    name = words[-1].text
    if name is not None and name.isidentifier():
        span = words[0].pieces[0].spans[0]
        state.variables[name] = [Word([unknown((name,), span).changed(free=True)])]
    return None


def _printf(
    self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
) -> Flow:
    texts = [word.text for word in words]
    if len(words) < 4 or texts[1] != "-v" or texts[2] is None:
        return None
    known = [text for text in texts[3:] if text is not None]
    span = words[0].pieces[0].spans[0]
    text = formatted(known[0], known[1:]) if len(known) == len(words) - 3 else None
    assumed = next((word.assumed for word in words if word.assumed), None)
    waits = tuple(name for word in words[3:] for name in word.waits)
    value: Pieces = (unknown(waits or (texts[2],), span),) if text is None else (made(text, span, assumed),)
    self.store(texts[2], self.named(texts[2], value), state)
    return None


def _let(self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None) -> Flow:
    for word in words[1:]:
        if word.text is not None:
            value, assumed, waits = self.expander.number(word.text, state, word.pieces[0].spans[0])
            self.status = Outcome(None if value is None else bool(value), assumed, waits)
    return None


def _eval(self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None) -> Flow:
    from moelint.text.shell.script import from_pieces

    pieces: list[Piece] = []
    for number, word in enumerate(words[1:]):
        if number:
            pieces.append(Piece(" ", word.pieces[0].spans if word.pieces else ()))
        pieces += word.pieces
    if self.nesting > 30:
        return None
    self.nesting += 3
    try:
        return self.run(from_pieces(self.source, tuple(pieces), self.held), state)
    finally:
        self.nesting -= 3


def _source(
    self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
) -> Flow:
    """Another file of the checkout, read in place; any other may set whatever it likes."""
    path = words[1].text if len(words) > 1 else None
    label = path or "what is not known here"
    if path is None:
        shown = "".join(piece.text or "…" for piece in words[1].pieces) if len(words) > 1 else ""
        label = shown or label
    if label.rstrip("/").rpartition("/")[2] in _HARMLESS or label.startswith(("/dev/", "/etc/", "/opt/")):
        return None
    file = self.open_file(path, words[0].pieces[0].spans[0][0]) if path is not None else None
    if file is None or self.nesting > 30 or sum(1 for one in self.sourced if one.path == file.path) > 3:
        state.loose = tuple(dict.fromkeys((*state.loose, f"source {label}")))
        return None
    self.sourced.append(file)
    before = state.arguments
    if len(words) > 2:
        state.arguments = None if any(word.free for word in words) else words[2:]
    self.nesting += 3
    try:
        flow = self.run(Script(file), state)
    finally:
        self.nesting -= 3
        if len(words) > 2:
            state.arguments = before
    return "exit" if flow == "exit" else None


def _exec(self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None) -> Flow:
    if len(words) < 2:
        return None
    self.record(
        words[1:], set_here, words[1].pieces[0].spans[0] if words[1].pieces else words[0].pieces[0].spans[0], state
    )
    return "exit"


def _condition(
    self: Interpreter, words: list[Word], set_here: dict[str, Value], state: State, given: Pieces | None
) -> Flow:
    """``test …``: only the plain comparisons of one value are answered."""
    texts = [word.text for word in words[1:]]
    truth: bool | None = None
    if len(texts) == 2 and texts[0] in ("-n", "-z") and texts[1] is not None:
        truth = bool(texts[1]) == (texts[0] == "-n")
    elif len(texts) == 3 and texts[1] in ("=", "==", "!=") and texts[0] is not None and texts[2] is not None:
        truth = (texts[0] == texts[2]) == (texts[1] != "!=")
    waits = tuple(name for word in words for name in word.waits)
    self.status = Outcome(truth, next((word.assumed for word in words if word.assumed), None), waits)
    return None


BUILTINS: dict[str, Builtin] = {
    "exit": _flow("exit"),
    "return": _flow("return"),
    "break": _flow("break"),
    "continue": _flow("continue"),
    "true": _truth(True),
    ":": _truth(True),
    "false": _truth(False),
    "set": _set,
    "shift": _shift,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "printf": _printf,
    "let": _let,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "exec": _exec,
    "test": _condition,
    "echo": _quiet,
    "mkdir": _quiet,
    "cd": _quiet,
    "pushd": _quiet,
    "popd": _quiet,
    "rm": _quiet,
    "sleep": _quiet,
    "wait": _quiet,
    "trap": _quiet,
    "ulimit": _quiet,
}
