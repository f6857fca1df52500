"""moelint beside yamllint, check-jsonschema and zizmor: python benchmarks/bench.py [--quick] [--json FILE] [PART …]

Each tool runs on files that it understands, of 60 lines, in one run on one machine, turn by turn; what counts are the
ratios. A full run takes some minutes. The tools are looked for beside this interpreter, then on PATH; one that is missing
is left out. An installed moelint must be measured (not an editable checkout), with its bytecode: PYTHONDONTWRITEBYTECODE
is taken out of the environment. Parts: start many rules growth memory fix tree (default: all; ``tree`` needs --tree FOLDER
with recipes).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_files import configs, long_config, rules_pack, schema, workflows

ENV = {key: value for key, value in os.environ.items() if key not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
Run = tuple[float, float, float]  # seconds by the clock, seconds of processor time, MB at the peak


def tool(name: str) -> str | None:
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def run(command: list[str], folder: Path) -> Run:
    """One run; its output goes nowhere. Raises SystemExit if the tool fails in another way than by findings."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENV
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, *range(10, 15)):  # zizmor: 11 to 14 by severity
        raise SystemExit(f"{' '.join(command)[:200]}: exit code {process.returncode}")
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, peak


def rounds(commands: dict[str, tuple[list[str], Path]], times: int) -> dict[str, Run]:
    """Medians of ``times`` runs of each command, taken in turns, after one that fills the caches."""
    taken: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(times + 1):
        for name, (command, folder) in commands.items():
            found = run(command, folder)
            if number:
                taken[name].append(found)
    return {
        name: tuple(statistics.median(values) for values in zip(*all_, strict=True)) for name, all_ in taken.items()
    }


class Bench:
    def __init__(self, top: Path, quick: bool, tree: Path | None) -> None:
        self.top, self.quick, self.tree = top, quick, tree
        self.rows: list[dict[str, object]] = []
        self.peaks: dict[int, float] = {}  # number of files → MB, as far as measured
        moelint = tool("moelint")
        if moelint is None:
            raise SystemExit("moelint is not installed beside this interpreter")
        self.moelint = moelint

    def row(self, measure: str, value: float, unit: str, reach: str, held: bool | None, detail: str) -> None:
        entry = {
            "measure": measure,
            "value": round(value, 3),
            "unit": unit,
            "reach": reach,
            "held": held,
            "detail": detail,
        }
        self.rows.append(entry)
        mark = "" if held is None else "ok" if held else "MISSED"
        print(f"{measure:<52} {value:>8.2f} {unit:<5} {reach:<8} {mark:<7} {detail}", flush=True)

    def folder(self, name: str) -> Path:
        path = self.top / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    # ---- parts -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """One file, cold: processor time, since the clock of a busy machine says little of so short a run."""
        folder = self.folder("start")
        configs(folder, 2)
        commands = {}
        for kind, file in (("with findings", "d000/c1.yaml"), ("without", "d000/c0.yaml")):
            commands[f"moelint {kind}"] = ([self.moelint, file], folder)
            if yamllint := tool("yamllint"):
                commands[f"yamllint {kind}"] = ([yamllint, file], folder)
        commands["import"] = ([sys.executable, "-c", "import yaml, click"], folder)
        found = rounds(commands, 7 if self.quick else 25)
        for kind in ("with findings", "without"):
            mine = found[f"moelint {kind}"]
            said = f"{1000 * mine[1]:.0f} ms of processor time, {1000 * mine[0]:.0f} ms by the clock"
            if f"yamllint {kind}" in found:
                ratio = mine[1] / found[f"yamllint {kind}"][1]
                self.row(f"one file {kind} ÷ yamllint", ratio, "×", "≤ 0.65", ratio <= 0.65, said)
            ratio = mine[1] / found["import"][1]
            self.row(f"one file {kind} ÷ import yaml, click", ratio, "×", "≤ 1.1", ratio <= 1.1, said)

    def many(self) -> None:
        """Thousands of files by the clock, every shipped rule."""
        count = 500 if self.quick else 5000
        folder, flows = self.folder("many"), self.folder("flows")
        configs(folder, count)
        workflows(flows, count)
        schema(folder / "schema.json")
        commands = {"moelint": ([self.moelint, "."], folder)}
        if zizmor := tool("zizmor"):
            commands["zizmor"] = (
                [zizmor, "--offline", "--no-progress", "--format", "plain", ".github/workflows"],
                flows,
            )
        found = rounds(commands, 3)
        found["moelint -j1"] = run([self.moelint, "-j1", "."], folder)
        slow = {}
        if yamllint := tool("yamllint"):
            slow["yamllint"] = ([yamllint, "."], folder)
        if checker := tool("check-jsonschema"):
            names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.yaml"))
            slow["check-jsonschema"] = ([checker, "--schemafile", "schema.json", *names], folder)
        for name, (command, where) in slow.items():
            found[name] = run(command, where)
        mine = found["moelint"]
        each = f"{1e6 * mine[0] / count:.0f} µs a file, {1e6 * mine[1] / count:.0f} µs of processor time"
        if "zizmor" in found:
            ratio, cpu = mine[0] / found["zizmor"][0], mine[1] / found["zizmor"][1]
            said = f"{each}; zizmor {found['zizmor'][0]:.1f} s; of processor time {cpu:.2f} ×"
            self.row(f"{count} files ÷ zizmor", ratio, "×", "≤ 0.6", ratio <= 0.6, said)
        for name in slow:
            ratio, cpu = found[name][0] / mine[0], found[name][1] / mine[1]
            said = f"{name} {found[name][0]:.1f} s; of processor time {cpu:.1f} ×"
            self.row(f"{count} files: times faster than {name}", ratio, "×", "≥ 12", ratio >= 12, said)
        self.row(
            f"{count} files, one process", found["moelint -j1"][0], "s", "", None, f"{found['moelint -j1'][2]:.0f} MB"
        )

    def rules(self) -> None:
        """As many generated rules beside the shipped ones."""
        listed = subprocess.run([self.moelint, "rules"], capture_output=True, text=True, check=True, env=ENV).stdout
        shipped = sum(1 for line in listed.splitlines() if line[:3].isupper() and line[3:6].isdigit())
        folder = self.folder("rules")
        count = 200 if self.quick else 5000
        configs(folder, count)
        pack = rules_pack(self.folder("pack"), shipped)
        one, more = ["d000/c1.yaml"], ["--policy", str(pack)]
        found = rounds(
            {"one": ([self.moelint, *one], folder), "one, doubled": ([self.moelint, *more, *one], folder)},
            7 if self.quick else 25,
        )
        ratio = found["one, doubled"][1] / found["one"][1]
        self.row(f"rules doubled ({shipped} more), one file", ratio, "×", "≤ 1.1", ratio <= 1.1, "processor time")
        found = rounds({"all": ([self.moelint, "."], folder), "all, doubled": ([self.moelint, *more, "."], folder)}, 3)
        ratio = found["all, doubled"][1] / found["all"][1]
        self.row(f"rules doubled, {count} files", ratio, "×", "≤ 1.25", ratio <= 1.25, "processor time")

    def growth(self) -> None:
        """Exponents of time over the number and the size of files."""
        counts = (100, 1000) if self.quick else (100, 1000, 10_000)
        times = []
        for count in counts:
            folder = self.folder(f"growth{count}")
            configs(folder, count)
            _, spent, self.peaks[count] = rounds({"x": ([self.moelint, "-j1", "."], folder)}, 1 if count > 1000 else 3)["x"]
            times.append(spent)
        start = rounds({"x": ([self.moelint, "d000/c0.yaml"], self.folder("growth100"))}, 3)["x"][1]
        self._exponent(f"exponent, {counts[0]} → {counts[-1]} files", counts, [t - start for t in times])
        sizes = (600, 6000) if self.quick else (600, 6000, 60_000)
        folder = self.folder("sizes")
        for kind in ("list", "keys", "maps"):
            for size in sizes:
                (folder / f"{kind}{size}.yaml").write_text(long_config(size, kind), encoding="utf-8")
            times = [rounds({"x": ([self.moelint, f"{kind}{size}.yaml"], folder)}, 5)["x"][1] - start for size in sizes]
            self._exponent(f"exponent, {sizes[0]} → {sizes[-1]} lines ({kind})", sizes, times)

    def _exponent(self, name: str, sizes: tuple[int, ...], times: list[float]) -> None:
        least = 0.001  # seconds: what a small run adds to the start is below what can be measured
        points = [(math.log(size), math.log(max(time, least))) for size, time in zip(sizes, times, strict=True)]
        pairs = [(points[0], points[-1]), (points[-2], points[-1])]  # over all, and at the end, where it would bend
        exponent = max((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairs)
        said = ", ".join(f"{size}: {time:.2f} s" for size, time in zip(sizes, times, strict=True))
        self.row(name, exponent, "", "≤ 1.05", exponent <= 1.05, said)

    def memory(self) -> None:
        count = 1000 if self.quick else 10_000
        if count not in self.peaks:
            folder = self.folder(f"growth{count}")
            configs(folder, count)
            self.peaks[count] = run([self.moelint, "-j1", "."], folder)[2]
        peak = self.peaks[count]
        self.row(f"memory, {count} files in one process", peak, "MB", "≤ 150", peak <= 150, "")

    def fix(self) -> None:
        count = 100 if self.quick else 1000
        folder, fresh = self.folder("fix"), self.folder("fresh")
        configs(fresh, count, every=1)
        check: list[float] = []
        fix: list[float] = []
        for _ in range(3):
            shutil.rmtree(folder)
            shutil.copytree(fresh, folder)
            check.append(run([self.moelint, "."], folder)[0])
            fix.append(run([self.moelint, "--fix", "."], folder)[0])
        ratio = statistics.median(fix) / statistics.median(check)
        self.row(f"--fix of {count} files ÷ check", ratio, "×", "≤ 4", ratio <= 4, f"{statistics.median(fix):.1f} s")

    def recipes(self) -> None:
        if self.tree is not None:
            run([self.moelint, str(self.tree)], self.top)
            spent = run([self.moelint, str(self.tree)], self.top)[0]
            self.row("Bridge's recipe tree", spent, "s", "≤ 15", spent <= 15, "")


PARTS: dict[str, Callable[[Bench], None]] = {
    "start": Bench.start, "many": Bench.many, "rules": Bench.rules, "growth": Bench.growth, "memory": Bench.memory,
    "fix": Bench.fix, "tree": Bench.recipes,
}  # fmt: skip


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    words.add_argument("--quick", action="store_true", help="fewer files and runs: to see that it works")
    words.add_argument("--json", type=Path, help="write the table to a file too")
    words.add_argument("--tree", type=Path, help="a checkout's folder of recipes")
    given = words.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as top:
        bench = Bench(Path(top), given.quick, given.tree and given.tree.resolve())
        for name in given.parts or PARTS:
            PARTS[name](bench)
    spent = time.perf_counter() - began
    print(f"{spent / 60:.1f} minutes", file=sys.stderr)
    if given.json:
        about = {"python": platform.python_version(), "system": platform.platform(), "processors": os.cpu_count()}
        about["seconds"] = round(spent)
        given.json.write_text(
            json.dumps({"about": about, "rows": bench.rows}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
