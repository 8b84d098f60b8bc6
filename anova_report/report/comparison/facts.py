"""The few facts the page of a comparison carries for machines, in the form of an audit's, so that it can be mailed."""

from anova_report.report.audit.audit import Status
from anova_report.report.comparison.comparison import ComparisonPage, OutputComparison
from anova_report.report.page.facts import OutputFacts, PageFacts

VERDICTS: dict[bool | None, Status] = {True: "warn", False: "pass", None: "not applicable"}


def comparison_facts(comparison: ComparisonPage) -> PageFacts:
    """Choose what the page carries: what differs is a warning, not a failure, for two models may well differ."""
    changed = comparison.changed or (None if any(output.changed is None for output in comparison.outputs) else False)
    decisive = next(output for output in comparison.outputs if output.changed is changed)
    first, second = comparison.names
    return PageFacts(
        title=comparison.title,
        subject=f"{second} beside {first}",
        created=comparison.run.created,
        verdict=VERDICTS[changed],
        verdict_words=decisive.words,
        outputs=tuple(map(_output, comparison.outputs)),
    )


def _output(output: OutputComparison) -> OutputFacts:
    return OutputFacts(
        name=output.name,
        verdict=VERDICTS[output.changed],
        verdict_words=output.words,
        headlines=output.headlines,
        findings=(),
        shares=(),
    )
