"""docs/dialects.md: one example of each dialect, read as that dialect, with a patch after which no error is left."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from moelint.api import check
from moelint.options import Options
from moelint.read.tables import tables

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "dialects").iterdir())


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dialect_page", ROOT / "tools" / "dialect_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_current(tool: ModuleType) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page()


def test_every_dialect_has_an_example() -> None:
    assert sorted(path.stem for path in EXAMPLES) == sorted(tables())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_safe_fixes_leave_no_error(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    options = Options()
    options.no_config = options.fix = True
    (report,) = check([str(copy)], options).files
    assert {config.dialect for config in report.configs} == {path.stem}
    assert report.fixed
    assert [finding.rule for finding in report.findings if finding.severity == "error"] == []
    kept = [line for line in path.read_text(encoding="utf-8").splitlines() if line.lstrip().startswith("#")]
    assert all(line in copy.read_text(encoding="utf-8").splitlines() for line in kept)
