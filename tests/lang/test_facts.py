"""Named facts, and compiled data on disk."""

from __future__ import annotations

import marshal
import os
import stat
from pathlib import Path

import pytest

from moelint.cache import Store
from moelint.lang.closures import closure
from moelint.lang.facts import FactError, Facts, compile_facts
from moelint.lang.names import Info, NameTable
from moelint.lang.parse import parse

from .scopes import Values


class Scope(Values):
    def __init__(self, values: dict[str, object], facts: Facts) -> None:
        super().__init__(values)
        self.facts, self.asked = facts, 0

    def get(self, name: str) -> object:
        if name in self.facts:
            return self.facts.value(name, self)
        self.asked += 1
        return super().get(name)


def table() -> NameTable:
    return NameTable({"model.a": Info("int"), "model.b": Info("int", True)})


def test_facts_use_each_other_in_any_order_and_are_worked_out_once() -> None:
    trees = compile_facts({"double": "single * 2", "single": "model.a"}, table())
    scope = Scope({"model.a": 4}, Facts(trees))
    assert closure(parse("double + double + single"))(scope) == 20
    assert scope.asked == 1
    assert scope.facts.keys_of({"double", "model.x"}) == {"model.a", "model.x"}


def test_facts_have_types() -> None:
    names = table()
    compile_facts({"n": "model.a", "m": "model.b", "flag": "model.a > 1"}, names)
    assert (names.facts["n"].type, names.facts["flag"].type, names.facts["m"].nullable) == ("int", "bool", True)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"a": "b", "b": "c", "c": "a"}, "circle: a → b → c → a"),
        ({"a": "a + 1"}, "circle: a → a"),
        ({"a": "model.nope"}, "unknown name"),
        ({"a": "model.a > 'x'"}, "orders numbers"),
        ({"a.b": "1"}, "one word"),
        ({"a": ""}, "empty"),
    ],
)
def test_faulty_facts(facts: dict[str, str], said: str) -> None:
    with pytest.raises(FactError, match=said):
        compile_facts(facts, table())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOELINT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def source(tmp_path: Path, text: str = "one", old: bool = True) -> str:
    path = tmp_path / "source.yaml"
    path.write_text(text)
    if old:
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return str(path)


class Builder:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> tuple[object, ...]:
        self.times += 1
        return ({"n": self.times}, [1], "texts")


def test_store_builds_once_and_again_when_a_source_changes(tmp_path: Path, home: Path) -> None:
    build, path = Builder(), source(tmp_path)
    assert Store().get("x", [path], build)[0] == {"n": 1}
    found = Store().get("x", [path], build)
    assert (found[0], found[1], found[2]) == ({"n": 1}, [1], "texts")
    source(tmp_path, "two!")
    assert Store().get("x", [path], build)[0] == {"n": 2}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in home.iterdir())


def test_store_sees_a_change_that_keeps_size_and_time(tmp_path: Path, home: Path) -> None:
    build, path = Builder(), source(tmp_path, "one", old=False)
    before = os.stat(path)
    Store().get("x", [path], build)
    Path(path).write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert Store().get("x", [path], build)[0] == {"n": 2}


def test_store_takes_a_touched_source_for_the_same(tmp_path: Path, home: Path) -> None:
    build, path = Builder(), source(tmp_path)
    Store().get("x", [path], build)
    os.utime(path, (1_100_000_000, 1_100_000_000))
    assert Store().get("x", [path], build)[0] == {"n": 1}


@pytest.mark.parametrize("damage", ["truncate", "flip", "foreign", "empty"])
def test_damaged_blobs_are_built_again(tmp_path: Path, home: Path, damage: str) -> None:
    build, path = Builder(), source(tmp_path)
    Store().get("x", [path], build)
    blob = next(home.iterdir())
    data = blob.read_bytes()
    changed = {
        "truncate": data[:-3],
        "flip": data[:-1] + bytes((data[-1] ^ 1,)),
        "foreign": marshal.dumps({"n": 9}),
        "empty": b"",
    }
    blob.write_bytes(changed[damage])
    found = Store().get("x", [path], build)
    assert (found[2], found[1], found[0]) == ("texts", [1], {"n": 2})


def test_a_cache_that_others_may_write_is_not_read(tmp_path: Path, home: Path) -> None:
    build, path = Builder(), source(tmp_path)
    Store().get("x", [path], build)
    next(home.iterdir()).chmod(0o666)
    assert Store().get("x", [path], build)[0] == {"n": 2}
    home.chmod(0o777)
    assert Store().get("x", [path], build)[0] == {"n": 3}
    assert Store().get("x", [path], build)[0] == {"n": 4}


def test_no_cache_and_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build, path = Builder(), source(tmp_path)
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("MOELINT_CACHE", str(blocked / "cache"))
    assert Store().get("x", [path], build)[0] == {"n": 1}
    assert Store().get("x", [path], build)[0] == {"n": 2}
    monkeypatch.setenv("MOELINT_CACHE", str(tmp_path / "cache"))
    assert Store(enabled=False).get("x", [path], build)[0] == {"n": 3}
    assert not (tmp_path / "cache").exists()
    assert Store().get("x", [str(tmp_path / "gone")], build)[0] == {"n": 4}
