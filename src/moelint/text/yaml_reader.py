"""YAML text → documents of settings with exact spans: line by line where that is safe, else with libyaml.

Most files are key and value, line for line. ``yaml_lines`` reads these, and gives up on anything else; ``yaml_events``
reads all that is YAML. Where both read a text they give the same documents, attribute by attribute.
"""

from __future__ import annotations

from moelint.text.source import Source, TextError
from moelint.text.yaml_document import YamlDocument
from moelint.text.yaml_lines import read_lines

MAX_CHARACTERS = 4 << 20


def read_yaml(source: Source, by_line: bool = True) -> list[YamlDocument]:
    """The YAML documents of a file, in order. Raises TextError, with line and column, on text that is not YAML.

    ``by_line=False`` asks libyaml in any case: for a second look that shares nothing with the first.
    """
    if len(source.text) > MAX_CHARACTERS:
        raise TextError(f"longer than {MAX_CHARACTERS:,} characters", source.path)
    if by_line:
        document = read_lines(source)
        if document is not None:
            return [document]
    from moelint.text.yaml_events import read_events

    return read_events(source)
