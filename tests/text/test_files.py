"""Reading any file safely, and replacing one whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from moelint.text import files
from moelint.text.files import FileLeftAlone, read, replace
from moelint.text.source import TextError


@pytest.mark.parametrize(
    "data",
    [
        b"a: 1\n",
        b"a: 1\r\nb: 2",
        b"\xef\xbb\xbfa: 1\r\n",
        "a: größe\n".encode("utf-16"),
        b"\xfe\xff" + "ü\n".encode("utf-16-be"),
        b"",
    ],
)
def test_what_is_read_is_written_back_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    source = read(str(path))
    assert files.encode(source, source.text) == data
    assert not source.text.startswith("\ufeff")
    replace(source, source.text + "# end\n")
    assert read(str(path)).text == source.text + "# end\n"
    assert path.read_bytes().startswith(data[:2])


@pytest.mark.parametrize(
    ("data", "line", "column", "words"),
    [
        (b"a: 1\nb: \xe9\n", 2, 4, "byte 0xe9"),
        ("ü: ".encode() + b"\xff", 1, 4, "not UTF-8"),
        (b"a: 1\nb\0: 2\n", 2, 2, "NUL"),
        (b"\xff\xfea", 1, 1, "not UTF-16"),
        (b"\xff\xfe\0\0a\0\0\0", 1, 1, "UTF-32"),
    ],
)
def test_what_is_no_text_says_where(tmp_path: Path, data: bytes, line: int, column: int, words: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    with pytest.raises(TextError) as caught:
        read(str(path))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert words in caught.value.message


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_bytes(b"#" * (files.MAX_BYTES + 1))
    for name, words in (
        ("pipe", "regular"),
        ("", "regular"),
        ("missing", "No such file"),
        ("long", "MiB"),
        ("a\0b", "path"),
    ):
        with pytest.raises(TextError, match=words):
            read(str(tmp_path) + "/" + name)
    with pytest.raises(TextError, match="regular"):
        read(os.devnull)


def test_mode_and_link_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    path.write_text("a: 1\n")
    path.chmod(0o640)
    link.symlink_to("a.yaml")
    replace(read(str(link)), "a: 2\n")
    assert link.is_symlink() and path.read_text() == "a: 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["a.yaml", "link.yaml"]


def test_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    wanted = {}
    try:
        os.setxattr(path, "user.note", b"kept")
        wanted = {"user.note": b"kept"}
    except OSError:  # a file system without them: then there is none to keep
        pass
    replace(read(str(path)), "a: 2\n")
    found = {name: os.getxattr(path, name) for name in os.listxattr(path) if name.startswith("user.")}
    assert found == wanted and path.read_text() == "a: 2\n"


def test_attributes_that_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    source = read(str(path))

    def get(where: object, name: str) -> bytes:
        if isinstance(where, int):
            raise OSError("no data")
        return b"x"

    def refuse(*_: object) -> None:
        raise OSError("not permitted")

    monkeypatch.setattr(os, "listxattr", lambda *_: ["security.label"])
    monkeypatch.setattr(os, "getxattr", get)
    monkeypatch.setattr(os, "setxattr", refuse)
    assert_left_alone(source, path, "security.label")


def test_an_owner_that_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    source = read(str(path))
    real = os.lstat(path)
    values = list(real)[:10]
    values[4] = real.st_uid + 1
    foreign = os.stat_result(values, {"st_mtime_ns": real.st_mtime_ns})

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "lstat", lambda *_: foreign)
    monkeypatch.setattr(os, "fchown", refuse)
    assert_left_alone(source, path, "owner")


def test_hard_links_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    os.link(path, tmp_path / "b.yaml")
    assert_left_alone(read(str(path)), path, "2 hard links")


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    source = read(str(path))
    path.write_text("a: 3\n")
    with pytest.raises(FileLeftAlone, match="changed"):
        replace(source, "a: 2\n")
    assert path.read_text() == "a: 3\n"
    path.unlink()
    with pytest.raises(FileLeftAlone):
        replace(source, "a: 2\n")


@pytest.mark.parametrize("broken", ["write", "replace", "link", "fchmod"])
def test_a_failure_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    source = read(str(path))

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail)
    try:
        replace(source, "a: 2\n")
    except FileLeftAlone as error:
        assert "No space left" in error.reason
        assert path.read_text() == "a: 1\n"
    else:  # without link there is another way
        assert broken == "link" and path.read_text() == "a: 2\n"
    assert os.listdir(tmp_path) == ["a.yaml"]


def assert_left_alone(source: files.Source, path: Path, words: str) -> None:
    before = path.read_bytes()
    with pytest.raises(FileLeftAlone, match=words):
        replace(source, "a: 2\n")
    assert path.read_bytes() == before
