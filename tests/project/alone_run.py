"""``python alone_run.py FOLDER SEED [fix]``: prints, as JSON, which files of a folder get another report in a batch than alone.

The truth about a file comes from a process that is forked for it from one that has checked nothing. Batches run in one
process, eager to remember, and in two as usual, each in an order of its own.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import sys
from collections.abc import Callable
from typing import Any

import moelint.fixing
import moelint.judging
import moelint.policy.remembered as remembered
import moelint.report.json
import moelint.report.sarif
import moelint.report.text  # noqa: F401  (imported before the forks, as much as can be)
from moelint import parallel, report
from moelint.api import one, run_all
from moelint.engine import Engine
from moelint.options import Options
from moelint.policy import evaluate
from moelint.policy.load import load
from moelint.results import FileReport, Report

USUAL: dict[tuple[Any, str], int] = {(parallel, "_BATCH"): 4, (parallel, "_SHARE"): 2}
EAGER = {**USUAL, (evaluate, "_FEW"): 0, (remembered, "IDLE"): 0, (remembered, "AFTER"): 10**9, (remembered, "WATCHED"): 2}
ENDINGS = (".yaml", ".sh", ".py")


def shown(file: FileReport) -> list[str]:
    """All that a run may say of a file."""
    found = Report()
    found.files = [file]
    said = [repr((file.notes, sorted(file.hidden), file.suppressed, file.fixed, file.fixed_changes, file.refused, file.skipped))]
    said.append(file.diff)
    for name in ("json", "text", "sarif"):
        how, stream = report.Options(), io.StringIO()
        how.show_facts = how.show_files = how.show_undecided = True
        how.verbose = 2
        report.write(name, found, stream, how)
        said.append(stream.getvalue())
    return said


def in_child(job: Callable[[], Any]) -> Any:
    out, into = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.close(out)
            with os.fdopen(into, "wb") as stream:
                stream.write(pickle.dumps(job()))
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as stream:
        data = stream.read()
    os.waitpid(process, 0)
    return pickle.loads(data)


def check(paths: list[str], make: Callable[[], Options], jobs: int, tuned: dict[tuple[Any, str], int]) -> Any:
    """Path → what is said of it, for all files of one run."""

    def job() -> dict[str, list[str]]:
        for (module, name), value in tuned.items():
            setattr(module, name, value)
        options = make()
        options.jobs = jobs
        engine, found = Engine(options), Report()
        engine.prepare(".")
        run_all([(path, False) for path in paths], lambda item: one(engine, *item), options, found, engine.said)
        if found.problems:
            raise AssertionError(found.problems)
        return {file.path: shown(file) for file in found.files}

    return in_child(job)


def differences(folder: str, seed: int, fix: bool) -> list[tuple[str, str, str]]:
    """(path, alone, in a batch) where the two are not the same."""

    def make() -> Options:
        options = Options()
        if fix:
            options.fix, options.write, options.unsafe_fixes = True, False, True
        return options

    os.chdir(folder)
    chance, wrong = random.Random(seed), []
    paths = sorted(
        os.path.relpath(os.path.join(at, name), ".")
        for at, _, names in os.walk(".") for name in names if name.endswith(ENDINGS) and name[0] not in "._"
    )  # fmt: skip
    load(cache=True)
    truth = {path: check([path], make, 1, {})[path] for path in paths}
    for jobs, tuned in ((1, EAGER), (2, USUAL)):
        chance.shuffle(paths)
        found = check(paths, make, jobs, tuned)
        for path in paths:
            wrong += [(path, a, b) for a, b in zip(truth[path], found[path], strict=True) if a != b]
    return wrong


if __name__ == "__main__":
    print(json.dumps(differences(sys.argv[1], int(sys.argv[2]), "fix" in sys.argv)))
