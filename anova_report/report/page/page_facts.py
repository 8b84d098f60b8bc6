"""The few facts a page carries for machines: verdict, deciding numbers, findings and the largest shares."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from anova_report.errors import StorageError
from anova_report.figures.documents import plain, read
from anova_report.figures.kinds import Shares
from anova_report.measures.wording import counted
from anova_report.report.audit.audit import Audit, Headline, OutputAudit, Status

ELEMENT = "facts"  # id of the script element that holds them
SHARES_KEPT = 8
UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class FindingFact:
    """One finding."""

    code: str
    title: str
    status: Status
    sentence: str
    advice: str


@dataclass(frozen=True)
class ShareFact:
    """The share of a term in the variance of the answers, as a fraction."""

    label: str
    value: float


@dataclass(frozen=True)
class OutputFacts:
    """What a page says about one output."""

    name: str
    verdict: Status
    verdict_words: str
    headlines: tuple[Headline, ...]
    findings: tuple[FindingFact, ...]
    shares: tuple[ShareFact, ...]


@dataclass(frozen=True)
class PageFacts:
    """What a page says, in few words.

    Parameters
    ----------
    title : str
    subject : str
        What was audited.
    created : str
    verdict : {"pass", "warn", "fail", "not applicable"}
    verdict_words : str
        Of the first output with the worst verdict.
    outputs : tuple of OutputFacts
    """

    title: str
    subject: str
    created: str
    verdict: Status
    verdict_words: str
    outputs: tuple[OutputFacts, ...]


def page_facts(audit: Audit) -> PageFacts:
    """Choose what a page carries for machines."""
    worst = next(output for output in audit.outputs if output.verdict == audit.verdict)
    return PageFacts(
        title=audit.title,
        subject=_subject(audit),
        created=audit.run.created,
        verdict=audit.verdict,
        verdict_words=worst.verdict_words,
        outputs=tuple(_output(audit, output) for output in audit.outputs),
    )


def facts_json(facts: PageFacts) -> dict[str, Any]:
    """Write facts as JSON types, for the element of the page."""
    found: dict[str, Any] = plain(facts)
    return found


def read_facts(page: str) -> PageFacts:
    """Find the facts in the text of a page; nothing in it is executed.

    Raises
    ------
    StorageError
        If the page carries none.
    """
    finder = _Finder()
    finder.feed(page)
    try:
        found = json.loads("".join(finder.text))
    except json.JSONDecodeError as error:
        raise StorageError(
            "The page carries no facts. Pass a page of an audit or a comparison that this version wrote."
        ) from error
    if not isinstance(found, Mapping):
        raise StorageError("The facts of the page are damaged. Make it again: anova-report render.")
    return read(dict(found), PageFacts)


class _Finder(HTMLParser):
    """Collects the text of the script element with the right id."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and ("id", ELEMENT) in attrs and ("type", "application/json") in attrs

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 the signature of the parser
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.text.append(data)


def _subject(audit: Audit) -> str:
    rows, features = audit.subject.n_rows, len(audit.features)
    return f"{audit.subject.model}, {counted(rows, 'row', 'rows')}, {counted(features, 'feature', 'features')}"


def _output(audit: Audit, output: OutputAudit) -> OutputFacts:
    return OutputFacts(
        name=output.name,
        verdict=output.verdict,
        verdict_words=output.verdict_words,
        headlines=output.headlines,
        findings=tuple(
            FindingFact(item.code, item.title, item.status, item.sentence, item.advice) for item in output.findings
        ),
        shares=_shares(audit, output),
    )


def _shares(audit: Audit, output: OutputAudit) -> tuple[ShareFact, ...]:
    data = audit.figures[output.shares].data
    if not isinstance(data, Shares):
        return ()
    drawn = list(zip(data.labels, data.total, strict=True))[:SHARES_KEPT]
    return (*(ShareFact(label, share) for label, share in drawn), ShareFact(UNEXPLAINED, data.unexplained))
