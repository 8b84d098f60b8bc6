"""The index page of a batch: verdicts, headline numbers and links, in the order in which runs were asked for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from anova_report import __version__
from anova_report.core import files
from anova_report.measures.findings import Status
from anova_report.measures.wording import counted
from anova_report.report.audit.audit import Headline
from anova_report.report.notebooks.ledger import LedgerEntry, Outcome
from anova_report.report.page.assets import page_styles
from anova_report.report.page.render import environment, policy

FILE = "index.html"
TEMPLATE = "index.html"
LINKS = (("page", "Audit"), ("html", "Notebook"), ("notebook", "ipynb"), ("audit", "JSON"))


@dataclass(frozen=True)
class IndexLink:
    """An address relative to the index, and its words."""

    address: str
    words: str


@dataclass(frozen=True)
class IndexRow:
    """What the page says of one run.

    Parameters
    ----------
    name, about : str
        The run, and the title of its audit where that says more.
    words : str
        The verdict in a sentence, if it is not a plain pass.
    outcome : {"done", "failed", "waiting"}
    verdict : str or None
    headlines : tuple of Headline or None
        One per column of the page; None where the run has no such number.
    reason : str
        Why the run failed.
    seconds : float
    links : tuple of IndexLink
    """

    name: str
    about: str
    words: str
    outcome: Outcome
    verdict: Status | None
    headlines: tuple[Headline | None, ...]
    reason: str
    seconds: float
    links: tuple[IndexLink, ...]


@dataclass(frozen=True)
class Count:
    """How many runs came out in one way: the status that gives its icon, and words."""

    status: Status
    words: str


def write_index(entries: Sequence[LedgerEntry], folder: Path, *, title: str) -> Path:
    """Write the index page of a batch into its folder."""
    return files.write_text(folder / FILE, render_index(entries, title=title))


def render_index(entries: Sequence[LedgerEntry], *, title: str) -> str:
    """Write the index page of a batch as HTML; all its links are relative."""
    labels = _labels(entries)
    return (
        environment()
        .get_template(TEMPLATE)
        .render(
            title=title,
            policy=policy("'none'"),
            styles=page_styles("batch.css"),
            n_runs=counted(len(entries), "run", "runs"),
            seconds=sum(entry.seconds for entry in entries),
            counts=counts(entries),
            labels=labels,
            rows=[row(entry, labels) for entry in entries],
            version=__version__,
            made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        )
    )


def row(entry: LedgerEntry, labels: Sequence[str]) -> IndexRow:
    """Gather what the page says of one run."""
    summary = entry.summary
    found = {item.label: item for item in summary.headlines} if summary else {}
    return IndexRow(
        name=entry.name,
        about=summary.title if summary and summary.title != entry.name else "",
        words=summary.words if summary and summary.verdict in ("warn", "fail") else "",
        outcome=entry.outcome,
        verdict=summary.verdict if summary else None,
        headlines=tuple(found.get(label) for label in labels),
        reason=entry.message,
        seconds=entry.seconds,
        links=tuple(IndexLink(quote(path), words) for kind, words in LINKS if (path := getattr(entry, kind))),
    )


def counts(entries: Sequence[LedgerEntry]) -> tuple[Count, ...]:
    """Count the runs by what came of them, the worst first.

    Examples
    --------
    >>> [count.words for count in counts([LedgerEntry("a", "a", "done"), LedgerEntry("b", "b", "failed")])]
    ['1 did not finish', '1 without an audit']
    """
    ways: tuple[tuple[str, Status, str], ...] = (
        ("failed", "fail", "did not finish"),
        ("fail", "fail", "fail"),
        ("warn", "warn", "warn"),
        ("pass", "pass", "pass"),
        ("not applicable", "not applicable", "with nothing to check"),
        ("done", "not applicable", "without an audit"),
        ("waiting", "not applicable", "not run yet"),
    )
    found: Counter[str] = Counter(entry.summary.verdict if entry.summary else entry.outcome for entry in entries)
    return tuple(Count(status, f"{found[key]} {words}") for key, status, words in ways if found[key])


def _labels(entries: Sequence[LedgerEntry]) -> tuple[str, ...]:
    """List the headline numbers that any run has, in the order in which they first appear."""
    items = (item for entry in entries if entry.summary for item in entry.summary.headlines)
    return tuple(dict.fromkeys(item.label for item in items))
