"""The types that cross rooms on the way out: findings, fixes, reports. Field names are those of the JSON report."""

from __future__ import annotations

from moelint.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moelint.text.source import Source

SEVERITIES = ("note", "warning", "error")
EFFECT_SEVERITY = {
    "refuses": "error",
    "crashes": "error",
    "hangs": "error",
    "corrupts": "error",
    "ignored": "warning",
    "slow": "warning",
    "memory": "warning",
    "advice": "note",
    "deprecated": "note",
}


class Place:
    """1-based, columns in characters; end_column is one past the last character."""

    __slots__ = ("column", "end_column", "end_line", "line", "path")

    def __init__(self, path: str, line: int, column: int, end_line: int, end_column: int) -> None:
        self.path, self.line, self.column, self.end_line, self.end_column = path, line, column, end_line, end_column


class Fix:
    """One alternative. ``edits`` change the text of the finding's file; none, and a ``reason``, if not possible."""

    __slots__ = ("edits", "rank", "reason", "safety", "set", "unset", "why")

    def __init__(self, rank: int, safety: str, set: dict[str, Any], unset: list[str], why: str) -> None:
        self.rank, self.safety, self.set, self.unset, self.why = rank, safety, set, unset, why
        self.edits: list[Any] = []  # text.edits.Edit
        self.reason: str | None = None


class Related:
    __slots__ = ("key", "message", "place")

    def __init__(self, key: str, message: str, place: Place) -> None:
        self.key, self.message, self.place = key, message, place


class Finding:
    """``facts``: key → {value, origin, path, line, spelling}. ``certainty``: certain | assumed."""

    __slots__ = (
        "about",
        "case",
        "certainty",
        "config",
        "effect",
        "facts",
        "fingerprint",
        "fixes",
        "key",
        "message",
        "name",
        "new",
        "place",
        "related",
        "rule",
        "severity",
        "url",
        "wall",
    )

    def __init__(self, rule: str, name: str, effect: str, severity: str, message: str, place: Place, key: str) -> None:
        self.rule, self.name, self.effect, self.severity = rule, name, effect, severity
        self.message, self.place, self.key = message, place, key
        self.about: tuple[str, ...] = (key,)  # the keys that name it in its fingerprint
        self.case: str | None = None
        self.certainty = "certain"
        self.wall: str | None = None
        self.config: str | None = None
        self.related: list[Related] = []
        self.facts: dict[str, dict[str, Any]] = {}
        self.fixes: list[Fix] = []
        self.fingerprint = ""
        self.new: bool | None = None
        self.url: str | None = None


class ConfigReport:
    __slots__ = ("completeness", "dialect", "line", "name", "target", "trainer", "undecided")

    def __init__(self, name: str, line: int, dialect: str, trainer: str, completeness: str) -> None:
        self.name, self.line, self.dialect, self.trainer, self.completeness = name, line, dialect, trainer, completeness
        self.target: dict[str, dict[str, Any]] = {}
        self.undecided: dict[str, Any] = {"count": 0, "waiting_for": []}


class RuleInfo:
    """What a report says of a rule beside its findings. ``help`` is Markdown; ``sources``: (what, url) pairs."""

    __slots__ = ("effect", "evidence", "help", "id", "name", "severity", "sources", "summary", "url", "wall")

    def __init__(self, id: str, name: str, effect: str, severity: str, summary: str, help: str) -> None:
        self.id, self.name, self.effect, self.severity, self.summary, self.help = (
            id,
            name,
            effect,
            severity,
            summary,
            help,
        )
        self.evidence: str | None = None
        self.wall: str | None = None
        self.url: str | None = None
        self.sources: list[tuple[str, str | None]] = []


class FileReport:
    """``source`` is kept only where findings need their text; ``diff`` is the patch that ``--diff`` prints;
    ``refused`` are fixes that were not applied, with the reason; ``notes`` are for the run as a whole, to say once."""

    __slots__ = (
        "configs",
        "diff",
        "fail_on",
        "findings",
        "fixed",
        "fixed_by_change",
        "fixed_changes",
        "hidden",
        "notes",
        "path",
        "refused",
        "skipped",
        "source",
        "suppressed",
        "undecided_errors",
    )

    def __init__(self, path: str) -> None:
        self.path = path
        self.fail_on: str | None = None  # what the configuration of its folder says of it
        self.skipped: str | None = None
        self.configs: list[ConfigReport] = []
        self.findings: list[Finding] = []
        self.source: Source | None = None
        self.fixed = self.suppressed = self.undecided_errors = 0
        self.fixed_changes: list[str] = []
        self.fixed_by_change: list[Finding] = []  # findings of the old revision that are gone
        self.hidden: set[str] = set()  # fingerprints of what an ignore or the baseline hides
        self.refused: list[str] = []
        self.notes: tuple[str, ...] = ()
        self.diff = ""


class Report:
    """Everything that one run found. ``problems``: lines for stderr that make the exit code 2. ``rules`` is filled only
    when a format asks for it. ``since``: the old revision's name, None if none was asked for; findings with ``new``
    False are then for formats that describe a whole state (SARIF, JSON, GitLab), the others show ``shown()``."""

    __slots__ = ("baselined", "files", "notes", "packs", "problems", "root", "rules", "since")

    def __init__(self) -> None:
        self.files: list[FileReport] = []
        self.packs: dict[str, str] = {}
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.rules: dict[str, RuleInfo] = {}
        self.root: str | None = None  # the repository's top folder, for repo-relative URIs
        self.since: str | None = None
        self.baselined = 0

    def findings(self) -> list[Finding]:
        return [finding for file in self.files for finding in file.findings]

    def shown(self) -> list[Finding]:
        """The findings that this run is about: all, or the new ones if a revision is compared with."""
        return [item for item in self.findings() if item.new is not False]

    def counts(self) -> dict[str, int]:
        """Severity → number of findings shown."""
        out = dict.fromkeys(SEVERITIES, 0)
        for item in self.shown():
            out[item.severity] += 1
        return out

    def old(self) -> int:
        """Findings that the old revision has too."""
        return sum(item.new is False for item in self.findings())

    def summary(self) -> dict[str, Any]:
        count = dict.fromkeys(SEVERITIES, 0)
        for file in self.files:
            for finding in file.findings:
                count[finding.severity] += 1
        return {
            "files": sum(not file.skipped for file in self.files),
            "configs": sum(len(file.configs) for file in self.files),
            "errors": count["error"],
            "warnings": count["warning"],
            "notes": count["note"],
            "fixed": sum(file.fixed for file in self.files),
            "suppressed": sum(file.suppressed for file in self.files),
            "baselined": self.baselined,
            "new": None if self.since is None else len(self.shown()),
            "fixed_by_change": None if self.since is None else sum(len(file.fixed_by_change) for file in self.files),
            "undecided": sum(config.undecided["count"] for file in self.files for config in file.configs),
        }

    def worst(self, threshold: str | None = None) -> bool:
        """Whether a finding at or above the threshold is left, without one that of each file's configuration; with ``since``
        only new ones count."""
        for file in self.files:
            least = SEVERITIES.index(threshold or file.fail_on or "error")
            if any(SEVERITIES.index(item.severity) >= least for item in file.findings if item.new is not False):
                return True
        return False

    def threshold(self) -> str:
        """The lowest threshold that a configuration sets."""
        return min((file.fail_on or "error" for file in self.files), key=SEVERITIES.index, default="error")
