"""What a notebook tells of its audit to whoever runs it: verdict and headline numbers, in an output of its own type."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from nbformat import NotebookNode

from anova_report.errors import StorageError
from anova_report.io.documents import plain, read
from anova_report.measures.status import VERDICTS, Status
from anova_report.report.audit.audit import Audit, Headline
from anova_report.report.page.render import environment

MIME = "application/vnd.anova-report.summary+json"


@dataclass(frozen=True)
class Summary:
    """The verdict of an audit and where its files are; shown as the last output of a notebook, a batch reads it there.

    Parameters
    ----------
    title : str
    verdict : {"pass", "warn", "fail", "not applicable"}
    words : str
        The verdict in a sentence.
    headlines : tuple of Headline
    page, audit : str or None
        Paths of the HTML page and of the JSON behind it, as they were passed to the notebook.
    """

    title: str
    verdict: Status
    words: str
    headlines: tuple[Headline, ...]
    page: str | None = None
    audit: str | None = None

    @classmethod
    def of(cls, audit: Audit, *, page: Path | None = None, saved: Path | None = None) -> Self:
        """Sum up an audit; of several outputs, the first with the worst verdict speaks for all."""
        output = next(item for item in audit.outputs if item.verdict == audit.verdict)
        named = f"{output.name}: {output.verdict_words}" if len(audit.outputs) > 1 else output.verdict_words
        places = [None if path is None else str(path) for path in (page, saved)]
        return cls(audit.title, output.verdict, named, output.headlines, *places)

    def __str__(self) -> str:
        places = [path for path in (self.page, self.audit) if path]
        where = f" Written: {', '.join(places)}." if places else ""
        return f"Verdict: {VERDICTS[self.verdict]} ({self.verdict}). {self.words}{where}"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, Any]:
        """Show where the files are, the sentence where there is no HTML, and beside it what a machine reads."""
        del include, exclude  # IPython may ask for some types only; it also takes more
        places = [(words, path) for words, path in (("Page", self.page), ("Audit as JSON", self.audit)) if path]
        html = environment().get_template("inline/summary.html").render(places=places)
        return {"text/plain": str(self), "text/html": html, MIME: plain(self)}


def read_summary(notebook: NotebookNode) -> Summary | None:
    """Find the last summary among the outputs of an executed notebook; None if it makes no audit of ours."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    found = [output.data[MIME] for output in outputs if MIME in output.get("data", {})]
    try:
        return read(found[-1], Summary) if found else None
    except StorageError:
        return None  # written by another version: as good as none
