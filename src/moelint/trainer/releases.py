"""Which releases of the trainers are known, and which field table judges a version."""

from __future__ import annotations

from moelint.lang.versions import Version, parse

# The packages that have a field table, oldest release first. A test keeps this in step with trainers/fields.
RELEASES: dict[str, tuple[str, ...]] = {
    "megatron-core": (
        "0.12.0",
        "0.13.0",
        "0.14.0",
        "0.15.0",
        "0.15.3",
        "0.16.0",
        "0.16.1",
        "0.17.0",
        "0.17.1",
        "0.18.0",
        "0.18.2",
        "0.19.0",
        "main",
    ),
    "megatron-bridge": (
        "0.1.0rc4",
        "0.2.0",
        "0.2.2",
        "0.3.0",
        "0.3.1",
        "0.4.0",
        "0.4.2",
        "0.5.0",
        "0.5.1",
        "0.6.0",
        "main",
    ),
    "megatron-lm": ("0.12.0", "0.13.0", "0.14.0", "0.15.3", "0.16.1", "0.17.1", "0.18.2", "0.19.0", "main"),
}
MAIN = {"megatron-core": "0.20.0", "megatron-bridge": "0.7.0", "megatron-lm": "0.20.0"}  # what main will become
# Megatron Core as each Bridge release ships it
PINNED_CORE = {
    "0.1.0rc4": "0.14.0",
    "0.2.0": "0.16.0",
    "0.2.2": "0.16.0",
    "0.3.0": "0.16.0",
    "0.3.1": "0.16.1",
    "0.4.0": "0.17.0",
    "0.4.2": "0.17.1",
    "0.5.0": "0.18.0",
    "0.5.1": "0.18.2",
    "0.6.0": "0.19.0",
    "main": "main",
}
TRAINER_PACKAGE = {"bridge": "megatron-bridge", "core": "megatron-core", "lm": "megatron-lm"}


def version(package: str, text: str) -> Version | None:
    """A version of a package; ``main``, and every pre-release of what main becomes, is main. None: not a version."""
    found = parse(text)
    becomes = MAIN.get(package)
    if found is None or becomes is None:
        return found
    if text == "main" or found >= Version(becomes + ".dev0"):
        return Version("main", same_as=becomes)
    return found


def nearest(package: str, wanted: Version) -> tuple[str, bool]:
    """The known release whose tables judge a version: itself, else one of the same minor release, else the nearest
    older
    (the oldest for still older ones); and whether its table is exactly that of the version wanted."""
    known = RELEASES[package]
    if wanted.text == "main":
        return "main", True
    best, same_minor = known[0], None
    for release in known[:-1]:
        key = Version(release)
        if key == wanted:
            return release, True
        if key.key[1][:2] == (*wanted.key[1], 0)[:2]:
            if key < wanted or same_minor is None:
                same_minor = release
        elif key < wanted:
            best = release
    return same_minor or best, False
