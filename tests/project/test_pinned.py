"""What CI installs is pinned: .ci/requirements.txt holds everything that pyproject.toml names, in a version that it allows,
with the hash of every file; and CI installs nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / ".ci" / "requirements.txt").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def pins() -> list[tuple[Requirement, int]]:
    """(name, version and marker, how many hashes) of every entry."""
    found = []
    for entry in TEXT.replace("\\\n", " ").splitlines():
        if entry.strip() and not entry.startswith("#"):
            requirement, *hashes = re.split(r"\s+(?=--hash)", entry.strip())
            assert all(_HASH.fullmatch(word) for word in hashes), entry
            found.append((Requirement(requirement), len(hashes)))
    return found


PINS = pins()


def environment(python: str, system: str = "linux") -> dict[str, str]:
    full = f"{python}.{sys.version_info.micro if python == '.'.join(map(str, sys.version_info[:2])) else 9}"
    known = {"python_version": python, "python_full_version": full, "sys_platform": system, "os_name": "posix", "extra": ""}
    return {**{key: str(value) for key, value in default_environment().items()}, **known}


def pinned(python: str, system: str = "linux") -> dict[str, str]:
    """Versions by name, as one Python on one system gets them. Fails if two entries hold for it."""
    out: dict[str, str] = {}
    for requirement, _ in PINS:
        if requirement.marker is None or requirement.marker.evaluate(environment(python, system)):
            name = canonicalize_name(requirement.name)
            (exactly,) = requirement.specifier
            assert exactly.operator == "==" and "*" not in exactly.version, requirement
            assert name not in out, f"{name} twice for Python {python}"
            out[name] = exactly.version
    return out


def named() -> list[Requirement]:
    """All that pyproject.toml says the program, its extras for the tests and its build need."""
    project, extras = PROJECT["project"], PROJECT["project"]["optional-dependencies"]
    words = [*project["dependencies"], *extras["fix"], *extras["dev"], *PROJECT["build-system"]["requires"]]
    return [Requirement(word) for word in words]


def test_every_file_has_its_hash_and_no_entry_its_own_source() -> None:
    assert len(PINS) > 40
    assert not [str(requirement) for requirement, hashes in PINS if not hashes or requirement.url]
    assert "://" not in TEXT and not re.search(r"(?m)^\s*-(?!-hash)", TEXT)  # no index, no links, no editable
    assert "make lock" in TEXT.splitlines()[1]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_what_the_project_names_is_pinned_in_a_version_that_it_allows(python: str, system: str) -> None:
    held = pinned(python, system)
    for need in named():
        if need.marker is None or need.marker.evaluate(environment(python, system)):
            name = canonicalize_name(need.name)
            assert name in held, f"{need} is not pinned for Python {python}: make lock"
            assert need.specifier.contains(held[name], prereleases=True), f"{need}, but {held[name]} is pinned: make lock"


def test_what_those_need_is_pinned_too() -> None:
    """As the packages installed here say it themselves."""
    python = ".".join(map(str, sys.version_info[:2]))
    held, seen = pinned(python, sys.platform), set()
    waiting = [canonicalize_name(need.name) for need in named() if need.marker is None or need.marker.evaluate(environment(python))]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        assert name in held, f"{name} is not pinned"
        for word in metadata.requires(name) or ():
            need = Requirement(word)
            if need.marker is None or need.marker.evaluate(environment(python, sys.platform)):
                waiting.append(canonicalize_name(need.name))
    assert len(seen) > 40


def test_ci_installs_by_hash_only() -> None:
    script = (ROOT / ".ci" / "install").read_text(encoding="utf-8")
    calls = [line for line in script.splitlines() if re.search(r"\}\" (download|install)\b", line)]
    assert len(calls) == 3
    for call in calls[:2]:
        assert "--require-hashes" in call and "-r .ci/requirements.txt" in call
    assert "--only-binary :all:" in calls[0]  # no setup script of a stranger runs
    for call in calls[1:]:
        assert "--no-index" in call
    assert "--no-deps --no-build-isolation -e ." in calls[2]
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKEOVERRIDES", "UNPINNED")}
    done = subprocess.run(["make", "-n", "-B", "test"], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert ".ci/install" in done.stdout and "PIP_NO_INDEX=1" in done.stdout and "pip install" not in done.stdout
