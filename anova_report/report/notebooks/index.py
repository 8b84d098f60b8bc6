"""The index page of a batch: verdicts, headline numbers and links, in the order in which runs were asked for."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from anova_report import __version__
from anova_report.core import files
from anova_report.measures.status import Status
from anova_report.measures.wording import counted
from anova_report.report.notebooks.ledger import LedgerEntry
from anova_report.report.page.assets import page_styles
from anova_report.report.page.render import environment, policy

FILE = "index.html"
LINKS = (("page", "Audit"), ("html", "Notebook"), ("notebook", "ipynb"), ("audit", "JSON"))
OUTCOMES: tuple[tuple[str, Status, str], ...] = (  # verdict or outcome, the status that gives its icon, words
    ("failed", "fail", "did not finish"),
    ("fail", "fail", "fail"),
    ("warn", "warn", "warn"),
    ("pass", "pass", "pass"),
    ("not applicable", "not applicable", "with nothing to check"),
    ("done", "not applicable", "without an audit"),
    ("waiting", "not applicable", "not run yet"),
)


def write_index(entries: Sequence[LedgerEntry], folder: Path, *, title: str) -> Path:
    """Write the index page of a batch into its folder."""
    return files.write_text(folder / FILE, render_index(entries, title=title))


def render_index(entries: Sequence[LedgerEntry], *, title: str) -> str:
    """Write the index page of a batch as HTML; all its links are relative."""
    headlines = (item for entry in entries if entry.summary for item in entry.summary.headlines)
    labels = tuple(dict.fromkeys(item.label for item in headlines))  # in the order in which they first appear
    contents = {
        "title": title,
        "policy": policy("'none'"),
        "styles": page_styles("batch.css"),
        "n_runs": counted(len(entries), "run", "runs"),
        "seconds": sum(entry.seconds for entry in entries),
        "counts": counts(entries),
        "labels": labels,
        "rows": [_row(entry, labels) for entry in entries],
        "version": __version__,
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }
    return environment().get_template("index.html").render(contents)


def counts(entries: Sequence[LedgerEntry]) -> list[tuple[Status, str]]:
    """Count the runs by how they ended, the worst first: the status that gives the icon, and words.

    Examples
    --------
    >>> counts([LedgerEntry("a", "a", "done"), LedgerEntry("b", "b", "failed")])
    [('fail', '1 did not finish'), ('not applicable', '1 without an audit')]
    """
    found: Counter[str] = Counter(entry.summary.verdict if entry.summary else entry.outcome for entry in entries)
    return [(status, f"{found[key]} {words}") for key, status, words in OUTCOMES if found[key]]


def _row(entry: LedgerEntry, labels: Sequence[str]) -> dict[str, Any]:
    """Collect what the page says of one run; a headline is None where the run has no such number."""
    summary = entry.summary
    found = {item.label: item for item in summary.headlines} if summary else {}
    return {
        "name": entry.name,
        "about": summary.title if summary and summary.title != entry.name else "",
        "words": summary.words if summary and summary.verdict in ("warn", "fail") else "",
        "outcome": entry.outcome,
        "verdict": summary.verdict if summary else None,
        "headlines": [found.get(label) for label in labels],
        "reason": entry.message,
        "seconds": entry.seconds,
        "links": [(quote(path), words) for kind, words in LINKS if (path := getattr(entry, kind))],
    }
