"""All that a YAML document says, as plain data, to hold two readers against each other."""

from __future__ import annotations

from typing import Any

from moelint.text.document import Setting
from moelint.text.source import Source
from moelint.text.yaml_document import YamlDocument
from moelint.text.yaml_lines import read_lines
from moelint.text.yaml_reader import read_yaml


def setting_shape(setting: Setting) -> tuple[Any, ...]:
    fields = [getattr(setting, name) for name in Setting.__slots__ if name not in ("items", "value")]
    items = None if setting.items is None else [setting_shape(item) for item in setting.items]
    return type(setting), type(setting.value), repr(setting.value), *fields, items  # repr tells 1 from 1.0, and NaN is NaN


def document_shape(document: YamlDocument) -> dict[str, Any]:
    """Every attribute; what is worked out later (``_editor``) or only saves work (``in_order``) left out."""
    known = {name: value for name, value in vars(document).items() if name not in ("source", "_editor", "in_order")}
    known["settings"] = [(path, setting_shape(setting)) for path, setting in document.settings.items()]
    known["sections"] = list(document.sections.items())
    known["problems"] = [(p.kind, p.message, p.start, p.end, p.path) for p in document.problems]
    known["siblings"] = len(document.siblings)
    known["lines"] = document.source.line_starts()
    return known


def is_in_order(document: YamlDocument) -> bool:
    starts = [setting.key_start for setting in document.settings.values()]
    sections = [start for start, _ in document.sections.values()]
    return starts == sorted(starts) and sections == sorted(sections)


def read_both(text: str) -> bool:
    """Whether the line reader takes a text; then it must give what libyaml gives. Raises TextError where that does."""
    document = read_lines(Source("a.yaml", text))
    if document is None:
        return False
    [other] = read_yaml(Source("a.yaml", text), by_line=False)
    assert document_shape(document) == document_shape(other), text
    assert document.in_order and is_in_order(document), text
    return True
