"""What the checkout around a file says of the installed packages: lock file, requirements, project file, container."""

from __future__ import annotations

import os

LIMIT = 8_000_000  # bytes of a file that are looked at
LEVELS = 40  # folders up to the repository's root
# a package's names in package indexes → the name of the target
PACKAGES = {
    "megatron-core": "megatron-core",
    "megatron-bridge": "megatron-bridge",
    "transformer-engine": "transformer-engine",
    "transformer-engine-torch": "transformer-engine",
    "torch": "torch",
    "deep-ep": "deep-ep",
    "nvidia-nvshmem-cu12": "nvshmem",
    "nvidia-nvshmem-cu13": "nvshmem",
}
_folders: dict[str, dict[str, str]] = {}


def around(path: str) -> dict[str, str]:
    """Target key → version (or ``container`` → image) for a file: the nearest folder that says something of a package
    wins,
    from the file's own folder up to the repository's root; without a repository only its own folder counts."""
    folder = os.path.dirname(os.path.abspath(path))
    chain, at = [], folder
    for _ in range(LEVELS):
        chain.append(at)
        if os.path.exists(os.path.join(at, ".git")):
            break
        above = os.path.dirname(at)
        if above == at:
            chain = [folder]
            break
        at = above
    else:
        chain = [folder]
    out: dict[str, str] = {}
    for one in chain:
        for key, value in _folder(one).items():
            out.setdefault(key, value)
    return out


def _folder(folder: str) -> dict[str, str]:
    found = _folders.get(folder)
    if found is None:
        found = _folders[folder] = _look(folder)
    return found


def _look(folder: str) -> dict[str, str]:
    """What the files of one folder pin, surest first."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return {}
    out: dict[str, str] = {}
    requirements = [n for n in names if n.startswith("requirements") and n.endswith(".txt")]
    images = [n for n in names if n == "Dockerfile" or n.startswith("Dockerfile.")]
    for name in [n for n in ("uv.lock", *requirements, "pyproject.toml", *images) if n in names]:
        text = _read(os.path.join(folder, name))
        if name == "uv.lock":
            pins = _lock(text)
        elif name in images:
            pins = _image(text)
        else:
            pins = _pins(text)
        for key, value in pins.items():
            out.setdefault(key, value)
    return out


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LIMIT)
    except OSError:
        return ""


def _lock(text: str) -> dict[str, str]:
    import re

    out = {}
    for name, version in re.findall(r'^name = "([^"\n]+)"\nversion = "([^"\n]+)"$', text, re.MULTILINE):
        key = PACKAGES.get(_plain(name))
        if key is not None:
            out[key] = version
    return out


def _pins(text: str) -> dict[str, str]:
    """``name==version`` in a requirements or project file; ranges say nothing of what is installed."""
    import re

    out = {}
    pattern = r"""^[ \t]*["']?([A-Za-z][A-Za-z0-9._-]*)(?:\[[^\]\n]*\])?[ \t]*===?[ \t]*([0-9][^\s"',;#]*)"""
    for name, version in re.findall(pattern, text, re.MULTILINE):
        key = PACKAGES.get(_plain(name))
        if key is not None and "*" not in version:
            out[key] = version
    return out


def _image(text: str) -> dict[str, str]:
    """The image that a Dockerfile starts from, if the table of containers knows it."""
    import re

    from moelint.trainer.containers import holds

    for image in re.findall(r"^[ \t]*FROM\s+(?:--\S+\s+)*(\S+)", text, re.MULTILINE | re.IGNORECASE):
        if holds(image):
            return {"container": image}
    return {}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
