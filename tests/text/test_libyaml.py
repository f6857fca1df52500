"""libyaml is loaded without PyYAML's Python modules, and nobody else notices."""

from __future__ import annotations

import subprocess
import sys

import pytest

SHORT = "import sys\nfrom moelint.text.source import Source\nfrom moelint.text.yaml_reader import read_yaml\n"
LOADED = SHORT + "from moelint.text import libyaml\n"


def run(code: str, before: str = LOADED) -> str:
    done = subprocess.run([sys.executable, "-c", before + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_lines_that_are_read_one_by_one_need_no_yaml() -> None:
    code = "read_yaml(Source('a', 'a: [1]'))\nprint(*sorted(m for m in sys.modules if m.startswith('yaml')))"
    assert run(code, SHORT) == ""


def test_the_check_loads_no_constructor() -> None:
    code = "read_yaml(Source('a', 'a: {b: 1}'))\nprint(*sorted(m for m in sys.modules if m.startswith('yaml.')))"
    assert run(code) == "yaml._yaml yaml.error yaml.events yaml.nodes yaml.tokens"


@pytest.mark.parametrize(
    "code",
    [
        "import yaml\nprint(yaml.safe_load('a: 1'))",
        "from yaml import safe_load\nprint(safe_load('a: 1'))",
        "from yaml import *\nprint(safe_load('a: 1'))",
        "import yaml\nassert yaml.__version__ > '6'\nprint({'a': len(yaml.__all__) if hasattr(yaml, '__all__') else 1})",
        "import yaml.constructor\nfrom yaml import CSafeLoader, load\nprint(load('a: 1', CSafeLoader))",
    ],
)
def test_pyyaml_is_whole_for_others(code: str) -> None:
    assert run(code) == "{'a': 1}"


def test_errors_are_those_that_others_catch() -> None:
    code = (
        "import yaml\n"
        "for text, error in (('a: [', yaml.parser.ParserError), ('a: \"', yaml.scanner.ScannerError), ('\\x07', yaml.reader.ReaderError)):\n"
        "    try:\n        yaml.load(text, yaml.CSafeLoader)\n    except error:\n        print('caught')\n"
    )
    assert run(code) == "caught\ncaught\ncaught"


def test_pyyaml_loaded_before_is_taken_as_it_is() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import yaml\n" + SHORT + "print(read_yaml(Source('a', 'a: 1'), by_line=False)[0].settings['a',].value)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"


def test_without_the_extension_the_python_parser_is_taken() -> None:
    code = (
        "import sys\nsys.modules['yaml._yaml'] = None\n" + LOADED + "found = read_yaml(Source('a', 'a: 010'), by_line=False)\n"
        "print(libyaml.parser is libyaml._python_parser, found[0].settings['a',].value)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True 8", done.stderr
