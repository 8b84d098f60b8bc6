"""The few facts a page carries for machines: verdict, deciding numbers, findings and the largest shares."""

from dataclasses import dataclass, replace
from typing import Any, Self

from bs4 import BeautifulSoup

from anova_report.errors import StorageError
from anova_report.figures.shares import Shares
from anova_report.io.documents import parse, read, read_fields
from anova_report.measures.status import VERDICTS, Finding, Status, worst
from anova_report.measures.wording import counted
from anova_report.report.audit.audit import Audit, Headline, OutputAudit, contradicted
from anova_report.report.page.page_one import Driver, page_one

ELEMENT = "facts"  # id of the script element that holds them
SHARES_KEPT = 8


@dataclass(frozen=True)
class ShareFact:
    """The total share of a term in the variance of the predictions, as a fraction; or of what no term explains.

    The structural share, by which terms are ranked, is None for what no term explains, and in older pages.
    """

    label: str
    value: float
    explained: bool = True
    structural: float | None = None


@dataclass(frozen=True)
class OutputFacts:
    """What a page says about one output.

    The drivers are its largest features, the effects a sentence on each of the largest effects, and the sign the
    verdict in words; pages of earlier versions have none of these.
    """

    name: str
    verdict: Status
    verdict_words: str
    headlines: tuple[Headline, ...]
    findings: tuple[Finding, ...]
    shares: tuple[ShareFact, ...]
    drivers: tuple[Driver, ...] = ()
    effects: tuple[str, ...] = ()
    sign: str = ""

    @property
    def verdict_sign(self) -> str:
        """The verdict in words."""
        return self.sign or VERDICTS[self.verdict]

    @classmethod
    def from_document(cls, written: dict[str, Any]) -> Self:
        """Read an output; pages of the first version say neither value nor limit of a finding."""
        found = written.get("findings")
        if isinstance(found, list):
            given = [{"value": None, "limit": None} | item if isinstance(item, dict) else item for item in found]
            written = written | {"findings": given}
        return read_fields(written, cls, cls.__name__)


@dataclass(frozen=True)
class PageFacts:
    """What a page says, in few words.

    The subject is what was audited, and the words of the verdict those of the first output with the worst one.
    """

    title: str
    subject: str
    created: str
    verdict: Status
    verdict_words: str
    outputs: tuple[OutputFacts, ...]

    @property
    def verdict_sign(self) -> str:
        """The verdict in words: that of the first output with it."""
        return next(output.verdict_sign for output in self.outputs if output.verdict == self.verdict)


def page_facts(audit: Audit) -> PageFacts:
    """Choose what a page carries for machines."""
    worst = next(output for output in audit.outputs if output.verdict == audit.verdict)
    model = () if audit.subject.model in audit.title else (audit.subject.model,)  # no line says what is above it
    sizes = (counted(audit.subject.n_rows, "row", "rows"), counted(len(audit.features), "feature", "features"))
    return PageFacts(
        title=audit.title,
        subject=", ".join([*model, *sizes]),
        created=audit.run.created,
        verdict=audit.verdict,
        verdict_words=worst.verdict_words,
        outputs=tuple(_output(audit, output) for output in audit.outputs),
    )


def read_facts(page: str) -> PageFacts:
    """Find the facts in the text of a page, or say that it carries none; nothing in it is executed."""
    element = BeautifulSoup(page, "html.parser").find("script", id=ELEMENT, type="application/json")
    try:
        found = parse(element.get_text() if element else "")
    except ValueError as error:
        raise StorageError(
            "The page carries no facts. Pass a page of an audit or a comparison that this version wrote."
        ) from error
    if not isinstance(found, dict):
        raise StorageError("The facts of the page are damaged. Make it again: anova-report render.")
    facts = read(found, PageFacts)
    # Comparisons have no findings.
    judged = [(output.name, output.verdict, output.findings) for output in facts.outputs if output.findings]
    wrong = contradicted(judged) if judged else "" if facts.outputs else "there is no output"
    if wrong or facts.verdict != worst(output.verdict for output in facts.outputs):
        raise StorageError(f"The facts of the page contradict themselves: {wrong or 'its verdict is none of theirs'}.")
    return facts


def _output(audit: Audit, output: OutputAudit) -> OutputFacts:
    figure = audit.figures.get(output.shares)
    data = None if figure is None else figure.data
    shares: tuple[ShareFact, ...] = ()
    if isinstance(data, Shares):
        largest = tuple(
            ShareFact(label, total, structural=structural)
            for label, total, structural in zip(data.labels, data.total, data.structural, strict=True)
        )[:SHARES_KEPT]
        left = () if data.unexplained is None else (ShareFact("unexplained", data.unexplained, explained=False),)
        shares = (*largest, *left)
    words, first = (output.name, output.verdict, output.verdict_words), page_one(audit, output)
    effects = tuple(audit.figures[effect.figure].alt for effect in first.effects)
    # What words are made of is in the audit: a page that is mailed must be small.
    headlines = tuple(replace(item, claims=()) for item in output.headlines)
    findings = tuple(replace(item, claims=()) for item in output.findings)
    return OutputFacts(*words, headlines, findings, shares, first.drivers, effects, output.sign)
