"""moelint's own word on cases, in this process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from moelint.engine import Engine
from moelint.fix.engine import Outcome, fix_source
from moelint.options import Options
from moelint.read.config import Config
from moelint.results import FileReport, Finding
from moelint.text.source import Source
from verdicts.case import Case, text_of

# spellings of one setting in the trainers' messages, in old releases and in Megatron-LM's arguments
SAME = {
    "num_experts": "num_moe_experts",
    "fp8_format": "fp8",
    "fp4_format": "fp4",
    "te_rng_tracker": "use_te_rng_tracker",
    "num_virtual_stages_per_pipeline_rank": "virtual_pipeline_model_parallel_size",
    "num_layers_per_virtual_pipeline_stage": "virtual_pipeline_model_parallel_size",
    "decoder_first_pipeline_num_layers": "num_layers_in_first_pipeline_stage",
    "decoder_last_pipeline_num_layers": "num_layers_in_last_pipeline_stage",
    "moe_a2a_overlap": "overlap_moe_expert_parallel_comm",
    "cuda_graph_scope": "cuda_graph_modules",
}


class Judge:
    """Lints cases; one for a whole run, since packs and tables are loaded once."""

    def __init__(self) -> None:
        options = Options()
        options.no_config = True
        self.engine = Engine(options)

    def report(self, case: Case) -> FileReport:
        return self.engine.lint(Source(f"{case['id']}.yaml", text_of(case)), True)

    def reports(self, cases: Iterable[Case]) -> Iterator[tuple[Case, FileReport]]:
        for case in cases:
            yield case, self.report(case)

    def fixed(self, case: Case, only_errors: bool = False) -> Outcome:
        """The case's text after every fix, the unsafe ones too; ``only_errors``: of errors only."""

        def lint(text: Source) -> tuple[FileReport, list[Config]]:
            report, configs = self.engine.lint_read(text, True)
            if only_errors:
                report.findings = [item for item in report.findings if item.severity == "error"]
            return report, configs

        return fix_source(Source(f"{case['id']}.yaml", text_of(case)), lint, unsafe=True)


def refusals(report: FileReport) -> list[Finding]:
    """The findings that say: the trainer will refuse this."""
    return [item for item in report.findings if item.effect == "refuses" and item.severity == "error"]


def leaf(key: str | None) -> str:
    """The plain name of a setting in whatever spelling."""
    name = (key or "").lstrip("-+").split("=")[0].split(".")[-1].replace("-", "_").lower()
    return SAME.get(name, name)


def touched(item: Finding) -> set[str]:
    """Settings where a finding stands, that it relates, or that it would change."""
    keys = {leaf(item.key), *(leaf(other.key) for other in item.related)}
    return (keys | {leaf(key) for fix in item.fixes for key in [*fix.set, *fix.unset]}) - {""}


def reads(item: Finding) -> set[str]:
    return touched(item) | {leaf(key) for key in item.facts}


def named(message: str) -> set[str]:
    """Words of a trainer's message that look like settings."""
    return {leaf(word) for word in re.findall(r"-{0,2}[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+", message)}
