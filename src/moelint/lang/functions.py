"""The closed tables of functions and comparisons. Each takes known values; what it cannot answer is UNKNOWN."""

from __future__ import annotations

from collections.abc import Callable

from moelint.lang.limits import FUEL, LIST, NUMBER, STRING
from moelint.lang.unknown import UNKNOWN
from moelint.lang.versions import Version, parse
from moelint.typed import Any

Value = Any  # a value of the language, or UNKNOWN


def is_number(x: Value) -> bool:
    return (isinstance(x, (int, float))) and not isinstance(x, bool)


def is_int(x: Value) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def elements(x: Value) -> list[Value] | None:
    """A list's elements (None is the empty list), or None if ``x`` is no list or visiting it costs too much."""
    if x is None:
        return []
    if not isinstance(x, (list, tuple)) or len(x) > LIST:
        return None
    FUEL.left -= len(x)
    return None if FUEL.left < 0 else list(x)


def known(items: list[Value] | None) -> bool:
    return items is not None and not any(i is UNKNOWN for i in items)


def equal(a: Value, b: Value) -> Value:
    """Kleene equality: lists element by element; a text beside a version is read as one."""
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return False
        FUEL.left -= len(a)
        if FUEL.left < 0:
            return UNKNOWN
        result: Value = True
        for x, y in zip(a, b, strict=True):
            same = equal(x, y)
            if same is False:
                return False
            if same is UNKNOWN:
                result = UNKNOWN
        return result
    if isinstance(a, Version) and isinstance(b, str):
        b = parse(b)
    elif isinstance(b, Version) and isinstance(a, str):
        a = parse(a)
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    return bool(a == b)


def contains(x: Value, items: Value) -> Value:
    """``x in items``. Nothing is in an unset list; a text is searched for a text."""
    if items is UNKNOWN:
        return UNKNOWN
    if isinstance(items, str):
        return x in items if isinstance(x, str) else UNKNOWN
    list_ = elements(items)
    if list_ is None:
        return UNKNOWN
    result: Value = False
    for item in list_:
        same = equal(x, item)
        if same is True:
            return True
        if same is UNKNOWN:
            result = UNKNOWN
    return result


def _flip(test: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def flipped(a: Value, b: Value) -> Value:
        value = test(a, b)
        return UNKNOWN if value is UNKNOWN else not value

    return flipped


def _ordering(test: Callable[[Value, Value], bool]) -> Callable[[Value, Value], Value]:
    def order(a: Value, b: Value) -> Value:
        if is_number(a) and is_number(b):
            return test(a, b)
        if a.__class__ is Version and isinstance(b, str):
            b = parse(b)
        elif b.__class__ is Version and isinstance(a, str):
            a = parse(a)
        return test(a, b) if a.__class__ is Version and b.__class__ is Version else UNKNOWN

    return order


COMPARISONS: dict[str, Callable[[Value, Value], Value]] = {
    "==": equal,
    "!=": _flip(equal),
    "<": _ordering(lambda a, b: a < b),
    "<=": _ordering(lambda a, b: a <= b),
    ">": _ordering(lambda a, b: a > b),
    ">=": _ordering(lambda a, b: a >= b),
    "in": contains,
    "not in": _flip(contains),
}


def _len(x: Value) -> Value:
    if isinstance(x, str):
        return len(x)
    items = elements(x)
    return UNKNOWN if items is None else len(items)


def _numbers(args: tuple[Value, ...]) -> list[Any] | None:
    """The numbers of one list argument, or of several plain arguments; None if any is unknown or no number."""
    items = elements(args[0]) if len(args) == 1 and not is_number(args[0]) else list(args)
    return items if items is not None and all(is_number(i) for i in items) else None


def _extreme(pick: Callable[..., Any]) -> Callable[..., Value]:
    def run(*args: Value) -> Value:
        items = _numbers(args)
        return pick(items) if items else UNKNOWN

    return run


def _sum(x: Value) -> Value:
    items = elements(x)
    if items is None or not all(isinstance(i, (int, float)) for i in items):
        return UNKNOWN
    return bounded(sum(items))


def _prod(*args: Value) -> Value:
    items = _numbers(args)
    if items is None:
        return UNKNOWN
    result: Value = 1
    for item in items:
        result = bounded(result * item)
        if result is UNKNOWN:
            return UNKNOWN
    return result


def bounded(x: Value) -> Value:
    """``x``, or UNKNOWN if it is beyond the language's numbers (infinite, not a number, too large)."""
    return x if -NUMBER <= x <= NUMBER else UNKNOWN


def _all(x: Value) -> Value:
    return _truth_of(x, False)


def _any(x: Value) -> Value:
    return _truth_of(x, True)


def _truth_of(x: Value, stop: bool) -> Value:
    items = elements(x)
    if items is None:
        return UNKNOWN
    result: Value = not stop
    for item in items:
        if item is UNKNOWN:
            result = UNKNOWN
        elif bool(item) is stop:
            return stop
    return result


def _int(x: Value) -> Value:
    if isinstance(x, (int, float)):
        return int(x) if bounded(x) is not UNKNOWN else UNKNOWN
    if isinstance(x, str) and len(x) <= 30:
        text = x.strip()
        digits = text[1:] if text[:1] in ("-", "+") else text
        return bounded(int(text)) if digits.isascii() and digits.isdigit() else UNKNOWN
    return UNKNOWN


def _float(x: Value) -> Value:
    if is_number(x):
        return bounded(float(x)) if bounded(x) is not UNKNOWN else UNKNOWN
    if isinstance(x, str) and len(x) <= 40:
        try:
            return bounded(float(x))
        except ValueError:
            return UNKNOWN
    return UNKNOWN


def _is_list(x: Value) -> Value:
    return isinstance(x, (list, tuple))


def _as_list(x: Value) -> Value:
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _subset(a: Value, b: Value) -> Value:
    items = elements(a)
    return UNKNOWN if items is None else _truth_of([contains(i, b) for i in items], False)


def _overlaps(a: Value, b: Value) -> Value:
    items = elements(a)
    return UNKNOWN if items is None else _truth_of([contains(i, b) for i in items], True)


def _without(a: Value, b: Value) -> Value:
    items, gone = elements(a), elements(_as_list(b))
    if items is None or gone is None:
        return UNKNOWN
    kept = []
    for item in items:
        there = contains(item, gone)
        if there is UNKNOWN:
            return UNKNOWN
        if not there:
            kept.append(item)
    return kept


def _divides(a: Value, b: Value) -> Value:
    return b % a == 0 if is_int(a) and is_int(b) and a != 0 else UNKNOWN


def _divisors(n: Value) -> Value:
    if not is_int(n) or not 0 < n <= 10**9:
        return UNKNOWN
    small, large, i = [], [], 1
    while i * i <= n:
        if n % i == 0:
            small.append(i)
            if i * i != n:
                large.append(n // i)
        i += 1
    FUEL.left -= i
    return small + large[::-1]


def _nearest(x: Value, items: Value) -> Value:
    list_ = elements(items)
    if not list_ or not is_number(x) or not all(is_number(i) for i in list_):
        return UNKNOWN
    return min(list_, key=lambda i: (abs(i - x), i))


def _is_power_of_two(n: Value) -> Value:
    return n > 0 and n & (n - 1) == 0 if is_int(n) else UNKNOWN


def _split(text: Value, separator: Value = None) -> Value:
    if text is None:
        return []
    if not isinstance(text, str) or len(text) > STRING or not (separator is None or isinstance(separator, str)):
        return UNKNOWN
    pieces = [p.strip() for p in (text.split(separator) if separator else text.split())]
    return [p for p in pieces if p]


def _option(text: Value, name: Value) -> Value:
    """Value of ``name`` in ``a:1,b=2,c``: the text after ``:`` or ``=``, True if bare, None if absent."""
    items = _split(text, ",")
    if items is UNKNOWN or not isinstance(name, str):
        return UNKNOWN
    found: Value = None
    for item in items:
        cut = min((i for i in (item.find(":"), item.find("=")) if i >= 0), default=-1)
        if cut < 0 and item == name:
            found = True
        elif cut >= 0 and item[:cut].strip() == name:
            found = item[cut + 1 :].strip()
    return found


def _version(x: Value) -> Value:
    if isinstance(x, Version):
        return x
    found = parse(x) if isinstance(x, str) else None
    return UNKNOWN if found is None else found


def _range(*args: Value) -> Value:
    if not all(is_int(a) for a in args) or (len(args) == 3 and args[2] == 0):
        return UNKNOWN
    numbers = range(*args)
    length = max(0, -(-(numbers.stop - numbers.start) // numbers.step))
    if length > LIST:
        return UNKNOWN
    FUEL.left -= length
    return list(numbers) if FUEL.left >= 0 else UNKNOWN


def _text_test(test: Callable[[str, str], bool]) -> Callable[[Value, Value], Value]:
    def run(text: Value, part: Value) -> Value:
        return test(text, part) if isinstance(text, str) and isinstance(part, str) else UNKNOWN

    return run


def _coalesce(x: Value, fallback: Value) -> Value:
    return fallback if x is None else x


def _value(x: Value) -> Value:
    return x


class Function:
    """``least``/``most``: number of arguments. ``returns``: static type. ``signature``, ``doc``: for the reference."""

    __slots__ = ("doc", "lazy", "least", "most", "returns", "run", "signature", "takes")

    def __init__(self, signature: str, returns: str, doc: str, run: Callable[..., Value], takes: str = "any") -> None:
        inside = signature[signature.index("(") + 1 : signature.rindex(")")]
        parameters = [p.strip() for p in inside.split(",") if p.strip()]
        self.signature, self.returns, self.doc, self.run, self.takes = signature, returns, doc, run, takes
        self.least = sum("=" not in p and not p.startswith("*") for p in parameters)
        self.most = 20 if any(p.startswith("*") for p in parameters) else len(parameters)
        self.lazy = False  # reads its argument as a key, not as a value


TABLE: dict[str, Function] = {
    f.signature.split("(", 1)[0]: f
    for f in (
        Function("len(x)", "int", "Elements of a list, characters of a text.", _len),
        Function("min(x, *more)", "number", "Least of a list or of several numbers.", _extreme(min)),
        Function("max(x, *more)", "number", "Greatest of a list or of several numbers.", _extreme(max)),
        Function("sum(x)", "number", "Sum of a list; true counts as 1.", _sum, "list"),
        Function("prod(x, *more)", "number", "Product of a list or of several numbers.", _prod),
        Function("all(x)", "bool", "True if every element holds.", _all, "list"),
        Function("any(x)", "bool", "True if some element holds.", _any, "list"),
        Function("int(x)", "int", "Whole part of a number, or the number that a text spells.", _int),
        Function("float(x)", "float", "The number that a text spells.", _float),
        Function("abs(x)", "number", "Magnitude of a number.", lambda x: abs(x) if is_number(x) else UNKNOWN),
        Function("ceil_div(a, b)", "int", "a divided by b, rounded up.",
                 lambda a, b: -(-a // b) if is_int(a) and is_int(b) and b else UNKNOWN),
        Function("is_list(x)", "bool", "True for a list.", _is_list),
        Function("is_str(x)", "bool", "True for a text.", lambda x: isinstance(x, str)),
        Function("is_int(x)", "bool", "True for a whole number (true and false are none).", is_int),
        Function("is_bool(x)", "bool", "True for true and false.", lambda x: isinstance(x, bool)),
        Function("as_list(x)", "list", "x itself if a list, [] if unset, else [x].", _as_list),
        Function("subset(a, b)", "bool", "True if every element of a is in b.", _subset, "list"),
        Function("overlaps(a, b)", "bool", "True if some element of a is in b.", _overlaps, "list"),
        Function("without(a, b)", "list", "The elements of a that are not in b.", _without),
        Function("divides(a, b)", "bool", "True if b is a multiple of a.", _divides),
        Function("divisors(n)", "list", "Divisors of n, ascending.", _divisors),
        Function("nearest(x, candidates)", "number", "The candidate nearest to x, the smaller of two.", _nearest),
        Function("is_power_of_two(n)", "bool", "True for 1, 2, 4, 8 and so on.", _is_power_of_two),
        Function("split(text, separator=None)", "list", "Pieces of a text, trimmed, empty ones left out.", _split),
        Function("option(text, name)", "any", "Value of name in a text such as 'a:1,b=2'; None if absent.", _option),
        Function("lower(text)", "str", "A text in lower case.", lambda t: t.lower() if isinstance(t, str) else UNKNOWN),
        Function("starts_with(text, part)", "bool", "True if text begins with part.", _text_test(str.startswith)),
        Function("ends_with(text, part)", "bool", "True if text ends with part.", _text_test(str.endswith)),
        Function("version(text)", "version", "A version, to compare with target.<package>.", _version),
        Function("range(a, b=None, step=1)", "list", "Whole numbers, as Python's range.", _range),
        Function("value(x)", "same", "x as it is: in a message without its key, in a rule unchecked.", _value),
        Function("default(x, fallback=None)", "same",
                 "fallback if x is unset; with one argument, a key: the trainer's own default for it.", _coalesce),
        Function("written(key)", "bool", "True if the file, an inherited layer or a base sets the key.", _value),
        Function("changed(key)", "bool", "True if the key, or one of 'group:name', differs.", _value),
        Function("choices(key)", "list", "The values that the trainer takes for a key.", _value),
    )
}
for _name in ("written", "changed", "choices"):
    TABLE[_name].lazy = True
