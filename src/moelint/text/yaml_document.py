"""One YAML document: its settings, and the text edits that change one of them and nothing else."""

from __future__ import annotations

from moelint.text.document import Document, Path, Problem, Setting
from moelint.text.source import Source


class YamlDocument(Document):
    """Part [start, end) of a file. ``sections``: span of the key of each mapping, and of each list of mappings."""

    def __init__(
        self, source: Source, settings: dict[Path, Setting], sections: dict[Path, tuple[int, int]],
        problems: list[Problem], index: int, start: int, end: int,
    ) -> None:
        self.source, self.settings, self.sections, self.problems = source, settings, sections, problems
        self.index, self.start, self.end = index, start, end
        self.comments: list[tuple[int, int]] = []
