"""What the checkout around a file says of the installed packages: lock file, requirements, project file, container.

Looked at, surest first: ``uv.lock``, ``requirements*.txt`` (and those in a folder ``requirements``),
``pyproject.toml``, Dockerfiles (and those in a folder ``docker``), images that launch scripts name. Nothing is run, no
``-r`` is followed.
"""

from __future__ import annotations

import os

LIMIT = 8_000_000  # bytes of a file that are looked at
LEVELS = 40  # folders up to the repository's root
SCRIPTS = 40  # launch scripts of a folder that are looked at
SCRIPT_LIMIT = 100_000  # bytes of each
SCRIPT_ENDS = (".sh", ".sbatch", ".slurm", ".bash")
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
    if path.endswith(SCRIPT_ENDS):  # a script's own image counts before its neighbours'
        out.update(_images([_read(path, SCRIPT_LIMIT)]))
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
    names = _names(folder)
    out: dict[str, str] = {}
    requirements = [n for n in names if n.startswith("requirements") and n.endswith(".txt")]
    if "requirements" in names:
        inside = _names(os.path.join(folder, "requirements"))
        requirements += [f"requirements/{n}" for n in inside if n.endswith(".txt")]
    builds = [n for n in names if _is_build(n)]
    if "docker" in names:
        builds += [f"docker/{n}" for n in _names(os.path.join(folder, "docker")) if _is_build(n)]
    scripts = [n for n in names if n.endswith(SCRIPT_ENDS)][:SCRIPTS]
    for name in [n for n in ("uv.lock", *requirements, "pyproject.toml", *builds) if "/" in n or n in names]:
        text = _read(os.path.join(folder, name), LIMIT)
        pins = _lock(text) if name == "uv.lock" else _from(text) if name in builds else _pins(text)
        for key, value in pins.items():
            out.setdefault(key, value)
    if scripts and "container" not in out:
        for key, value in _images([_read(os.path.join(folder, name), SCRIPT_LIMIT) for name in scripts]).items():
            out.setdefault(key, value)
    return out


def _names(folder: str) -> list[str]:
    """The names in a folder, sorted; folders only where they are looked into."""
    try:
        return sorted(e.name for e in os.scandir(folder) if e.is_file() or e.name in ("requirements", "docker"))
    except OSError:
        return []


def _is_build(name: str) -> bool:
    return name in ("Dockerfile", "Containerfile") or name.startswith("Dockerfile.") or name.endswith(".Dockerfile")


def _read(path: str, limit: int) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(limit)
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


def _from(text: str) -> dict[str, str]:
    """The image that a Dockerfile starts from, if the table of containers knows it; ``ARG NAME=image`` is filled in."""
    import re

    from moelint.trainer.containers import holds

    defaults = dict(re.findall(r"^[ \t]*ARG[ \t]+(\w+)=[\"']?([^\s\"']+)", text, re.MULTILINE | re.IGNORECASE))
    for image in re.findall(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)", text, re.MULTILINE | re.IGNORECASE):
        image = re.sub(r"\$\{?(\w+)\}?", lambda found: defaults.get(found[1], ""), image)
        if holds(image):
            return {"container": image}
    return {}


def _images(texts: list[str]) -> dict[str, str]:
    """The known container that launch scripts name; nothing where they name several."""
    import re

    from moelint.trainer.containers import holds

    found: dict[str, str] = {}
    for text in texts:
        for image in re.findall(r"(?<![\w.-])(?:[\w.-]+(?:/|#))*[a-z][a-z-]*:\d\d\.\d\d[\w.-]*", text):
            held = holds(image.replace("#", "/"))
            if held:
                found.setdefault(repr(sorted(held.items())), image)
    return {"container": next(iter(found.values()))} if len(found) == 1 else {}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
